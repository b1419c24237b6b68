import type { AccountId, StreamName, UserId } from '../../../shared/contract/ids.ts';
import type { Sender } from '../../../shared/domain/sender.ts';
import { SYNC_LIMITS, type WireChange } from '../../../shared/contract/sync.ts';
import { AFTER_LAYERS, FIRST_LAYER } from '../../../sync/register.ts';
import { EMPTY_CHAIN } from '../../../sync/log.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext } from '../db/context.ts';
import { unpack } from '../db/packed.ts';
import { reachLog } from '../db/permit.ts';
import { pipelined } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import type { Placeholder, Placeholders } from '../db/placeholder.ts';
import { type Witness, checkChain, absent, type LogPosition, streamNamed } from './log-position.ts';

/** Changes read in one go. */
export const ROWS_AT_ONCE = 100;

/** Hash over everything that ever moved in the account's logs: what every position is a part of. */
export async function changeToken(ctx: ReadContext, account: AccountId): Promise<string> {
  const { moved } = await ctx.session.db
    .selectFrom('account_marks')
    .select('moved')
    .where('account', '=', ctx.session.numberOf(account))
    .executeTakeFirstOrThrow();
  return moved;
}

/** The same token for several accounts. */
export async function changeTokens(
  ctx: ReadContext,
  accounts: readonly AccountId[],
): Promise<Map<AccountId, string>> {
  const numbers = new Map(accounts.map((account) => [ctx.session.numberOf(account), account]));
  const rows = await ctx.session.db
    .selectFrom('account_marks')
    .select(['account', 'moved'])
    .where(ctx.session.inList('account', [...numbers.keys()]))
    .execute();
  return new Map(rows.map((row) => [numbers.get(row.account)!, row.moved]));
}

/**
 * How long the logs are, but those of layers, of which a listener on another server hears later.
 */
export function logLengths(
  ctx: ReadContext,
  account: AccountId,
): Promise<{ name: StreamName; seq: number }[]> {
  return ctx.session.db
    .selectFrom('streams')
    .select(['name', 'seq'])
    .where('account', '=', ctx.session.numberOf(account))
    .where(({ not, and, eb }) =>
      not(and([eb('name', '>=', FIRST_LAYER), eb('name', '<', AFTER_LAYERS)])),
    )
    .execute();
}

interface PositionAsked {
  account: number;
  name: StreamName;
  after: number;
  seen: number;
}
const positionQuery = compiledOnce(
  ({ db }, { account, name, after, seen }: Placeholders<PositionAsked>) =>
    db
      .selectFrom('streams')
      .select(({ selectFrom }) => {
        const chain = (seq: Placeholder<number>) =>
          selectFrom('changes')
            .select('chain')
            .whereRef('changes.account', '=', 'streams.account')
            .whereRef('changes.stream_pk', '=', 'streams.stream_pk')
            .where('changes.seq', '=', seq);
        return ['seq', 'chain', 'count', 'sum', chain(after).as('start'), chain(seen).as('seen')];
      })
      .where('account', '=', account)
      .where('name', '=', name),
);

/**
 * The log's own position, and its chain hash at the position asked for and at the client's witness.
 */
async function positionAndChains(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  after: number,
  witness: Witness | undefined,
) {
  const row = await positionQuery(ctx.session, {
    account: ctx.session.numberOf(account),
    name,
    after,
    seen: witness?.seq ?? after,
  }).executeTakeFirst();
  if (row === undefined) throw absent(ctx, witness);
  const { start, seen, ...position } = row;
  checkChain(ctx, witness, witness?.seq === 0 ? EMPTY_CHAIN : (seen ?? undefined));
  const chain = after === 0 ? EMPTY_CHAIN : start;
  if (chain === null)
    throw new StoreError('diverged', 'This log is shorter than the position asked for.');
  return { chain, position: { epoch: ctx.epoch, ...position } };
}

export interface ChangePage {
  changes: LogChange[];
  from: number;
  to: number;
  chain: string;
  more: boolean;
  position: LogPosition;
}

interface RowsAsked {
  account: number;
  name: StreamName;
  after: number;
  most: number;
}
const rowsQuery = compiledOnce(({ db }, { account, name, after, most }: Placeholders<RowsAsked>) =>
  db
    .selectFrom('changes')
    .select([
      'seq',
      'change_id',
      'text',
      'packed',
      'chain',
      'received_at',
      'actor',
      'author',
      'sent_by',
      'quarantined',
    ])
    .where('account', '=', account)
    .where('stream_pk', '=', streamNamed(db, account, name))
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(most),
);

/** The next changes of a log, in as few rows as one go takes. */
function rowsAfter({ session }: ReadContext, account: AccountId, name: StreamName) {
  const log = { account: session.numberOf(account), name };
  return (after: number, most: number) =>
    rowsQuery(session, { ...log, after, most: Math.min(most, ROWS_AT_ONCE) }).execute();
}
type ChangeRow = Awaited<ReturnType<ReturnType<typeof rowsAfter>>>[number];

function toChange(row: ChangeRow, change: string): LogChange {
  return {
    seq: row.seq,
    received_at: row.received_at,
    actor: row.actor,
    author: row.author,
    ...(row.sent_by !== null && { sent_by: JSON.parse(row.sent_by) as Sender }),
    quarantined: row.quarantined === null ? [] : (JSON.parse(row.quarantined) as number[]),
    id: row.change_id,
    change,
  };
}

/**
 * Changes in commit order: as many whole changes as fit the limit and the bytes of one page, at
 * least one. A short page takes one round trip. Throws not_found, or diverged where the client's
 * witness names a position that this log never had.
 */
export async function readChanges(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  after: number,
  limit: number,
  witness: Witness | undefined,
): Promise<ChangePage> {
  await reachLog(ctx, account, name);
  const some = rowsAfter(ctx, account, name);
  const [{ position, ...start }, first] = await pipelined(
    positionAndChains(ctx, account, name, after, witness),
    some(after, limit),
  );
  let { chain } = start;
  let rows = first;
  const changes: LogChange[] = [];
  let bytes = 0;
  let from = after;
  while (rows.length > 0) {
    for (const row of rows) {
      const text = unpack(row.text, row.packed);
      bytes += Buffer.byteLength(text) + 200;
      if (changes.length > 0 && bytes > SYNC_LIMITS.bytes)
        return { changes, from: after, to: from, chain, more: true, position };
      changes.push(toChange(row, text));
      from = row.seq;
      chain = row.chain;
    }
    rows =
      changes.length < limit && from < position.seq ? await some(from, limit - changes.length) : [];
  }
  return { changes, from: after, to: from, chain, more: from < position.seq, position };
}

export interface LogChange extends WireChange {
  seq: number;
  received_at: string;
  actor: UserId;
  /** The author's name as it is shown here. */
  author: string;
  /** Absent where this server wrote it itself. */
  sent_by?: Sender;
  quarantined: number[];
}
