import type { ReadContext, WriteContext } from './context.ts';
import type { LinkKey, LinkRow } from './port.ts';

const COLUMNS = ['gen', 'rev', 'boot', 'epoch', 'push_pos', 'pull_seq', 'pull_chain', 'wit_seq', 'wit_chain', 'count', 'sum', 'verified_at', 'last_ok', 'last_error', 'state'] as const;

/** What marks the changes that came over a link in its present generation (R4). */
export const originOf = ({ epoch, gen }: Pick<LinkRow, 'epoch' | 'gen'>): string => `${epoch}/${gen}`;

/** The links of an account's streams, by name. */
export async function listLinks(ctx: ReadContext, account: string): Promise<{ stream: string; link: LinkRow }[]> {
  const rows = await ctx.session.db.selectFrom('links').innerJoin('streams', 'streams.stream_pk', 'links.stream_pk').select(COLUMNS.map((column) => `links.${column}` as const)).select('streams.name').where('account_id', '=', account).orderBy('name').execute();
  return rows.map(({ name, ...link }) => ({ stream: name, link }));
}

/** Puts a link's next row where `from` is still its state; a link that is not there has none (`undefined`). Answers whether it was. */
export async function moveLink(ctx: WriteContext, streamPk: number, from: LinkKey | undefined, to: LinkRow): Promise<boolean> {
  const { db } = ctx.session;
  if (from === undefined) {
    const made = await db.insertInto('links').values({ stream_pk: streamPk, ...to }).onConflict((oc) => oc.column('stream_pk').doNothing()).returning('stream_pk').executeTakeFirst();
    return made !== undefined;
  }
  const moved = await db.updateTable('links').set(to).where('stream_pk', '=', streamPk).where('boot', '=', from.boot).where('gen', '=', from.gen).where('rev', '=', from.rev).returning('stream_pk').executeTakeFirst();
  return moved !== undefined;
}
