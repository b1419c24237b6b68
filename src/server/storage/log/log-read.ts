import type { Sender } from '../../../shared/domain/sender.ts';
import { SYNC_LIMITS, type WireChange } from '../../../shared/contract/sync.ts';
import { EMPTY_CHAIN } from '../../../sync/log.ts';
import { PROFILE_STREAM, projectStream } from '../../../sync/register.ts';
import type { ReadContext } from '../db/context.ts';
import { readCursor, writeCursor } from '../db/cursor.ts';
import { unpack } from '../db/packed.ts';
import { limitOf, reachLog } from '../db/permit.ts';
import { together } from '../db/session.ts';
import { StoreError } from '../db/errors.ts';
import { type Witness, judgeWitness, absent, type LogPosition } from './log-position.ts';

const POSITIONS = 1_000;
/** Changes read in one go. */
const ROWS_AT_ONCE = 100;

/** Hash over everything that ever moved in the account's logs: what every position is a part of. */
export async function movedMark(ctx: ReadContext, account: string): Promise<string> {
  const { moved } = await ctx.session.db
    .selectFrom('accounts')
    .select('moved')
    .where('account_id', '=', account)
    .executeTakeFirstOrThrow();
  return moved;
}

/** The same mark for several accounts. */
export async function movedMarks(
  ctx: ReadContext,
  accounts: readonly string[],
): Promise<Map<string, string>> {
  const rows = await ctx.session.db
    .selectFrom('accounts')
    .select(['account_id', 'moved'])
    .where('account_id', 'in', ctx.session.list(accounts))
    .execute();
  return new Map(rows.map((row) => [row.account_id, row.moved]));
}

export function logLengths(
  ctx: ReadContext,
  account: string,
): Promise<{ name: string; seq: number }[]> {
  return ctx.session.db
    .selectFrom('streams')
    .select(['name', 'seq'])
    .where('account_id', '=', account)
    .execute();
}

export interface CasePosition {
  case_uid: string;
  seq: number;
  chain: string;
  project_id: string | null;
  runs: number;
}

export async function positions(
  ctx: ReadContext,
  account: string,
  after: string | undefined,
): Promise<{ cases: CasePosition[]; next: string | null }> {
  let query = ctx.session.db
    .selectFrom('streams')
    .leftJoin('cases', 'cases.stream_pk', 'streams.stream_pk')
    .select(({ selectFrom, fn }) => [
      'streams.name',
      'streams.seq',
      'streams.chain',
      'cases.project_id',
      selectFrom('runs')
        .whereRef('runs.account_id', '=', 'streams.account_id')
        .whereRef('runs.case_uid', '=', 'streams.name')
        .where(({ exists, selectFrom: from }) =>
          exists(
            from('run_contents')
              .select('run_contents.reproduced')
              .whereRef('run_contents.account_id', '=', 'runs.account_id')
              .whereRef('run_contents.content_hash', '=', 'runs.content_hash'),
          ),
        )
        .where(({ not, exists, selectFrom: from }) =>
          not(
            exists(
              from('damaged_contents')
                .select('found_at')
                .whereRef('damaged_contents.account_id', '=', 'runs.account_id')
                .whereRef('damaged_contents.content_hash', '=', 'runs.content_hash'),
            ),
          ),
        )
        .select(fn.countAll<number>().as('n'))
        .as('runs'),
    ])
    .where('streams.account_id', '=', account)
    .where('streams.seq', '>', 0)
    .orderBy('streams.name')
    .limit(POSITIONS + 1);
  const limit = limitOf(ctx);
  if (limit !== undefined)
    query = query.where(({ eb, or }) =>
      or([
        eb('cases.project_id', 'in', ctx.session.list(limit)),
        eb('streams.name', 'in', ctx.session.list([PROFILE_STREAM, ...limit.map(projectStream)])),
      ]),
    );
  if (after !== undefined)
    query = query.where(
      'streams.name',
      '>',
      readCursor('positions', ['string'], after)[0] as string,
    );
  const rows = await query.execute();
  const shown = rows.slice(0, POSITIONS);
  const last = shown.at(-1);
  return {
    cases: shown.map(({ name, seq, chain, project_id, runs }) => ({
      case_uid: name,
      seq,
      chain,
      project_id,
      runs: runs ?? 0,
    })),
    next:
      rows.length > POSITIONS && last !== undefined ? writeCursor('positions', [last.name]) : null,
  };
}

/**
 * The log's own position, and its chain hash at the position asked for and at the client's witness.
 */
async function standing(
  ctx: ReadContext,
  account: string,
  name: string,
  after: number,
  witness: Witness | undefined,
) {
  const row = await ctx.session.db
    .selectFrom('streams')
    .select(({ selectFrom }) => {
      const chain = (seq: number) =>
        selectFrom('changes')
          .select('chain')
          .whereRef('changes.stream_pk', '=', 'streams.stream_pk')
          .where('changes.seq', '=', seq);
      return [
        'seq',
        'chain',
        'count',
        'sum',
        chain(after).as('start'),
        chain(witness?.seq ?? after).as('seen'),
      ];
    })
    .where('account_id', '=', account)
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) throw absent(ctx, witness);
  const { start, seen, ...position } = row;
  judgeWitness(ctx, witness, witness?.seq === 0 ? EMPTY_CHAIN : (seen ?? undefined));
  const chain = after === 0 ? EMPTY_CHAIN : start;
  if (chain === null)
    throw new StoreError('diverged', 'This log is shorter than the position asked for.');
  return { chain, position: { epoch: ctx.epoch, ...position } };
}

export interface ChangePage {
  changes: LogChange[];
  from: number;
  to: number;
  chain: string;
  more: boolean;
  position: LogPosition;
}

/**
 * Changes in commit order: as many whole changes as fit the limit and the bytes of one page, at
 * least one. A short page takes one round trip. Throws not_found, or diverged where the client's
 * witness names a position that this log never had.
 */
export async function readChanges(
  ctx: ReadContext,
  account: string,
  name: string,
  after: number,
  limit: number,
  witness: Witness | undefined,
): Promise<ChangePage> {
  await reachLog(ctx, account, name);
  const { db } = ctx.session;
  const stream = db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account_id', '=', account)
    .where('name', '=', name);
  const some = (from: number, most: number) =>
    db
      .selectFrom('changes')
      .select([
        'seq',
        'change_id',
        'text',
        'packed',
        'chain',
        'received_at',
        'actor',
        'author',
        'sent_by',
        'quarantined',
      ])
      .where('stream_pk', '=', stream)
      .where('seq', '>', from)
      .orderBy('seq')
      .limit(Math.min(most, ROWS_AT_ONCE))
      .execute();
  const [{ position, ...start }, first] = await together(
    standing(ctx, account, name, after, witness),
    some(after, limit),
  );
  let { chain } = start;
  let rows = first;
  const changes: LogChange[] = [];
  let bytes = 0;
  let from = after;
  while (rows.length > 0) {
    for (const row of rows) {
      const text = unpack(row.text, row.packed);
      bytes += Buffer.byteLength(text) + 200;
      if (changes.length > 0 && bytes > SYNC_LIMITS.bytes)
        return { changes, from: after, to: from, chain, more: true, position };
      changes.push({
        seq: row.seq,
        received_at: row.received_at,
        actor: row.actor,
        author: row.author,
        ...(row.sent_by !== null && { sent_by: JSON.parse(row.sent_by) as Sender }),
        quarantined: row.quarantined === null ? [] : (JSON.parse(row.quarantined) as number[]),
        id: row.change_id,
        change: text,
      });
      from = row.seq;
      chain = row.chain;
    }
    rows =
      changes.length < limit && from < position.seq ? await some(from, limit - changes.length) : [];
  }
  return { changes, from: after, to: from, chain, more: from < position.seq, position };
}

/**
 * What a link still has to send: the log after a position, without what this link brought in its
 * present generation (R4). What came in an earlier generation is sent again. At most `limit`
 * changes and `bytes` bytes, but always one if there is any.
 */
export async function tail(
  ctx: ReadContext,
  account: string,
  name: string,
  after: number,
  { notOrigin, limit, bytes }: { notOrigin: string | null; limit: number; bytes: number },
): Promise<Tail> {
  const { db } = ctx.session;
  const stream = await db
    .selectFrom('streams')
    .select(['stream_pk', 'seq'])
    .where('account_id', '=', account)
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
      .where('stream_pk', '=', stream.stream_pk)
      .where('seq', '>', to)
      .orderBy('seq')
      .limit(Math.min(limit - changes.length, ROWS_AT_ONCE))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('unsendable')
              .select('unsendable.seq')
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

export interface LogChange extends WireChange {
  seq: number;
  received_at: string;
  actor: string;
  /** The author's name as it is shown here. */
  author: string;
  /** Absent where this server wrote it itself. */
  sent_by?: Sender;
  quarantined: number[];
}

/** The part of a log that is still to be sent to the other server. */
export interface Tail {
  changes: (WireChange & {
    seq: number;
    /** The user who made it here; null where another server did. */ actor: string | null;
  })[];
  /** All changes up to this position were considered. */
  to: number;
  more: boolean;
}
