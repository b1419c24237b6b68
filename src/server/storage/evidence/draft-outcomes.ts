import type { CellMap } from '../log/cell-map.ts';
import type { CaseView } from '../records/case-view.ts';
import type { Gesture } from '../log/gesture.ts';
import { type EvidenceWrite, type Drafted, type IsHidden, isAsShown } from './evidence-answers.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { ItemState } from '../log/item-map.ts';
import { unknownRule } from '../records/unknown-rule.ts';
import { refuse } from './draft-items.ts';
import { OutcomeDrafter } from './outcome-drafter.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { OutcomeInput } from '../../../shared/contract/v1/evidence.ts';

/** What of the store outcomes are drafted with, read before. */
export interface ReadAhead {
  rules: ReadonlyMap<string, number>;
  cells: CellMap | undefined;
  /** Which cells are answered for whatever they hold. */
  isHidden: IsHidden;
}

/** The row and the column of each outcome; what is not there is a detail of the refusal. */
function placesOf(
  view: CaseView,
  write: EvidenceWrite,
  profile: StoredProfile,
  columns: ReadonlyMap<string, number>,
  details: ErrorDetail[],
): { rows: ItemState[]; columnOf: number[] } {
  const rows: ItemState[] = [];
  const columnOf: number[] = [];
  const wordsFor = unknownRule(profile);
  const fresh = new Set(write.items.map((item) => item.item_uid));
  write.outcomes.forEach((outcome, index) => {
    const row = view.items.get(outcome.item_uid);
    const rule = columns.get(outcome.rule_uid);
    if (row === undefined || (row.deleted && !fresh.has(row.uid)))
      refuse(
        details,
        `${write.outcomePath(index)}/item_uid`,
        'unknown_item',
        'The item is neither in the case nor in this request.',
      );
    else if (rule === undefined)
      refuse(
        details,
        `${write.outcomePath(index)}/rule_uid`,
        'unknown_rule',
        wordsFor(outcome.rule_uid),
      );
    else {
      rows.push(row);
      columnOf.push(rule);
    }
  });
  return { rows, columnOf };
}

export async function draftOutcomes(
  view: CaseView,
  gesture: Gesture,
  write: EvidenceWrite,
  profile: StoredProfile,
  { rules, cells, isHidden }: ReadAhead,
  details: ErrorDetail[],
): Promise<Drafted[]> {
  const { outcomes } = write;
  const columns = new Map(profile.rules.map((uid) => [uid, rules.get(uid) as number]));
  const { rows, columnOf } = placesOf(view, write, profile, columns, details);
  if (details.length > 0 || cells === undefined) return [];
  const { profileUid, version } = profile.document;
  const drafter = new OutcomeDrafter(view, gesture, profileUid, version);
  const work = new WorkCounter();
  const drafted: Drafted[] = [];
  for (let index = 0; index < outcomes.length; index += 1) {
    const row = rows[index] as ItemState;
    const cell = cells.getOrCreate(row.pk, columnOf[index] as number);
    if (cell.seen)
      refuse(
        details,
        write.outcomePath(index),
        'duplicate_outcome',
        'The item and rule are in this request already.',
      );
    cell.seen = true;
    const outcome = outcomes[index] as OutcomeInput;
    if (isHidden(outcome)) {
      drafter.draftUnseen(outcome, row, cell);
      drafted.push({ cell, status: 'written', isMasked: true });
    } else {
      const status = !isAsShown(cell, outcome.if_revision)
        ? 'skipped'
        : drafter.draft(outcome, row, cell)
          ? 'written'
          : 'unchanged';
      drafted.push({ cell, status });
    }
    if (work.due()) await yieldToEventLoop();
  }
  await view.heads.load(drafter.contested);
  return drafted;
}
