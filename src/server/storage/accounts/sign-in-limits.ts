import { sql } from 'kysely';
import type { WriteContext } from '../db/context.ts';

/**
 * Counts points against a subject within a time window, in ms. A window begins with the first point
 * and again after it has ended. Points that are given back do not begin one.
 */
export async function countTry(
  ctx: WriteContext,
  subject: string,
  points: number,
  within: number,
): Promise<CountedPoints> {
  const { db } = ctx.session;
  const counted = (row: { failures: number; since_ms: number } | undefined): CountedPoints => ({
    points: row?.failures ?? 0,
    left: (row?.since_ms ?? ctx.now) + within - ctx.now,
  });
  if (points < 0) {
    return counted(
      await db
        .updateTable('sign_in_limits')
        .set((eb) => ({ failures: eb('failures', '+', points) }))
        .where('subject', '=', subject)
        .where('failures', '>=', -points)
        .returning(['failures', 'since_ms'])
        .executeTakeFirst(),
    );
  }
  // Begun later than now by more than clocks differ: this machine's clock ran ahead for a while.
  const over = sql<number>`CASE WHEN sign_in_limits.since_ms <= ${ctx.now - within}
    OR sign_in_limits.since_ms > ${ctx.now + within} THEN 1 ELSE 0 END`;
  return counted(
    await db
      .insertInto('sign_in_limits')
      .values({ subject, failures: points, since_ms: ctx.now })
      .onConflict((oc) =>
        oc.column('subject').doUpdateSet((eb) => ({
          failures: eb
            .case()
            .when(over, '=', 1)
            .then(points)
            .else(eb('sign_in_limits.failures', '+', points))
            .end(),
          since_ms: eb
            .case()
            .when(over, '=', 1)
            .then(ctx.now)
            .else(eb.ref('sign_in_limits.since_ms'))
            .end(),
        })),
      )
      .returning(['failures', 'since_ms'])
      .executeTakeFirstOrThrow(),
  );
}

/** Deletes windows that began before this time, ms since 1970. */
export async function forgetTries(ctx: WriteContext, before: number): Promise<void> {
  await ctx.session.db.deleteFrom('sign_in_limits').where('since_ms', '<', before).execute();
}

/** The points counted in the present window, and how long it still lasts, ms. */
export interface CountedPoints {
  points: number;
  left: number;
}
