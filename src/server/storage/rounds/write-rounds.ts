import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { Round, RoundInput } from '../../../shared/contract/v1/rounds.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { roundId, RoundTerms } from '../../../shared/domain/round.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { isAnnounced, LONGEST_STREAM } from '../../../sync/layers/authors.ts';
import { formatRegister, layerStream, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { randomHex } from '../db/ids.ts';
import { author, placements } from '../log/author.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { unknownRule } from '../records/unknown-rule.ts';
import { caseAndProfile, refuseUnsettled } from '../records/case-profile.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase, type StoredCase } from '../records/cases.ts';
import { missingItems } from './round-items.ts';
import { getRound, needRound } from './show-rounds.ts';

/** A register of a case that says something about a round. */
export interface RoundAnnouncement {
  register: Register;
  value: unknown;
}

/** Writes what is said of a round into the case's log. */
export async function announce(
  ctx: WriteContext,
  actor: Actor,
  { stream, stored }: { stream: Stream; stored: StoredCase },
  writes: readonly RoundAnnouncement[],
  why?: string,
): Promise<void> {
  const view = new CaseView(ctx, stream, stored);
  const texts = writes.map(({ register, value }) =>
    entryText(
      '[]',
      jsonString(formatRegister(register)),
      canonicalJson(value),
      isAnnounced(register) ? 'announce' : 'set',
    ),
  );
  for (const { entry, ...at } of placements(await author(ctx, stream, actor, texts, why))) {
    const { register, value } = writes[entry] as RoundAnnouncement;
    if (isAnnounced(register)) view.rounds.announce(register, value, at, true);
    else if (register.kind === 'round') {
      const show = (title: unknown): void => view.rounds.show(register.round, title as string);
      const binding = view.registers.binding(formatRegister(register), show);
      await view.heads.apply(binding, { ...at, parents: [], value });
    }
  }
  await view.flush();
}

/** The terms of a new round. Throws validation_failed where they name what is not there. */
async function termsOf(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  input: RoundInput,
): Promise<{ stored: StoredCase; terms: RoundTerms }> {
  const { profile_uid, recorders, items = 'all', rules = 'all', record = 'hidden' } = input;
  const asked = { case_uid: caseUid, profile_uid, profile_version: input.profile_version };
  const found = await caseAndProfile(ctx, actor.account_id, asked);
  refuseUnsettled(found);
  const { stored, profile } = found;
  const details: ErrorDetail[] = [];
  const wordsFor = unknownRule(profile);
  if (rules !== 'all')
    for (const [index, rule] of rules.entries())
      if (!profile.rules.includes(rule))
        details.push({
          path: `/rules/${index}`,
          code: 'unknown_rule',
          message: wordsFor(rule),
        });
  if (items !== 'all') {
    const missing = await missingItems(ctx, stored, items);
    for (const [index, item] of items.entries())
      if (missing.has(item))
        details.push({
          path: `/items/${index}`,
          code: 'unknown_item',
          message: 'The case has no such item.',
        });
  }
  const terms = RoundTerms.safeParse({
    recorders,
    profile_uid,
    profile_version: profile.document.version,
    items,
    rules,
    quorum: input.quorum ?? recorders.length,
    opened_by: actor.user_id,
    record,
    na_is_a_category: true,
    nonce: randomHex(16, ctx.ports),
  } satisfies RoundTerms);
  for (const { path, message } of terms.error?.issues ?? [])
    details.push({ path: `/${path.join('/')}`, code: 'invalid_value', message });
  if (terms.data === undefined || details.length > 0)
    throw new StoreError('validation_failed', 'The round cannot be opened so.', details);
  return { stored, terms: terms.data };
}

export async function openRound(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  input: RoundInput,
): Promise<Round> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const { stored, terms } = await termsOf(ctx, actor, caseUid, input);
  const round = roundId(terms, ctx.ports.hasher);
  for (const [index, recorder] of terms.recorders.entries())
    if (layerStream({ case: caseUid, round, recorder }).length > LONGEST_STREAM)
      throw new StoreError('validation_failed', 'The round cannot be opened so.', [
        {
          path: `/recorders/${index}`,
          code: 'too_long',
          message: 'The names of case and recorder together are too long.',
        },
      ]);
  await announce(ctx, actor, { stream, stored }, [
    { register: { kind: 'round', round, field: 'terms' }, value: terms },
    { register: { kind: 'round', round, field: 'title' }, value: input.title },
  ]);
  return getRound(ctx, actor.account_id, caseUid, round);
}

/** Releases a round, which its owner says with a reason. One that is released stays as it is. */
export async function releaseRound(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
  reason: string,
): Promise<{ round: Round; released: boolean }> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needCase(ctx, actor.account_id, caseUid);
  const { state } = await needRound(ctx, actor.account_id, caseUid, id);
  const register: Register = { kind: 'round', round: id, field: 'state' };
  if (state === 'open')
    await announce(ctx, actor, { stream, stored }, [{ register, value: 'released' }], reason);
  return {
    round: await getRound(ctx, actor.account_id, caseUid, id),
    released: state === 'open',
  };
}

/** Ends somebody's recording in a round: by an owner, or by whoever opened it. */
export async function removeRecorder(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
  { recorder, reason }: { recorder: string; reason: string },
): Promise<{ round: Round; removed: boolean }> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needCase(ctx, actor.account_id, caseUid);
  const { terms, removed } = await needRound(ctx, actor.account_id, caseUid, id);
  if (ctx.credential?.role !== 'owner' && terms.opened_by !== actor.user_id)
    throw new StoreError(
      'insufficient_scope',
      'A recorder is removed by an owner, or by whoever opened the round.',
    );
  if (!terms.recorders.some((one) => one === recorder))
    throw new StoreError('validation_failed', 'The round has no such recorder.', [
      { path: '/recorder', code: 'unknown_recorder', message: 'Must be one of its recorders.' },
    ]);
  const register: Register = { kind: 'removed', round: id, recorder };
  const isNew = !removed.has(recorder);
  if (isNew) await announce(ctx, actor, { stream, stored }, [{ register, value: {} }], reason);
  return { round: await getRound(ctx, actor.account_id, caseUid, id), removed: isNew };
}
