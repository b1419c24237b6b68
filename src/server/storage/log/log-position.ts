import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import { isInReach, NO_LOG } from '../db/permit.ts';
import { StoreError } from '../db/errors.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { Placeholder, Placeholders } from '../db/placeholder.ts';
import { EMPTY_CHAIN } from '../../../sync/log.ts';

export interface LogPosition {
  epoch: string;
  seq: number;
  chain: string;
  count: number;
  sum: string;
}

export interface Witness {
  epoch: string;
  seq: number;
  chain: string;
}

/**
 * The stream of this name, also where its case is deleted: a deletion has to be readable like any
 * other change.
 */
export async function findStream(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<number | undefined> {
  if (!(await isInReach(ctx, account, name))) return undefined;
  const row = await ctx.session.db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account', '=', ctx.session.numberOf(account))
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.stream_pk;
}

/**
 * Throws not_found, with the same message for a log that does not exist and for one of another
 * account.
 */
export async function needStream(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<number> {
  const found = await findStream(ctx, account, name);
  if (found === undefined) throw new StoreError('not_found', NO_LOG);
  return found;
}

export async function readPosition(ctx: ReadContext, streamPk: number): Promise<LogPosition> {
  const row = await ctx.session.db
    .selectFrom('streams')
    .select(['seq', 'chain', 'count', 'sum'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .executeTakeFirstOrThrow();
  return { epoch: ctx.epoch, seq: row.seq, chain: row.chain, count: row.count, sum: row.sum };
}

/** The chain hash after `seq` changes; undefined where the log is shorter. */
export async function chainAt(
  ctx: ReadContext,
  streamPk: number,
  seq: number,
): Promise<string | undefined> {
  if (seq === 0) return EMPTY_CHAIN;
  const row = await ctx.session.db
    .selectFrom('changes')
    .select('chain')
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row?.chain;
}

/** The number of the log of this name, for a query compiled once that is about it. */
export const streamNamed = (
  db: DatabaseSession['db'],
  account: Placeholder<number>,
  name: Placeholder<StreamName>,
) =>
  db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account', '=', account)
    .where('name', '=', name);

const chainQuery = compiledOnce(
  (
    { db },
    { account, name, seq }: Placeholders<{ account: number; name: StreamName; seq: number }>,
  ) =>
    db
      .selectFrom('changes')
      .select('chain')
      .where('account', '=', account)
      .where('stream_pk', '=', streamNamed(db, account, name))
      .where('seq', '=', seq),
);

/** The chain hash at the position that the client's witness names. */
export async function chainOf(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  witness: Witness | undefined,
): Promise<string | undefined> {
  if (witness === undefined || witness.seq === 0) return EMPTY_CHAIN;
  const at = { account: ctx.session.numberOf(account), name, seq: witness.seq };
  return (await chainQuery(ctx.session, at).executeTakeFirst())?.chain;
}

/**
 * Throws diverged where the client has seen a position that this log never had, as happens after a
 * restore from a backup. `chain` is the log's own chain hash at that position.
 */
export function checkChain(
  ctx: ReadContext,
  witness: Witness | undefined,
  chain: string | undefined,
): void {
  if (witness !== undefined && (witness.epoch !== ctx.epoch || chain !== witness.chain))
    throw new StoreError('diverged', 'This log is not the one that the client saw before.');
}

export async function checkWitness(
  ctx: ReadContext,
  streamPk: number,
  witness: Witness | undefined,
): Promise<void> {
  if (witness !== undefined) checkChain(ctx, witness, await chainAt(ctx, streamPk, witness.seq));
}

/**
 * For a log that does not exist: a client whose witness shows that it once did learns that this
 * store was restored.
 */
export function absent(ctx: ReadContext, witness: Witness | undefined): StoreError {
  const seen = witness !== undefined && (witness.seq > 0 || witness.epoch !== ctx.epoch);
  return seen
    ? new StoreError('diverged', 'This log is not there any more.')
    : new StoreError('not_found', NO_LOG);
}
