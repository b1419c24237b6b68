import { z } from 'zod';
import {
  type AccountId,
  type UserId,
  type KeyId,
  type ProjectId,
  known,
} from '../../../shared/contract/ids.ts';
import type { ApiKey, Role, Scope } from '../../../shared/contract/v1/account.ts';
import { roleInForce } from './owners.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import type { DatabaseSession } from '../db/session.ts';
import type { Placeholders } from '../db/placeholder.ts';

function keys({ db }: Pick<DatabaseSession, 'db'>) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .select([
      'key_id',
      'api_keys.user_id',
      'users.name as user_name',
      'api_keys.name',
      'prefix',
      'scopes',
      'projects',
      'api_keys.created_at',
      'last_used_at',
      'expires_at',
      'revoked_at',
      'paused_at',
      'suggestions_a_day',
      'open_suggestions',
      'suggested_on',
      'suggested',
    ]);
}

type KeyRow = Omit<ApiKey, 'user' | 'scopes' | 'projects' | 'limits'> & {
  user_id: UserId;
  user_name: string;
  scopes: string;
  projects: string | null;
  suggestions_a_day: number | null;
  open_suggestions: number | null;
  suggested_on: string | null;
  suggested: number | null;
};

function toKey({
  key_id,
  user_id,
  user_name,
  name,
  prefix,
  scopes,
  projects,
  created_at,
  last_used_at,
  expires_at,
  revoked_at,
  paused_at,
  ...limits
}: KeyRow): ApiKey {
  return {
    key_id,
    user: { user_id, name: user_name },
    name,
    prefix,
    scopes: JSON.parse(scopes) as Scope[],
    projects: projects === null ? null : z.array(known.projectId).parse(JSON.parse(projects)),
    created_at,
    last_used_at,
    expires_at,
    revoked_at,
    paused_at,
    limits: {
      suggestions_a_day: numberOf(limits.suggestions_a_day),
      open_suggestions: numberOf(limits.open_suggestions),
      suggested: Number(limits.suggested ?? 0),
      suggested_on: limits.suggested_on,
    },
  };
}

/** PostgreSQL answers some numbers as text. */
const numberOf = (value: number | null): number | null => (value === null ? null : Number(value));

/** The keys of everybody in the account, or of one user. */
export async function listKeys(
  ctx: ReadContext,
  account: AccountId,
  userId?: UserId,
): Promise<ApiKey[]> {
  const all = keys(ctx.session).where('api_keys.account_id', '=', account);
  const rows = await (userId === undefined ? all : all.where('api_keys.user_id', '=', userId))
    .orderBy('api_keys.created_at')
    .orderBy('key_id')
    .execute();
  return rows.map(toKey);
}

export async function keyOf(
  ctx: ReadContext,
  account: AccountId,
  keyId: KeyId,
): Promise<ApiKey | undefined> {
  const row = await keys(ctx.session)
    .where('api_keys.account_id', '=', account)
    .where('key_id', '=', keyId)
    .executeTakeFirst();
  return row && toKey(row);
}

/** Also those of members who were removed, so that their account learns of their use. */
function keysOfMembers(parts: Pick<DatabaseSession, 'db'>) {
  return keys(parts)
    .leftJoin('members', (join) =>
      join
        .onRef('members.account_id', '=', 'api_keys.account_id')
        .onRef('members.user_id', '=', 'api_keys.user_id'),
    )
    .select(['api_keys.account_id', 'mac', 'users.disabled_at'])
    .select(roleInForce.as('role'));
}

function toStoredKey(
  row: KeyRow & {
    account_id: AccountId;
    role: string | null;
    mac: string;
    disabled_at: string | null;
  },
): StoredKey {
  const key = toKey(row);
  const isMember = row.role !== null;
  return {
    ...key,
    revoked_at: isMember ? key.revoked_at : (key.revoked_at ?? key.created_at),
    account_id: row.account_id,
    user_id: row.user_id,
    user_name: row.user_name,
    disabled: row.disabled_at !== null,
    role: isMember ? (row.role as Role) : 'viewer',
    mac: Buffer.from(row.mac, 'hex'),
  };
}

const keyQuery = compiledOnce((parts, { keyId }: Placeholders<{ keyId: KeyId }>) =>
  keysOfMembers(parts).where('key_id', '=', keyId),
);
const keysQuery = compiledOnce((parts, { keyIds }: Placeholders<{ keyIds: readonly string[] }>) =>
  keysOfMembers(parts).where(parts.inPlaceholder('key_id', keyIds, 'text')),
);

export async function keyById(ctx: ReadContext, keyId: KeyId): Promise<StoredKey | undefined> {
  const row = await keyQuery(ctx.session, { keyId }).executeTakeFirst();
  return row && toStoredKey(row);
}

/** Those of these keys that there are. */
export async function keysById(ctx: ReadContext, keyIds: readonly string[]): Promise<StoredKey[]> {
  return (await keysQuery(ctx.session, { keyIds }).execute()).map(toStoredKey);
}

const inForceQuery = compiledOnce(
  ({ db, inPlaceholder }, { keyIds }: Placeholders<{ keyIds: readonly string[] }>) =>
    db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.user_id', 'api_keys.user_id')
      .innerJoin('members', (join) =>
        join
          .onRef('members.account_id', '=', 'api_keys.account_id')
          .onRef('members.user_id', '=', 'api_keys.user_id'),
      )
      .select(['key_id', 'api_keys.account_id', 'expires_at'])
      .where('revoked_at', 'is', null)
      .where('disabled_at', 'is', null)
      .where(inPlaceholder('key_id', keyIds, 'text')),
);

/** Which of these keys still let somebody in, to which account, and until when. */
export function keysInForce(
  ctx: ReadContext,
  keyIds: readonly string[],
): Promise<Pick<StoredKey, 'key_id' | 'account_id' | 'expires_at'>[]> {
  return inForceQuery(ctx.session, { keyIds }).execute();
}

export interface NewKey {
  key_id: KeyId;
  account_id: AccountId;
  user_id: UserId;
  name: string;
  prefix: string;
  scopes: Scope[];
  projects?: readonly ProjectId[] | null;
  expires_at: string | null;
  mac: Uint8Array;
}

export async function createKey(ctx: WriteContext, key: NewKey): Promise<ApiKey> {
  const {
    key_id,
    account_id,
    user_id,
    name,
    prefix,
    scopes,
    projects = null,
    expires_at,
    mac,
  } = key;
  const row = {
    key_id,
    name,
    prefix,
    scopes: JSON.stringify(scopes),
    projects: projects === null ? null : JSON.stringify(projects),
    created_at: ctx.at,
    last_used_at: null,
    expires_at,
    revoked_at: null,
    paused_at: null,
    suggestions_a_day: null,
    open_suggestions: null,
    suggested_on: null,
    suggested: null,
  };
  await ctx.session.db
    .insertInto('api_keys')
    .values({ ...row, account_id, user_id, mac: Buffer.from(mac).toString('hex') })
    .execute();
  const { name: user_name } = await ctx.session.db
    .selectFrom('users')
    .select('name')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return toKey({ ...row, user_id, user_name });
}

export async function revokeKey(
  ctx: WriteContext,
  account: AccountId,
  keyId: KeyId,
): Promise<ApiKey | undefined> {
  await ctx.session.db
    .updateTable('api_keys')
    .set({ revoked_at: ctx.at })
    .where('account_id', '=', account)
    .where('key_id', '=', keyId)
    .where('revoked_at', 'is', null)
    .execute();
  return keyOf(ctx, account, keyId);
}

/** Adds the scope of a studio to a key of the account. */
export async function letKeySync(
  ctx: WriteContext,
  account: AccountId,
  keyId: KeyId,
): Promise<ApiKey> {
  const previous = await keyOf(ctx, account, keyId);
  if (previous === undefined) throw new StoreError('not_found', '');
  const scopes: Scope[] = [...new Set([...previous.scopes, 'sync' as const])];
  await ctx.session.db
    .updateTable('api_keys')
    .set({ scopes: JSON.stringify(scopes) })
    .where('account_id', '=', account)
    .where('key_id', '=', keyId)
    .execute();
  return { ...previous, scopes };
}

export async function noteKeyUse(ctx: WriteContext, keyId: KeyId, at: string): Promise<void> {
  await ctx.session.db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('key_id', '=', keyId)
    .execute();
}

/** A key as stored: its MAC, never the key. */
export interface StoredKey extends ApiKey {
  account_id: AccountId;
  user_id: UserId;
  user_name: string;
  /** Whether the operator has ended the access of the person whose key it is. */
  disabled: boolean;
  role: Role;
  mac: Uint8Array;
}
