import { canonicalJson } from '../../../../shared/lib/canonical-json.ts';
import type { CellAddress, CellPatch, MatrixSession } from '../../../data/store/port.ts';
import { disjoint, rectsOf, type Selection } from '../model/selection.ts';
import type { View } from '../model/view.ts';

export const SOURCE_PARTS = ['source_value', 'provenance', 'notes'] as const;
export type SourcePart = (typeof SOURCE_PARTS)[number];

export interface PartPlan {
  part: SourcePart;
  /** Cells that have nothing there, something else, and the same. */
  fresh: number;
  overwritten: number;
  same: number;
}

export interface SourcePlan {
  cells: (CellAddress & { patch: CellPatch })[];
  parts: PartPlan[];
  /** Cells left out because nobody has recorded them. */
  unrecorded: number;
}

const key = (value: unknown): string =>
  typeof value === 'string' ? `"${value}` : canonicalJson(value);

/**
 * What it would do to give the source of `from` to the other selected cells. A part that `from`
 * does not have is not given.
 */
export function planSource(
  session: MatrixSession,
  view: View,
  selection: Selection,
  parts: readonly SourcePart[],
  withUnrecorded: boolean,
): SourcePlan {
  const from = selection.focus;
  const given = session.detail(session.rowOf(from.item), session.columnOf(from.rule));
  const plans = parts
    .filter((part) => given[part] !== null)
    .map((part) => ({ part, fresh: 0, overwritten: 0, same: 0, key: key(given[part]) }));
  const cells: SourcePlan['cells'] = [];
  let unrecorded = 0;
  for (const { top, bottom, left, right } of disjoint(rectsOf(selection, view))) {
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        const cell = { item: view.itemAt(row), rule: view.ruleAt(column) };
        if (cell.item === from.item && cell.rule === from.rule) continue;
        const [storeRow, storeColumn] = [view.storeRow(row), view.storeColumn(column)];
        if (session.state(storeRow, storeColumn) === null && !withUnrecorded) {
          unrecorded += 1;
          continue;
        }
        const detail = session.detail(storeRow, storeColumn);
        const patch: CellPatch = {};
        for (const plan of plans) {
          const now = detail[plan.part];
          if (now !== null && key(now) === plan.key) plan.same += 1;
          else {
            if (now === null) plan.fresh += 1;
            else plan.overwritten += 1;
            Object.assign(patch, { [plan.part]: given[plan.part] });
          }
        }
        if (Object.keys(patch).length > 0) cells.push({ ...cell, patch });
      }
    }
  }
  return {
    cells,
    parts: plans.map(({ part, fresh, overwritten, same }) => ({ part, fresh, overwritten, same })),
    unrecorded,
  };
}
