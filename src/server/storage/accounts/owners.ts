import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import { sql } from 'kysely';
import type { ReadContext } from '../db/context.ts';

/**
 * What a member may do: their role in `members`, as long as the account has an owner who may come
 * in. Without one nobody answers for the account, and its members read it.
 */
export const roleInForce = sql<string>`CASE WHEN members.role IS NULL OR EXISTS (
    SELECT 1 FROM members AS owners INNER JOIN users AS people ON people.user_id = owners.user_id
    WHERE owners.account_id = members.account_id AND owners.role = 'owner'
    AND people.disabled_at IS NULL
  ) THEN members.role ELSE 'viewer' END`;

/**
 * Whether an owner of the account may come in, other than this one. Without one its members may
 * read and no more.
 */
export async function hasOwner(
  ctx: ReadContext,
  account: AccountId,
  but?: UserId,
): Promise<boolean> {
  let owners = ctx.session.db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select('users.user_id')
    .where('account_id', '=', account)
    .where('role', '=', 'owner')
    .where('disabled_at', 'is', null)
    .limit(1);
  if (but !== undefined) owners = owners.where('users.user_id', '!=', but);
  return (await owners.executeTakeFirst()) !== undefined;
}
