import type { ApiKey, Role, Scope } from '../../shared/contract/v1/account.ts';
import type { ReadContext, WriteContext } from './context.ts';
import type { StoredKey, Writer } from './port.ts';

function keys(ctx: ReadContext) {
  return ctx.session.db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .select(['key_id', 'api_keys.user_id', 'users.name as user_name', 'api_keys.name', 'prefix', 'scopes', 'api_keys.created_at', 'last_used_at', 'expires_at', 'revoked_at']);
}

type KeyRow = Omit<ApiKey, 'user' | 'scopes'> & { user_id: string; user_name: string; scopes: string };

function toKey({ key_id, user_id, user_name, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at }: KeyRow): ApiKey {
  return { key_id, user: { user_id, name: user_name }, name, prefix, scopes: JSON.parse(scopes) as Scope[], created_at, last_used_at, expires_at, revoked_at };
}

export async function listKeys(ctx: ReadContext, account: string, userId?: string): Promise<ApiKey[]> {
  const all = keys(ctx).where('api_keys.account_id', '=', account);
  const rows = await (userId === undefined ? all : all.where('api_keys.user_id', '=', userId)).orderBy('api_keys.created_at').orderBy('key_id').execute();
  return rows.map(toKey);
}

async function keyOf(ctx: ReadContext, account: string, keyId: string): Promise<ApiKey | undefined> {
  const row = await keys(ctx).where('api_keys.account_id', '=', account).where('key_id', '=', keyId).executeTakeFirst();
  return row && toKey(row);
}

function keysOfMembers(ctx: ReadContext) {
  return keys(ctx)
    .innerJoin('members', (join) => join.onRef('members.account_id', '=', 'api_keys.account_id').onRef('members.user_id', '=', 'api_keys.user_id'))
    .select(['role', 'api_keys.account_id', 'mac']);
}

function toStoredKey(row: KeyRow & { account_id: string; role: string; mac: string }): StoredKey {
  return { ...toKey(row), account_id: row.account_id, user_id: row.user_id, user_name: row.user_name, role: row.role as Role, mac: Buffer.from(row.mac, 'hex') };
}

export async function keyById(ctx: ReadContext, keyId: string): Promise<StoredKey | undefined> {
  const row = await keysOfMembers(ctx).where('key_id', '=', keyId).executeTakeFirst();
  return row && toStoredKey(row);
}

/** Those of these keys that there are. */
export async function keysById(ctx: ReadContext, keyIds: readonly string[]): Promise<StoredKey[]> {
  return (await keysOfMembers(ctx).where(ctx.session.among('key_id', keyIds)).execute()).map(toStoredKey);
}

export async function createKey(ctx: WriteContext, key: Parameters<Writer['keyWrites']['create']>[0]): Promise<ApiKey> {
  const { key_id, account_id, user_id, name, prefix, scopes, expires_at, mac } = key;
  const row = { key_id, name, prefix, scopes: JSON.stringify(scopes), created_at: ctx.at, last_used_at: null, expires_at, revoked_at: null };
  await ctx.session.db.insertInto('api_keys').values({ ...row, account_id, user_id, mac: Buffer.from(mac).toString('hex') }).execute();
  const { name: user_name } = await ctx.session.db.selectFrom('users').select('name').where('user_id', '=', user_id).executeTakeFirstOrThrow();
  return toKey({ ...row, user_id, user_name });
}

export async function revokeKey(ctx: WriteContext, account: string, keyId: string): Promise<ApiKey | undefined> {
  await ctx.session.db.updateTable('api_keys').set({ revoked_at: ctx.at }).where('account_id', '=', account).where('key_id', '=', keyId).where('revoked_at', 'is', null).execute();
  return keyOf(ctx, account, keyId);
}

export async function noteKeyUse(ctx: WriteContext, keyId: string, at: string): Promise<void> {
  await ctx.session.db.updateTable('api_keys').set({ last_used_at: at }).where('key_id', '=', keyId).execute();
}
