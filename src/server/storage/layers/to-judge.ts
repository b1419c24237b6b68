import type { AccountId, KeyId, ProfileUid, UserId } from '../../../shared/contract/ids.ts';
import type { DecidedSuggestion, ToJudge } from '../../../shared/contract/v1/to-judge.ts';
import { parseEntryName } from '../../../sync/change.ts';
import type { Suggestion, SuggestionDecision } from '../../../sync/layers/values.ts';
import { formatRegister } from '../../../sync/register.ts';
import { sql } from 'kysely';
import type { Actor } from '../db/actor.ts';
import type { ReadContext } from '../db/context.ts';
import type { Page } from '../db/cursor.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { listCells } from '../evidence/cell-list.ts';
import { ChangeIndex } from '../log/change-index.ts';
import { readPosition } from '../log/log-position.ts';
import { caseAndProfile } from '../records/case-profile.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { listSuggestions } from './suggestion-list.ts';

/** Most decisions, and most stale suggestions, of one answer. */
const MOST_DECIDED = 200;
const MOST_STALE = 50;

export interface ToJudgeQuery extends MatrixQuery {
  after: number | undefined;
}

/** The matrix, and whose suggestions are meant: a key's, or a person's. */
interface OwnMatrix {
  streamPk: number;
  profile_uid: ProfileUid;
  profile_version: string;
  source: KeyId | UserId;
}

/** Whether anybody but the caller has written to the log after a position. */
async function othersWrote(
  { session }: ReadContext,
  streamPk: number,
  { key_id, user_id }: Actor,
  after: number,
): Promise<boolean> {
  const found = await session.db
    .selectFrom('changes')
    .select('seq')
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where('seq', '>', after)
    .where((eb) =>
      key_id === null
        ? eb.or([eb('key_id', 'is not', null), eb('actor', '!=', user_id)])
        : eb.or([eb('key_id', 'is', null), eb('key_id', '!=', key_id)]),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

const ownRows = ({ session }: ReadContext, matrix: OwnMatrix) =>
  session.db
    .selectFrom('suggestions')
    .where('account', '=', session.account)
    .where('stream_pk', '=', matrix.streamPk)
    .where('source', '=', matrix.source)
    .where(
      sql<boolean>`profile_uid = ${matrix.profile_uid} AND profile_version = ${matrix.profile_version}`,
    );

/** What a source said in the entry that was decided about; it may say something else by now. */
async function saidIn(changes: ChangeIndex, reg: string, name: string): Promise<Suggestion | null> {
  const place = parseEntryName(name);
  const seq = place && changes.byId(place.id)?.seq;
  if (place === undefined || seq === undefined) return null;
  const { entries, quarantined } = await changes.contentOf(seq);
  const entry = entries[place.index];
  return entry?.reg === reg && !quarantined.includes(place.index)
    ? (entry.value as Suggestion | null)
    : null;
}

/** What was decided about a source's suggestions after a position, in the order of the log. */
async function decidedAfter(
  ctx: ReadContext,
  account: AccountId,
  matrix: OwnMatrix & { case_uid: MatrixQuery['case_uid'] },
  after: number,
): Promise<Pick<ToJudge, 'decided' | 'decided_left'>> {
  const rows = await ownRows(ctx, matrix)
    .select(['rule_uid', 'item_uid', 'decision', 'decision_seq'])
    .where('decision_seq', '>', after)
    .orderBy('decision_seq')
    .execute();
  const hidden = await hiddenCells(ctx, account, matrix.case_uid);
  const cell = { profile: matrix.profile_uid, version: matrix.profile_version };
  const shown = rows.filter(
    ({ rule_uid: rule, item_uid: item, decision }) =>
      decision !== null && hidden?.hides({ ...cell, rule, item }) !== true,
  );
  const latest = shown.slice(0, MOST_DECIDED).flatMap(({ decision, decision_seq: seq, ...row }) => {
    const verdict = JSON.parse(decision ?? 'null') as SuggestionDecision | null;
    return verdict === null || seq === null ? [] : [{ ...row, seq, verdict }];
  });
  const changes = new ChangeIndex(ctx.session, matrix.streamPk);
  await changes.loadSeqs(new Set(latest.map(({ seq }) => seq)));
  const ids = latest.flatMap(({ verdict }) => parseEntryName(verdict.entry)?.id ?? []);
  await changes.loadIds(ids);
  await changes.loadContents(ids.flatMap((id) => changes.byId(id)?.seq ?? []));
  const decided: DecidedSuggestion[] = [];
  for (const { rule_uid, item_uid, seq, verdict } of latest) {
    const { source } = matrix;
    const reg = formatRegister({
      kind: 'suggestion',
      source,
      ...cell,
      rule: rule_uid,
      item: item_uid,
    });
    const said = await saidIn(changes, reg, verdict.entry);
    const { author, receivedAt } = changes.at(seq);
    decided.push({
      suggestion_id: verdict.entry,
      item_uid,
      rule_uid,
      raw_outcome: said?.raw_outcome ?? null,
      verdict: verdict.verdict,
      reason: verdict.reason ?? null,
      by: author,
      at: receivedAt,
    });
  }
  return { decided, decided_left: shown.length - latest.length };
}

/** Unrecorded cells that a source has suggested nothing for, and those where that became stale. */
async function openAndStale(
  ctx: ReadContext,
  account: AccountId,
  {
    query,
    matrix,
    page,
    keys,
  }: { query: ToJudgeQuery; matrix: OwnMatrix; page: Page; keys: boolean },
): Promise<Pick<ToJudge, 'cells' | 'stale' | 'next_cursor'>> {
  const own = await ownRows(ctx, matrix)
    .select(['rule_uid', 'item_uid'])
    .where('value', 'is not', null)
    .execute();
  const said = new Set(own.map(({ rule_uid, item_uid }) => `${rule_uid}/${item_uid}`));
  const isLeftOut = ({ rule_uid, item_uid }: ToJudge['cells'][number]): boolean =>
    said.has(`${rule_uid}/${item_uid}`);
  const open = { ...query, outcome: 'unrecorded' as const, since: undefined, isLeftOut };
  const { data, next_cursor } = await listCells(ctx, account, open, page);
  const ofSource = { ...query, filter: { source: matrix.source }, state: 'stale' as const };
  const few = { limit: MOST_STALE, cursor: undefined };
  return {
    cells: data.map(({ item_uid, rule_uid, revision }) => ({ item_uid, rule_uid, revision })),
    stale: said.size === 0 ? [] : (await listSuggestions(ctx, account, ofSource, few, keys)).data,
    next_cursor,
  };
}

/**
 * What a source has yet to judge in a matrix, and what was decided about its suggestions. With
 * `after` it is empty where nobody else has written since: one that waits is not woken by itself.
 */
export async function listToJudge(
  ctx: ReadContext,
  actor: Actor,
  query: ToJudgeQuery,
  page: Page,
  keys: boolean,
): Promise<ToJudge> {
  const { account_id: account } = actor;
  const { stored, profile } = await caseAndProfile(ctx, account, query);
  const { profileUid: profile_uid, version: profile_version } = profile.document;
  const { streamPk } = stored;
  const source = actor.key_id ?? actor.user_id;
  const matrix = { streamPk, profile_uid, profile_version, source, case_uid: query.case_uid };
  const { seq } = await readPosition(ctx, streamPk);
  const after = query.after === undefined ? undefined : Math.min(query.after, seq);
  const none: ToJudge = {
    case_uid: query.case_uid,
    profile_uid,
    profile_version,
    cells: [],
    stale: [],
    decided: [],
    decided_left: 0,
    after: seq,
    next_cursor: null,
  };
  if (after !== undefined && !(await othersWrote(ctx, streamPk, actor, after))) return none;
  return {
    ...none,
    ...(await openAndStale(ctx, account, { query, matrix, page, keys })),
    ...(after === undefined ? {} : await decidedAfter(ctx, account, matrix, after)),
  };
}
