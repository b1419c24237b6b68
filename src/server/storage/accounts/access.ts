import type { AccountId, UserId, KeyId } from '../../../shared/contract/ids.ts';
import type { Role } from '../../../shared/contract/v1/account.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { noteAccount } from '../log/change-log.ts';
import { lockAccount } from './members.ts';

/** Locks the person's accounts, always in the same order. */
async function lockAccounts(ctx: WriteContext, userId: UserId): Promise<AccountId[]> {
  const rows = await ctx.session.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', userId)
    .orderBy('account_id')
    .execute();
  for (const { account_id } of rows) await lockAccount(ctx, account_id);
  return rows.map(({ account_id }) => account_id);
}

/** Answers the accounts that the person is in; undefined where nothing was to be changed. */
async function setDisabled(
  ctx: WriteContext,
  userId: UserId,
  disabled: boolean,
): Promise<{ user_id: UserId; name: string; accounts: AccountId[] } | undefined> {
  const accounts = await lockAccounts(ctx, userId);
  const changed = await ctx.session.db
    .updateTable('users')
    .set({ disabled_at: disabled ? ctx.at : null })
    .where('user_id', '=', userId)
    .where('disabled_at', disabled ? 'is' : 'is not', null)
    .returning(['user_id', 'name'])
    .executeTakeFirst();
  if (changed === undefined) return undefined;
  for (const account of accounts)
    noteAccount(ctx, account, `${userId} ${disabled ? 'disabled' : 'enabled'} ${ctx.at}`);
  return { ...changed, accounts };
}

/**
 * Ends a person's access to everything on this server. Their keys are refused while it lasts;
 * sessions and invitations are gone for good. Undefined where nothing was to be changed.
 */
export async function disablePerson(
  ctx: WriteContext,
  userId: UserId,
): Promise<EndedAccess | undefined> {
  const changed = await setDisabled(ctx, userId, true);
  if (changed === undefined) return undefined;
  const { db } = ctx.session;
  const sessions = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .returning('session_id')
    .execute();
  await db.deleteFrom('sign_in_links').where('user_id', '=', userId).execute();
  const invitations = await db
    .deleteFrom('invitations')
    .where((eb) => eb.or([eb('user_id', '=', userId), eb('created_by', '=', userId)]))
    .returning('invitation_id')
    .execute();
  const keys = await db
    .selectFrom('api_keys')
    .select('key_id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  return {
    ...changed,
    sessions: sessions.length,
    invitations: invitations.length,
    keys: keys.length,
  };
}

export async function enablePerson(
  ctx: WriteContext,
  userId: UserId,
): Promise<{ user_id: UserId; name: string; accounts: AccountId[] } | undefined> {
  return setDisabled(ctx, userId, false);
}

/** Revokes every key of a person, in all accounts. Answers those that were in force. */
export async function endKeys(
  ctx: WriteContext,
  userId: UserId,
): Promise<{ key_id: KeyId; account_id: AccountId; name: string }[]> {
  return ctx.session.db
    .updateTable('api_keys')
    .set({ revoked_at: ctx.at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning(['key_id', 'account_id', 'name'])
    .execute();
}

/** Everybody on this server, by name. */
export async function listPeople(ctx: ReadContext): Promise<ListedPerson[]> {
  const { db } = ctx.session;
  const people = await db
    .selectFrom('users')
    .leftJoin('passwords', 'passwords.user_id', 'users.user_id')
    .select(['users.user_id', 'name', 'email', 'disabled_at', 'passwords.user_id as password_of'])
    .orderBy('name')
    .orderBy('users.user_id')
    .execute();
  const places = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .select(['members.user_id', 'accounts.account_id', 'accounts.name', 'role', 'last_seen_at'])
    .orderBy('members.joined_at')
    .orderBy('accounts.account_id')
    .execute();
  const keys = await db
    .selectFrom('api_keys')
    .select(['user_id', 'last_used_at', 'revoked_at', 'expires_at'])
    .execute();
  const [placesOf, keysOf] = [
    Map.groupBy(places, ({ user_id }) => user_id),
    Map.groupBy(keys, ({ user_id }) => user_id),
  ];
  const now = new Date(ctx.ports.clock.now()).toISOString();
  return people.map(({ user_id, name, email, disabled_at, password_of }) => {
    const [own, used] = [placesOf.get(user_id) ?? [], keysOf.get(user_id) ?? []];
    const seen = [...own.map((place) => place.last_seen_at), ...used.map((key) => key.last_used_at)]
      .filter((at) => at !== null)
      .sort();
    return {
      user_id,
      name,
      email,
      disabled_at,
      state: disabled_at !== null ? 'disabled' : password_of === null ? 'no password' : 'active',
      accounts: own.map(({ account_id, name: account, role }) => ({
        account_id,
        name: account,
        role: role as Role,
      })),
      last_seen_at: seen.at(-1) ?? null,
      keys: used.filter(
        (key) => key.revoked_at === null && (key.expires_at === null || key.expires_at > now),
      ).length,
    };
  });
}

/**
 * A person as the operator of the server sees them. `keys`: how many of theirs are in force.
 * `last_seen_at`: by session or key.
 */
export interface ListedPerson {
  user_id: UserId;
  name: string;
  email: string | null;
  state: 'active' | 'disabled' | 'no password';
  disabled_at: string | null;
  accounts: { account_id: AccountId; name: string; role: Role }[];
  last_seen_at: string | null;
  keys: number;
}

/**
 * What ended with a person's access: how many sessions and invitations, and the keys that are
 * refused from then on.
 */
export interface EndedAccess {
  user_id: UserId;
  name: string;
  accounts: AccountId[];
  sessions: number;
  invitations: number;
  keys: number;
}
