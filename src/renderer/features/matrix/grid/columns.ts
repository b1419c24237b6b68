import type { ColDef } from 'ag-grid-community';
import { COLUMN_WIDTH, widthOf } from '../model/column-plan.ts';
import type { Density } from '../model/preferences.ts';
import { createPlainHeading } from './plain-heading.ts';
import type { Painter, RowHandle } from './painting.ts';
import { createItemCell, createNumberCell, createProgressCell } from './row-cells.ts';
import { createRuleCell } from './rule-cell.ts';
import { createRuleHeading } from './rule-heading.ts';

const WIDTH = {
  number: 52,
  item: 252,
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
  /** The window is so low that turned headings would take the rows' room. */
  low: boolean;
  density: Density;
}

export const isNarrow = (width: number): boolean => width < NARROW_BELOW;
export const isLow = (height: number): boolean => height < 380;

export const headerHeight = ({ compact, low }: Layout): number =>
  compact ? (low ? 118 : 192) : low ? 84 : 108;
const ROW_HEIGHTS: Record<Density, number> = { dense: 25, usual: 32, roomy: 42 };
export const rowHeight = ({ density }: Layout): number => ROW_HEIGHTS[density];

/**
 * The columns of the present view. The cell components are made once a grid: a new class would
 * rebuild every cell.
 */
export function createColumns(painter: Painter): (layout: Layout) => ColDef<RowHandle>[] {
  const { session, store } = painter.editor;
  const names = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const [NumberCell, ItemCell, ProgressCell, RuleCell, RuleHeading, PlainHeading] = [
    createNumberCell(painter),
    createItemCell(painter),
    createProgressCell(painter),
    createRuleCell(painter),
    createRuleHeading(painter),
    createPlainHeading(painter),
  ];
  const heading: ColDef<RowHandle> = {
    pinned: 'left',
    lockPinned: true,
    lockPosition: 'left',
    suppressNavigable: true,
    resizable: false,
    headerComponent: PlainHeading,
    cellClass: 'mx-heading',
  };
  return ({ compact, narrow }) => {
    const { view, columns: plan } = store.getState();
    const { frozen } = plan;
    const fixed = narrow ? NARROW : WIDTH;
    const room = compact
      ? { minWidth: WIDTH.turnedRule, maxWidth: 68 }
      : { minWidth: WIDTH.rule, maxWidth: 180 };
    const sizeOf = (rule: string): ColDef<RowHandle> => {
      const chosen = widthOf(plan, rule);
      if (chosen === undefined && !frozen.includes(rule)) return { ...room, flex: 1 };
      return {
        minWidth: COLUMN_WIDTH.least,
        maxWidth: COLUMN_WIDTH.most,
        flex: 0,
        width: chosen ?? (compact ? WIDTH.frozenTurnedRule : WIDTH.rule),
      };
    };
    return [
      {
        ...heading,
        colId: '#',
        headerName: '#',
        width: fixed.number,
        cellRenderer: NumberCell,
        headerClass: 'mx-head-number',
        cellClass: 'mx-heading mx-heading-number',
      },
      {
        ...heading,
        colId: '#item',
        headerName: 'Item',
        width: narrow ? fixed.item : (widthOf(plan, '#item') ?? fixed.item),
        minWidth: 80,
        resizable: true,
        cellRenderer: ItemCell,
        cellAriaRole: 'rowheader',
      },
      {
        ...heading,
        colId: '#progress',
        headerName: 'Recorded',
        width: fixed.progress,
        cellRenderer: ProgressCell,
      },
      ...Array.from({ length: view.columnCount }, (_, column): ColDef<RowHandle> => {
        const rule = view.ruleAt(column);
        return {
          colId: rule,
          headerName: names.get(rule) ?? rule,
          cellRenderer: RuleCell,
          headerComponent: RuleHeading,
          headerClass: 'mx-head-rule',
          cellClass: 'mx-cell',
          pinned: frozen.includes(rule) ? 'left' : null,
          resizable: true,
          ...sizeOf(rule),
        };
      }),
    ];
  };
}
