import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { unpack } from '../db/packed.ts';
import { type LogPosition, findStream, readPosition } from '../log/log-position.ts';

/**
 * What a log offers to a server that may hold much of it already: first the ids, then the changes
 * that the server asks for.
 */

/** Where the log stands; undefined where there is none. */
export async function logPosition(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<LogPosition | undefined> {
  const pk = await findStream(ctx, account, name);
  return pk === undefined ? undefined : readPosition(ctx, pk);
}

/**
 * Ids of the changes between two positions, without those that came over this link. They are
 * offered to the other side before the changes themselves are sent.
 */
export async function logIds(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  after: number,
  to: number,
  { notOrigin, limit }: { notOrigin: string; limit: number },
): Promise<{ seq: number; id: string }[]> {
  const pk = (await findStream(ctx, account, name)) ?? -1;
  const query = ctx.session.db
    .selectFrom('changes')
    .select(['seq', 'change_id'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', pk)
    .where('seq', '>', after)
    .where('seq', '<=', to)
    .where(({ eb, or }) => or([eb('origin', 'is', null), eb('origin', '!=', notOrigin)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('unsendable')
            .select('unsendable.seq')
            .where('unsendable.account', '=', ctx.session.account)
            .where('unsendable.stream_pk', '=', pk)
            .whereRef('unsendable.seq', '=', 'changes.seq'),
        ),
      ),
    )
    .orderBy('seq')
    .limit(limit);
  return (await ctx.session.rows<[number, string]>(query)).map(([seq, id]) => ({ seq, id }));
}

/** Changes by position. */
export async function changesAt(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  seqs: readonly number[],
): Promise<{ seq: number; id: string; change: string }[]> {
  const pk = (await findStream(ctx, account, name)) ?? -1;
  const rows = await ctx.session.db
    .selectFrom('changes')
    .select(['seq', 'change_id', 'text', 'packed'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', pk)
    .where('seq', 'in', ctx.session.list(seqs))
    .orderBy('seq')
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    id: row.change_id,
    change: unpack(row.text, row.packed),
  }));
}
