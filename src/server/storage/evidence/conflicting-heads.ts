import type { HeadRef } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';

/** The heads of these registers beside the displayed ones. */
export async function conflictingHeads(
  ctx: ReadContext,
  stream: number,
  regs: readonly string[],
): Promise<Map<string, HeadRef[]>> {
  if (regs.length === 0) return new Map();
  const rows = await ctx.session.db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx as index'])
    .where('stream_pk', '=', stream)
    .where('reg', 'in', ctx.session.list(regs))
    .execute();
  return Map.groupBy(rows, ({ reg }) => reg);
}
