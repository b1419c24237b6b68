import type { AccountId, StreamName, UserId } from '../../../shared/contract/ids.ts';
import { z } from 'zod';
import { readCursor, writeCursor } from '../db/cursor.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { type LinkRow, originOf } from './links.ts';
import { unpack } from '../db/packed.ts';
import { LEFT, sharedProjects, sharedStreams } from './shared-streams.ts';

const PAGE = 100;
const PAGE_BYTES = 1_048_576;

/** Waiting changes of shared projects that somebody else than these users made here, by user. */
export async function unsentOfOthers(
  ctx: ReadContext,
  account: AccountId,
  users: readonly UserId[],
): Promise<UnsentOf[]> {
  const { db, list } = ctx.session;
  const found = new Map<UserId, UnsentOf>();
  for (const { stream, waiting, link, kind } of await sharedStreams(
    ctx,
    account,
    await sharedProjects(ctx, account),
  )) {
    if (waiting === 0 || kind === 'profiles') continue;
    const rows = await db
      .selectFrom('changes')
      .innerJoin('streams', (join) =>
        join
          .onRef('streams.account', '=', 'changes.account')
          .onRef('streams.stream_pk', '=', 'changes.stream_pk'),
      )
      .leftJoin('users', 'users.user_id', 'changes.actor')
      .select(['changes.seq', 'changes.actor', 'users.name'])
      .where('changes.account', '=', ctx.session.numberOf(account))
      .where('streams.name', '=', stream)
      .where('changes.seq', '>', link?.push_pos ?? 0)
      .where('origin', 'is', null)
      .where('actor', 'not in', list(users))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('unsendable')
              .select('unsendable.seq')
              .whereRef('unsendable.account', '=', 'changes.account')
              .whereRef('unsendable.stream_pk', '=', 'changes.stream_pk')
              .whereRef('unsendable.seq', '=', 'changes.seq'),
          ),
        ),
      )
      .orderBy('changes.seq')
      .execute();
    for (const { seq, actor, name } of rows) {
      const of: UnsentOf = found.get(actor) ?? { user_id: actor, name: name ?? actor, changes: [] };
      of.changes.push({ stream, seq });
      found.set(actor, of);
    }
  }
  return [...found.values()];
}

/** The changes of a stream after a number that wait for the other server, or are kept from it. */
function unsentIn(
  { session }: ReadContext,
  account: AccountId,
  stream: StreamName,
  link: LinkRow | undefined,
  after: number,
) {
  return session.db
    .selectFrom('changes')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'changes.account')
        .onRef('streams.stream_pk', '=', 'changes.stream_pk'),
    )
    .leftJoin('unsendable', (join) =>
      join
        .onRef('unsendable.account', '=', 'changes.account')
        .onRef('unsendable.stream_pk', '=', 'changes.stream_pk')
        .onRef('unsendable.seq', '=', 'changes.seq'),
    )
    .select([
      'changes.seq',
      'change_id',
      'received_at',
      'author',
      'actor',
      'text',
      'packed',
      'unsendable.code',
    ])
    .where('changes.account', '=', session.numberOf(account))
    .where('streams.name', '=', stream)
    .where('changes.seq', '>', after)
    .where(({ eb, or, and }) =>
      or([
        eb('unsendable.code', 'is not', null),
        and([
          eb('changes.seq', '>', link?.push_pos ?? 0),
          or([
            eb('origin', 'is', null),
            eb('origin', '!=', link === undefined ? '' : originOf(link)),
          ]),
        ]),
      ]),
    )
    .orderBy('changes.seq')
    .limit(PAGE)
    .execute();
}

/**
 * A page of the changes that no hosted server has acknowledged: those that wait, and those that are
 * kept.
 */
export async function unsentChanges(
  ctx: ReadContext,
  account: AccountId,
  after: string | undefined,
): Promise<{ changes: UnsentRow[]; next: string | null }> {
  const [from = '', passed = 0] =
    after === undefined
      ? []
      : (readCursor('unsent', ['string', 'whole'], after) as [string, number]);
  const changes: UnsentRow[] = [];
  let bytes = 0;
  const streams = (await sharedStreams(ctx, account, await sharedProjects(ctx, account))).filter(
    ({ kind, stream }) => kind !== 'profiles' && stream >= from,
  );
  for (const { stream, link } of streams.sort((a, b) => (a.stream < b.stream ? -1 : 1))) {
    const rows = await unsentIn(ctx, account, stream, link, stream === from ? passed : 0);
    for (const { seq, change_id, received_at, author, actor, text, packed, code } of rows) {
      const change = unpack(text, packed);
      bytes += Buffer.byteLength(change);
      changes.push({
        stream,
        change_id,
        received_at,
        author,
        user_id: actor,
        state: code === null ? 'waiting' : 'kept',
        reason: code,
        change,
      });
      if (changes.length >= PAGE || bytes >= PAGE_BYTES)
        return { changes, next: writeCursor('unsent', [stream, seq]) };
    }
  }
  return { changes, next: null };
}

const Stored = z.strictObject({ changes: z.int().min(0), oldest: z.string().nullable() });

/**
 * What projects that were shared with a previous server had not sent when another took its place.
 */
export async function leftUnsent(ctx: ReadContext): Promise<Left> {
  const rows = await ctx.session.db
    .selectFrom('meta')
    .select('value')
    .where('key', 'like', `${LEFT}%`)
    .execute();
  const left = rows.map(({ value }) => Stored.parse(JSON.parse(value)));
  return {
    changes: left.reduce((sum, { changes }) => sum + changes, 0),
    oldest:
      left
        .map(({ oldest }) => oldest)
        .filter((at) => at !== null)
        .sort()[0] ?? null,
  };
}

/** Notes that these users are the studio's person, under other names. */
export async function standFor(ctx: WriteContext, users: readonly UserId[]): Promise<void> {
  for (const user of users)
    await ctx.session.db
      .insertInto('meta')
      .values({ key: `person:${user}`, value: '' })
      .onConflict((oc) => oc.column('key').doUpdateSet({ value: '' }))
      .execute();
}

/** By whose wish a change is not sent. */
export const SET_ASIDE = 'set_aside';

/**
 * What was set aside of these users' work goes again: what lies behind the push position is offered
 * once more (R6).
 */
export async function takeBack(
  ctx: WriteContext,
  account: AccountId,
  users: readonly UserId[],
): Promise<void> {
  const { db, list } = ctx.session;
  const rows = await db
    .selectFrom('unsendable')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'unsendable.account')
        .onRef('streams.stream_pk', '=', 'unsendable.stream_pk'),
    )
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'unsendable.account')
        .onRef('changes.stream_pk', '=', 'unsendable.stream_pk')
        .onRef('changes.seq', '=', 'unsendable.seq'),
    )
    .select(['unsendable.stream_pk', 'unsendable.seq'])
    .where('unsendable.account', '=', ctx.session.numberOf(account))
    .where('code', '=', SET_ASIDE)
    .where('actor', 'in', list(users))
    .orderBy('unsendable.seq', 'desc')
    .execute();
  for (const { stream_pk, seq } of rows) {
    await db
      .deleteFrom('unsendable')
      .where('account', '=', ctx.session.account)
      .where('stream_pk', '=', stream_pk)
      .where('seq', '=', seq)
      .execute();
    await db
      .updateTable('links')
      .set(({ ref, eb }) => ({
        rev: eb('rev', '+', 1),
        again_to: eb
          .case()
          .when('again_to', '>', ref('push_pos'))
          .then(ref('again_to'))
          .else(ref('push_pos'))
          .end(),
        push_pos: seq - 1,
      }))
      .where('account', '=', ctx.session.account)
      .where('stream_pk', '=', stream_pk)
      .where('push_pos', '>=', seq)
      .execute();
  }
}

/** Unsent changes that one user made here. */
export interface UnsentOf {
  user_id: UserId;
  name: string;
  changes: { stream: StreamName; seq: number }[];
}

export interface Left {
  changes: number;
  oldest: string | null;
}

export interface UnsentRow {
  stream: StreamName;
  change_id: string;
  received_at: string;
  author: string;
  user_id: UserId;
  state: 'waiting' | 'kept';
  reason: string | null;
  change: string;
}
