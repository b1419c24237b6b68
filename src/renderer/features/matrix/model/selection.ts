import { type CellState, codeOf } from '../../../../shared/domain/outcome.ts';
import type { CellAddress, CellBlock, MatrixSession } from '../../../data/store/port.ts';

import type { Counts } from './states.ts';
import type { View } from './view.ts';
import { t } from '../../../text/t.ts';

export interface Block {
  anchor: CellAddress;
  focus: CellAddress;
}

/**
 * Rectangles of cells, kept by the ids of items and rules, so that sorting, filtering and changes
 * from others cannot move them to other cells. `anchor` is the corner where the active one began;
 * `focus` is the cell with the browser's focus, and stays there while the block grows.
 */
export interface Selection extends Block {
  /** The corner opposite the anchor; absent where that is the focus. */
  corner?: CellAddress;
  /** Blocks that were selected before, with Ctrl or Cmd held down. */
  extra: readonly Block[];
}

/** Inclusive, in display rows and columns. */
export interface Rect {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export const single = (cell: CellAddress): Selection => ({ anchor: cell, focus: cell, extra: [] });

export const sameCell = (a: CellAddress | undefined, b: CellAddress | undefined): boolean =>
  a?.item === b?.item && a?.rule === b?.rule;

const sameBlock = (a: Block, b: Block): boolean =>
  sameCell(a.anchor, b.anchor) && sameCell(a.focus, b.focus);

export function sameSelection(a: Selection | null, b: Selection | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    sameBlock(a, b) &&
    sameCell(a.corner, b.corner) &&
    a.extra.length === b.extra.length &&
    a.extra.every((block, index) => sameBlock(block, b.extra[index]!))
  );
}

/** The cell of the active rectangle that is farthest from the anchor. */
export const cornerOf = (selection: Selection): CellAddress => selection.corner ?? selection.focus;

function rectBetween(a: CellAddress, b: CellAddress, view: View): Rect | null {
  const rows = [view.rowOf(a.item), view.rowOf(b.item)] as const;
  const columns = [view.columnOf(a.rule), view.columnOf(b.rule)] as const;
  if (Math.min(...rows, ...columns) < 0) return null;
  return {
    top: Math.min(...rows),
    bottom: Math.max(...rows),
    left: Math.min(...columns),
    right: Math.max(...columns),
  };
}

/** The active rectangle on screen, or null where one of its corners is not shown. */
export const rectOf = (selection: Selection | null, view: View): Rect | null =>
  selection === null ? null : rectBetween(selection.anchor, cornerOf(selection), view);

/** The active block of fields on screen, by places of fields; null where it is of rules. */
export function fieldRectOf(selection: Selection | null, view: View): Rect | null {
  if (selection === null) return null;
  const [a, b] = [selection.anchor, cornerOf(selection)];
  const rows = [view.rowOf(a.item), view.rowOf(b.item)] as const;
  const fields = [view.fieldOf(a.rule), view.fieldOf(b.rule)] as const;
  return Math.min(...rows, ...fields) < 0
    ? null
    : {
        top: Math.min(...rows),
        bottom: Math.max(...rows),
        left: Math.min(...fields),
        right: Math.max(...fields),
      };
}

/**
 * The active rectangle reaching to another cell. The focus stays on its cell while that is inside,
 * and else goes to where the block began.
 */
export function extendTo(
  { anchor, focus, extra }: Selection,
  to: CellAddress,
  view: View,
): Selection {
  const block = { anchor, focus: to, extra: [] };
  const isInside =
    contains(rectOf(block, view), view.rowOf(focus.item), view.columnOf(focus.rule)) ||
    contains(fieldRectOf(block, view), view.rowOf(focus.item), view.fieldOf(focus.rule));
  const active = isInside ? focus : anchor;
  return { anchor, ...(sameCell(active, to) ? {} : { corner: to }), focus: active, extra };
}

/**
 * Every rectangle on screen, the active one first; those with a corner that is not shown are left
 * out. They may overlap.
 */
export function rectsOf(selection: Selection | null, view: View): Rect[] {
  if (selection === null) return [];
  return [
    rectOf(selection, view),
    ...selection.extra.map(({ anchor, focus }) => rectBetween(anchor, focus, view)),
  ].filter((rect) => rect !== null);
}

export const sizeOf = (rect: Rect | null): number =>
  rect === null ? 0 : (rect.bottom - rect.top + 1) * (rect.right - rect.left + 1);

/** Cells that the rectangles cover together. */
export const sizeOfAll = (rects: readonly Rect[]): number =>
  disjoint(rects).reduce((sum, rect) => sum + sizeOf(rect), 0);

/** What is selected, where that is more than one cell. */
export function sizeWords(rects: readonly Rect[]): string | undefined {
  const [rect, ...others] = rects;
  const size = sizeOfAll(rects);
  if (rect === undefined || size < 2) return undefined;
  if (others.length > 0)
    return t(
      '{size, plural, one {# cell} other {# cells}} selected in {blocks, plural, one {# block} other {# blocks}}',
      { size, blocks: rects.length },
    );
  return t(
    '{size, plural, one {# cell} other {# cells}} selected, {items, plural, one {# item} other {# items}} by {rules, plural, one {# rule} other {# rules}}',
    { size, items: rect.bottom - rect.top + 1, rules: rect.right - rect.left + 1 },
  );
}

export function contains(rect: Rect | null, row: number, column: number): boolean {
  return (
    rect !== null &&
    row >= rect.top &&
    row <= rect.bottom &&
    column >= rect.left &&
    column <= rect.right
  );
}

export const isSelected = (rects: readonly Rect[], row: number, column: number): boolean =>
  rects.some((rect) => contains(rect, row, column));

/** What is left of a rectangle where another one is taken out of it: at most four. */
export function subtract(rect: Rect, hole: Rect): Rect[] {
  if (
    hole.top > rect.bottom ||
    hole.bottom < rect.top ||
    hole.left > rect.right ||
    hole.right < rect.left
  )
    return [rect];
  const [top, bottom] = [Math.max(rect.top, hole.top), Math.min(rect.bottom, hole.bottom)];
  return [
    { ...rect, bottom: hole.top - 1 },
    { top, bottom, left: rect.left, right: hole.left - 1 },
    { top, bottom, left: hole.right + 1, right: rect.right },
    { ...rect, top: hole.bottom + 1 },
  ].filter((part) => part.top <= part.bottom && part.left <= part.right);
}

/** Every cell of the rectangle is in one of these. */
export const covers = (rects: readonly Rect[], rect: Rect): boolean =>
  rects.reduce((rest, taken) => rest.flatMap((part) => subtract(part, taken)), [rect]).length === 0;

/** The same cells in rectangles of which no two share a cell. */
export function disjoint(rects: readonly Rect[]): Rect[] {
  const apart: Rect[] = [];
  for (const rect of rects) {
    const parts = apart.reduce<Rect[]>(
      (rest, taken) => rest.flatMap((part) => subtract(part, taken)),
      [rect],
    );
    apart.push(...parts);
  }
  return apart;
}

export const itemsIn = ({ top, bottom }: Pick<Rect, 'top' | 'bottom'>, view: View): string[] =>
  Array.from({ length: bottom - top + 1 }, (_, row) => view.itemAt(top + row));

export const rulesIn = ({ left, right }: Pick<Rect, 'left' | 'right'>, view: View): string[] =>
  Array.from({ length: right - left + 1 }, (_, column) => view.ruleAt(left + column));

/** Every selected cell once, as blocks that are to have one state. */
export function blocksOf(selection: Selection | null, view: View, states: CellState): CellBlock[] {
  return disjoint(rectsOf(selection, view)).map((rect) => ({
    items: itemsIn(rect, view),
    rules: rulesIn(rect, view),
    states,
  }));
}

/**
 * If a sort would split the selection into more blocks than this, it becomes the focused cell
 * alone.
 */
const MAX_BLOCKS = 256;

/** Runs of consecutive places, as first and last. */
function runsOf(places: Int32Array): [number, number][] {
  const runs: [number, number][] = [];
  for (const place of places.sort()) {
    const run = runs.at(-1);
    if (place < 0) continue;
    if (run !== undefined && place <= run[1] + 1) run[1] = place;
    else runs.push([place, place]);
  }
  return runs;
}

/** The blocks of a rectangle's cells in another view; undefined where they would be too many. */
function carryRect(
  { top, bottom, left, right }: Rect,
  before: View,
  after: View,
): Rect[] | undefined {
  const rows = runsOf(
    Int32Array.from({ length: bottom - top + 1 }, (_, row) =>
      after.rowOf(before.itemAt(top + row)),
    ),
  );
  const columns = runsOf(
    Int32Array.from({ length: right - left + 1 }, (_, column) =>
      after.columnOf(before.ruleAt(left + column)),
    ),
  );
  if (rows.length * columns.length > MAX_BLOCKS) return undefined;
  return rows.flatMap(([from, to]) =>
    columns.map(([first, last]) => ({ top: from, bottom: to, left: first, right: last })),
  );
}

/**
 * The selection after other rows or columns are shown, or in another order: the same cells as far
 * as they are shown, in as many blocks as needed, and never another cell. If the focus is no longer
 * shown, the first of them gets it; if none is shown, the cell that is now in its place.
 */
export function carryOver(
  selection: Selection | null,
  before: View,
  after: View,
): Selection | null {
  if (selection === null || after.rowCount === 0 || after.columnCount === 0) return null;
  const { item, rule } = selection.focus;
  if (after.fieldOf(rule) >= 0) return carryFields(selection, before, after);
  const place = (at: number, count: number): number => Math.min(Math.max(at, 0), count - 1);
  const focus = {
    item: after.rowOf(item) >= 0 ? item : after.itemAt(place(before.rowOf(item), after.rowCount)),
    rule:
      after.columnOf(rule) >= 0
        ? rule
        : after.ruleAt(place(before.columnOf(rule), after.columnCount)),
  };
  if (before.fieldOf(rule) >= 0) return single(focus);
  const old = rectsOf(selection, before);
  const carried = old.map((rect) => carryRect(rect, before, after));
  if (carried.includes(undefined)) return single(focus);
  const now = rectsOf(selection, after);
  if (
    old.length === now.length &&
    carried.every((rects, index) => rects?.length === 1 && sameRect(rects[0]!, now[index]!))
  )
    return selection;
  const rects = disjoint(carried.flatMap((parts) => parts ?? []));
  if (rects.length === 0 || rects.length > MAX_BLOCKS) return single(focus);
  const at = Math.max(
    0,
    rects.findIndex((rect) => contains(rect, after.rowOf(item), after.columnOf(rule))),
  );
  return selectionOf([rects[at]!, ...rects.toSpliced(at, 1)], after, selection.focus);
}

/** A block of fields stays where all of it still stands together; else one field is left. */
function carryFields(selection: Selection, before: View, after: View): Selection {
  const [old, now] = [fieldRectOf(selection, before), fieldRectOf(selection, after)];
  if (old !== null && now !== null && sizeOf(old) === sizeOf(now)) return selection;
  const { item, rule } = selection.focus;
  const row = Math.min(Math.max(before.rowOf(item), 0), after.rowCount - 1);
  return single({ item: after.rowOf(item) >= 0 ? item : after.itemAt(row), rule });
}

const sameRect = (a: Rect, b: Rect): boolean =>
  a.top === b.top && a.bottom === b.bottom && a.left === b.left && a.right === b.right;

/**
 * These rectangles, of which the first is the active one; the focus stays on its cell where that is
 * in it, and else goes to its first cell.
 */
export function selectionOf(
  [active, ...extra]: readonly Rect[],
  view: View,
  focus?: CellAddress,
): Selection | null {
  if (active === undefined) return null;
  const cellAt = (row: number, column: number): CellAddress => ({
    item: view.itemAt(row),
    rule: view.ruleAt(column),
  });
  const [anchor, corner] = [cellAt(active.top, active.left), cellAt(active.bottom, active.right)];
  const inside =
    focus !== undefined && contains(active, view.rowOf(focus.item), view.columnOf(focus.rule))
      ? focus
      : anchor;
  return {
    anchor,
    ...(sameCell(corner, inside) ? {} : { corner }),
    focus: inside,
    extra: extra.map((rect) => ({
      anchor: cellAt(rect.top, rect.left),
      focus: cellAt(rect.bottom, rect.right),
    })),
  };
}

/** All cells shown. The focus stays where it is, so that the grid does not scroll. */
export const allOf = (view: View, focus: CellAddress | undefined): Selection | null =>
  selectionOf(
    [{ top: 0, left: 0, bottom: view.rowCount - 1, right: view.columnCount - 1 }],
    view,
    focus,
  );

/**
 * Counts of FALSE, TRUE, NA and unrecorded in all the rectangles together; whole rows and columns
 * are taken from the session's own sums.
 */
export function countIn(rects: readonly Rect[], view: View, session: MatrixSession): Counts {
  const sum: [number, number, number, number] = [0, 0, 0, 0];
  const add = (counts: Counts): void => {
    for (let i = 0; i < 4; i += 1) sum[i]! += counts[i]!;
  };
  for (const rect of disjoint(rects)) {
    const wholeRows =
      rect.left === 0 &&
      rect.right === view.columnCount - 1 &&
      view.columnCount === session.rules.length;
    const wholeColumns =
      rect.top === 0 && rect.bottom === view.rowCount - 1 && view.rowCount === session.items.length;
    if (wholeColumns) {
      for (let column = rect.left; column <= rect.right; column += 1)
        add(session.columnCounts(view.storeColumn(column)));
    } else if (wholeRows) {
      for (let row = rect.top; row <= rect.bottom; row += 1)
        add(session.rowCounts(view.storeRow(row)));
    } else {
      for (let row = rect.top; row <= rect.bottom; row += 1) {
        const stored = view.storeRow(row);
        for (let column = rect.left; column <= rect.right; column += 1) {
          sum[codeOf(session.state(stored, view.storeColumn(column)))]! += 1;
        }
      }
    }
  }
  return sum;
}
