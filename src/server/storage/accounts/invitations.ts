import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import type { Role } from '../../../shared/contract/v1/account.ts';
import type { Invitation } from '../../../shared/contract/v1/team.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { sortableId } from '../db/ids.ts';
import { latestMade } from '../db/lifetime.ts';

const COLUMNS = [
  'invitation_id',
  'role',
  'invitations.name',
  'users.name as created_by',
  'invitations.created_at',
  'expires_at',
] as const;

/** Invitations that can still be used. A link to choose a password is not among them. */
function invitations(ctx: ReadContext, account: AccountId) {
  return ctx.session.db
    .selectFrom('invitations')
    .leftJoin('users', 'users.user_id', 'invitations.created_by')
    .select(COLUMNS)
    .where('account_id', '=', account)
    .where('invitations.user_id', 'is', null);
}

/** Invitations that can still be used. */
export async function listInvitations(ctx: ReadContext, account: AccountId): Promise<Invitation[]> {
  const now = ctx.ports.clock.now();
  const rows = await invitations(ctx, account)
    .where('expires_at', '>', new Date(now).toISOString())
    .where('invitations.created_at', '<=', latestMade(now))
    .orderBy('invitations.created_at')
    .orderBy('invitation_id')
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}

export async function createInvitation(
  ctx: WriteContext,
  hash: string,
  invitation: NewInvitation,
): Promise<Invitation> {
  const { account_id, role, name, user_id, created_by, expires_at } = invitation;
  const { db } = ctx.session;
  await db
    .deleteFrom('invitations')
    .where('account_id', '=', account_id)
    .where('expires_at', '<=', ctx.at)
    .execute();
  const invitation_id = sortableId('inv_', ctx.ports);
  await db
    .insertInto('invitations')
    .values({
      invitation_id,
      hash,
      account_id,
      role,
      name,
      user_id,
      created_by,
      created_at: ctx.at,
      expires_at,
    })
    .execute();
  const inviter =
    created_by === null
      ? undefined
      : await db
          .selectFrom('users')
          .select('name')
          .where('user_id', '=', created_by)
          .executeTakeFirst();
  return {
    invitation_id,
    role,
    name,
    created_by: inviter?.name ?? null,
    created_at: ctx.at,
    expires_at,
  };
}

export async function withdrawInvitation(
  ctx: WriteContext,
  account: AccountId,
  invitationId: string,
): Promise<Invitation | undefined> {
  const row = await invitations(ctx, account)
    .where('invitation_id', '=', invitationId)
    .executeTakeFirst();
  const gone = await ctx.session.db
    .deleteFrom('invitations')
    .where('account_id', '=', account)
    .where('invitation_id', '=', invitationId)
    .where('user_id', 'is', null)
    .returning('invitation_id')
    .executeTakeFirst();
  return row === undefined || gone === undefined ? undefined : { ...row, role: row.role as Role };
}

const OPEN = [
  'invitation_id',
  'invitations.account_id',
  'accounts.name as account_name',
  'role',
  'invitations.user_id',
  'users.email',
  'invitations.created_at',
  'expires_at',
] as const;

/** What the link of an invitation leads to; undefined where it cannot be used. */
export async function invitationByHash(
  ctx: ReadContext,
  hash: string,
): Promise<OpenInvitation | undefined> {
  const row = await ctx.session.db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.account_id', 'invitations.account_id')
    .leftJoin('users', 'users.user_id', 'invitations.user_id')
    .select(OPEN)
    .where('hash', '=', hash)
    .executeTakeFirst();
  const now = ctx.ports.clock.now();
  if (row === undefined || Date.parse(row.expires_at) <= now || row.created_at > latestMade(now))
    return undefined;
  const { expires_at: _, created_at: __, ...invitation } = row;
  return { ...invitation, role: row.role as Role };
}

/** Uses an invitation up; returns whether it could be used. */
export async function takeInvitation(ctx: WriteContext, hash: string): Promise<boolean> {
  const taken = await ctx.session.db
    .deleteFrom('invitations')
    .where('hash', '=', hash)
    .where('expires_at', '>', ctx.at)
    .where('created_at', '<=', latestMade(ctx.now))
    .returning('invitation_id')
    .executeTakeFirst();
  return taken !== undefined;
}

export interface NewInvitation {
  account_id: AccountId;
  role: Role;
  name: string | null;
  /** The user whose password is to be chosen; null for an invitation, by which somebody joins. */
  user_id: UserId | null;
  /** Null where the server's operator made it. */
  created_by: UserId | null;
  expires_at: string;
}

export interface OpenInvitation {
  invitation_id: string;
  account_id: AccountId;
  account_name: string;
  role: Role;
  user_id: UserId | null;
  email: string | null;
}
