import type { MatrixSession } from '../../data/port.ts';

/** The rows on screen: which of the session's items are shown, in the session's order. Display rows count from 0. */
export interface View {
  readonly rowCount: number;
  readonly columnCount: number;
  /** The session's row behind a display row. */
  storeRow(row: number): number;
  /** Display row of one of the session's rows, -1 if hidden. */
  displayRow(storeRow: number): number;
  itemAt(row: number): string;
  ruleAt(column: number): string;
  /** Display row of an item, -1 if hidden or unknown. */
  rowOf(item: string): number;
  columnOf(rule: string): number;
}

export function createView(session: MatrixSession, shows: (storeRow: number) => boolean): View {
  const items = session.items;
  const shown = new Int32Array(items.length);
  const display = new Int32Array(items.length).fill(-1);
  let count = 0;
  for (let row = 0; row < items.length; row += 1) {
    if (!shows(row)) continue;
    display[row] = count;
    shown[count++] = row;
  }
  const displayRow = (storeRow: number): number => display[storeRow] ?? -1;
  return {
    rowCount: count,
    columnCount: session.rules.length,
    storeRow: (row) => shown[row] ?? -1,
    displayRow,
    itemAt: (row) => items[shown[row] ?? -1]?.item_uid ?? '',
    ruleAt: (column) => session.rules[column] ?? '',
    rowOf: (item) => displayRow(session.rowOf(item)),
    columnOf: (rule) => session.columnOf(rule),
  };
}
