import type { Role } from '../../shared/contract/v1/account.ts';
import type { ReadContext, WriteContext } from './context.ts';
import type { StoredSession } from './port.ts';

function isOver(expiresAt: string, now: number): boolean {
  return Date.parse(expiresAt) <= now;
}

export async function sessionByHash(ctx: ReadContext, hash: string): Promise<StoredSession | undefined> {
  const row = await ctx.session.db.selectFrom('sessions').innerJoin('members', (join) => join.onRef('members.account_id', '=', 'sessions.account_id').onRef('members.user_id', '=', 'sessions.user_id')).select(['sessions.account_id', 'sessions.user_id', 'user_name', 'role', 'expires_at']).where('hash', '=', hash).executeTakeFirst();
  if (row === undefined || isOver(row.expires_at, ctx.ports.clock.now())) return undefined;
  return { ...row, role: row.role as Role };
}

export async function createSession(ctx: WriteContext, hash: string, session: Omit<StoredSession, 'role'>): Promise<void> {
  const { account_id, user_id, user_name, expires_at } = session;
  await ctx.session.db.deleteFrom('sessions').where('expires_at', '<=', ctx.at).execute();
  await ctx.session.db.insertInto('sessions').values({ hash, account_id, user_id, user_name, expires_at }).execute();
}

export async function removeSession(ctx: WriteContext, hash: string): Promise<void> {
  await ctx.session.db.deleteFrom('sessions').where('hash', '=', hash).execute();
}

export async function addLink(ctx: WriteContext, hash: string, link: { account_id: string; user_id: string; expires_at: string }): Promise<void> {
  const { account_id, user_id, expires_at } = link;
  await ctx.session.db.deleteFrom('sign_in_links').where('expires_at', '<=', ctx.at).execute();
  await ctx.session.db.insertInto('sign_in_links').values({ hash, account_id, user_id, expires_at }).execute();
}

/** Uses up a link. */
export async function takeLink(ctx: WriteContext, hash: string): Promise<{ account_id: string; user_id: string; user_name: string } | undefined> {
  const { db } = ctx.session;
  const link = await db.deleteFrom('sign_in_links').where('hash', '=', hash).returning(['account_id', 'user_id', 'expires_at']).executeTakeFirst();
  if (link === undefined || isOver(link.expires_at, ctx.now)) return undefined;
  const user = await db.selectFrom('users').select('name').where('user_id', '=', link.user_id).executeTakeFirst();
  return user && { account_id: link.account_id, user_id: link.user_id, user_name: user.name };
}
