import type { ColDef } from 'ag-grid-community';
import { COLUMN_WIDTH, type ColumnPlan, widthOf } from '../model/column-plan.ts';
import type { Density } from '../model/preferences.ts';
import { type FieldColumn, fieldId } from '../model/fields.ts';
import { createFieldCell } from './field-cell.ts';
import { createFieldHeading } from './field-heading.ts';
import { createPlainHeading } from './plain-heading.ts';
import type { Painter, RowHandle } from './painting.ts';
import { createItemCell, createNumberCell, createProgressCell } from './row-cells.ts';
import { createRuleCell } from './rule-cell.ts';
import { createRuleHeading } from './rule-heading.ts';
import { t } from '../../../text/t.ts';

const WIDTH = {
  number: 52,
  item: 252,
  field: 120,
  progress: 112,
  rule: 124,
  turnedRule: 42,
  frozenTurnedRule: 48,
};
/** Where the window is small or zoomed in, the rules keep most of it. */
const NARROW = { number: 40, item: 132, progress: 62 };
const NARROW_BELOW = 640;
const SCROLLBAR = 16;

/** Headings are turned, and columns narrow, where the rules would not all be in sight otherwise. */
export const needsCompact = (width: number, rules: number): boolean =>
  WIDTH.number + WIDTH.item + WIDTH.progress + SCROLLBAR + rules * WIDTH.rule > width;

export interface Layout {
  compact: boolean;
  narrow: boolean;
  /** How high the grid is: what turned headings may take of the rows' room. */
  room: 'little' | 'some' | 'much';
  density: Density;
  /** Of the headings, as chosen; undefined lets the room decide. */
  head: number | undefined;
}

export const isNarrow = (width: number): boolean => width < NARROW_BELOW;
export const roomOf = (height: number): Layout['room'] =>
  height < 380 ? 'little' : height < 640 ? 'some' : 'much';

/**
 * CSS pixels: 20 rows are in sight in a window of 1440 x 900, 14 in one of 1280 x 720, and 5 in
 * that at 200 %.
 */
const HEADINGS = {
  turned: { little: 76, some: 150, much: 160 },
  lying: { little: 76, some: 108, much: 108 },
} as const;
export const headerHeight = ({ compact, room, head }: Layout): number => {
  const usual = HEADINGS[compact ? 'turned' : 'lying'][room];
  return room === 'little' ? Math.min(head ?? usual, usual) : (head ?? usual);
};
const ROW_HEIGHTS: Record<Density, number> = { dense: 20, usual: 28, roomy: 40 };
const LOW_ROW = 24;
export const rowHeight = ({ density, room }: Layout): number =>
  room === 'little' ? Math.min(LOW_ROW, ROW_HEIGHTS[density]) : ROW_HEIGHTS[density];

/** The width of a rule's column: as chosen, or its share of the room. */
function sizeOf(plan: ColumnPlan, compact: boolean, rule: string): ColDef<RowHandle> {
  const chosen = widthOf(plan, rule);
  if (chosen === undefined && !plan.frozen.includes(rule))
    return compact
      ? { minWidth: WIDTH.turnedRule, maxWidth: 68, flex: 1 }
      : { minWidth: WIDTH.rule, maxWidth: 180, flex: 1 };
  return {
    minWidth: COLUMN_WIDTH.least,
    maxWidth: COLUMN_WIDTH.most,
    flex: 0,
    width: chosen ?? (compact ? WIDTH.frozenTurnedRule : WIDTH.rule),
  };
}

/** Number, item and progress: what heads a row. */
function createRowHeadings(
  painter: Painter,
): (plan: ColumnPlan, narrow: boolean) => ColDef<RowHandle>[] {
  const [NumberCell, ItemCell, ProgressCell] = [
    createNumberCell(painter),
    createItemCell(painter),
    createProgressCell(painter),
  ];
  const heading: ColDef<RowHandle> = {
    pinned: 'left',
    lockPinned: true,
    lockPosition: 'left',
    suppressNavigable: true,
    resizable: false,
    headerComponent: createPlainHeading(painter),
    cellClass: 'mx-heading',
  };
  return (plan, narrow) => {
    const width = narrow ? NARROW : WIDTH;
    return [
      {
        ...heading,
        colId: '#',
        headerName: '#',
        width: width.number,
        cellRenderer: NumberCell,
        headerClass: 'mx-head-number',
        cellClass: 'mx-heading mx-heading-number',
      },
      {
        ...heading,
        colId: '#item',
        headerName: t('Item'),
        width: narrow ? width.item : (widthOf(plan, '#item') ?? width.item),
        minWidth: 80,
        resizable: true,
        cellRenderer: ItemCell,
        cellAriaRole: 'rowheader',
      },
      {
        ...heading,
        colId: '#progress',
        headerName: t('Recorded'),
        width: width.progress,
        cellRenderer: ProgressCell,
      },
    ];
  };
}

/** A field of the items beside them. */
function createFieldColumn(
  painter: Painter,
): (plan: ColumnPlan, field: FieldColumn) => ColDef<RowHandle> {
  const [FieldCell, FieldHeading] = [createFieldCell(painter), createFieldHeading(painter)];
  return (plan, { key, frozen }) => ({
    colId: fieldId(key),
    headerName: key,
    cellRenderer: FieldCell,
    headerComponent: FieldHeading,
    cellClass: 'mx-fieldcell',
    pinned: frozen ? 'left' : null,
    resizable: true,
    minWidth: COLUMN_WIDTH.least,
    maxWidth: COLUMN_WIDTH.most,
    width: widthOf(plan, fieldId(key)) ?? WIDTH.field,
  });
}

/**
 * The columns of the present view. The cell components are made once a grid: a new class would
 * rebuild every cell.
 */
export function createColumns(painter: Painter): (layout: Layout) => ColDef<RowHandle>[] {
  const { session, store } = painter.editor;
  const names = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const rowHeadings = createRowHeadings(painter);
  const [RuleCell, RuleHeading] = [createRuleCell(painter), createRuleHeading(painter)];
  const fieldColumn = createFieldColumn(painter);
  return ({ compact, narrow }) => {
    const { view, columns: plan } = store.getState();
    return [
      ...rowHeadings(plan, narrow),
      ...view.fields.map((field) => fieldColumn(plan, field)),
      ...Array.from({ length: view.columnCount }, (_, column): ColDef<RowHandle> => {
        const rule = view.ruleAt(column);
        return {
          colId: rule,
          headerName: names.get(rule) ?? rule,
          cellRenderer: RuleCell,
          headerComponent: RuleHeading,
          headerClass: 'mx-head-rule',
          cellClass: 'mx-cell',
          pinned: plan.frozen.includes(rule) ? 'left' : null,
          resizable: true,
          ...sizeOf(plan, compact, rule),
        };
      }),
    ];
  };
}
