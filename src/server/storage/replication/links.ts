export { originOf } from '../../../sync/link.ts';
import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { openStream } from '../log/change-log.ts';
import type { LinkTable } from '../db/schema/log-tables.ts';
import type { LinkRow as SyncLink } from '../../../sync/link.ts';

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

type LinkColumns = Pick<LinkTable, (typeof COLUMNS)[number]>;

/** `parked` is a blocked link's word in tables, which a program of version 0.1 made and reads. */
const STORED_BLOCKED = 'parked';

function toStored({ witness, points, state, ...row }: LinkRow): LinkColumns {
  return {
    ...row,
    wit_seq: witness.seq,
    wit_chain: witness.chain,
    points: JSON.stringify(points),
    state: state === 'blocked' ? STORED_BLOCKED : state,
  };
}

function toLink({ wit_seq, wit_chain, points, state, ...row }: LinkColumns): LinkRow {
  return {
    ...row,
    witness: { seq: wit_seq, chain: wit_chain },
    points: JSON.parse(points) as LinkRow['points'],
    state: state === STORED_BLOCKED ? 'blocked' : (state as LinkRow['state']),
  };
}

/** The links of an account's streams, by name. */
export async function listLinks(
  ctx: ReadContext,
  account: AccountId,
): Promise<{ stream: StreamName; link: LinkRow }[]> {
  const rows = await ctx.session.db
    .selectFrom('links')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'links.account')
        .onRef('streams.stream_pk', '=', 'links.stream_pk'),
    )
    .select(COLUMNS.map((column) => `links.${column}` as const))
    .select('streams.name')
    .where('links.account', '=', ctx.session.numberOf(account))
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
      .values({ account: ctx.session.account, stream_pk: streamPk, ...toStored(to) })
      .onConflict((oc) => oc.columns(['account', 'stream_pk']).doNothing())
      .returning('stream_pk')
      .executeTakeFirst();
    return made !== undefined;
  }
  const moved = await db
    .updateTable('links')
    .set(toStored(to))
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('boot', '=', from.boot)
    .where('gen', '=', from.gen)
    .where('rev', '=', from.rev)
    .returning('stream_pk')
    .executeTakeFirst();
  return moved !== undefined;
}

/** The same for the link of a stream that is named, which is made where there is none. */
export async function moveLinkOf(
  ctx: WriteContext,
  account: AccountId,
  stream: StreamName,
  from: LinkKey | undefined,
  to: LinkRow,
): Promise<boolean> {
  return moveLink(ctx, (await openStream(ctx, account, stream)).pk, from, to);
}

/**
 * A link to another server is stored as one row. These three values say whether that row is still
 * the one that was read (R3).
 */
export interface LinkKey {
  boot: string;
  gen: number;
  rev: number;
}

/**
 * A link as it is stored: what the rules of `sync/link.ts` work on, and what is shown of it to a
 * person.
 */
export interface LinkRow extends SyncLink {
  /** When both sides were last found equal, and the position of this log at that time. */
  verified_at: string | null;
  verified_seq: number;
  last_ok: string | null;
  problem: string | null;
  state: 'open' | 'blocked' | 'stopped';
}
