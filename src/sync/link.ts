/**
 * A link: one store's relation to its upstream for one stream. The row is changed by these functions alone, written in the transaction
 * of the data it speaks of (R1), and only while it is still the row that the request was made by (R3).
 */
import type { Hasher } from '../shared/lib/hash.ts';
import { chainOver, type Digest, EMPTY_CHAIN, isSameSet, LOG_START, type Mark } from './log.ts';

/** A place in the upstream's log that was seen, and the place in the own log up to which all changes are among those before it. */
export interface Point extends Mark {
  own: number;
}

export interface LinkRow {
  /** Each life of the link has its number: "came from there" holds within one only (R4). */
  gen: number;
  /** Grows with every use of an answer. */
  rev: number;
  /** The process that writes the row. */
  boot: string;
  /** The upstream's, '' until its first answer. */
  epoch: string;
  /** Own changes up to here are there (R2). */
  push_pos: number;
  /** Own changes up to here were there in a former life: `missing` tells which are still, so that only the others are sent again. */
  again_to: number;
  /** The upstream's changes up to here are here. */
  pull_seq: number;
  pull_chain: string;
  /** The highest place seen, in answers to pushes too (R5). */
  witness: Mark;
  /** Places seen before, ever fewer the longer ago: where a diverged log is resumed (R6). Oldest first. */
  points: readonly Point[];
}

export function freshLink(boot: string, gen = 1): LinkRow {
  return { gen, rev: 0, boot, epoch: '', push_pos: 0, again_to: 0, pull_seq: 0, pull_chain: EMPTY_CHAIN, witness: LOG_START, points: [] };
}

/** The header of every request. None before the first answer. */
export function witnessOf({ epoch, witness }: Pick<LinkRow, 'epoch' | 'witness'>): Record<string, string> {
  return epoch === '' ? {} : { 'sync-witness': `${epoch};${witness.seq};${witness.chain}` };
}

/** R4: marks what came from there in this life of the link; with another life it stops meaning anything. */
export const originOf = ({ epoch, gen }: Pick<LinkRow, 'epoch' | 'gen'>): string => `${epoch}/${gen}`;

/** The row as a request found it. */
export type Stamp = Pick<LinkRow, 'gen' | 'rev' | 'boot'>;
export const stampOf = ({ gen, rev, boot }: Stamp): Stamp => ({ gen, rev, boot });

/** R3: whether an answer to a request may still be used. */
export function isCurrent(row: Stamp, stamp: Stamp): boolean {
  return row.boot === stamp.boot && row.gen === stamp.gen && row.rev === stamp.rev;
}

/** `ids` in the order sent; `to` is the own position that the request covers, changes that came from there included. */
export interface PushRequest extends Stamp {
  ids: readonly string[];
  to: number;
}
export interface PushReply extends Mark, Digest {
  epoch: string;
  results: readonly { id: string; seq: number }[];
}
export interface PullRequest extends Stamp {
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

/** `unfit`: cut short, or not the continuation of what was read; `stale`: meant for a former row. Nothing of either is used. */
export type Judged = { kind: 'use'; row: LinkRow } | { kind: 'drop'; why: 'stale' | 'unfit' } | { kind: 'diverged' };

/** Points kept for each fourfold of distance from the newest. */
const POINTS_PER_SPAN = 2;

function withPoint(points: readonly Point[], point: Point): Point[] {
  const kept: Point[] = [];
  const held = new Map<number, number>();
  // The oldest of a span go last: with time they move on into the next one.
  for (const other of points) {
    if (other.seq >= point.seq) continue;
    const span = Math.floor(Math.log2(point.seq - other.seq) / 2);
    const count = held.get(span) ?? 0;
    if (count < POINTS_PER_SPAN) kept.push(other);
    held.set(span, count + 1);
  }
  return [...kept, point];
}

/** R5: the witness never goes back within a life. */
function seen(row: LinkRow, mark: Mark): LinkRow {
  if (mark.seq < row.witness.seq) return row;
  const { seq, chain } = mark;
  return { ...row, witness: { seq, chain }, points: withPoint(row.points, { seq, chain, own: row.push_pos }) };
}

/** If the log grew by nothing but what was sent (its chain proves it), there is no need to read that back. */
function readOwn(row: LinkRow, reply: PushReply, hasher: Hasher): LinkRow {
  const { results } = reply;
  if (reply.seq !== row.pull_seq + results.length || results.some(({ seq }, at) => seq !== row.pull_seq + 1 + at)) return row;
  const chain = chainOver(row.pull_chain, results.map(({ id }) => id), hasher);
  return chain === reply.chain ? { ...row, pull_seq: reply.seq, pull_chain: chain } : row;
}

/** The row after a 200 to a push. */
export function pushAnswer(row: LinkRow, request: PushRequest, reply: PushReply, hasher: Hasher): Judged {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && reply.epoch !== row.epoch) return { kind: 'diverged' };
  const { ids } = request;
  if (reply.results.length !== ids.length || reply.results.some(({ id }, at) => id !== ids[at])) return { kind: 'drop', why: 'unfit' };
  const next: LinkRow = { ...row, rev: row.rev + 1, epoch: reply.epoch, push_pos: request.to };
  return { kind: 'use', row: seen(readOwn(next, reply, hasher), reply) };
}

/** The row after a 200 to a request for changes; the page goes into the log in the same transaction, whole. */
export function pullAnswer(row: LinkRow, request: PullRequest, page: PullReply, hasher: Hasher): Judged {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && page.epoch !== row.epoch) return { kind: 'diverged' };
  const { from, to, n, changes } = page;
  const fits = from === row.pull_seq && from === request.from && n === changes.length && to === from + n && changes.every(({ seq }, at) => seq === from + 1 + at);
  if (!fits || chainOver(row.pull_chain, changes.map(({ id }) => id), hasher) !== page.chain) return { kind: 'drop', why: 'unfit' };
  return { kind: 'use', row: seen({ ...row, rev: row.rev + 1, epoch: page.epoch, pull_seq: to, pull_chain: page.chain }, { seq: to, chain: page.chain }) };
}

export interface MissingReply extends Mark {
  epoch: string;
  missing: readonly string[];
}

/**
 * The row after an answer of `missing`, and what of the asked changes is to be sent. Where that is nothing, the whole range is there;
 * else the push that follows covers it.
 */
export function missingAnswer(row: LinkRow, request: PushRequest, reply: MissingReply): Judged & { send?: readonly string[] } {
  if (!isCurrent(row, request)) return { kind: 'drop', why: 'stale' };
  if (row.epoch !== '' && reply.epoch !== row.epoch) return { kind: 'diverged' };
  const missing = new Set(reply.missing);
  const send = request.ids.filter((id) => missing.has(id));
  const next: LinkRow = { ...row, rev: row.rev + 1, epoch: reply.epoch, push_pos: send.length === 0 ? request.to : row.push_pos };
  return { kind: 'use', row: seen(next, reply), send };
}

/** The row after nothing but changes that came from there: they are not sent back. */
export function passOver(row: LinkRow, to: number): LinkRow {
  return { ...row, rev: row.rev + 1, push_pos: to };
}

/** The row after a page was stored, with the length of the own log before and after: where nothing waited to be sent, nothing does now. */
export function passAlong<Row extends LinkRow>(row: Row, before: number, after: number): Row {
  return row.push_pos === before ? { ...row, push_pos: after } : row;
}

/** What `ancestor` is asked with: places of the upstream's log as it was seen, highest last. */
export function marksOf({ points, witness, pull_seq, pull_chain }: LinkRow): Mark[] {
  const marks = new Map([...points, witness, { seq: pull_seq, chain: pull_chain }].map(({ seq, chain }) => [seq, chain]));
  return [...marks].filter(([seq]) => seq > 0).map(([seq, chain]) => ({ seq, chain })).sort((a, b) => a.seq - b.seq);
}

/**
 * R6: a new life of the link, from `ancestor`, the highest of the marks that the upstream's log still has (0: none). What is here is
 * offered again from there; nothing is deleted. `epoch` is the one that the upstream told with it.
 */
export function diverged(row: LinkRow, ancestor: { epoch: string; seq: number }): LinkRow {
  const witness = marksOf(row).find(({ seq }) => seq === ancestor.seq) ?? LOG_START;
  const points = row.points.filter(({ seq }) => seq <= witness.seq);
  const pulled = row.pull_seq <= witness.seq ? { pull_seq: row.pull_seq, pull_chain: row.pull_chain } : { pull_seq: witness.seq, pull_chain: witness.chain };
  const again_to = Math.max(row.again_to, row.push_pos);
  return { ...row, ...pulled, gen: row.gen + 1, rev: row.rev + 1, epoch: ancestor.epoch, push_pos: points.at(-1)?.own ?? 0, again_to, witness, points };
}

/** R7 without an ancestor to trust: both sides tell everything again. */
export function startOver(row: LinkRow): LinkRow {
  return diverged(row, { epoch: '', seq: 0 });
}

/** R7: after a last page with nothing unsent both sides hold one set. `open`: not yet the moment to compare. */
export function verify(page: Pick<PullReply, 'more' | 'count' | 'sum'>, own: Digest, waiting: number): 'open' | 'equal' | 'unequal' {
  if (page.more || waiting > 0) return 'open';
  return isSameSet(page, own) ? 'equal' : 'unequal';
}
