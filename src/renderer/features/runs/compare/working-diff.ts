import type { RunRecord } from '../../../../shared/domain/run.ts';
import { canonicalJson } from '../../../../shared/lib/canonical-json.ts';
import type { CellDetail, MatrixSession } from '../../../data/store/port.ts';
import {
  type CellChange,
  cellKey,
  detailsOf,
  type RunDiff,
} from '../../../../shared/domain/run-diff.ts';

/** What the open matrix of the same case and profile version holds otherwise than the run froze. */
export function diffWorking(
  run: RunRecord,
  session: MatrixSession,
): Pick<RunDiff, 'cells' | 'itemsAdded' | 'itemsGone'> {
  const oldRows = new Map(run.frozen.items.map((item, row) => [item.item_uid, row]));
  const oldDetails = detailsOf(run);
  const newDetails = new Map<number, CellDetail>();
  const width = session.rules.length;
  session.eachDetail((row, column, detail) => newDetails.set(row * width + column, detail));
  const columns = run.frozen.rules.map((rule, old) => ({
    rule,
    old,
    column: session.columnOf(rule),
  }));
  const cells: CellChange[] = [];
  for (const [row, { item_uid: item }] of session.items.entries()) {
    const oldRow = oldRows.get(item);
    if (oldRow === undefined) continue;
    for (const { rule, old, column } of columns) {
      const [before, after] = [run.frozen.raw[oldRow]?.[old] ?? null, session.state(row, column)];
      const details =
        oldDetails.get(cellKey(item, rule)) !== wordsOf(newDetails.get(row * width + column));
      if (before !== after || details) cells.push({ item, rule, from: before, to: after, details });
    }
  }
  return {
    cells,
    itemsAdded: session.items
      .filter((item) => !oldRows.has(item.item_uid))
      .map((item) => item.item_uid),
    itemsGone: run.frozen.items
      .filter((item) => session.rowOf(item.item_uid) < 0)
      .map((item) => item.item_uid),
  };
}

/** As a run writes the details of a cell; undefined where it has none. */
function wordsOf(detail: CellDetail | undefined): string | undefined {
  if (
    detail === undefined ||
    (detail.source_value === null && detail.notes === null && detail.provenance === null)
  )
    return undefined;
  const { source_value, notes, provenance } = detail;
  return canonicalJson({ source_value, notes, provenance });
}
