import { known } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { latestLinkEnd } from '../db/lifetime.ts';
import { nameKey } from '../records/projects.ts';

/** Key under which the time of the first set-up is stored. It is never removed. */
const SET_UP = 'set_up';
/** After this many wrong tokens the printed ones no longer work. */
const WRONG_TOKENS = 5;

/** Whether a hosted server has been set up. */
export async function isSetUp(ctx: ReadContext): Promise<boolean> {
  return (
    (await ctx.session.db
      .selectFrom('meta')
      .select('value')
      .where('key', '=', SET_UP)
      .executeTakeFirst()) !== undefined
  );
}

export async function addSetupToken(
  ctx: WriteContext,
  hash: string,
  expires_at: string,
): Promise<void> {
  const { db } = ctx.session;
  await db.deleteFrom('setup_tokens').where('expires_at', '<=', ctx.at).execute();
  await db.insertInto('setup_tokens').values({ hash, expires_at, failures: 0 }).execute();
}

/**
 * Whether the token is one that was printed. A wrong one counts against all of them. After five
 * none works any more.
 */
export async function trySetupToken(ctx: WriteContext, hash: string | undefined): Promise<boolean> {
  const { db } = ctx.session;
  const found =
    hash === undefined
      ? undefined
      : await db
          .selectFrom('setup_tokens')
          .select('hash')
          .where('hash', '=', hash)
          .where('expires_at', '>', ctx.at)
          .where('expires_at', '<=', latestLinkEnd(ctx.now))
          .executeTakeFirst();
  if (found !== undefined) return true;
  await db
    .updateTable('setup_tokens')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .execute();
  await db.deleteFrom('setup_tokens').where('failures', '>=', WRONG_TOKENS).execute();
  return false;
}

/**
 * Notes that the server is set up and ends all set-up tokens; returns whether this was the first
 * time.
 */
export async function markSetUp(ctx: WriteContext): Promise<boolean> {
  const { db } = ctx.session;
  const first = await db
    .insertInto('meta')
    .values({ key: SET_UP, value: ctx.at })
    .onConflict((oc) => oc.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (first !== undefined) await db.deleteFrom('setup_tokens').execute();
  return first !== undefined;
}

/** Renames the account and the person that every store begins with. */
export async function nameFirst(
  ctx: WriteContext,
  { team, name, email }: { team: string; name: string; email: string },
): Promise<void> {
  const { db } = ctx.session;
  const rows = await db
    .selectFrom('meta')
    .selectAll()
    .where('key', 'in', ['local_account', 'local_user'])
    .execute();
  const idOf = (key: string): string => rows.find((row) => row.key === key)?.value ?? '';
  await db
    .updateTable('accounts')
    .set({ name: nameKey(team) })
    .where('account_id', '=', known.accountId.parse(idOf('local_account')))
    .execute();
  await db
    .updateTable('users')
    .set({ name: nameKey(name), email })
    .where('user_id', '=', known.userId.parse(idOf('local_user')))
    .execute();
}
