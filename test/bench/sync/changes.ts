import { SYNC_LIMITS, type WireChange } from '../../../src/shared/contract/sync.ts';
import type { Entry, MAX_ENTRIES } from '../../../src/sync/change.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { PROFILE_UID } from '../evidence.ts';

export const SIZES = [1_000, 10_000, 100_000] as const;
export const RULES = 50;
const STATES = ['FALSE', 'TRUE', 'NA'] as const;

/** The cells are numbered row by row. */
const itemOf = (cell: number): string =>
  `item_${String(Math.floor(cell / RULES)).padStart(6, '0')}`;
const ruleOf = (cell: number): string => `rule_number_${(cell % RULES) + 1}`;
const stateOf = (cell: number): string => STATES[(Math.floor(cell / RULES) + (cell % RULES)) % 3]!;

/** An outcome for a cell that its author saw empty. */
export const firstEntry = (cell: number, outcome = stateOf(cell)): Entry =>
  unseenOutcome(
    { profile: PROFILE_UID, version: '1.0', rule: ruleOf(cell), item: itemOf(cell) },
    outcome,
  );

/** Cells `from` to `to - 1`, `each` of them a change: one as by keys, 2,000 as by a paste. */
export function* changesOf(
  caseUid: string,
  user: string,
  from: number,
  to: number,
  each: 1 | typeof MAX_ENTRIES,
): Generator<WireChange> {
  for (let start = from; start < to; start += each) {
    yield wireChange(
      caseUid,
      user,
      Array.from({ length: Math.min(each, to - start) }, (_, at) => firstEntry(start + at)),
    );
  }
}

/** Another outcome for each of the first so many cells, as an agent writes them. */
export function evidenceOf(cells: number): unknown {
  const byItem = new Map<string, { rule_uid: string; raw_outcome: string }[]>();
  for (let cell = 0; cell < cells; cell += 1)
    byItem.set(itemOf(cell), [
      ...(byItem.get(itemOf(cell)) ?? []),
      { rule_uid: ruleOf(cell), raw_outcome: stateOf(cell) === 'NA' ? 'TRUE' : 'NA' },
    ]);
  return {
    case_uid: 'bench',
    profile_uid: PROFILE_UID,
    items: [...byItem].map(([item_uid, evidence]) => ({ item_uid, evidence })),
  };
}

/** As many changes as fit one request. */
export function* batchesOf(changes: Iterable<WireChange>): Generator<WireChange[]> {
  let batch: WireChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    if (
      batch.length > 0 &&
      (batch.length >= SYNC_LIMITS.changes || bytes + change.change.length > SYNC_LIMITS.bytes)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(change);
    bytes += change.change.length;
  }
  if (batch.length > 0) yield batch;
}
