import { z } from 'zod';
import type { ReadContext, WriteContext } from '../db/context.ts';

/**
 * How many rows of an instance are kept for others to read, and how long rows of an instance that
 * has gone are kept.
 */
const KEPT_ROWS = 10;
const KEPT_MS = 60_000;

const Spent = z.record(z.string(), z.number());

/** Writes what this instance has spent since its last row. */
export async function publishUsage(
  ctx: WriteContext,
  instance: string,
  turn: number,
  spent: ReadonlyMap<string, number>,
): Promise<void> {
  const { db } = ctx.session;
  await db
    .insertInto('spending')
    .values({
      instance_id: instance,
      turn,
      at_ms: ctx.now,
      spent: JSON.stringify(Object.fromEntries(spent)),
    })
    .execute();
  await db
    .deleteFrom('spending')
    .where((eb) =>
      eb.or([
        eb.and([eb('instance_id', '=', instance), eb('turn', '<=', turn - KEPT_ROWS)]),
        eb('at_ms', '<', Math.max(0, ctx.now - KEPT_MS)),
      ]),
    )
    .execute();
}

/**
 * Reads what other instances have written since. All rows of instances that are not named in
 * `seen`.
 */
export async function receiveUsage(
  ctx: ReadContext,
  instance: string,
  seen: ReadonlyMap<string, number>,
): Promise<RateLimitUsage[]> {
  const rows = await ctx.session.db
    .selectFrom('spending')
    .select(['instance_id', 'turn', 'spent'])
    .where((eb) =>
      eb.or([
        eb('instance_id', 'not in', [instance, ...seen.keys()]),
        ...[...seen].map(([name, turn]) =>
          eb.and([eb('instance_id', '=', name), eb('turn', '>', turn)]),
        ),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    instance: row.instance_id,
    turn: row.turn,
    spent: new Map(Object.entries(Spent.parse(JSON.parse(row.spent)))),
  }));
}

export interface RateLimitUsage {
  instance: string;
  turn: number;
  /** By limit and subject. */
  spent: ReadonlyMap<string, number>;
}
