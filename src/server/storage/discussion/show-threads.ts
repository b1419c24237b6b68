import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import type { Participant, Thread, ThreadLine } from '../../../shared/contract/v1/discussion.ts';
import { type Discussed, threadOf } from '../../../sync/layers/discussion.ts';
import type { ReadContext } from '../db/context.ts';
import { type Listed, type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { StoreError } from '../db/errors.ts';
import { RECEIPT, receiptOf, when } from '../log/received.ts';
import { type PlacedCase, placeNames } from './place-names.ts';
import { needAnyCase, type StoredCase } from '../records/cases.ts';
import { hiddenCells, type HiddenCells } from '../rounds/hidden-cells.ts';
import { namesOf } from '../rounds/show-rounds.ts';
import { threadEntriesIn, type StoredThreadEntry } from './thread-entries.ts';

const NO_THREAD = 'There is no such thread.';

/** A thread as it is stored, with the places of its entries in the log. */
export type StoredThread = Omit<Discussed, 'entries'> & { entries: readonly StoredThreadEntry[] };

/** Threads of a case by id, as far as their beginnings are here and nothing hides them. */
export async function readThreads(
  ctx: ReadContext,
  streamPk: number,
  ids: readonly string[],
  hidden: HiddenCells | undefined,
): Promise<StoredThread[]> {
  const said = await threadEntriesIn(ctx, streamPk, ids);
  return ids.flatMap((id) => {
    const entries = said.get(id) ?? [];
    const thread = threadOf(id, entries, ctx.ports.hasher);
    if (thread === undefined || hidden?.hidesPlace(thread.opening.place) === true) return [];
    const places = new Map(entries.map((one) => [one.name, one]));
    return [{ ...thread, entries: thread.entries.flatMap(({ name }) => places.get(name) ?? []) }];
  });
}

/** A thread of a case. Throws not_found, also where a round hides it from the caller. */
export async function needThread(
  ctx: ReadContext,
  account: AccountId,
  { streamPk, record }: StoredCase,
  id: string,
): Promise<StoredThread> {
  const hidden = await hiddenCells(ctx, account, record.case_uid);
  const [thread] = await readThreads(ctx, streamPk, [id], hidden);
  if (thread === undefined) throw new StoreError('not_found', NO_THREAD);
  return thread;
}

type Written = Awaited<ReturnType<typeof writtenIn>>;

/** When the changes of these entries were written and came, and by whom. */
async function writtenIn(
  { session }: ReadContext,
  streamPk: number,
  said: readonly StoredThreadEntry[],
) {
  const rows = await session.db
    .selectFrom('changes')
    .leftJoin('users', 'users.user_id', 'changes.actor')
    .select(['seq', 'author', ...RECEIPT])
    .where('account', '=', session.account)
    .where('stream_pk', '=', streamPk)
    .where(session.inList('seq', [...new Set(said.map(({ seq }) => seq))]))
    .execute();
  return new Map(rows.map((row) => [row.seq, row]));
}

/** Everybody whom threads name: as this account knows them, or as they signed what they wrote. */
async function peopleIn(
  ctx: ReadContext,
  account: AccountId,
  threads: readonly StoredThread[],
  written: Written,
): Promise<(id: string) => Participant> {
  const said = threads.flatMap(({ entries }) => entries);
  const ids = [
    ...threads.flatMap(({ assigned, waits }) => [assigned ?? [], ...waits.keys()].flat()),
    ...said.flatMap(({ by, value }) => [
      by,
      ...('mentions' in value ? (value.mentions ?? []) : []),
      ...(value.does === 'assign' && value.to !== null ? [value.to] : []),
    ]),
  ];
  const known = await namesOf(ctx, account, ids);
  const signed = new Map(said.map(({ by, seq }) => [by, written.get(seq)?.author]));
  return (id) => ({
    id,
    name: known.get(id) ?? signed.get(id) ?? null,
    kind: id.startsWith('usr_') ? 'human' : 'agent',
  });
}

/** How what threads name is called. */
interface ThreadNames {
  person: (id: string) => Participant;
  names: Awaited<ReturnType<typeof placeNames>>;
}

async function namesFor(
  ctx: ReadContext,
  account: AccountId,
  stored: PlacedCase,
  threads: readonly StoredThread[],
  written: Written,
): Promise<ThreadNames> {
  const places = threads.map(({ opening }) => opening.place);
  return {
    person: await peopleIn(ctx, account, threads, written),
    names: await placeNames(ctx, account, stored, places),
  };
}

function threadShown(
  caseUid: CaseUid,
  { id, opening, state, assigned, entries, waits }: StoredThread,
  written: Written,
  { person, names }: ThreadNames,
): Thread {
  const at = (one: StoredThreadEntry | undefined): string => {
    const row = one === undefined ? undefined : written.get(one.seq);
    if (row === undefined) throw new Error('An entry of a thread is in no change.');
    return when(row.wall, row.received_at);
  };
  return {
    case_uid: caseUid,
    thread_id: id,
    place: opening.place,
    ...names(opening.place),
    kind: opening.kind,
    state,
    text: opening.text,
    assigned_to: assigned === null ? null : person(assigned),
    opened_by: person(opening.opened_by),
    opened_at: at(entries[0]),
    last_at: at(entries.at(-1)),
    size: entries.length,
    waits_for: [...waits].map(([who, why]) => ({ ...person(who), why })),
  };
}

/** Threads of one case as the API shows them. */
export async function showThreads(
  ctx: ReadContext,
  account: AccountId,
  stored: PlacedCase,
  threads: readonly StoredThread[],
): Promise<Thread[]> {
  if (threads.length === 0) return [];
  const said = threads.flatMap(({ entries }) => entries);
  const written = await writtenIn(ctx, stored.streamPk, said);
  const words = await namesFor(ctx, account, stored, threads, written);
  return threads.map((thread) => threadShown(stored.record.case_uid, thread, written, words));
}

/** A page of what was said in a thread. */
export async function getThread(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  id: string,
  page: Page,
): Promise<Thread & { entries: ThreadLine[]; next_cursor: string | null }> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const thread = await needThread(ctx, account, stored, id);
  const written = await writtenIn(ctx, stored.streamPk, thread.entries);
  const words = await namesFor(ctx, account, stored, [thread], written);
  const start =
    page.cursor === undefined ? 0 : (readCursor('thread', ['whole'], page.cursor)[0] as number);
  const end = Math.max(0, start) + page.limit;
  return {
    ...threadShown(caseUid, thread, written, words),
    entries: thread.entries
      .slice(Math.max(0, start), end)
      .flatMap((one) => lineOf(one, written, words.person)),
    next_cursor: end < thread.entries.length ? writeCursor('thread', [end]) : null,
  };
}

function lineOf(
  { name, by, seq, value }: StoredThreadEntry,
  written: Written,
  person: (id: string) => Participant,
): ThreadLine[] {
  const row = written.get(seq);
  if (row === undefined) return [];
  const { at, clock_differs, sent_by } = receiptOf(row);
  const to = value.does === 'assign' ? value.to : value.does === 'open' ? value.assigned_to : null;
  return [
    {
      entry: name,
      does: value.does,
      text: value.text ?? null,
      mentions: ('mentions' in value ? (value.mentions ?? []) : []).map(person),
      assigned_to: to === null || to === undefined ? null : person(to),
      by: person(by),
      at,
      clock_differs,
      sent_by,
    },
  ];
}

/** What threads are asked for. */
export interface ThreadFilter {
  state?: Thread['state'] | undefined;
  kind?: Thread['kind'] | undefined;
  on?: Thread['place']['on'] | undefined;
  item_uid?: string | undefined;
  rule_uid?: string | undefined;
  assigned_to?: string | undefined;
}

/** Most rows that one page looks at, where a round hides some: a page may be short, and go on. */
const ROWS_AT_ONCE = 200;

export async function listThreads(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  filter: ThreadFilter,
  page: Page,
): Promise<Listed<Thread>> {
  const stored = await needAnyCase(ctx, account, caseUid);
  const after =
    page.cursor === undefined
      ? undefined
      : (readCursor('threads', ['string', 'string'], page.cursor) as [string, string]);
  const { session } = ctx;
  const { state, kind, on, item_uid, rule_uid, assigned_to } = filter;
  const limit = Math.min(page.limit, ROWS_AT_ONCE);
  const rows = await session.db
    .selectFrom('threads')
    .select(['thread_id', 'opened_hlc'])
    .where('account', '=', session.account)
    .where('stream_pk', '=', stored.streamPk)
    .$if(state !== undefined, (query) => query.where('state', '=', state!))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
    .$if(on !== undefined, (query) => query.where('place_on', '=', on!))
    .$if(item_uid !== undefined, (query) => query.where('item_uid', '=', item_uid!))
    .$if(rule_uid !== undefined, (query) => query.where('rule_uid', '=', rule_uid!))
    .$if(assigned_to !== undefined, (query) => query.where('assigned', '=', assigned_to!))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, or, and }) =>
        or([
          eb('opened_hlc', '<', after![0]),
          and([eb('opened_hlc', '=', after![0]), eb('thread_id', '<', after![1])]),
        ]),
      ),
    )
    .orderBy('opened_hlc', 'desc')
    .orderBy('thread_id', 'desc')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const hidden = await hiddenCells(ctx, account, caseUid);
  const threads = await readThreads(
    ctx,
    stored.streamPk,
    shown.map(({ thread_id }) => thread_id),
    hidden,
  );
  const last = shown.at(-1);
  return {
    data: await showThreads(ctx, account, stored, threads),
    next_cursor:
      rows.length > limit && last !== undefined
        ? writeCursor('threads', [last.opened_hlc, last.thread_id])
        : null,
  };
}
