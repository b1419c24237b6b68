import Dexie from 'dexie';
import { DamagedChangeError, type SealedChange, unseal } from '../../../sync/change.ts';
import { z } from 'zod';
import { PROTOCOL, push, SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { type Failure, failureText, type RefusedCall } from '../../../shared/contract/call.ts';
import { ACTIONS, answerOf } from '../../../sync/answers.ts';
import { afterTaken, blame, isDueAgain, isSuspicious } from '../../../sync/faults.ts';
import { pushAnswer, stampOf, verify } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { applyChange } from '../replica/apply-change.ts';
import type { Database, MatrixRow, OutboxRow } from '../store/db.ts';
import { yieldNowAndThen, yieldToBrowser } from '../replica/yielding.ts';
import { headersOf, isDue, type Link, linkOf, movedTo, type Step, stepOf } from './link.ts';
import type { ChangeIds } from '../store/change-ids.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { readOutboxRows } from '../store/stored-rows.ts';
import type { ReplicaState } from '../replica/replica-state.ts';

/**
 * Rows of the outbox read at once. The first reading is small, since nothing is known yet of how
 * large they are.
 */
const FIRST_READ = 16;
const READ_AT_ONCE = 200;

type Owner = Pick<MatrixRow, 'case_uid' | 'user'>;

/**
 * The oldest unsent changes of a user's copy of a case that fit one request; at least one if there
 * is any.
 */
export async function nextBatch(
  db: Database,
  { case_uid, user }: Owner,
  most: number,
): Promise<OutboxRow[]> {
  const waiting = db.outbox.where('[case_uid+user+state]').equals([case_uid, user, 'waiting']);
  const limit = Math.min(most, SYNC_LIMITS.changes);
  const first = await waiting.clone().limit(Math.min(FIRST_READ, limit)).toArray();
  // Usually there is one change, of a key press, which this first query finds.
  const keys =
    first.length < FIRST_READ
      ? []
      : (await waiting.clone().limit(limit).primaryKeys()).slice(first.length);
  const batch: OutboxRow[] = [];
  let bytes = 0;
  const take = (rows: OutboxRow[]): boolean =>
    rows.every((row) => {
      if (batch.length > 0 && bytes + row.bytes > SYNC_LIMITS.bytes) return false;
      bytes += row.bytes;
      return batch.push(row) > 0;
    });
  let fits = take(readOutboxRows(first));
  for (let at = 0, ahead = READ_AT_ONCE; fits && at < keys.length; at += ahead) {
    // Read as many as will fit, judging by the size of those read so far.
    if (batch.length > 0)
      ahead = Math.min(
        READ_AT_ONCE,
        Math.max(FIRST_READ, Math.ceil(((SYNC_LIMITS.bytes - bytes) * batch.length) / bytes)),
      );
    fits = take(readOutboxRows(await db.outbox.bulkGet(keys.slice(at, at + ahead))));
  }
  return batch;
}

/** Unsent changes, parsed, and the rows whose bytes no longer match their id. */
export interface Unsent {
  changes: SealedChange[];
  damaged: { row: OutboxRow; reason: string }[];
}

/**
 * If more changes than this are missing, all of the case's are read at once, since each look-up is
 * a round trip to the database.
 */
const LOOKED_UP = 200;

const rowsOfCase = (db: Database, { case_uid, user }: Owner) =>
  db.outbox
    .where('[case_uid+user+state]')
    .between([case_uid, user, Dexie.minKey], [case_uid, user, Dexie.maxKey]);

/**
 * Unsent changes of the replica's user that it does not contain, oldest first. Those it does
 * contain may be many and large, so their texts are not read.
 */
export async function readUnsent(
  db: Database,
  owner: Owner,
  changeIds: ChangeIds,
  hasher: Hasher,
): Promise<Unsent> {
  const { case_uid, user } = owner;
  const ids = ((await db.outbox.orderBy('id').uniqueKeys()) as string[]).filter(
    (id) => !changeIds.isApplied(id),
  );
  if (ids.length === 0) return { changes: [], damaged: [] };
  const rows =
    ids.length > LOOKED_UP
      ? await rowsOfCase(db, owner).toArray()
      : await db.outbox.where('id').anyOf(ids).toArray();
  const own = rows.filter(
    (row) => row.case_uid === case_uid && row.user === user && !changeIds.isApplied(row.id),
  );
  return openRows(
    own.sort((a, b) => (a.n ?? 0) - (b.n ?? 0)),
    hasher,
  );
}

/** Rows that cannot be read are left where they are. */
async function openRows(rows: readonly unknown[], hasher: Hasher): Promise<Unsent> {
  const unsent: Unsent = { changes: [], damaged: [] };
  const yieldIfDue = yieldNowAndThen();
  // Reading many rows has blocked the thread, so the browser gets a turn.
  if (rows.length > LOOKED_UP) await yieldToBrowser();
  for (const stored of rows) {
    const [row] = readOutboxRows([stored]);
    if (row === undefined) continue;
    try {
      unsent.changes.push(unseal(row.id, row.text, hasher));
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      unsent.damaged.push({ row, reason: `The copy on this device is damaged (${error.code}).` });
    }
    await yieldIfDue(unsent.changes.at(-1)?.change.entries.length ?? 0);
  }
  return unsent;
}

/** All of a user's unsent changes of a case, refused ones too, oldest first. */
export async function unsentRows(db: Database, owner: Owner): Promise<OutboxRow[]> {
  return readOutboxRows(await rowsOfCase(db, owner).toArray()).sort(
    (a, b) => (a.n ?? 0) - (b.n ?? 0),
  );
}

/** What an outbox contains, and which of its changes the server keeps without applying. */
export interface OutboxCounts {
  /** To be sent, and when the oldest of them was made. */
  waiting: number;
  oldest: number | null;
  /** Refused by the server, kept here. */
  damaged: number;
  quarantined: number;
}
/** Of one user in one case. */
export interface OutboxState extends OutboxCounts, Owner {}
export const EMPTY_OUTBOX: OutboxCounts = { waiting: 0, oldest: null, damaged: 0, quarantined: 0 };

const IndexKey = z.tuple([z.string(), z.string(), z.enum(['waiting', 'damaged']), z.number()]);
const QuarantineKey = z.tuple([z.string(), z.string()]);

/** Counts for every case and user, from the indexes alone: no change is read. */
export function outboxStates(db: Database, caseUid?: string): Promise<OutboxState[]> {
  return db.transaction('r', db.outbox, db.quarantined, async () => {
    const states = new Map<string, OutboxState>();
    const stateOf = (case_uid: string, user: string): OutboxState => {
      const key = JSON.stringify([case_uid, user]);
      const state = states.get(key) ?? { case_uid, user, ...EMPTY_OUTBOX };
      states.set(key, state);
      return state;
    };
    const index = '[case_uid+user+state+created]';
    const rows =
      caseUid === undefined
        ? db.outbox.orderBy(index)
        : db.outbox
            .where(index)
            .between(
              [caseUid, Dexie.minKey, Dexie.minKey, Dexie.minKey],
              [caseUid, Dexie.maxKey, Dexie.maxKey, Dexie.maxKey],
            );
    for (const key of await rows.keys()) {
      const { data } = IndexKey.safeParse(key);
      if (data === undefined) continue;
      const [case_uid, user, state, created] = data;
      const of = stateOf(case_uid, user);
      if (state === 'damaged') of.damaged += 1;
      else {
        of.waiting += 1;
        of.oldest = Math.min(of.oldest ?? created, created);
      }
    }
    for (const key of await db.quarantined.orderBy('[case_uid+user]').keys()) {
      const { data } = QuarantineKey.safeParse(key);
      if (data !== undefined && (caseUid === undefined || data[0] === caseUid))
        stateOf(...data).quarantined += 1;
    }
    return [...states.values()];
  });
}

export async function outboxStateOf(
  db: Database,
  { case_uid, user }: Owner,
): Promise<OutboxCounts> {
  return (await outboxStates(db, case_uid)).find((state) => state.user === user) ?? EMPTY_OUTBOX;
}

/**
 * `most`: changes of the next request, halved to find a refused one. `level`: the answer has shown
 * that both sides hold the same, so there is nothing to read.
 */
interface Pushed {
  step: Step;
  most: number;
  level?: true;
  /** The server has taken the batch. */
  taken?: true;
}

/**
 * Sends the outbox's oldest changes once. Only what a 200 answer names, in the order sent, leaves
 * the outbox (R2).
 */
export async function pushOnce(link: Link, most: number): Promise<Pushed> {
  const batch = await nextBatch(link.db, link.row, most);
  if (link.blocked !== null)
    return {
      step:
        batch.length === 0
          ? { kind: 'done' }
          : { kind: 'parked', problem: link.blocked, why: null },
      most,
    };
  if (batch.length === 0) return { step: { kind: 'done' }, most };
  if (await absorb(link, batch)) return { step: { kind: 'again' }, most };
  const pushed = await deliver(link, batch, most);
  return pushed.failure === undefined || pushed.step.kind !== 'later'
    ? pushed
    : failed(link, batch, pushed, pushed.failure);
}

async function deliver(
  link: Link,
  batch: readonly OutboxRow[],
  most: number,
): Promise<Pushed & { failure?: Failure }> {
  const { life, row } = link;
  const result = await link.client.call(push, {
    params: { caseUid: row.case_uid },
    headers: headersOf(row),
    body: { protocol: PROTOCOL, changes: batch.map(({ id, text }) => ({ id, change: text })) },
    signal: link.signal,
  });
  if (link.life !== life) return { step: { kind: 'again' }, most };
  if (result.kind !== 'ok') {
    if (result.kind === 'refused' && ACTIONS.push[answerOf(result)].do === 'halve')
      return refused(link, batch, result);
    return { step: stepOf(result, 'push'), most, failure: result };
  }
  link.faults = afterTaken(link.faults);
  const { body } = result;
  const current = link.row;
  const ids = batch.map(({ id }) => id);
  const judged = pushAnswer(
    linkOf(current),
    { ...stampOf(row), ids, to: ids.length },
    body,
    link.hasher,
  );
  if (judged.kind === 'diverged') return { step: judged, most };
  if (judged.kind === 'drop')
    return {
      step:
        judged.why === 'stale'
          ? { kind: 'again' }
          : { kind: 'later', online: false, retryAfter: null, problem: null },
      most,
    };
  const sent = new Set(ids);
  const change: Partial<MatrixRow> = {
    ...movedTo(judged.row),
    last_ok: link.now(),
    overlaid: current.overlaid.filter((id) => !sent.has(id)),
  };
  const digest = judged.row.pull_seq > current.pull_seq ? addToDigest(current, ids) : current;
  if (digest !== current) Object.assign(change, digest);
  // A change that was applied on top of the snapshot was in fact contained in it. What superseded
  // it there is not known here, so the snapshot has to be read again.
  if (
    body.results.some(
      (answer) => answer.seq <= current.base_seq && current.overlaid.includes(answer.id),
    )
  )
    change.schema = 0;
  const quarantined = body.results
    .filter((answer) => answer.quarantined.length > 0)
    .map((answer) => ({ id: answer.id, entries: answer.quarantined }));
  await link.writer.enqueue({
    acknowledged: batch,
    quarantined,
    link: { rev: current.rev, change: () => change },
  });
  // The browser may have deleted its storage meanwhile; the copy that is then read again has a row
  // of its own.
  if (link.life !== life) return { step: { kind: 'again' }, most };
  link.row = { ...current, ...change, rev: current.rev + 1 };
  const isLevel =
    digest !== current &&
    !isDue(link.row) &&
    verify({ ...body, more: false }, digest, 0) === 'equal';
  return {
    step: { kind: 'again' },
    most: SYNC_LIMITS.changes,
    taken: true,
    ...(isLevel && { level: true }),
  };
}

/**
 * Applies what other windows put into the outbox: nothing is sent before it is part of this
 * replica. Returns true where the next batch must be chosen again.
 */
async function absorb(link: Link, rows: readonly OutboxRow[]): Promise<boolean> {
  const { life, state } = link;
  const missing = rows.filter(({ id }) => !state.changeIds.isApplied(id));
  return missing.length > 0 && takeIn(link, await openRows(missing, link.hasher), life);
}

/** Applies unsent changes that were read, unless the replica was replaced since they were. */
export async function takeIn(link: Link, unsent: Unsent, life: number): Promise<boolean> {
  if (link.life !== life) return true;
  link.writer.encodeAll();
  const { state } = link;
  const added = overlay(state, unsent, link.own);
  const { damaged } = unsent;
  if (damaged.length > 0) await link.writer.enqueue({ damaged });
  if (added.length === 0) return damaged.length > 0;
  state.arrange();
  state.store.publish();
  await link.writer.enqueue({ rows: state.takeChanged() });
  return damaged.length > 0;
}

/**
 * Applies unsent changes on top of what the server has; returns the ids of those that were not
 * there yet.
 */
export function overlay(state: ReplicaState, { changes }: Unsent, own: RecordedBy): string[] {
  const added = changes.filter(({ id }) => !state.changeIds.isApplied(id));
  for (const change of added) applyChange(state, change, own);
  return added.map(({ id }) => id);
}

/**
 * Handles a batch that the server refuses: halves it; when a single change is left, marks it and
 * keeps its bytes.
 */
async function refused(
  link: Link,
  batch: readonly OutboxRow[],
  refusal: RefusedCall,
): Promise<Pushed> {
  const [row] = batch;
  if (batch.length > 1) return { step: { kind: 'again' }, most: Math.ceil(batch.length / 2) };
  if (row !== undefined)
    await link.writer.enqueue({
      damaged: [{ row, reason: `${refusal.code}: ${refusal.message}`.slice(0, 500) }],
    });
  return { step: { kind: 'again' }, most: SYNC_LIMITS.changes };
}

const asideReason = (failure: Failure): string =>
  `The server fails on it: ${failureText(failure)}`.slice(0, 500);

/**
 * R12: a batch that the server fails on again and again, although it answers other questions, is
 * halved; a single change is set aside.
 */
async function failed(
  link: Link,
  batch: readonly OutboxRow[],
  pushed: Pushed,
  failure: Failure,
): Promise<Pushed> {
  const [row] = batch;
  if (row === undefined || !isSuspicious(answerOf(failure))) return pushed;
  const { life } = link;
  const { faults, verdict } = blame(
    link.faults,
    { head: row.id, size: batch.length },
    link.elapsed(),
    await link.answers(),
  );
  if (link.life !== life) return pushed;
  link.faults = faults;
  if (verdict === 'wait') return pushed;
  if (verdict === 'halve') return { step: { kind: 'again' }, most: Math.ceil(batch.length / 2) };
  if (verdict === 'set_aside') {
    await link.writer.enqueue({
      damaged: [
        { row, reason: asideReason(failure), aside: { at: link.now(), versions: link.versions } },
      ],
    });
    link.faults = null;
    link.doubtful = true;
  }
  return { step: { kind: 'again' }, most: verdict === 'again' ? 1 : SYNC_LIMITS.changes };
}

/** Most changes that were set aside and are offered again in one turn. */
const ASIDE_AT_ONCE = 20;

/**
 * R12: offers what was set aside again, each change alone. `taken`: the server has taken something
 * in this turn.
 */
export async function offerAside(link: Link, taken: boolean): Promise<void> {
  const {
    db,
    row: { case_uid, user },
  } = link;
  const all = taken && link.doubtful;
  if (taken) link.doubtful = false;
  const kept = readOutboxRows(
    await db.outbox.where('[case_uid+user+state]').equals([case_uid, user, 'damaged']).toArray(),
  );
  const due = kept.filter(
    ({ aside }) => aside !== undefined && (all || isDueAgain(aside, link.now(), link.versions)),
  );
  for (const row of due
    .sort((a, b) => (a.aside?.at ?? 0) - (b.aside?.at ?? 0))
    .slice(0, ASIDE_AT_ONCE)) {
    const { failure } = await deliver(link, [row], 1);
    if (failure === undefined) continue;
    if (!isSuspicious(answerOf(failure)) || !(await link.answers())) return;
    await link.writer.enqueue({
      damaged: [
        { row, reason: asideReason(failure), aside: { at: link.now(), versions: link.versions } },
      ],
    });
  }
}
