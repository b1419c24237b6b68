import { sql } from 'kysely';
import { type AccountId, known, type UserId } from '../../../shared/contract/ids.ts';
import { randomHex, sortableId } from './ids.ts';
import type { DatabaseSession } from './session.ts';
import type { StorePorts } from './context.ts';

/** The account and the user of a single-user studio. */
export interface LocalPerson {
  account_id: AccountId;
  account_name: string;
  user_id: UserId;
  user_name: string;
}

/** The identity of a store, and the account and user that it begins with. */
export interface Identity {
  storeId: string;
  epoch: string;
  local: LocalPerson;
}

export async function readIdentity(session: DatabaseSession): Promise<Identity | undefined> {
  const rows = await session.db.selectFrom('meta').selectAll().execute();
  const meta = new Map(rows.map((row) => [row.key, row.value]));
  const [storeId, epoch, account, user] = ['store_id', 'epoch', 'local_account', 'local_user'].map(
    (key) => meta.get(key),
  );
  if (storeId === undefined || epoch === undefined || account === undefined || user === undefined)
    return undefined;
  const account_id = known.accountId.parse(account);
  const user_id = known.userId.parse(user);
  const { name: account_name } = await session.db
    .selectFrom('accounts')
    .select('name')
    .where('account_id', '=', account_id)
    .executeTakeFirstOrThrow();
  const { name: user_name } = await session.db
    .selectFrom('users')
    .select('name')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return { storeId, epoch, local: { account_id, account_name, user_id, user_name } };
}

/**
 * The accounts of this server, for work that goes through their rows one account after another: all
 * of them, or the next so many from one on.
 */
export async function allAccounts(
  { session }: { session: DatabaseSession },
  { from = '', most }: { from?: string | undefined; most?: number } = {},
): Promise<AccountId[]> {
  const rows = await session.db
    .selectFrom('accounts')
    .select('account_id')
    .where(sql<boolean>`account_id >= ${from}`)
    .orderBy('account_id')
    .$if(most !== undefined, (query) => query.limit(most!))
    .execute();
  return rows.map(({ account_id }) => account_id);
}

/** Makes the row that the rows of a new account's tables refer to. */
export async function markAccount(session: DatabaseSession, account: AccountId): Promise<void> {
  await session.db
    .insertInto('account_marks')
    .values({ account: session.numberOf(account) })
    .execute();
}

export async function makeIdentity(session: DatabaseSession, ports: StorePorts): Promise<Identity> {
  const created_at = new Date(ports.clock.now()).toISOString();
  const local = {
    account_id: sortableId('acc_', ports),
    account_name: 'Local',
    user_id: sortableId('usr_', ports),
    user_name: 'Local user',
  };
  const identity = { storeId: sortableId('sto_', ports), epoch: randomHex(8, ports), local };
  const { db } = session;
  await db
    .insertInto('accounts')
    .values({ account_id: local.account_id, name: local.account_name, created_at })
    .execute();
  await markAccount(session, local.account_id);
  await db
    .insertInto('users')
    .values({ user_id: local.user_id, name: local.user_name, created_at })
    .execute();
  await db
    .insertInto('members')
    .values({
      account_id: local.account_id,
      user_id: local.user_id,
      role: 'owner',
      joined_at: created_at,
    })
    .execute();
  const meta = {
    store_id: identity.storeId,
    epoch: identity.epoch,
    local_account: local.account_id,
    local_user: local.user_id,
  };
  await db
    .insertInto('meta')
    .values(Object.entries(meta).map(([key, value]) => ({ key, value })))
    .execute();
  return identity;
}
