import type { AccountId, KeyId, StreamName } from '../../../shared/contract/ids.ts';
import type { TrailOwner } from '../db/schema/account-tables.ts';
import { SERVER_TRAIL } from './audit.ts';
import type { ReadContext } from '../db/context.ts';
import { unpack } from '../db/packed.ts';

/** Every account, and last the empty name of what belongs to none. */
export async function auditedAccounts(
  ctx: ReadContext,
): Promise<{ account_id: TrailOwner; name: string }[]> {
  const rows = await ctx.session.db
    .selectFrom('accounts')
    .select(['account_id', 'name'])
    .orderBy('account_id')
    .execute();
  return [...rows, { account_id: SERVER_TRAIL, name: '' }];
}

export async function auditedLogs(
  ctx: ReadContext,
  account: AccountId,
): Promise<{ name: StreamName; seq: number; chain: string; sum: string }[]> {
  return ctx.session.db
    .selectFrom('streams')
    .select(['name', 'seq', 'chain', 'sum'])
    .where('account', '=', ctx.session.numberOf(account))
    .orderBy('name')
    .execute();
}

/** Rows of a log as stored, after one position and up to another. */
export async function loggedChanges(
  ctx: ReadContext,
  account: AccountId,
  log: StreamName,
  after: number,
  to: number,
  limit: number,
): Promise<LoggedChange[]> {
  const rows = await ctx.session.db
    .selectFrom('changes')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'changes.account')
        .onRef('streams.stream_pk', '=', 'changes.stream_pk'),
    )
    .select([
      'changes.seq as seq',
      'change_id',
      'text',
      'packed',
      'changes.chain as chain',
      'changes.hlc as hlc',
      'wall',
      'author',
      'author_kind',
      'key_id',
      'why',
    ])
    .where('changes.account', '=', ctx.session.numberOf(account))
    .where('name', '=', log)
    .where('changes.seq', '>', after)
    .where('changes.seq', '<=', to)
    .orderBy('changes.seq')
    .limit(limit)
    .execute();
  return rows.map(({ change_id, text, packed, ...row }) => ({
    ...row,
    id: change_id,
    text: readable(text, packed),
  }));
}

/** The parsed change; null where the stored text is not something that was ever written. */
function readable(text: string | null, packed: Uint8Array | null): string | null {
  try {
    return unpack(text, packed);
  } catch {
    return null;
  }
}

/** A stored change: the text that was hashed, and what its row says about it. */
export interface LoggedChange {
  seq: number;
  id: string;
  text: string | null;
  chain: string;
  hlc: string;
  wall: string;
  author: string;
  author_kind: string;
  key_id: KeyId | null;
  why: string | null;
}
