/**
 * A link connects one stream of a store with the same stream on another server, its upstream. Its
 * state is one row, which only these functions change. The row is written in the transaction of the
 * data it describes (R1), and only while it is still the row from which the request was made (R3).
 */
import type { Hasher } from '../shared/lib/hash.ts';
import {
  chainOver,
  type Digest,
  EMPTY_CHAIN,
  isSameSet,
  LOG_START,
  type LogCursor,
} from './log.ts';

/**
 * A position in the upstream's log that was seen, and the own position up to which all changes are
 * contained in the upstream's log before it.
 */
export interface SeenPoint extends LogCursor {
  own: number;
}

export interface LinkRow {
  /**
   * Generation of the link. That a change came from the upstream is known within one generation
   * only (R4).
   */
  gen: number;
  /** Grows each time an answer is used. */
  rev: number;
  /** Identifies the process that writes the row. */
  boot: string;
  /** Epoch of the upstream's log, '' until its first answer. */
  epoch: string;
  /** The upstream holds the own changes up to here (R2). */
  push_pos: number;
  /**
   * The upstream held the own changes up to here in an earlier generation. `missing` tells which of
   * them it has lost, and only those are sent again.
   */
  again_to: number;
  /** The upstream's changes up to here are stored here. */
  pull_seq: number;
  pull_chain: string;
  /** The highest position of the upstream's log that any answer has shown, pushes included (R5). */
  witness: LogCursor;
  /**
   * Positions seen before, fewer the further back: from the newest one that the upstream still has,
   * a diverged log is resumed (R6). Oldest first.
   */
  points: readonly SeenPoint[];
}

export function freshLink(boot: string, gen = 1): LinkRow {
  return {
    gen,
    rev: 0,
    boot,
    epoch: '',
    push_pos: 0,
    again_to: 0,
    pull_seq: 0,
    pull_chain: EMPTY_CHAIN,
    witness: LOG_START,
    points: [],
  };
}

/** The witness header of a request; none before the first answer. */
export function witnessOf({
  epoch,
  witness,
}: Pick<LinkRow, 'epoch' | 'witness'>): Record<string, string> {
  return epoch === '' ? {} : { 'sync-witness': `${epoch};${witness.seq};${witness.chain}` };
}

/**
 * R4: marks changes that came from the upstream in this generation of the link. In another
 * generation the mark means nothing.
 */
export const originOf = ({ epoch, gen }: Pick<LinkRow, 'epoch' | 'gen'>): string =>
  `${epoch}/${gen}`;

/** Identifies the row that a request was made from. */
export type LinkStamp = Pick<LinkRow, 'gen' | 'rev' | 'boot'>;
export const stampOf = ({ gen, rev, boot }: LinkStamp): LinkStamp => ({ gen, rev, boot });

/** R3: whether the answer to a request may still be used. */
export function isCurrent(row: LinkStamp, stamp: LinkStamp): boolean {
  return row.boot === stamp.boot && row.gen === stamp.gen && row.rev === stamp.rev;
}

/**
 * `ids` in the order sent; `to` is the own position that the request covers, including changes that
 * came from the upstream and need not be sent.
 */
export interface PushRequest extends LinkStamp {
  ids: readonly string[];
  to: number;
}
export interface PushReply extends LogCursor, Digest {
  epoch: string;
  results: readonly { id: string; seq: number }[];
}
export interface PullRequest extends LinkStamp {
  from: number;
}
export interface PullReply extends Digest {
  epoch: string;
  from: number;
  to: number;
  n: number;
  changes: readonly { id: string; seq: number }[];
  chain: string;
  more: boolean;
}

/**
 * `unfit`: incomplete, or not the continuation of what was read. `stale`: for a row that has
 * changed since. Nothing of either is used.
 */
export type CheckedAnswer =
  | { kind: 'use'; row: LinkRow }
  | { kind: 'drop'; why: 'stale' | 'unfit' }
  | { kind: 'diverged' };

/** Points kept within each fourfold range of distance from the newest. */
const POINTS_PER_SPAN = 2;

function withPoint(points: readonly SeenPoint[], point: SeenPoint): SeenPoint[] {
  const kept: SeenPoint[] = [];
  const held = new Map<number, number>();
  // Within a range the oldest are kept: they move on into the next range as the log grows.
  for (const other of points) {
    if (other.seq >= point.seq) continue;
    const span = Math.floor(Math.log2(point.seq - other.seq) / 2);
    const count = held.get(span) ?? 0;
    if (count < POINTS_PER_SPAN) kept.push(other);
    held.set(span, count + 1);
  }
  return [...kept, point];
}

/** R5: the witness never goes back within a generation. */
function seen(row: LinkRow, mark: LogCursor): LinkRow {
  if (mark.seq < row.witness.seq) return row;
  const { seq, chain } = mark;
  return {
    ...row,
    witness: { seq, chain },
    points: withPoint(row.points, { seq, chain, own: row.push_pos }),
  };
}

/**
 * If the log has grown by exactly what was sent (the chain proves it), reading it back is not
 * necessary.
 */
function readOwn(row: LinkRow, reply: PushReply, hasher: Hasher): LinkRow {
  const { results } = reply;
  if (
    reply.seq !== row.pull_seq + results.length ||
    results.some(({ seq }, at) => seq !== row.pull_seq + 1 + at)
  )
    return row;
  const chain = chainOver(
    row.pull_chain,
    results.map(({ id }) => id),
    hasher,
  );
  return chain === reply.chain ? { ...row, pull_seq: reply.seq, pull_chain: chain } : row;
}

/** The row after a 200 to a push. */
export function pushAnswer(
  row: LinkRow,
  request: PushRequest,
  reply: PushReply,
  hasher: Hasher,
): CheckedAnswer {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && reply.epoch !== row.epoch) return { kind: 'diverged' };
  const { ids } = request;
  if (reply.results.length !== ids.length || reply.results.some(({ id }, at) => id !== ids[at]))
    return { kind: 'drop', why: 'unfit' };
  const next: LinkRow = { ...row, rev: row.rev + 1, epoch: reply.epoch, push_pos: request.to };
  return { kind: 'use', row: seen(readOwn(next, reply, hasher), reply) };
}

/**
 * The row after a 200 to a request for changes. The whole page is stored in the same transaction.
 */
export function pullAnswer(
  row: LinkRow,
  request: PullRequest,
  page: PullReply,
  hasher: Hasher,
): CheckedAnswer {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && page.epoch !== row.epoch) return { kind: 'diverged' };
  const { from, to, n, changes } = page;
  const fits =
    from === row.pull_seq &&
    from === request.from &&
    n === changes.length &&
    to === from + n &&
    changes.every(({ seq }, at) => seq === from + 1 + at);
  if (
    !fits ||
    chainOver(
      row.pull_chain,
      changes.map(({ id }) => id),
      hasher,
    ) !== page.chain
  )
    return { kind: 'drop', why: 'unfit' };
  return {
    kind: 'use',
    row: seen(
      { ...row, rev: row.rev + 1, epoch: page.epoch, pull_seq: to, pull_chain: page.chain },
      { seq: to, chain: page.chain },
    ),
  };
}

export interface MissingReply extends LogCursor {
  epoch: string;
  missing: readonly string[];
}

/**
 * The row after an answer of `missing`, and which of the changes asked about have to be sent. If
 * none, the upstream holds the whole range; otherwise the push that follows covers it.
 */
export function missingAnswer(
  row: LinkRow,
  request: PushRequest,
  reply: MissingReply,
): CheckedAnswer & { send?: readonly string[] } {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && reply.epoch !== row.epoch) return { kind: 'diverged' };
  const missing = new Set(reply.missing);
  const send = request.ids.filter((id) => missing.has(id));
  const next: LinkRow = {
    ...row,
    rev: row.rev + 1,
    epoch: reply.epoch,
    push_pos: send.length === 0 ? request.to : row.push_pos,
  };
  return { kind: 'use', row: seen(next, reply), send };
}

/** The row after a range of changes that all came from the upstream: nothing is sent back. */
export function passOver(row: LinkRow, to: number): LinkRow {
  return { ...row, rev: row.rev + 1, push_pos: to };
}

/**
 * The row after a page was stored. `before` and `after` are lengths of the own log: if nothing was
 * waiting to be sent before, nothing is waiting afterwards.
 */
export function passAlong<Row extends LinkRow>(row: Row, before: number, after: number): Row {
  return row.push_pos === before ? { ...row, push_pos: after } : row;
}

/** The positions of the upstream's log that `ancestor` is asked about, highest last. */
export function marksOf({ points, witness, pull_seq, pull_chain }: LinkRow): LogCursor[] {
  const marks = new Map(
    [...points, witness, { seq: pull_seq, chain: pull_chain }].map(({ seq, chain }) => [
      seq,
      chain,
    ]),
  );
  return [...marks]
    .filter(([seq]) => seq > 0)
    .map(([seq, chain]) => ({ seq, chain }))
    .sort((a, b) => a.seq - b.seq);
}

/**
 * R6: a new generation of the link. `ancestor` is the highest of the marks that the upstream's log
 * still has (0: none), with the epoch that it reported. From there, what is stored here is offered
 * again; nothing is deleted.
 */
export function diverged(row: LinkRow, ancestor: { epoch: string; seq: number }): LinkRow {
  const witness = marksOf(row).find(({ seq }) => seq === ancestor.seq) ?? LOG_START;
  const points = row.points.filter(({ seq }) => seq <= witness.seq);
  const pulled =
    row.pull_seq <= witness.seq
      ? { pull_seq: row.pull_seq, pull_chain: row.pull_chain }
      : { pull_seq: witness.seq, pull_chain: witness.chain };
  const again_to = Math.max(row.again_to, row.push_pos);
  return {
    ...row,
    ...pulled,
    gen: row.gen + 1,
    rev: row.rev + 1,
    epoch: ancestor.epoch,
    push_pos: points.at(-1)?.own ?? 0,
    again_to,
    witness,
    points,
  };
}

/**
 * R7: a new generation of the link without a common position: both sides offer everything again.
 */
export function startOver(row: LinkRow): LinkRow {
  return diverged(row, { epoch: '', seq: 0 });
}

/**
 * R7: compares both sides after the last page, when nothing waits to be sent. `open`: it is too
 * early to compare.
 */
export function verify(
  page: Pick<PullReply, 'more' | 'count' | 'sum'>,
  own: Digest,
  waiting: number,
): 'open' | 'equal' | 'unequal' {
  if (page.more || waiting > 0) return 'open';
  return isSameSet(page, own) ? 'equal' : 'unequal';
}
