import type { AccountId, StreamName, UserId } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { ROWS_AT_ONCE } from './log-read.ts';
import { unpack } from '../db/packed.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';

/**
 * What a link still has to send: the log after a position, without what this link brought in its
 * present generation (R4). What came in an earlier generation is sent again. At most `limit`
 * changes and `bytes` bytes, but always one if there is any.
 */
export async function tail(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  after: number,
  { notOrigin, limit, bytes }: { notOrigin: string | null; limit: number; bytes: number },
): Promise<Tail> {
  const { db } = ctx.session;
  const number = ctx.session.numberOf(account);
  const stream = await db
    .selectFrom('streams')
    .select(['stream_pk', 'seq'])
    .where('account', '=', number)
    .where('name', '=', name)
    .executeTakeFirst();
  if (stream === undefined) return { changes: [], to: 0, more: false };
  const changes: Tail['changes'] = [];
  let left = bytes;
  let to = after;
  while (changes.length < limit && to < stream.seq) {
    let query = db
      .selectFrom('changes')
      .select(['seq', 'change_id', 'text', 'packed', 'actor', 'origin'])
      .where('account', '=', number)
      .where('stream_pk', '=', stream.stream_pk)
      .where('seq', '>', to)
      .orderBy('seq')
      .limit(Math.min(limit - changes.length, ROWS_AT_ONCE))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('unsendable')
              .select('unsendable.seq')
              .where('unsendable.account', '=', number)
              .where('unsendable.stream_pk', '=', stream.stream_pk)
              .whereRef('unsendable.seq', '=', 'changes.seq'),
          ),
        ),
      );
    if (notOrigin !== null)
      query = query.where(({ eb, or }) =>
        or([eb('origin', 'is', null), eb('origin', '!=', notOrigin)]),
      );
    const rows = await query.execute();
    for (const row of rows) {
      const text = unpack(row.text, row.packed);
      left -= Buffer.byteLength(text) + 200;
      if (changes.length > 0 && left < 0) return { changes, to, more: true };
      changes.push({
        seq: row.seq,
        id: row.change_id,
        change: text,
        actor: row.origin === null ? row.actor : null,
      });
      to = row.seq;
    }
    if (rows.length === 0) to = stream.seq;
  }
  return { changes, to, more: to < stream.seq };
}

/** The part of a log that is still to be sent to the other server. */
export interface Tail {
  changes: (WireChange & {
    seq: number;
    /** The user who made it here; null where another server did. */ actor: UserId | null;
  })[];
  /** All changes up to this position were considered. */
  to: number;
  more: boolean;
}
