import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type {
  Cell,
  EvidenceReceipt,
  OutcomeAnswer,
  OutcomeInput,
  ItemInput,
} from '../../../shared/contract/v1/evidence.ts';
import { lacksCitation } from '../../../sync/layers/suggestions.ts';
import type { CaseView } from '../records/case-view.ts';
import { type CellState, outcomeWords } from '../../../shared/domain/outcome.ts';
import { type CellRow, RAW, rawNumber } from '../log/cell-map.ts';
import { isShown, Stamps, tupleOf } from './cell-json.ts';
import { StoreError } from '../db/errors.ts';
import { refuseUncitedOutcomes } from '../layers/citations.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';

/** An outcome of a request, the cell that it is for, and what becomes of it. */
export interface Drafted {
  cell: CellRow;
  status: OutcomeAnswer['status'];
  /** Hidden from its writer: the answer is the same whatever the cell holds (YR7). */
  isMasked?: true;
}

/**
 * Whether the cell is as its writer was shown it. A cell that was cleared is unrecorded, whatever
 * its revision; one that people have not settled is not.
 */
export function isAsShown(cell: CellRow, revision: number | undefined): boolean {
  if (revision === undefined || revision === cell.revision) return true;
  return revision === 0 && cell.raw === 0 && cell.contested === 0;
}

/** Whether what the record says of a cell is not to be shown to the writer. */
export type IsHidden = (cell: Pick<OutcomeInput, 'item_uid' | 'rule_uid'>) => boolean;

/** Which revision a cell has, and which outcome. */
export const revisionWords = (revision: number, outcome: CellState): string =>
  `The cell is at revision ${revision}: ${outcomeWords(outcome)}.`;

/**
 * Throws precondition_failed with the places of the outcomes that found another revision, unless
 * the request says to skip those.
 */
export function refuseConflicts(write: EvidenceWrite, drafted: readonly Drafted[]): void {
  if (write.on_conflict === 'skip') return;
  const details: ErrorDetail[] = [];
  drafted.forEach(({ cell, status }, index) => {
    if (status === 'skipped')
      details.push({
        path: `${write.outcomePath(index)}/if_revision`,
        code: 'other_revision',
        message: revisionWords(cell.revision, RAW[cell.was] ?? null),
      });
  });
  if (details.length > 0)
    throw new StoreError(
      'precondition_failed',
      'Some cells are not as their outcomes expect; nothing was stored.',
      details,
    );
}

/**
 * The same of an outcome whose cell is hidden from its writer: only what the request says counts.
 */
function saysNoSource({ raw_outcome, source_value, provenance }: OutcomeInput): boolean {
  const asserts =
    raw_outcome === undefined
      ? source_value !== undefined || provenance !== undefined
      : raw_outcome !== null;
  return (
    asserts &&
    (provenance ?? null) === null &&
    lacksCitation({ source_value: source_value ?? undefined })
  );
}

/** Whether an outcome is recorded, or its source changed, and nothing is left that it rests on. */
function leavesUncited(
  { raw_outcome, source_value, provenance }: OutcomeInput,
  cell: CellRow,
): boolean {
  const raw = raw_outcome === undefined ? cell.was : rawNumber(raw_outcome);
  const stays = raw === cell.was;
  if (raw === 0 || (stays && source_value === undefined && provenance === undefined)) return false;
  const source = source_value === undefined && stays ? cell.sourceValue : source_value;
  const proof = provenance === undefined && stays ? cell.provenance : provenance;
  return (proof ?? null) === null && lacksCitation({ source_value: source ?? undefined });
}

/**
 * Throws citation_required with the places of the outcomes that show nothing they rest on (YS7).
 * What clears a cell rests on nothing.
 */
export function refuseUncited(write: EvidenceWrite, drafted: readonly Drafted[]): void {
  const places: string[] = [];
  drafted.forEach(({ cell, status, isMasked }, index) => {
    const outcome = write.outcomes[index] as OutcomeInput;
    const lacks =
      isMasked === true
        ? saysNoSource(outcome)
        : status === 'written' && leavesUncited(outcome, cell);
    if (lacks) places.push(write.outcomePath(index));
  });
  refuseUncitedOutcomes(places);
}

/** Whether the receipt says of each outcome what became of it. */
export const asksForEach = ({ outcomes, on_conflict }: EvidenceWrite): boolean =>
  on_conflict !== undefined || outcomes.some(({ if_revision }) => if_revision !== undefined);

/** What the receipt says of outcomes, after they are written. */
export async function answersFor(
  view: CaseView,
  write: EvidenceWrite,
  drafted: readonly Drafted[],
): Promise<
  Pick<EvidenceReceipt, 'outcomes_written' | 'outcomes_unchanged' | 'outcomes_skipped' | 'outcomes'>
> {
  const count = (wanted: OutcomeAnswer['status']): number =>
    drafted.filter(({ status }) => status === wanted).length;
  const counts = { outcomes_written: count('written'), outcomes_unchanged: count('unchanged') };
  if (!asksForEach(write)) return counts;
  const stamps = new Stamps(view.stream.changes, true);
  await stamps.load(
    drafted.filter(({ status }) => status === 'skipped').map(({ cell }) => tupleOf(cell)),
  );
  const answers = drafted.map(({ cell, status, isMasked }, index): OutcomeAnswer => {
    const { item_uid, rule_uid } = write.outcomes[index] as OutcomeInput;
    return {
      item_uid,
      rule_uid,
      status,
      ...(isMasked !== true && { revision: cell.revision }),
      ...(status === 'skipped' && { present: presentOf(stamps, cell, item_uid, rule_uid) }),
    };
  });
  return { ...counts, outcomes_skipped: count('skipped'), outcomes: answers };
}

/** A cell as a page of evidence shows it; null where it is unrecorded. */
function presentOf(stamps: Stamps, cell: CellRow, item_uid: string, rule_uid: string): Cell | null {
  const tuple = tupleOf(cell);
  return isShown(tuple)
    ? (JSON.parse(
        `{"item_uid":${JSON.stringify(item_uid)},"rule_uid":${JSON.stringify(rule_uid)}${stamps.after(tuple)}`,
      ) as Cell)
    : null;
}

export interface EvidenceWrite extends MatrixQuery {
  items: readonly ItemInput[];
  outcomes: readonly OutcomeInput[];
  reason: string | undefined;
  /** What becomes of outcomes whose `if_revision` does not hold; `refuse` if not said. */
  on_conflict?: 'refuse' | 'skip' | undefined;
  /**
   * JSON Pointers of items and outcomes in the request, for error details; parallel to the arrays.
   */
  itemPath(index: number): string;
  outcomePath(index: number): string;
}
