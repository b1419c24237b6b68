import { canonicalJson } from '../../../../shared/lib/canonical-json.ts';
import type {
  CellAddress,
  CellDetail,
  CellPatch,
  MatrixSession,
} from '../../../data/store/port.ts';
import type { SelectedCells } from '../model/selected-cells.ts';
import { disjoint } from '../model/selection.ts';

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

const NOTHING: CellDetail = { source_value: null, notes: null, provenance: null };

/** The source of a cell; nothing where its item has been removed. */
export function sourceAt(session: MatrixSession, { item, rule }: CellAddress): CellDetail {
  const row = session.rowOf(item);
  return row < 0 ? NOTHING : session.detail(row, session.columnOf(rule));
}

/**
 * What it would do to give the source of `from` to the other selected cells. A part that `from`
 * does not have is not given.
 */
export function planSource(
  session: MatrixSession,
  { rects, view }: SelectedCells,
  from: CellAddress,
  parts: readonly SourcePart[],
  withUnrecorded: boolean,
): SourcePlan {
  const given = sourceAt(session, from);
  const plans = parts
    .filter((part) => given[part] !== null)
    .map((part) => ({ part, fresh: 0, overwritten: 0, same: 0, key: key(given[part]) }));
  const cells: SourcePlan['cells'] = [];
  let unrecorded = 0;
  for (const { top, bottom, left, right } of disjoint(rects)) {
    for (let row = top; row <= bottom; row += 1) {
      for (let column = left; column <= right; column += 1) {
        const cell = { item: view.itemAt(row), rule: view.ruleAt(column) };
        if (cell.item === from.item && cell.rule === from.rule) continue;
        const [storeRow, storeColumn] = [session.rowOf(cell.item), view.storeColumn(column)];
        if (storeRow < 0) continue;
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
