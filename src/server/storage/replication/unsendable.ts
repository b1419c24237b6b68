import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';

/** `at`: when the other server last failed on it; `versions`: those of both sides then. */
export interface SetAside {
  stream: StreamName;
  seq: number;
  at: string;
  versions: string;
}

/**
 * A change that the other server refuses or fails on: `code` is why, `at` when that was last found.
 */
export interface KeptRow {
  stream: StreamName;
  change_id: string;
  author: string;
  received_at: string;
  code: string;
  at: string;
}

const pkOf = (
  ctx: ReadContext,
  account: AccountId,
  stream: StreamName,
): Promise<{ stream_pk: number }> =>
  ctx.session.db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account', '=', ctx.session.numberOf(account))
    .where('name', '=', stream)
    .executeTakeFirstOrThrow();

/**
 * Marks a change that the other server refuses, or fails on: it stays here and is not sent with the
 * others.
 */
export async function markUnsendable(
  ctx: WriteContext,
  account: AccountId,
  stream: StreamName,
  seq: number,
  code: string,
  aside?: Pick<SetAside, 'at' | 'versions'>,
): Promise<void> {
  const { stream_pk } = await pkOf(ctx, account, stream);
  const row = { code, at: aside?.at ?? ctx.at, versions: aside?.versions ?? null };
  await ctx.session.db
    .insertInto('unsendable')
    .values({ account: ctx.session.account, stream_pk, seq, ...row })
    .onConflict((oc) => oc.columns(['account', 'stream_pk', 'seq']).doUpdateSet(row))
    .execute();
}

/** The other server has taken a change that was noted so. */
export async function acceptUnsendable(
  ctx: WriteContext,
  account: AccountId,
  stream: StreamName,
  seq: number,
): Promise<void> {
  const { stream_pk } = await pkOf(ctx, account, stream);
  await ctx.session.db
    .deleteFrom('unsendable')
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream_pk)
    .where('seq', '=', seq)
    .execute();
}

const MAX_ASIDE = 1_000;

/** The changes that the other server failed on, as opposed to those whose bytes it refused. */
export async function setAside(ctx: ReadContext, account: AccountId): Promise<SetAside[]> {
  const rows = await ctx.session.db
    .selectFrom('unsendable')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'unsendable.account')
        .onRef('streams.stream_pk', '=', 'unsendable.stream_pk'),
    )
    .select(['name', 'unsendable.seq', 'at', 'versions'])
    .where('unsendable.account', '=', ctx.session.numberOf(account))
    .where('versions', 'is not', null)
    .orderBy('at')
    .limit(MAX_ASIDE)
    .execute();
  return rows.flatMap(({ name, versions, ...row }) =>
    versions === null ? [] : [{ stream: name, versions, ...row }],
  );
}

/**
 * The changes of these streams that stay here because the other server refuses or fails on them,
 * the first that were found.
 */
export async function keptChanges(
  ctx: ReadContext,
  account: AccountId,
  streams: readonly StreamName[],
  limit: number,
): Promise<KeptRow[]> {
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
    .select(['name', 'change_id', 'author', 'received_at', 'code', 'at'])
    .where('unsendable.account', '=', ctx.session.numberOf(account))
    .where('name', 'in', list(streams))
    .orderBy('at')
    .orderBy('change_id')
    .limit(limit)
    .execute();
  return rows.map(({ name, ...row }) => ({ stream: name, ...row }));
}

/** How many changes of the stream are not sent because the other server refuses them. */
export async function refusedIn(
  ctx: ReadContext,
  account: AccountId,
  stream: StreamName,
): Promise<number> {
  const row = await ctx.session.db
    .selectFrom('unsendable')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'unsendable.account')
        .onRef('streams.stream_pk', '=', 'unsendable.stream_pk'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('unsendable.account', '=', ctx.session.numberOf(account))
    .where('name', '=', stream)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
