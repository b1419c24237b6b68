import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import type { WaitingCase } from '../../../shared/contract/v1/discussion.ts';
import { MOST_WAITING } from '../../../shared/contract/v1/discussion.ts';
import type { ReadContext } from '../db/context.ts';
import { limitOf } from '../db/permit.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { missingItems } from '../rounds/round-items.ts';
import { placeIn } from './place-in.ts';
import { readThreads, showThreads } from './show-threads.ts';

/** Under which ids somebody may be asked: their own, and those from before they were connected. */
async function idsOf({ session, credential }: ReadContext): Promise<string[]> {
  if (credential === undefined) return [];
  const id = participantIdOf(credential);
  if (!id.startsWith('usr_')) return [id];
  const rows = await session.db
    .selectFrom('meta')
    .select(['key', 'value'])
    .where(({ eb, or }) => or([eb('key', '=', 'local_user'), eb('key', 'like', 'person:%')]))
    .execute();
  const isOwn = rows.some(({ key, value }) => key === 'local_user' && value === id);
  return isOwn
    ? [
        id,
        ...rows.flatMap(({ key }) => (key === 'local_user' ? [] : [key.slice('person:'.length)])),
      ]
    : [id];
}

interface WaitingPlaces {
  threads: { id: string; why: WaitingCase['threads'][number]['why'] }[];
  items: string[];
  rules: number;
}

/** What waits for the caller, by log. */
async function waitsOf(
  { session }: ReadContext,
  account: AccountId,
  ids: readonly string[],
): Promise<Map<number, WaitingPlaces>> {
  const number = session.numberOf(account);
  const threads = await session.db
    .selectFrom('thread_waits')
    .select(['stream_pk', 'thread_id', 'why'])
    .where('account', '=', number)
    .where(session.inList('who', ids))
    .orderBy('thread_id')
    .execute();
  const assigned = await session.db
    .selectFrom('assignments')
    .select(['stream_pk', 'place'])
    .where('account', '=', number)
    .where('assignee', 'is not', null)
    .where(session.inList('assignee', ids))
    .execute();
  const waits = new Map<number, WaitingPlaces>();
  const of = (stream: number): WaitingPlaces => {
    const known = waits.get(stream) ?? { threads: [], items: [], rules: 0 };
    waits.set(stream, known);
    return known;
  };
  for (const { stream_pk, thread_id: id, why } of threads) of(stream_pk).threads.push({ id, why });
  for (const { stream_pk, place } of assigned) {
    const at = placeIn(place);
    if (at.on === 'item') of(stream_pk).items.push(at.item_uid);
    else of(stream_pk).rules += 1;
  }
  return waits;
}

/** What waits for the caller in the cases that they read, the last written to first. */
export async function listWaiting(ctx: ReadContext, account: AccountId): Promise<WaitingCase[]> {
  const ids = await idsOf(ctx);
  if (ids.length === 0) return [];
  const waits = await waitsOf(ctx, account, ids);
  if (waits.size === 0) return [];
  const { session } = ctx;
  const limit = limitOf(ctx);
  const cases = await session.db
    .selectFrom('cases')
    .select(['case_uid', 'case_pk', 'title', 'stream_pk'])
    .where('account', '=', session.numberOf(account))
    .where(session.inList('stream_pk', [...waits.keys()]))
    .where('deleted', '=', 0)
    .where('archived', '=', 0)
    .$if(limit !== undefined, (query) => query.where(session.inList('project_id', limit ?? [])))
    .orderBy('active_at', 'desc')
    .orderBy('case_uid')
    .limit(MOST_WAITING)
    .execute();
  const found: WaitingCase[] = [];
  for (const { case_uid, case_pk: pk, title, stream_pk } of cases) {
    const of = waits.get(stream_pk);
    if (of === undefined) continue;
    const one = await waitingIn(ctx, account, { case_uid, pk, title, stream_pk }, of);
    if (one.waiting + one.items + one.rules > 0) found.push(one);
  }
  return found;
}

async function waitingIn(
  ctx: ReadContext,
  account: AccountId,
  {
    case_uid,
    pk,
    title,
    stream_pk,
  }: { case_uid: CaseUid; pk: number; title: string; stream_pk: number },
  { threads, items, rules }: WaitingPlaces,
): Promise<WaitingCase> {
  const hidden = await hiddenCells(ctx, account, case_uid);
  const reasons = new Map(threads.map(({ id, why }) => [id, why]));
  const stored = await readThreads(ctx, stream_pk, [...reasons.keys()], hidden);
  const shown = await showThreads(
    ctx,
    account,
    { pk, streamPk: stream_pk, record: { case_uid } },
    stored.slice(0, MOST_WAITING),
  );
  return {
    case_uid,
    title,
    threads: shown.flatMap((thread) => {
      const why = reasons.get(thread.thread_id);
      return why === undefined ? [] : [{ ...thread, why }];
    }),
    waiting: stored.length,
    // An item that is removed waits for nobody until it is back.
    items: items.length - (await missingItems(ctx, { pk }, items)).size,
    rules,
  };
}
