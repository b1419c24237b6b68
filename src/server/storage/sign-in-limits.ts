import { sql } from 'kysely';
import type { WriteContext } from './context.ts';
import type { SignInLimit } from './team-port.ts';

/**
 * Counts a try against each of these, before it is known whether it fails: many at once are counted too. Answers how long to wait, ms, where one of
 * them is used up; the transaction is then to be given up, so that waiting does not become longer by asking.
 */
export async function countTry(ctx: WriteContext, limits: readonly SignInLimit[]): Promise<number> {
  const { db } = ctx.session;
  // In one order everywhere, so that two tries cannot wait for each other.
  for (const { subject, most, within } of limits.toSorted((a, b) => (a.subject < b.subject ? -1 : 1))) {
    const over = sql<number>`CASE WHEN sign_in_limits.since_ms <= ${ctx.now - within} THEN 1 ELSE 0 END`;
    const { failures, since_ms } = await db
      .insertInto('sign_in_limits')
      .values({ subject, failures: 1, since_ms: ctx.now })
      .onConflict((oc) =>
        oc.column('subject').doUpdateSet((eb) => ({
          failures: eb.case().when(over, '=', 1).then(1).else(eb('sign_in_limits.failures', '+', 1)).end(),
          since_ms: eb.case().when(over, '=', 1).then(ctx.now).else(eb.ref('sign_in_limits.since_ms')).end(),
        })),
      )
      .returning(['failures', 'since_ms'])
      .executeTakeFirstOrThrow();
    if (failures > most) return since_ms + within - ctx.now;
  }
  return 0;
}

/** A try that did not fail after all. */
export async function uncountTry(ctx: WriteContext, subjects: readonly string[]): Promise<void> {
  const { db } = ctx.session;
  for (const subject of subjects.toSorted()) await db.updateTable('sign_in_limits').set((eb) => ({ failures: eb('failures', '-', 1) })).where('subject', '=', subject).where('failures', '>', 0).execute();
}

export async function forgetTries(ctx: WriteContext, before: number): Promise<void> {
  await ctx.session.db.deleteFrom('sign_in_limits').where('since_ms', '<', before).execute();
}
