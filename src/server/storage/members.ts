import type { Role } from '../../shared/contract/v1/account.ts';
import type { Member } from '../../shared/contract/v1/team.ts';
import type { ReadContext } from './context.ts';
import type { Reader } from './port.ts';

function joined(ctx: ReadContext, account: string) {
  return ctx.session.db
    .selectFrom('members')
    .innerJoin('users', 'users.user_id', 'members.user_id')
    .select(['users.user_id', 'users.name', 'users.email', 'members.role', 'members.joined_at', 'members.last_seen_at'])
    .where('members.account_id', '=', account);
}

export async function listMembers(ctx: ReadContext, account: string): Promise<Member[]> {
  const rows = await joined(ctx, account).orderBy('members.joined_at').orderBy('users.user_id').execute();
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}

export async function findMember(ctx: ReadContext, account: string, userId: string): Promise<Member | undefined> {
  const row = await joined(ctx, account).where('members.user_id', '=', userId).executeTakeFirst();
  return row && { ...row, role: row.role as Role };
}

/** The accounts of a user, in the order of joining. */
export async function accountsOf(ctx: ReadContext, userId: string): ReturnType<Reader['team']['accountsOf']> {
  const rows = await ctx.session.db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.account_id', 'members.account_id')
    .select(['accounts.account_id', 'accounts.name', 'members.role'])
    .where('members.user_id', '=', userId)
    .orderBy('members.joined_at')
    .orderBy('accounts.account_id')
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}
