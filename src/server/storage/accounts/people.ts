import type { UserId } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { sortableId } from '../db/ids.ts';
import { nameKey } from '../records/projects.ts';
import { StoreError } from '../db/errors.ts';

function people(ctx: ReadContext) {
  return ctx.session.db
    .selectFrom('users')
    .leftJoin('passwords', 'passwords.user_id', 'users.user_id')
    .select([
      'users.user_id',
      'users.name',
      'users.email',
      'users.disabled_at',
      'passwords.phc as password',
    ]);
}

export function personById(ctx: ReadContext, userId: UserId): Promise<PersonRow | undefined> {
  return people(ctx).where('users.user_id', '=', userId).executeTakeFirst();
}

export function personByEmail(ctx: ReadContext, email: string): Promise<PersonRow | undefined> {
  return people(ctx).where('email', '=', email).executeTakeFirst();
}

/** Throws conflict where the e-mail is somebody's already. */
export async function createPerson(
  ctx: WriteContext,
  { name, email }: { name: string; email: string },
): Promise<UserId> {
  const user_id = sortableId('usr_', ctx.ports);
  const made = await ctx.session.db
    .insertInto('users')
    .values({ user_id, name: nameKey(name), email, created_at: ctx.at })
    .onConflict((oc) => oc.column('email').doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (made === undefined)
    throw new StoreError('conflict', 'Somebody signs in with this e-mail address already.');
  return user_id;
}

/** Links by which another password would be chosen are of the previous one. */
async function dropLinks(ctx: WriteContext, userId: UserId): Promise<void> {
  await ctx.session.db.deleteFrom('invitations').where('user_id', '=', userId).execute();
}

/** The password, which nobody changes until this transaction ends. Null where there is none. */
export async function holdPassword(ctx: WriteContext, userId: UserId): Promise<string | null> {
  const row = await ctx.session.db
    .selectFrom('passwords')
    .select('phc')
    .where('user_id', '=', userId)
    .modifyEnd(ctx.session.lock)
    .executeTakeFirst();
  return row?.phc ?? null;
}

export async function clearPassword(ctx: WriteContext, userId: UserId): Promise<void> {
  await dropLinks(ctx, userId);
  await ctx.session.db.deleteFrom('passwords').where('user_id', '=', userId).execute();
}

/** With either, links by which a password would be chosen end. */
export async function setPassword(ctx: WriteContext, userId: UserId, phc: string): Promise<void> {
  await dropLinks(ctx, userId);
  const row = { user_id: userId, phc, changed_at: ctx.at };
  await ctx.session.db
    .insertInto('passwords')
    .values(row)
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ phc, changed_at: ctx.at }))
    .execute();
}

/**
 * A person who may sign in with a password; the hash as a PHC string, or null where there is none.
 */
export interface PersonRow {
  user_id: UserId;
  name: string;
  email: string | null;
  password: string | null;
  /** Since when the operator has ended the person's access; null: they may come in. */
  disabled_at: string | null;
}
