import type { UserId } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';

/** Most addresses counted apart for one person; any others are counted together. */
const MAX_SUBJECTS = 1_000;
const OTHERS = '';

export async function countTried(ctx: WriteContext, tried: readonly Tried[]): Promise<void> {
  const { db } = ctx.session;
  for (const { user_id, subject: given, wrong, refused, first_at, last_at } of tried) {
    const known = await db
      .selectFrom('tried_passwords')
      .select('subject')
      .where('user_id', '=', user_id)
      .limit(MAX_SUBJECTS)
      .execute();
    const subject =
      known.length < MAX_SUBJECTS || known.some((row) => row.subject === given) ? given : OTHERS;
    await db
      .insertInto('tried_passwords')
      .values({ user_id, subject, wrong, refused, first_at, last_at })
      .onConflict((oc) =>
        oc.columns(['user_id', 'subject']).doUpdateSet((eb) => ({
          wrong: eb('tried_passwords.wrong', '+', wrong),
          refused: eb('tried_passwords.refused', '+', refused),
          last_at,
        })),
      )
      .execute();
  }
}

/**
 * Wrong passwords that were tried for the person in other browsers; undefined where there were
 * none.
 */
export async function triedOf(
  ctx: ReadContext,
  userId: UserId,
): Promise<TriedPasswords | undefined> {
  const rows = await ctx.session.db
    .selectFrom('tried_passwords')
    .select(['wrong', 'refused', 'first_at', 'last_at'])
    .where('user_id', '=', userId)
    .execute();
  if (rows.length === 0) return undefined;
  const sum = (of: 'wrong' | 'refused'): number => rows.reduce((all, row) => all + row[of], 0);
  const times = rows.flatMap(({ first_at, last_at }) => [first_at, last_at]).sort();
  return {
    wrong: sum('wrong'),
    refused: sum('refused'),
    addresses: rows.length,
    first_at: times[0]!,
    last_at: times.at(-1)!,
  };
}

/** Answers whether there was anything. */
export async function forgetTried(ctx: WriteContext, userId: UserId): Promise<boolean> {
  return (
    (
      await ctx.session.db
        .deleteFrom('tried_passwords')
        .where('user_id', '=', userId)
        .returning('user_id')
        .execute()
    ).length > 0
  );
}

/** Deletes what was last counted before this time. */
export async function expireTried(ctx: WriteContext, before: string): Promise<void> {
  await ctx.session.db.deleteFrom('tried_passwords').where('last_at', '<=', before).execute();
}

/** Wrong passwords that were tried for a person from one address; `refused` were not compared. */
export interface Tried {
  user_id: UserId;
  /** A hash of the address. */
  subject: string;
  wrong: number;
  refused: number;
  first_at: string;
  last_at: string;
}

export interface TriedPasswords {
  wrong: number;
  refused: number;
  addresses: number;
  first_at: string;
  last_at: string;
}
