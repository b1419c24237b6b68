import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { EvidenceReceipt } from '../../../shared/contract/v1/evidence.ts';
import { CaseView, internRules } from '../records/case-view.ts';
import { caseAndProfile, refuseUnsettled } from '../records/case-profile.ts';
import type { WriteContext } from '../db/context.ts';
import {
  answersFor,
  refuseConflicts,
  refuseUncited,
  type EvidenceWrite,
  type IsHidden,
} from './evidence-answers.ts';
import { checkReviewed } from './evidence-etag.ts';
import { Gesture } from '../log/gesture.ts';
import type { Actor } from '../db/actor.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { openStream } from '../log/change-log.ts';
import { pipelined } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import type { Precondition } from '../db/precondition.ts';
import { draftItems } from './draft-items.ts';
import { draftOutcomes, type ReadAhead } from './draft-outcomes.ts';
import { type HiddenCells, hiddenCells, refuseUnseen } from '../rounds/hidden-cells.ts';
import { chooseProfile, nameDocument } from './name-document.ts';
import { place } from './place-entries.ts';
import { suggestInstead } from '../sign-off/suggest-instead.ts';

/**
 * Records items and outcomes of one request as one gesture. Nothing is kept where anything is wrong
 * with it. A precondition's `tags` are entity tags of pages of evidence: the matrix must not have
 * changed since.
 */
export async function recordEvidence(
  ctx: WriteContext,
  actor: Actor,
  write: EvidenceWrite,
  precondition: Precondition,
): Promise<EvidenceReceipt> {
  const [stream, found, hidden] = await pipelined(
    openStream(ctx, actor.account_id, write.case_uid),
    caseAndProfile(ctx, actor.account_id, write),
    hiddenCells(ctx, actor.account_id, write.case_uid),
  );
  const { stored, profile } = found;
  checkReviewed(ctx, precondition, stream.states, profile);
  if (stored.stage === 'approved') return suggestInstead(ctx, actor, write);
  refuseUnsettled(found);
  const view = new CaseView(ctx, stream, stored);
  const gesture = new Gesture();
  const inUse = { profile_uid: write.profile_uid, profile_version: profile.document.version };
  if (stored.record.profile_uid === null) await chooseProfile(view, gesture, inUse);
  if (!found.named) await nameDocument(view, gesture, profile);
  const chosen = gesture.texts.length;
  const details: ErrorDetail[] = [];
  const checksSources = stored.requiresSource && actor.kind === 'agent';
  const isHidden = hiddenOf(write, profile, hidden);
  const reads = await readAhead(ctx, view, write, profile);
  const items = await draftItems(ctx, view, gesture, write, details);
  const outcomes =
    write.outcomes.length === 0 && details.length === 0
      ? []
      : await draftOutcomes(view, gesture, write, profile, { ...reads, isHidden }, details);
  if (details.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some entries cannot be stored; nothing was.',
      details,
    );
  refuseUnseen(
    write.outcomes.flatMap((outcome, index) =>
      outcome.if_revision !== undefined && isHidden(outcome)
        ? [`${write.outcomePath(index)}/if_revision`]
        : [],
    ),
  );
  refuseConflicts(write, outcomes);
  if (checksSources) refuseUncited(write, outcomes);
  // The choice of the profile and of its document alone is no evidence.
  const changes =
    gesture.texts.length > chosen ? await place(ctx, view, gesture, actor, write.reason) : [];
  return {
    case_uid: write.case_uid,
    ...inUse,
    ...items,
    ...(await answersFor(view, write, outcomes)),
    changes,
  };
}

/** Which outcomes are for cells that are hidden from the caller. */
function hiddenOf(
  { profile_uid: profile }: EvidenceWrite,
  { document: { version } }: StoredProfile,
  hidden: HiddenCells | undefined,
): IsHidden {
  return ({ item_uid: item, rule_uid: rule }) =>
    hidden?.hides({ profile, version, rule, item }) === true;
}

/**
 * What is asked of the store in any case, in three batches: what is known by name, then the cells,
 * then the names of the heads that will be cited.
 */
async function readAhead(
  ctx: WriteContext,
  view: CaseView,
  { items, outcomes }: EvidenceWrite,
  { document, rules }: StoredProfile,
): Promise<Omit<ReadAhead, 'isHidden'>> {
  const written = new Set(items.map((item) => item.item_uid));
  const [numbers, cells] = await pipelined(
    outcomes.length === 0 ? Promise.resolve(new Map<string, number>()) : internRules(ctx, rules),
    outcomes.length === 0
      ? Promise.resolve(undefined)
      : view.matrix(document.profileUid, document.version),
    view.items.load([...written, ...new Set(outcomes.map((outcome) => outcome.item_uid))]),
  );
  const pks = new Set<number>();
  const columns = new Set<number>();
  for (const { item_uid, rule_uid } of outcomes) {
    const row = view.items.get(item_uid);
    if (row === undefined) continue;
    const rule = numbers.get(rule_uid);
    pks.add(row.pk);
    if (rule !== undefined) columns.add(rule);
  }
  await cells?.load(
    [...pks],
    [...columns],
    outcomes.length > 0.5 * pks.size * columns.size && columns.size > 10,
  );
  const heads = new Set(cells?.headSeqs());
  for (const row of view.items.values())
    if (written.has(row.uid)) for (const [seq] of Object.values(row.heads)) heads.add(seq);
  await view.stream.changes.loadSeqs(heads);
  return { rules: numbers, cells };
}
