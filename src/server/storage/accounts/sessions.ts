import type { AccountId, UserId } from '../../../shared/contract/ids.ts';
import type { Role } from '../../../shared/contract/v1/account.ts';
import { roleInForce } from './owners.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { sortableId } from '../db/ids.ts';
import { latestLinkEnd, latestMade } from '../db/lifetime.ts';

/** How long a session that began with a password lasts without use, ms. */
const IDLE = 12 * 3_600_000;

function hasEnded(
  { created_at, expires_at }: Pick<StoredSession, 'created_at' | 'expires_at'>,
  now: number,
): boolean {
  return Date.parse(expires_at) <= now || created_at > latestMade(now);
}

/** When a session ends if it is not used any more. */
function endOf({
  method,
  last_seen_at,
  expires_at,
}: Pick<StoredSession, 'method' | 'last_seen_at' | 'expires_at'>): string {
  if (method === 'link') return expires_at;
  const idle = new Date(Date.parse(last_seen_at) + IDLE).toISOString();
  return idle < expires_at ? idle : expires_at;
}

function sessionsOfMembers(ctx: ReadContext) {
  return ctx.session.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.account_id', '=', 'sessions.account_id')
        .onRef('members.user_id', '=', 'sessions.user_id'),
    )
    .select([
      'session_id',
      'sessions.account_id',
      'sessions.user_id',
      'users.name as user_name',
      'method',
      'sessions.created_at',
      'sessions.last_seen_at',
      'confirmed_at',
      'expires_at',
      'address',
      'browser',
    ])
    .select(roleInForce.as('role'))
    .where('users.disabled_at', 'is', null);
}

/** Those of these sessions that have not ended, by hash. */
export async function sessionsByHash(
  ctx: ReadContext,
  hashes: readonly string[],
): Promise<Map<string, StoredSession>> {
  const rows = await sessionsOfMembers(ctx)
    .select('hash')
    .where(ctx.session.inList('hash', hashes))
    .execute();
  const found = rows.map(
    ({ hash, ...row }) =>
      [hash, { ...row, role: row.role as Role, expires_at: endOf(row) }] as const,
  );
  const now = ctx.ports.clock.now();
  return new Map(found.filter(([, session]) => !hasEnded(session, now)));
}

export async function sessionByHash(
  ctx: ReadContext,
  hash: string,
): Promise<StoredSession | undefined> {
  return (await sessionsByHash(ctx, [hash])).get(hash);
}

/** Notes when a member was last seen in an account. */
async function noteMember(
  ctx: WriteContext,
  { account_id, user_id }: SignedIn,
  at: string,
): Promise<void> {
  await ctx.session.db
    .updateTable('members')
    .set({ last_seen_at: at })
    .where('account_id', '=', account_id)
    .where('user_id', '=', user_id)
    .execute();
}

/** Starts a session; returns its identifier. */
export async function createSession(
  ctx: WriteContext,
  hash: string,
  session: NewSession,
): Promise<string> {
  const { account_id, user_id, method, expires_at, address, browser } = session;
  const session_id = sortableId('ses_', ctx.ports);
  await ctx.session.db.deleteFrom('sessions').where('expires_at', '<=', ctx.at).execute();
  await ctx.session.db
    .insertInto('sessions')
    .values({
      hash,
      session_id,
      account_id,
      user_id,
      method,
      created_at: ctx.at,
      last_seen_at: ctx.at,
      confirmed_at: ctx.at,
      expires_at,
      address,
      browser,
    })
    .execute();
  await noteMember(ctx, session, ctx.at);
  return session_id;
}

export async function removeSession(ctx: WriteContext, hash: string): Promise<void> {
  await ctx.session.db.deleteFrom('sessions').where('hash', '=', hash).execute();
}

/** The browsers in which a person is signed in, the latest first. */
export async function listSessions(ctx: ReadContext, userId: UserId): Promise<StoredSession[]> {
  const rows = await sessionsOfMembers(ctx)
    .where('sessions.user_id', '=', userId)
    .orderBy('sessions.last_seen_at', 'desc')
    .orderBy('session_id')
    .execute();
  const now = ctx.ports.clock.now();
  return rows
    .map((row) => ({ ...row, role: row.role as Role, expires_at: endOf(row) }))
    .filter((session) => !hasEnded(session, now));
}

/** Ends sessions of a person: one of them, or all but one. Returns how many. */
export async function endSessions(
  ctx: WriteContext,
  userId: UserId,
  which: { session_id: string } | { but: string | null },
): Promise<number> {
  let ending = ctx.session.db.deleteFrom('sessions').where('user_id', '=', userId);
  if ('session_id' in which) ending = ending.where('session_id', '=', which.session_id);
  else if (which.but !== null) ending = ending.where('hash', '<>', which.but);
  return (await ending.returning('session_id').execute()).length;
}

/** Notes that the person of this session has just entered the password. */
export async function confirmSession(ctx: WriteContext, hash: string): Promise<void> {
  await ctx.session.db
    .updateTable('sessions')
    .set({ confirmed_at: ctx.at })
    .where('hash', '=', hash)
    .execute();
}

export async function switchSession(
  ctx: WriteContext,
  hash: string,
  account: AccountId,
): Promise<void> {
  const moved = await ctx.session.db
    .updateTable('sessions')
    .set({ account_id: account })
    .where('hash', '=', hash)
    .returning(['account_id', 'user_id'])
    .executeTakeFirst();
  if (moved !== undefined) await noteMember(ctx, moved, ctx.at);
}

/** Notes that a session was used, and that its person was active in the account. */
export async function noteSessionUse(
  ctx: WriteContext,
  hash: string,
  person: SignedIn,
  at: string,
): Promise<void> {
  await ctx.session.db
    .updateTable('sessions')
    .set({ last_seen_at: at })
    .where('hash', '=', hash)
    .execute();
  await noteMember(ctx, person, at);
}

/** One-time sign-in links, stored by hash and deleted when they are used or expire. */
export async function addLink(
  ctx: WriteContext,
  hash: string,
  link: { account_id: AccountId; user_id: UserId; expires_at: string },
): Promise<void> {
  const { account_id, user_id, expires_at } = link;
  await ctx.session.db.deleteFrom('sign_in_links').where('expires_at', '<=', ctx.at).execute();
  await ctx.session.db
    .insertInto('sign_in_links')
    .values({ hash, account_id, user_id, expires_at })
    .execute();
}

/** Uses up a one-time link. */
export async function takeLink(
  ctx: WriteContext,
  hash: string,
): Promise<(SignedIn & { user_name: string }) | undefined> {
  const { db } = ctx.session;
  const link = await db
    .deleteFrom('sign_in_links')
    .where('hash', '=', hash)
    .returning(['account_id', 'user_id', 'expires_at'])
    .executeTakeFirst();
  if (link === undefined || link.expires_at <= ctx.at || link.expires_at > latestLinkEnd(ctx.now))
    return undefined;
  const user = await db
    .selectFrom('users')
    .select('name')
    .where('user_id', '=', link.user_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return user && { account_id: link.account_id, user_id: link.user_id, user_name: user.name };
}

export interface SignedIn {
  account_id: AccountId;
  user_id: UserId;
}

/** How a session began, how long it lasts, and what is known of its browser. */
export interface NewSession extends SignedIn {
  method: 'password' | 'link';
  expires_at: string;
  address: string;
  browser: string;
}

export interface StoredSession extends NewSession {
  session_id: string;
  user_name: string;
  role: Role;
  created_at: string;
  last_seen_at: string;
  /** When the person last entered the password. */
  confirmed_at: string;
}
