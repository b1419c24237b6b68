import type { ItemRow, MatrixSession } from '../../../data/store/port.ts';
import type { Arrangement } from './arrangement.ts';
import { shownFields, shownRules } from './column-plan.ts';
import type { FieldColumn } from './fields.ts';
import { createPredicate, isActive } from './filter.ts';
import { dependsOn, sortedRows } from './sort.ts';
import { createView, type View } from './view.ts';

/**
 * Makes views. Filter and order are applied at one moment and then kept: while a person works, rows
 * neither disappear nor jump; they come and go only with their items.
 */
export interface Display {
  /** Filters and sorts again. */
  apply(arrangement: Arrangement): View;
  /** The same rows under other columns. */
  layOut(arrangement: Arrangement, now: View): View;
  /**
   * Items came, went or moved: those shown stay, in their order; new ones are shown if they pass,
   * after the others where rows are sorted.
   */
  follow(arrangement: Arrangement, now: View): View;
  /**
   * Whether applying the arrangement now would hide or move a row that is shown. `touched` null:
   * anything may have changed.
   */
  isStale(
    arrangement: Arrangement,
    now: View,
    touched: readonly { row: number; column: number }[] | null,
  ): boolean;
}

/**
 * Up to this many rows are examined one by one; for more, what is needed of all rows is collected
 * first.
 */
const FEW = 64;

export function createDisplay(session: MatrixSession): Display {
  let items: readonly ItemRow[] = session.items;
  let order: Int32Array | undefined;
  const columnsOf = ({ columns }: Arrangement): { columns: number[]; fields: FieldColumn[] } => ({
    columns: shownRules(columns, session.rules).map((rule) => session.columnOf(rule)),
    fields: shownFields(columns),
  });

  /** The present order in the rows of the session's new items. */
  const carryOrder = (): Int32Array | undefined => {
    if (order === undefined) return undefined;
    const taken = new Uint8Array(session.items.length);
    const next: number[] = [];
    for (const old of order) {
      const row = session.rowOf(items[old]?.item_uid ?? '');
      if (row < 0) continue;
      taken[row] = 1;
      next.push(row);
    }
    for (let row = 0; row < taken.length; row += 1) if (taken[row] === 0) next.push(row);
    return Int32Array.from(next);
  };

  return {
    apply: (arrangement) => {
      items = session.items;
      order = sortedRows(arrangement.sort, session);
      return createView(
        session,
        isActive(arrangement.filter) ? createPredicate(arrangement.filter, session) : () => true,
        { rows: order, ...columnsOf(arrangement) },
      );
    },
    layOut: (arrangement, now) =>
      createView(session, (row) => now.displayRow(row) >= 0, {
        rows: order,
        ...columnsOf(arrangement),
      }),
    follow: (arrangement, now) => {
      const rows = carryOrder();
      let shows = (_row: number): boolean => true;
      if (isActive(arrangement.filter)) {
        const passes = createPredicate(arrangement.filter, session);
        const known = new Set(items.map((item) => item.item_uid));
        shows = (row) => {
          const uid = session.items[row]?.item_uid ?? '';
          return known.has(uid) ? now.rowOf(uid) >= 0 : passes(row);
        };
      }
      const view = createView(session, shows, { rows, ...columnsOf(arrangement) });
      items = session.items;
      order = rows;
      return view;
    },
    isStale: (arrangement, now, touched) => isStale(session, arrangement, now, touched),
  };
}

function isStale(
  session: MatrixSession,
  { filter, sort }: Arrangement,
  now: View,
  touched: Parameters<Display['isStale']>[2],
): boolean {
  if (
    sort.by !== 'case' &&
    (touched === null || touched.some(({ column }) => dependsOn(sort, session.rules[column] ?? '')))
  )
    return true;
  if (!isActive(filter)) return false;
  const rows =
    touched === null
      ? Array.from({ length: now.rowCount }, (_, row) => now.storeRow(row))
      : [...new Set(touched.map(({ row }) => row))].filter((row) => now.displayRow(row) >= 0);
  if (rows.length === 0) return false;
  const passes = createPredicate(filter, session, rows.length <= FEW);
  return rows.some((row) => !passes(row));
}
