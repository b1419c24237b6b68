export { originOf } from '../../../sync/link.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { LinkKey, LinkRow } from '../log/log-port.ts';
import type { LinkTable } from '../db/schema/log-tables.ts';

const COLUMNS = [
  'gen',
  'rev',
  'boot',
  'epoch',
  'push_pos',
  'again_to',
  'pull_seq',
  'pull_chain',
  'wit_seq',
  'wit_chain',
  'points',
  'verified_at',
  'verified_seq',
  'last_ok',
  'problem',
  'state',
] as const;

type Stored = Pick<LinkTable, (typeof COLUMNS)[number]>;

function toStored({ witness, points, ...row }: LinkRow): Stored {
  return { ...row, wit_seq: witness.seq, wit_chain: witness.chain, points: JSON.stringify(points) };
}

function toLink({ wit_seq, wit_chain, points, state, ...row }: Stored): LinkRow {
  return {
    ...row,
    witness: { seq: wit_seq, chain: wit_chain },
    points: JSON.parse(points) as LinkRow['points'],
    state: state as LinkRow['state'],
  };
}

/** The links of an account's streams, by name. */
export async function listLinks(
  ctx: ReadContext,
  account: string,
): Promise<{ stream: string; link: LinkRow }[]> {
  const rows = await ctx.session.db
    .selectFrom('links')
    .innerJoin('streams', 'streams.stream_pk', 'links.stream_pk')
    .select(COLUMNS.map((column) => `links.${column}` as const))
    .select('streams.name')
    .where('account_id', '=', account)
    .orderBy('name')
    .execute();
  return rows.map(({ name, ...row }) => ({ stream: name, link: toLink(row) }));
}

/**
 * Replaces the link's row if it is still `from` (`undefined`: no row yet). Returns whether it was.
 */
export async function moveLink(
  ctx: WriteContext,
  streamPk: number,
  from: LinkKey | undefined,
  to: LinkRow,
): Promise<boolean> {
  const { db } = ctx.session;
  if (from === undefined) {
    const made = await db
      .insertInto('links')
      .values({ stream_pk: streamPk, ...toStored(to) })
      .onConflict((oc) => oc.column('stream_pk').doNothing())
      .returning('stream_pk')
      .executeTakeFirst();
    return made !== undefined;
  }
  const moved = await db
    .updateTable('links')
    .set(toStored(to))
    .where('stream_pk', '=', streamPk)
    .where('boot', '=', from.boot)
    .where('gen', '=', from.gen)
    .where('rev', '=', from.rev)
    .returning('stream_pk')
    .executeTakeFirst();
  return moved !== undefined;
}
