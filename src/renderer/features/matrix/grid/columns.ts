import type { ColDef } from 'ag-grid-community';
import type { Painter, RowHandle } from './painting.ts';
import { createItemCell, createNumberCell, createProgressCell } from './row-cells.ts';
import { createRuleCell } from './rule-cell.ts';
import { createRuleHeading } from './rule-heading.ts';

const WIDTH = { number: 52, item: 252, progress: 112, rule: 124, turnedRule: 42 };
/** Where the window is small or zoomed in, the rules keep most of it. */
const NARROW = { number: 40, item: 132, progress: 62 };
const NARROW_BELOW = 640;
const SCROLLBAR = 16;

/** Headings are turned, and columns narrow, where the rules would not all be in sight otherwise. */
export const needsCompact = (width: number, rules: number): boolean => WIDTH.number + WIDTH.item + WIDTH.progress + SCROLLBAR + rules * WIDTH.rule > width;

export interface Layout {
  compact: boolean;
  narrow: boolean;
}

export const isNarrow = (width: number): boolean => width < NARROW_BELOW;

export const HEADER_HEIGHT = { wide: 104, compact: 188 };
export const ROW_HEIGHT = 32;

/** The columns for either density. The cell components are made once a grid: a new class would rebuild every cell. */
export function createColumns(painter: Painter): (layout: Layout) => ColDef<RowHandle>[] {
  const { rules, profile } = painter.editor.session;
  const names = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const [NumberCell, ItemCell, ProgressCell, RuleCell, RuleHeading] = [createNumberCell(painter), createItemCell(painter), createProgressCell(painter), createRuleCell(painter), createRuleHeading(painter)];
  const heading: ColDef<RowHandle> = { pinned: 'left', lockPinned: true, suppressNavigable: true, resizable: false, cellClass: 'mx-heading' };
  return ({ compact, narrow }) => {
    const fixed = narrow ? NARROW : WIDTH;
    return [
      { ...heading, colId: '#', headerName: '#', width: fixed.number, cellRenderer: NumberCell, headerClass: 'mx-head-number', cellClass: 'mx-heading mx-heading-number' },
      { ...heading, colId: '#item', headerName: 'Item', width: fixed.item, minWidth: 80, resizable: true, cellRenderer: ItemCell, cellAriaRole: 'rowheader' },
      { ...heading, colId: '#progress', headerName: 'Recorded', width: fixed.progress, cellRenderer: ProgressCell },
      ...rules.map((rule): ColDef<RowHandle> => ({
        colId: rule,
        headerName: names.get(rule) ?? rule,
        cellRenderer: RuleCell,
        headerComponent: RuleHeading,
        headerClass: 'mx-head-rule',
        cellClass: 'mx-cell',
        flex: 1,
        ...(compact ? { minWidth: WIDTH.turnedRule, maxWidth: 68 } : { minWidth: WIDTH.rule, maxWidth: 180 }),
      })),
    ];
  };
}
