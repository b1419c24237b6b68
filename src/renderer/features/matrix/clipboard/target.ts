import { MAX_EDIT_CELLS, type MatrixSession } from '../../../data/store/port.ts';

import type { SelectedCells } from '../model/selected-cells.ts';
import { disjoint, type Rect, sizeOf } from '../model/selection.ts';
import type { View } from '../model/view.ts';
import type { Keys } from './keys.ts';
import { PasteRefused, type PastedTable } from '../model/pasted-table.ts';
import { t } from '../../../text/t.ts';

/** Lines of the table (rows or columns) and where each goes: rows or columns of the session. */
export interface Axis {
  from: Int32Array;
  to: Int32Array;
}

export interface PasteArea {
  rows: Axis;
  columns: Axis;
}

export interface PasteTarget {
  areas: PasteArea[];
  /**
   * Rows and columns out of sight that a paste leaves alone though they lie between its cells or
   * are named in it.
   */
  hiddenRows: number;
  hiddenColumns: number;
}

const axis = (pairs: readonly (readonly [from: number, to: number])[]): Axis => ({
  from: Int32Array.from(pairs, ([from]) => from),
  to: Int32Array.from(pairs, ([, to]) => to),
});

const range = (start: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);

/**
 * Lines `lines` of the table, repeated up to `count`, from display line `start` on; what lies
 * beyond the last of `shown` lines, or on one that has been removed, has no place.
 */
const byPosition = (
  lines: readonly number[],
  count: number,
  start: number,
  shown: number,
  storeLine: (line: number) => number,
): Axis =>
  axis(
    range(0, Math.min(count, shown - start))
      .map((index) => [lines[index % lines.length]!, storeLine(start + index)] as const)
      .filter(([, line]) => line >= 0),
  );

/** Hidden lines of the session between the first and the last that are written. */
function hiddenBetween({ to }: Axis, displayLine: (line: number) => number): number {
  if (to.length === 0) return 0;
  let [first, last] = [to[0]!, to[0]!];
  for (const line of to) [first, last] = [Math.min(first, line), Math.max(last, line)];
  return range(first, last).filter((line) => displayLine(line) < 0).length;
}

function byName(
  named: Int32Array,
  displayLine: (line: number) => number,
): { axis: Axis; hidden: number } {
  const found = [...named.entries()].filter(([, line]) => line >= 0);
  const shown = found.filter(([, line]) => displayLine(line) >= 0);
  return { axis: axis(shown), hidden: found.length - shown.length };
}

const height = (rect: Rect): number => rect.bottom - rect.top + 1;
const width = (rect: Rect): number => rect.right - rect.left + 1;

/** The session's row behind a row of the place; `now`: what is shown now. */
const rowsNow =
  ({ view }: SelectedCells, session: Pick<MatrixSession, 'rowOf'>, now: View) =>
  (row: number): number =>
    now === view ? view.storeRow(row) : session.rowOf(view.itemAt(row));

/**
 * One value fills every block; a block of fields is repeated where the selection is a multiple of
 * it; else it starts at the top left corner.
 */
function positions(
  table: PastedTable,
  { rects, view }: SelectedCells,
  storeRow: (row: number) => number,
): PasteArea[] {
  const isValue = table.rows === 1 && table.columns === 1;
  if (rects.length > 1 && !isValue)
    throw new PasteRefused(
      t(
        'Several blocks are selected. Only a single value can be pasted into all of them: select one block.',
      ),
    );
  return disjoint(rects).map((rect) => {
    const repeats =
      sizeOf(rect) > 1 && height(rect) % table.rows === 0 && width(rect) % table.columns === 0;
    return {
      rows: byPosition(
        range(0, table.rows),
        repeats ? height(rect) : table.rows,
        rect.top,
        view.rowCount,
        storeRow,
      ),
      columns: byPosition(
        range(0, table.columns),
        repeats ? width(rect) : table.columns,
        rect.left,
        view.columnCount,
        view.storeColumn,
      ),
    };
  });
}

/**
 * Where a block goes. With keys, by the names in it: a side without names goes by position from the
 * selection's corner. `now`: what is shown now, where that is no longer the view of the place.
 */
export function targetOf(
  table: PastedTable,
  keys: Keys | undefined,
  place: SelectedCells,
  session: Pick<MatrixSession, 'rowOf'>,
  now: View = place.view,
): PasteTarget {
  const { rects, view } = place;
  const storeRow = rowsNow(place, session, now);
  const [rect] = rects;
  if (rect === undefined) throw new PasteRefused(t('Select the cell where the paste begins.'));
  let areas: PasteArea[];
  let [hiddenRows, hiddenColumns] = [0, 0];
  if (keys === undefined) {
    areas = positions(table, place, storeRow);
    for (const area of areas) {
      hiddenRows = Math.max(hiddenRows, hiddenBetween(area.rows, now.displayRow));
      hiddenColumns = Math.max(hiddenColumns, hiddenBetween(area.columns, now.displayColumn));
    }
  } else {
    if (keys.duplicates.length > 0)
      throw new PasteRefused(
        t(
          'Named twice in the block: {names}. Which of the two is meant is not known: remove one, or place the block by position.',
          { names: keys.duplicates.slice(0, 5).join(', ') },
        ),
      );
    const first = keys.rules === undefined ? 0 : 1;
    const dataRows = range(first, table.rows);
    const dataColumns = range(0, table.columns).filter((column) => column !== keys.itemColumn);
    const named = {
      rows: keys.items === undefined ? undefined : byName(keys.items, now.displayRow),
      columns: keys.rules === undefined ? undefined : byName(keys.rules, now.displayColumn),
    };
    const rows =
      named.rows?.axis ?? byPosition(dataRows, dataRows.length, rect.top, view.rowCount, storeRow);
    const columns =
      named.columns?.axis ??
      byPosition(dataColumns, dataColumns.length, rect.left, view.columnCount, view.storeColumn);
    areas = [{ rows, columns }];
    hiddenRows = named.rows?.hidden ?? hiddenBetween(rows, now.displayRow);
    hiddenColumns = named.columns?.hidden ?? hiddenBetween(columns, now.displayColumn);
  }
  const cells = areas.reduce(
    (sum, { rows, columns }) => sum + rows.to.length * columns.to.length,
    0,
  );
  if (cells > MAX_EDIT_CELLS)
    throw new PasteRefused(
      t(
        'A paste takes at most {most, number} cells, this one would go to {cells, number}. Import it as a file, or paste it in parts.',
        { most: MAX_EDIT_CELLS, cells },
      ),
    );
  return { areas, hiddenRows, hiddenColumns };
}
