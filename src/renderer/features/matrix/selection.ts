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
 * What becomes of a selection when other rows are shown. A rectangle survives only if it still covers the same number of rows;
 * else it shrinks to its focus, or to the cell that now stands in the focus's place.
 */
export function carryOver(selection: Selection | null, before: View, after: View): Selection | null {
  if (selection === null || after.rowCount === 0) return null;
  const old = rectOf(selection, before);
  const now = rectOf(selection, after);
  if (old !== null && now !== null && now.bottom - now.top === old.bottom - old.top) return selection;
  if (after.rowOf(selection.focus.item) >= 0) return single(selection.focus);
  const row = Math.min(Math.max(before.rowOf(selection.focus.item), 0), after.rowCount - 1);
  return single({ item: after.itemAt(row), rule: selection.focus.rule });
}

/** Counts of FALSE, TRUE, NA and unrecorded in a rectangle; whole rows and columns are taken from the session's own sums. */
export function countIn(rect: Rect, view: View, session: MatrixSession): Counts {
  const sum: [number, number, number, number] = [0, 0, 0, 0];
  const add = (counts: Counts): void => {
    for (let i = 0; i < 4; i += 1) sum[i]! += counts[i]!;
  };
  const wholeRows = rect.left === 0 && rect.right === view.columnCount - 1;
  const wholeColumns = rect.top === 0 && rect.bottom === view.rowCount - 1 && view.rowCount === session.items.length;
  if (wholeColumns) {
    for (let column = rect.left; column <= rect.right; column += 1) add(session.columnCounts(column));
  } else if (wholeRows) {
    for (let row = rect.top; row <= rect.bottom; row += 1) add(session.rowCounts(view.storeRow(row)));
  } else {
    for (let row = rect.top; row <= rect.bottom; row += 1) {
      const stored = view.storeRow(row);
      for (let column = rect.left; column <= rect.right; column += 1) {
        const state = session.state(stored, column);
        sum[state === 'FALSE' ? 0 : state === 'TRUE' ? 1 : state === 'NA' ? 2 : 3] += 1;
      }
    }
  }
  return sum;
}
