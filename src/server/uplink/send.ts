import {
  missing,
  PROTOCOL,
  push,
  SYNC_LIMITS,
  type WireChange,
} from '../../shared/contract/sync.ts';
import type { Failure } from '../../shared/contract/call.ts';
import { afterTaken, isDueAgain } from '../../sync/faults.ts';
import type { ParkReason } from '../../sync/answers.ts';
import {
  type Judged,
  missingAnswer,
  passOver,
  type PushReply,
  pushAnswer,
  stampOf,
  witnessOf,
} from '../../sync/link.ts';
import { originOf } from '../storage/replication/links.ts';
import { asideNow, blameFor, codeOf } from './blame.ts';
import { sendAnnounced } from './courier.ts';
import { type Line, type LinkState, moveTo, type Turn, turnOf } from './line.ts';
import { PARKED } from './words.ts';

const MAX_IDS = 5_000;
const OTHER_USER: Turn = { kind: 'parked', why: 'other_user', problem: PARKED.other_user };

export type Sendable = WireChange & { seq: number };

/**
 * The outcome of sending; `reply` is the other side's answer to the last push, if one was answered.
 */
export interface Sent {
  turn: Turn;
  reply: PushReply | undefined;
  /** Why the other side took nothing. */
  failure?: Failure;
}

const DONE = { kind: 'done' } as const satisfies Turn;
const STALE = {
  kind: 'later',
  host: false,
  online: true,
  retryAfter: null,
  problem: null,
} as const satisfies Turn;

/**
 * Stores the row that follows from an answer. Returns what the turn must do instead where the
 * answer cannot be used.
 */
async function apply(line: Line, link: LinkState, judged: Judged): Promise<Turn | undefined> {
  if (judged.kind === 'diverged') return { kind: 'diverged' };
  if (judged.kind === 'drop') return judged.why === 'stale' ? STALE : { ...STALE, online: false };
  const last_ok = new Date(line.now()).toISOString();
  await moveTo(line, link, { ...link.row, ...judged.row, last_ok });
  return undefined;
}

/**
 * Sends these changes. `to` is the own position up to which everything is there once they are (R2).
 */
export async function pushChanges(
  line: Line,
  link: LinkState,
  changes: readonly WireChange[],
  to: number,
): Promise<Sent> {
  const request = { ...stampOf(link.row), ids: changes.map(({ id }) => id), to };
  const result = await line.client.call(push, {
    params: { caseUid: link.stream },
    headers: witnessOf(link.row),
    signal: line.signal,
    body: { protocol: PROTOCOL, changes: changes.map(({ id, change }) => ({ id, change })) },
  });
  if (result.kind !== 'ok') {
    line.failed(link.stream, 'push', result);
    return { turn: turnOf(result, 'push'), reply: undefined, failure: result };
  }
  link.faults = afterTaken(link.faults);
  const turn = await apply(line, link, pushAnswer(link.row, request, result.body, line.hasher));
  return { turn: turn ?? DONE, reply: turn === undefined ? result.body : undefined };
}

/**
 * Halves a refused batch until a single change is left. That one is marked and kept here, and the
 * others are sent.
 */
async function halve(
  line: Line,
  link: LinkState,
  batch: readonly Sendable[],
  code: string,
): Promise<void> {
  const [first] = batch;
  if (batch.length > 1 || first === undefined) {
    link.most = Math.max(1, Math.floor(batch.length / 2));
    return;
  }
  await line.store.transact((writer) =>
    writer.uplinkWrites.refuse(line.account, link.stream, first.seq, code),
  );
  link.most = SYNC_LIMITS.changes;
}

/**
 * R12: what the other side fails on again and again is halved as well; a single change is set
 * aside. Returns whether to go on at once.
 */
async function setAside(
  line: Line,
  link: LinkState,
  batch: readonly Sendable[],
  failure: Failure,
): Promise<boolean> {
  const [first] = batch;
  const verdict = await blameFor(
    line,
    link,
    { head: first?.id ?? '', size: batch.length },
    failure,
  );
  if (verdict === 'wait' || first === undefined) return false;
  if (verdict === 'halve') link.most = Math.max(1, Math.floor(batch.length / 2));
  if (verdict === 'set_aside') {
    await line.store.transact((writer) =>
      writer.uplinkWrites.refuse(
        line.account,
        link.stream,
        first.seq,
        codeOf(failure),
        asideNow(line),
      ),
    );
    Object.assign(link, { most: SYNC_LIMITS.changes, faults: null, doubtful: true });
  }
  return true;
}

/**
 * A studio's key may bring what others wrote. Where the other side refuses an author all the same,
 * that concerns their changes alone: those that it names are set aside, and the others go. Returns
 * whether to go on; a key that is no studio's holds everything back.
 */
async function withoutAuthor(
  line: Line,
  link: LinkState,
  batch: readonly Sendable[],
  failure: Failure,
): Promise<boolean> {
  if (
    failure.kind !== 'refused' ||
    failure.code !== 'author_not_allowed' ||
    !(await line.isStudio())
  )
    return false;
  const named = failure.details.flatMap(
    ({ path }) => batch[Number(/^\/changes\/(\d+)/.exec(path)?.[1] ?? '-1')] ?? [],
  );
  if (named.length === 0 && batch.length > 1) {
    link.most = Math.max(1, Math.floor(batch.length / 2));
    return true;
  }
  await line.store.transact(async (writer) => {
    for (const { seq } of named.length > 0 ? named : batch)
      await writer.uplinkWrites.refuse(
        line.account,
        link.stream,
        seq,
        failure.code,
        asideNow(line),
      );
  });
  link.most = SYNC_LIMITS.changes;
  return true;
}

/**
 * Sends one batch, preceded by the content of the runs that it announces. `again`: go on with the
 * next batch.
 */
async function pushBatch(
  line: Line,
  link: LinkState,
  batch: readonly Sendable[],
  to: number,
): Promise<Sent & { again: boolean }> {
  const ready = await sendAnnounced(line, link, batch);
  if (ready !== undefined) return { turn: ready, reply: undefined, again: false };
  const sent = await pushChanges(line, link, batch, to);
  if (sent.turn.kind === 'halve') {
    await halve(line, link, batch, sent.turn.mark);
    return { turn: DONE, reply: undefined, again: true };
  }
  if (sent.failure !== undefined && (await withoutAuthor(line, link, batch, sent.failure)))
    return { turn: DONE, reply: undefined, again: true };
  if (sent.failure !== undefined && sent.turn.kind === 'later') {
    if (await setAside(line, link, batch, sent.failure))
      return { turn: DONE, reply: undefined, again: true };
    // The other side answers: the other links need not wait.
    return {
      ...sent,
      turn: { ...sent.turn, host: sent.turn.host && link.faults === null },
      again: false,
    };
  }
  if (sent.turn.kind === 'done') link.most = Math.min(SYNC_LIMITS.changes, link.most * 2);
  return { ...sent, again: sent.turn.kind === 'done' };
}

/** Cuts changes into batches that fit one request. */
function* batchesOf(changes: readonly Sendable[], most: number): Generator<Sendable[]> {
  let batch: Sendable[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = Buffer.byteLength(change.change) + 200;
    if (batch.length > 0 && (batch.length >= most || bytes + size > SYNC_LIMITS.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(change);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * R6: of the changes that were sent in an earlier generation of the link, sends only those that are
 * missing on the other side now.
 */
async function offerAgain(line: Line, link: LinkState): Promise<Sent & { again: boolean }> {
  const { store, account } = line;
  const { push_pos, again_to } = link.row;
  const asked = await store.read((reader) =>
    reader.log.ids(account, link.stream, push_pos, again_to, {
      notOrigin: originOf(link.row),
      limit: MAX_IDS,
    }),
  );
  const to = asked.length < MAX_IDS ? again_to : (asked.at(-1)?.seq ?? again_to);
  if (asked.length === 0) {
    await moveTo(line, link, { ...link.row, ...passOver(link.row, to) });
    return { turn: DONE, reply: undefined, again: true };
  }
  const request = { ...stampOf(link.row), ids: asked.map(({ id }) => id), to };
  const result = await line.client.call(missing, {
    params: { caseUid: link.stream },
    headers: witnessOf(link.row),
    body: { ids: request.ids },
    signal: line.signal,
  });
  if (result.kind !== 'ok') {
    line.failed(link.stream, 'missing', result);
    return { turn: turnOf(result, 'push'), reply: undefined, again: false };
  }
  const judged = missingAnswer(link.row, request, result.body);
  const turn = await apply(line, link, judged);
  if (turn !== undefined) return { turn, reply: undefined, again: false };
  const wanted = new Set(judged.send);
  const seqs = asked.filter(({ id }) => wanted.has(id)).map(({ seq }) => seq);
  for (let start = 0; start < seqs.length; start += SYNC_LIMITS.changes) {
    const part = seqs.slice(start, start + SYNC_LIMITS.changes);
    const changes = await store.read((reader) => reader.log.at(account, link.stream, part));
    for (const batch of batchesOf(changes, link.most)) {
      const last = batch.at(-1)?.seq as number;
      const sent = await pushBatch(line, link, batch, last === seqs.at(-1) ? to : last);
      // A refused batch shows up again at the next question; what was sent before it is no longer
      // missing then.
      if (!sent.again || sent.reply === undefined) return sent;
    }
  }
  return { turn: DONE, reply: undefined, again: true };
}

/** Sends one batch of what waits. `again`: there may be more. */
async function pushOnce(line: Line, link: LinkState): Promise<Sent & { again: boolean }> {
  const { store, account } = line;
  if (link.row.push_pos < link.row.again_to) return offerAgain(line, link);
  const { push_pos } = link.row;
  const tail = await store.read((reader) =>
    reader.log.tail(account, link.stream, push_pos, {
      notOrigin: originOf(link.row),
      limit: link.most,
      bytes: SYNC_LIMITS.bytes,
    }),
  );
  if (tail.changes.length === 0) {
    if (tail.to > push_pos)
      await moveTo(line, link, { ...link.row, ...passOver(link.row, tail.to) });
    return { turn: DONE, reply: undefined, again: tail.more };
  }
  // Changes that the other side itself sent here are not sent back, except in recovery.
  const foreign = tail.changes.findIndex(
    ({ actor }) => actor !== null && !line.mayStandFor.has(actor),
  );
  if (foreign === 0) return { turn: OTHER_USER, reply: undefined, again: false };
  const batch = foreign < 0 ? tail.changes : tail.changes.slice(0, foreign);
  return pushBatch(line, link, batch, foreign < 0 ? tail.to : (batch.at(-1)?.seq as number));
}

/** Sends all that waits; returns the last reply. */
export async function pushAll(line: Line, link: LinkState): Promise<Sent> {
  let reply: PushReply | undefined;
  for (;;) {
    const sent = await pushOnce(line, link);
    reply = sent.reply ?? reply;
    if (!sent.again) return { turn: sent.turn, reply };
    if (line.signal.aborted) return { turn: STALE, reply };
  }
}

/** Most changes that were set aside and are offered again in one turn. */
const ASIDE_AT_ONCE = 20;

/**
 * R12: offers what was set aside again, each change alone: after an upgrade of either side, when a
 * person asks, after a while, and once when something was taken since, which shows that the other
 * side can take changes at all. Returns whether one of them was taken.
 */
export async function offerAside(line: Line, link: LinkState, taken: boolean): Promise<boolean> {
  const { store, account } = line;
  const all = link.offer || (taken && link.doubtful);
  link.offer = false;
  if (taken) link.doubtful = false;
  const aside = (await store.read((reader) => reader.uplink.aside(account))).filter(
    ({ stream }) => stream === link.stream,
  );
  const due = aside.filter(
    ({ at, versions }) =>
      all || isDueAgain({ at: Date.parse(at), versions }, line.now(), line.versions()),
  );
  let accepted = false;
  for (const { seq } of due.slice(0, ASIDE_AT_ONCE)) {
    const [change] = await store.read((reader) => reader.log.at(account, link.stream, [seq]));
    if (change === undefined || line.signal.aborted) return accepted;
    const { turn, failure } = await pushChanges(line, link, [change], link.row.push_pos);
    if (turn.kind === 'done') {
      await store.transact((writer) => writer.uplinkWrites.accept(account, link.stream, seq));
      accepted = true;
    } else if (turn.kind === 'halve')
      await store.transact((writer) =>
        writer.uplinkWrites.refuse(account, link.stream, seq, turn.mark),
      );
    else if (failure !== undefined && (await withoutAuthor(line, link, [change], failure)))
      continue;
    else if (failure === undefined || turn.kind !== 'later' || !(await line.answers()))
      return accepted;
    else
      await store.transact((writer) =>
        writer.uplinkWrites.refuse(account, link.stream, seq, codeOf(failure), asideNow(line)),
      );
  }
  return accepted;
}

/** Sends nothing, since the other side would not take it; reports whether anything waits. */
export async function holdBack(line: Line, link: LinkState, why: ParkReason): Promise<Sent> {
  const { store, account } = line;
  const { push_pos } = link.row;
  const tail = await store.read((reader) =>
    reader.log.tail(account, link.stream, push_pos, {
      notOrigin: originOf(link.row),
      limit: 1,
      bytes: 1,
    }),
  );
  return {
    turn: tail.changes.length === 0 ? DONE : { kind: 'parked', why, problem: PARKED[why] },
    reply: undefined,
  };
}
