import type { AccountId, StreamName } from '../../../shared/contract/ids.ts';
import { addToDigest, type Digest, EMPTY_SUM, LOG_START } from '../../../sync/log.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import {
  type Witness,
  absent,
  chainAt,
  checkWitness,
  findStream,
  needStream,
  readPosition,
  type LogPosition,
} from './log-position.ts';

/** Ids summed up before other work gets a turn. */
const AT_ONCE = 5_000;

/** Which of the ids the log does not hold, in the order asked, and the log's position. */
export async function missingIds(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  ids: readonly string[],
  witness: Witness | undefined,
): Promise<{ missing: string[]; position: LogPosition }> {
  const stream = await findStream(ctx, account, name);
  if (stream === undefined) {
    const refusal = absent(ctx, witness);
    if (refusal.code === 'diverged') throw refusal;
    return {
      missing: [...ids],
      position: { epoch: ctx.epoch, ...LOG_START, count: 0, sum: EMPTY_SUM },
    };
  }
  await checkWitness(ctx, stream, witness);
  const { session } = ctx;
  const rows = await session.rows<[string]>(
    session.db
      .selectFrom('changes')
      .select('change_id')
      .where('account', '=', ctx.session.account)
      .where('stream_pk', '=', stream)
      .where('change_id', 'in', session.list(ids)),
  );
  const held = new Set(rows.map(([id]) => id));
  return { missing: ids.filter((id) => !held.has(id)), position: await readPosition(ctx, stream) };
}

/**
 * The highest of these points that is part of this log. A chain hash covers every id before it, so
 * everything up to that point is common to both sides.
 */
export async function commonAncestor(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  points: readonly { seq: number; chain: string }[],
): Promise<{ seq: number; chain: string }> {
  const stream = await findStream(ctx, account, name);
  if (stream !== undefined) {
    for (const point of points.toSorted((a, b) => b.seq - a.seq))
      if ((await chainAt(ctx, stream, point.seq)) === point.chain) return point;
  }
  return LOG_START;
}

/**
 * Computed from the index of ids when it is asked for. Nothing is stored for it, so writes cost
 * nothing extra and the answer cannot disagree with the log. Counts and sums of the change ids,
 * grouped by the first bits of the ids' hashes; `buckets` is a power of two up to 65,536.
 */
export async function digestBuckets(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
  buckets: number,
): Promise<{ seq: number; buckets: { count: number; sum: string }[] }> {
  const stream = await needStream(ctx, account, name);
  const { session } = ctx;
  const { seq } = await session.db
    .selectFrom('streams')
    .select('seq')
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', stream)
    .executeTakeFirstOrThrow();
  const found = Array.from({ length: buckets }, (): Digest => ({ count: 0, sum: EMPTY_SUM }));
  const bits = Math.log2(buckets);
  for (let after = ''; ;) {
    const rows = await session.rows<[string]>(
      session.db
        .selectFrom('changes')
        .select('change_id')
        .where('account', '=', ctx.session.account)
        .where('stream_pk', '=', stream)
        .where('change_id', '>', after)
        .orderBy('change_id')
        .limit(AT_ONCE),
    );
    const ids = new Map<number, string[]>();
    for (const [id] of rows) {
      const bucket = Buffer.from(id.slice(3, 7), 'base64url').readUInt16BE() >> (16 - bits);
      const others = ids.get(bucket);
      if (others === undefined) ids.set(bucket, [id]);
      else others.push(id);
    }
    for (const [bucket, some] of ids) found[bucket] = addToDigest(found[bucket] as Digest, some);
    after = rows.at(-1)?.[0] ?? after;
    if (rows.length < AT_ONCE) return { seq, buckets: found };
    await yieldToEventLoop();
  }
}
