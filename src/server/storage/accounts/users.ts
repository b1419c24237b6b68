import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import type { Role } from '../../../shared/contract/v1/account.ts';
import { hasOwner } from './owners.ts';
import type { WriteContext } from '../db/context.ts';
import { sortableId } from '../db/ids.ts';
import { lockAccount } from './members.ts';
import { nameKey } from '../records/projects.ts';
import { StoreError } from '../db/errors.ts';

export interface EnsuredUser {
  user_id: UserId;
  name: string;
  role: Role;
  /** The role before. */
  previous: Role | null;
  created: boolean;
}

/**
 * Finds a user by name among the account's members. Two names that look the same count as one.
 * Makes one where there is none, and sets the role if one is given. Throws conflict where the last
 * owner would lose that role.
 */
export async function ensureUser(
  ctx: WriteContext,
  account: AccountId,
  given: string,
  role: Role | undefined,
): Promise<EnsuredUser> {
  const { db } = ctx.session;
  await lockAccount(ctx, account);
  const name = nameKey(given);
  const members = await db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(['users.user_id', 'users.name', 'role'])
    .where('account_id', '=', account)
    .orderBy('users.user_id')
    .execute();
  const found = members.find((member) => nameKey(member.name) === name);
  if (found === undefined) {
    const user = { user_id: sortableId('usr_', ctx.ports), name };
    const given = role ?? 'member';
    await db
      .insertInto('users')
      .values({ ...user, created_at: ctx.at })
      .execute();
    await db
      .insertInto('members')
      .values({ account_id: account, user_id: user.user_id, role: given, joined_at: ctx.at })
      .execute();
    return { ...user, role: given, previous: null, created: true };
  }
  const { user_id } = found;
  if (role !== undefined && role !== found.role) {
    if (found.role === 'owner' && !(await hasOwner(ctx, account, user_id)))
      throw new StoreError('conflict', 'An account keeps one owner at least.');
    await db
      .updateTable('members')
      .set({ role })
      .where('account_id', '=', account)
      .where('user_id', '=', user_id)
      .execute();
  }
  return {
    user_id,
    name: found.name,
    role: role ?? (found.role as Role),
    previous: found.role as Role,
    created: false,
  };
}
