import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import type { Role } from '../../../shared/contract/v1/account.ts';
import type { Member } from '../../../shared/contract/v1/team.ts';
import { hasOwner } from './owners.ts';
import { noteAccount } from '../log/change-log.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { markAccount } from '../db/identity.ts';
import { sortableId } from '../db/ids.ts';
import { nameKey } from '../records/projects.ts';
import { StoreError } from '../db/errors.ts';

function joined(ctx: ReadContext, account: AccountId) {
  return ctx.session.db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select([
      'users.user_id',
      'users.name',
      'users.email',
      'members.role',
      'members.joined_at',
      'members.last_seen_at',
    ])
    .where('members.account_id', '=', account);
}

export async function listMembers(ctx: ReadContext, account: AccountId): Promise<Member[]> {
  const rows = await joined(ctx, account)
    .orderBy('members.joined_at')
    .orderBy('users.user_id')
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}

export async function findMember(
  ctx: ReadContext,
  account: AccountId,
  userId: UserId,
): Promise<Member | undefined> {
  const row = await joined(ctx, account).where('members.user_id', '=', userId).executeTakeFirst();
  return row && { ...row, role: row.role as Role };
}

/** The accounts of a user, in the order of joining. */
export async function accountsOf(
  ctx: ReadContext,
  userId: UserId,
): Promise<{ account_id: AccountId; name: string; role: Role; last_seen_at: string | null }[]> {
  const rows = await ctx.session.db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .select(['accounts.account_id', 'accounts.name', 'members.role', 'members.last_seen_at'])
    .where('members.user_id', '=', userId)
    .orderBy('members.joined_at')
    .orderBy('accounts.account_id')
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}

/**
 * Locks the account, so that changes of its members happen one after the other and each sees the
 * current number of owners.
 */
export async function lockAccount(ctx: WriteContext, account: AccountId): Promise<void> {
  await ctx.session.db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', account)
    .modifyEnd(ctx.session.lock)
    .execute();
}

/**
 * The stored member, whose role is to be changed or membership to end. Throws not_found, or
 * conflict where the last owner would be lost.
 */
async function changeable(
  ctx: WriteContext,
  account: AccountId,
  userId: UserId,
  role: Role | undefined,
): Promise<Member> {
  await lockAccount(ctx, account);
  const member = await findMember(ctx, account, userId);
  if (member === undefined) throw new StoreError('not_found', '');
  if (member.role === 'owner' && role !== 'owner') {
    if (!(await hasOwner(ctx, account, userId)))
      throw new StoreError('conflict', 'An account keeps one owner at least.');
  }
  return member;
}

/** Withdraws the invitations of a member who may no longer invite. */
async function dropInvitations(ctx: WriteContext, account: AccountId, by: UserId): Promise<void> {
  await ctx.session.db
    .deleteFrom('invitations')
    .where('account_id', '=', account)
    .where('created_by', '=', by)
    .execute();
}

/**
 * Returns the member before and after. Throws not_found, and conflict where the last owner would be
 * lost.
 */
export async function changeRole(
  ctx: WriteContext,
  account: AccountId,
  userId: UserId,
  role: Role,
): Promise<{ previous: Member; member: Member }> {
  const previous = await changeable(ctx, account, userId, role);
  await ctx.session.db
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', account)
    .where('user_id', '=', userId)
    .execute();
  if (role !== 'owner') await dropInvitations(ctx, account, userId);
  if (previous.role !== role) noteAccount(ctx, account, `${userId} ${role} ${ctx.at}`);
  return { previous, member: { ...previous, role } };
}

/**
 * Keys, sessions and invitations that the member has in the account end with the membership. Throws
 * not_found, and conflict where the last owner would be lost.
 */
export async function removeMember(
  ctx: WriteContext,
  account: AccountId,
  userId: UserId,
): Promise<Member> {
  const member = await changeable(ctx, account, userId, undefined);
  const { db } = ctx.session;
  await db
    .updateTable('api_keys')
    .set({ revoked_at: ctx.at })
    .where('account_id', '=', account)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
  await dropInvitations(ctx, account, userId);
  for (const table of ['sessions', 'sign_in_links', 'members'] as const)
    await db
      .deleteFrom(table)
      .where('account_id', '=', account)
      .where('user_id', '=', userId)
      .execute();
  return member;
}

/** Throws conflict where the person is in the account already. */
export async function addMember(
  ctx: WriteContext,
  account: AccountId,
  userId: UserId,
  role: Role,
): Promise<void> {
  const added = await ctx.session.db
    .insertInto('members')
    .values({ account_id: account, user_id: userId, role, joined_at: ctx.at })
    .onConflict((oc) => oc.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (added === undefined)
    throw new StoreError('conflict', 'This person is a member of the account already.');
}

export async function createAccount(
  ctx: WriteContext,
  name: string,
  owner: UserId,
): Promise<{ account_id: AccountId; name: string }> {
  const account = { account_id: sortableId('acc_', ctx.ports), name: nameKey(name) };
  await ctx.session.db
    .insertInto('accounts')
    .values({ ...account, created_at: ctx.at })
    .execute();
  await markAccount(ctx.session, account.account_id);
  await addMember(ctx, account.account_id, owner, 'owner');
  return account;
}

/** Answers the previous name. */
export async function renameAccount(
  ctx: WriteContext,
  account: AccountId,
  name: string,
): Promise<{ account_id: AccountId; name: string; previous: string }> {
  await lockAccount(ctx, account);
  const { name: previous } = await ctx.session.db
    .selectFrom('accounts')
    .select('name')
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  const next = nameKey(name);
  await ctx.session.db
    .updateTable('accounts')
    .set({ name: next })
    .where('account_id', '=', account)
    .execute();
  return { account_id: account, name: next, previous };
}
