import type { MatrixSession } from '../../../data/store/port.ts';
import { type FieldColumn, fieldId } from './fields.ts';

/**
 * The rows and columns on screen: which of the session's items and rules are shown, in which order.
 * Display rows and columns count from 0. Rules may be hidden, moved and frozen, so a display column
 * must never be used as a column of the session.
 */
export interface View {
  readonly rowCount: number;
  readonly columnCount: number;
  /** The session's row behind a display row. */
  storeRow(row: number): number;
  /** Display row of one of the session's rows, -1 if hidden. */
  displayRow(storeRow: number): number;
  /** The session's column behind a display column. */
  storeColumn(column: number): number;
  /** Display column of one of the session's columns, -1 if hidden. */
  displayColumn(storeColumn: number): number;
  itemAt(row: number): string;
  ruleAt(column: number): string;
  /** Display row of an item, -1 if hidden or unknown. */
  rowOf(item: string): number;
  /** Display column of a rule, -1 if hidden or unknown. */
  columnOf(rule: string): number;
  /** The fields of the items that stand before the rules, which are counted apart from them. */
  readonly fields: readonly FieldColumn[];
  /** Place of a field's column among the fields, -1 if it is not shown or none. */
  fieldOf(column: string): number;
}

interface ViewOrder {
  /** The session's rows in the order to show them in. Absent: the case's order. */
  rows?: ArrayLike<number> | undefined;
  /** The session's columns to show, in order. Absent: all, in the profile's order. */
  columns?: readonly number[] | undefined;
  /** The fields to show, in order. Absent: none. */
  fields?: readonly FieldColumn[] | undefined;
}

export function createView(
  session: MatrixSession,
  shows: (storeRow: number) => boolean,
  { rows, columns = session.rules.map((_, column) => column), fields = [] }: ViewOrder = {},
): View {
  const { items, rules } = session;
  const shown = new Int32Array(items.length);
  const display = new Int32Array(items.length).fill(-1);
  let count = 0;
  for (let place = 0; place < items.length; place += 1) {
    const row = rows?.[place] ?? place;
    if (!shows(row)) continue;
    display[row] = count;
    shown[count++] = row;
  }
  const displayOfColumn = new Int32Array(rules.length).fill(-1);
  columns.forEach((column, place) => {
    displayOfColumn[column] = place;
  });
  const displayRow = (storeRow: number): number => display[storeRow] ?? -1;
  /** Items have changed since: the session's index no longer fits this view's rows. */
  let own: Map<string, number> | undefined;
  const rowOf = (item: string): number => {
    if (session.items === items) return displayRow(session.rowOf(item));
    own ??= new Map(items.map((row, place) => [row.item_uid, displayRow(place)]));
    return own.get(item) ?? -1;
  };
  const places = new Map(fields.map(({ key }, place) => [fieldId(key), place]));
  const displayColumn = (storeColumn: number): number => displayOfColumn[storeColumn] ?? -1;
  return {
    rowCount: count,
    columnCount: columns.length,
    storeRow: (row) => (row >= 0 && row < count ? shown[row]! : -1),
    displayRow,
    storeColumn: (column) => columns[column] ?? -1,
    displayColumn,
    itemAt: (row) => (row < count ? items[shown[row] ?? -1]?.item_uid : undefined) ?? '',
    ruleAt: (column) => rules[columns[column] ?? -1] ?? '',
    rowOf,
    columnOf: (rule) => displayColumn(session.columnOf(rule)),
    fields,
    fieldOf: (column) => places.get(column) ?? -1,
  };
}
