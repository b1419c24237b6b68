import { type AccountId, type CaseUid, known } from '../../../shared/contract/ids.ts';
import type { Round } from '../../../shared/contract/v1/rounds.ts';
import type { RecordingRound } from '../../../sync/layers/rounds.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { when } from '../log/received.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import { findRound, roundsOfCases } from './stored-rounds.ts';

const NO_ROUND = 'There is no such round.';

/** Names of people and keys of the account, by id. */
export async function namesOf(
  { session }: ReadContext,
  account: AccountId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const people = await session.db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(['users.user_id', 'users.name'])
    .where('account_id', '=', account)
    .where(session.inList('members.user_id', wanted))
    .execute();
  const keys = await session.db
    .selectFrom('api_keys')
    .select(['key_id', 'name'])
    .where('account_id', '=', account)
    .where(session.inList('key_id', wanted))
    .execute();
  return new Map([
    ...people.map(({ user_id, name }) => [user_id as string, name] as const),
    ...keys.map(({ key_id, name }) => [key_id as string, name] as const),
  ]);
}

/** Who released rounds of a case, when, and why. */
async function releasesOf(
  { session }: ReadContext,
  { record, streamPk }: StoredCase,
): Promise<Map<string, Round['releases']>> {
  const rows = await session.db
    .selectFrom('round_entries')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'round_entries.account')
        .onRef('changes.seq', '=', 'round_entries.seq'),
    )
    .select(['round_id', 'changes.author', 'changes.wall', 'changes.received_at', 'changes.why'])
    .where('round_entries.account', '=', session.account)
    .where('round_entries.case_uid', '=', record.case_uid)
    .where('changes.stream_pk', '=', streamPk)
    .where('kind', '=', 'state')
    .where('opens', '=', 1)
    .orderBy('round_entries.seq')
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ round_id }) => round_id)].map(([id, of]) => [
      id,
      of.map(({ author, wall, received_at, why }) => ({
        by: author,
        at: when(wall, received_at),
        reason: why,
      })),
    ]),
  );
}

async function titlesOf(
  { session }: ReadContext,
  { record }: StoredCase,
): Promise<Map<string, string>> {
  const rows = await session.db
    .selectFrom('round_titles')
    .select(['round_id', 'title'])
    .where('account', '=', session.account)
    .where('case_uid', '=', record.case_uid)
    .execute();
  return new Map(rows.map(({ round_id, title }) => [round_id, title]));
}

/** Rounds as the API shows them. */
export async function showRounds(
  ctx: ReadContext,
  account: AccountId,
  stored: StoredCase,
  rounds: readonly RecordingRound[],
): Promise<Round[]> {
  if (rounds.length === 0) return [];
  const titles = await titlesOf(ctx, stored);
  const releases = await releasesOf(ctx, stored);
  const names = await namesOf(
    ctx,
    account,
    rounds.flatMap(({ terms }) => terms.recorders),
  );
  return rounds.map(({ id, terms, state, commitments, removed }) => ({
    case_uid: stored.record.case_uid,
    round_id: id,
    title: titles.get(id) ?? '',
    state,
    recorders: terms.recorders.map((recorder) => ({
      recorder,
      name: names.get(recorder) ?? null,
      kind: recorder.startsWith('usr_') ? ('human' as const) : ('agent' as const),
      commitments: [...(commitments.get(recorder) ?? [])],
      removed: removed.has(recorder),
    })),
    profile_uid: known.profileUid.parse(terms.profile_uid),
    profile_version: terms.profile_version,
    items: terms.items,
    rules: terms.rules,
    quorum: terms.quorum,
    record: terms.record,
    opened_by: terms.opened_by,
    releases: releases.get(id) ?? [],
  }));
}

export async function listRounds(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<Round[]> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const rounds = (await roundsOfCases(ctx, account, [caseUid])).get(caseUid) ?? [];
  return showRounds(ctx, account, stored, rounds);
}

/** A round of a case that can be read. Throws not_found. */
export async function needRound(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<RecordingRound> {
  const round = await findRound(ctx, account, caseUid, id);
  if (round === undefined) throw new StoreError('not_found', NO_ROUND);
  return round;
}

export async function getRound(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
): Promise<Round> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const round = await needRound(ctx, account, caseUid, id);
  const [shown] = await showRounds(ctx, account, stored, [round]);
  return shown as Round;
}
