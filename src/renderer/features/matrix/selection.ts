import type { CellAddress, MatrixSession } from '../../data/port.ts';
import type { Counts } from './states.ts';
import type { View } from './view.ts';

/** A rectangle of cells, kept by ids so that sorting, filtering and news from elsewhere cannot move it onto other cells. */
export interface Selection {
  anchor: CellAddress;
  focus: CellAddress;
}

/** Inclusive, in display rows and columns. */
export interface Rect {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export const single = (cell: CellAddress): Selection => ({ anchor: cell, focus: cell });

export const sameCell = (a: CellAddress | undefined, b: CellAddress | undefined): boolean => a?.item === b?.item && a?.rule === b?.rule;

export const sameSelection = (a: Selection | null, b: Selection | null): boolean => a === b || (a !== null && b !== null && sameCell(a.anchor, b.anchor) && sameCell(a.focus, b.focus));

/** The rectangle on screen, or null where one of its corners is not shown. */
export function rectOf(selection: Selection | null, view: View): Rect | null {
  if (selection === null) return null;
  const rows = [view.rowOf(selection.anchor.item), view.rowOf(selection.focus.item)] as const;
  const columns = [view.columnOf(selection.anchor.rule), view.columnOf(selection.focus.rule)] as const;
  if (Math.min(...rows, ...columns) < 0) return null;
  return { top: Math.min(...rows), bottom: Math.max(...rows), left: Math.min(...columns), right: Math.max(...columns) };
}

export const sizeOf = (rect: Rect | null): number => (rect === null ? 0 : (rect.bottom - rect.top + 1) * (rect.right - rect.left + 1));

export function contains(rect: Rect | null, row: number, column: number): boolean {
  return rect !== null && row >= rect.top && row <= rect.bottom && column >= rect.left && column <= rect.right;
}

export function cellsIn(rect: Rect, view: View): CellAddress[] {
  const cells: CellAddress[] = new Array<CellAddress>(sizeOf(rect));
  let next = 0;
  for (let row = rect.top; row <= rect.bottom; row += 1) {
    const item = view.itemAt(row);
    for (let column = rect.left; column <= rect.right; column += 1) cells[next++] = { item, rule: view.ruleAt(column) };
  }
  return cells;
}

/**
 * What becomes of a selection when other rows or columns are shown, or in another order. A rectangle survives only if it still covers the same
 * items and rules; else it shrinks to its focus, or to the cell that now stands in the focus's place.
 */
export function carryOver(selection: Selection | null, before: View, after: View): Selection | null {
  if (selection === null || after.rowCount === 0 || after.columnCount === 0) return null;
  const old = rectOf(selection, before);
  const now = rectOf(selection, after);
  if (old !== null && now !== null && coversSame(old, before, now, after)) return selection;
  const { item, rule } = selection.focus;
  const place = (at: number, count: number): number => Math.min(Math.max(at, 0), count - 1);
  return single({
    item: after.rowOf(item) >= 0 ? item : after.itemAt(place(before.rowOf(item), after.rowCount)),
    rule: after.columnOf(rule) >= 0 ? rule : after.ruleAt(place(before.columnOf(rule), after.columnCount)),
  });
}

function coversSame(old: Rect, before: View, now: Rect, after: View): boolean {
  if (now.bottom - now.top !== old.bottom - old.top || now.right - now.left !== old.right - old.left) return false;
  for (let row = old.top; row <= old.bottom; row += 1) {
    const to = after.rowOf(before.itemAt(row));
    if (to < now.top || to > now.bottom) return false;
  }
  for (let column = old.left; column <= old.right; column += 1) {
    const to = after.columnOf(before.ruleAt(column));
    if (to < now.left || to > now.right) return false;
  }
  return true;
}

/** Counts of FALSE, TRUE, NA and unrecorded in a rectangle; whole rows and columns are taken from the session's own sums. */
export function countIn(rect: Rect, view: View, session: MatrixSession): Counts {
  const sum: [number, number, number, number] = [0, 0, 0, 0];
  const add = (counts: Counts): void => {
    for (let i = 0; i < 4; i += 1) sum[i]! += counts[i]!;
  };
  const wholeRows = rect.left === 0 && rect.right === view.columnCount - 1 && view.columnCount === session.rules.length;
  const wholeColumns = rect.top === 0 && rect.bottom === view.rowCount - 1 && view.rowCount === session.items.length;
  if (wholeColumns) {
    for (let column = rect.left; column <= rect.right; column += 1) add(session.columnCounts(view.storeColumn(column)));
  } else if (wholeRows) {
    for (let row = rect.top; row <= rect.bottom; row += 1) add(session.rowCounts(view.storeRow(row)));
  } else {
    for (let row = rect.top; row <= rect.bottom; row += 1) {
      const stored = view.storeRow(row);
      for (let column = rect.left; column <= rect.right; column += 1) {
        const state = session.state(stored, view.storeColumn(column));
        sum[state === 'FALSE' ? 0 : state === 'TRUE' ? 1 : state === 'NA' ? 2 : 3] += 1;
      }
    }
  }
  return sum;
}
