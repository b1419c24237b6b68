import { type CaseUid, known } from '../../../shared/contract/ids.ts';
import Dexie from 'dexie';
import { DamagedChangeError, type SealedChange, unseal } from '../../../sync/change.ts';
import { z } from 'zod';
import { SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { applyChange } from '../replica/apply-change.ts';
import type { Database, MatrixRow, OutboxRow } from '../store/db.ts';
import { yieldNowAndThen, yieldToBrowser } from '../replica/yielding.ts';
import type { Link } from './link.ts';
import type { ChangeIds } from '../store/change-ids.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { outboxRowsAt } from '../store/outbox-rows.ts';
import { readOutboxRows } from '../store/stored-rows.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { t } from '../../text/t.ts';

/**
 * Rows of the outbox read at once. The first reading is small, since nothing is known yet of how
 * large they are.
 */
const FIRST_READ = 16;
const READ_AT_ONCE = 200;

type OutboxOwner = Pick<MatrixRow, 'case_uid' | 'user'>;

/**
 * The oldest unsent changes of a user's copy of a case that fit one request; at least one if there
 * is any. `more`: there may be others.
 */
export async function nextBatch(
  db: Database,
  { case_uid, user }: OutboxOwner,
  most: number,
): Promise<{ batch: OutboxRow[]; more: boolean }> {
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
    fits = take(readOutboxRows(await outboxRowsAt(db, keys.slice(at, at + ahead))));
  }
  return { batch, more: !fits || batch.length === limit };
}

/** Unsent changes, parsed, and the rows whose bytes no longer match their id. */
export interface UnsentChanges {
  changes: SealedChange[];
  damaged: { row: OutboxRow; reason: string }[];
}

/**
 * If more changes than this are missing, all of the case's are read at once, since each look-up is
 * a round trip to the database.
 */
const LOOKED_UP = 200;

const rowsOfCase = (db: Database, { case_uid, user }: OutboxOwner) =>
  db.outbox
    .where('[case_uid+user+state]')
    .between([case_uid, user, Dexie.minKey], [case_uid, user, Dexie.maxKey]);

/**
 * Unsent changes of the replica's user that it does not contain, oldest first. Those it does
 * contain may be many and large, so their texts are not read.
 */
export async function readUnsent(
  db: Database,
  owner: OutboxOwner,
  changeIds: ChangeIds,
  hasher: Hasher,
): Promise<UnsentChanges> {
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
export async function openRows(rows: readonly unknown[], hasher: Hasher): Promise<UnsentChanges> {
  const unsent: UnsentChanges = { changes: [], damaged: [] };
  const yieldIfDue = yieldNowAndThen();
  // Reading many rows has blocked the thread, so the browser may work.
  if (rows.length > LOOKED_UP) await yieldToBrowser();
  for (const stored of rows) {
    const [row] = readOutboxRows([stored]);
    if (row === undefined) continue;
    try {
      unsent.changes.push(unseal(row.id, row.text, hasher));
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      unsent.damaged.push({
        row,
        reason: t('The copy on this device is damaged ({code}).', { code: error.code }),
      });
    }
    await yieldIfDue(unsent.changes.at(-1)?.change.entries.length ?? 0);
  }
  return unsent;
}

/** All of a user's unsent changes of a case, refused ones too, oldest first. */
export async function unsentRows(db: Database, owner: OutboxOwner): Promise<OutboxRow[]> {
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
export interface OutboxState extends OutboxCounts, OutboxOwner {}
export const EMPTY_OUTBOX: OutboxCounts = { waiting: 0, oldest: null, damaged: 0, quarantined: 0 };

const IndexKey = z.tuple([known.caseUid, z.string(), z.enum(['waiting', 'damaged']), z.number()]);
const QuarantineKey = z.tuple([known.caseUid, z.string()]);

/** Any number: whatever else a damaged row has there is not counted. */
const ANY_TIME = [-Infinity, Infinity] as const;
const BY_STATE = '[case_uid+user+state+created]';

/** Counts for every case and user, from the indexes alone: no change is read. */
export function outboxStates(db: Database): Promise<OutboxState[]> {
  return db.transaction('r', db.outbox, db.quarantined, async () => {
    const states = new Map<string, OutboxState>();
    const stateOf = (case_uid: CaseUid, user: string): OutboxState => {
      const key = JSON.stringify([case_uid, user]);
      const state = states.get(key) ?? { case_uid, user, ...EMPTY_OUTBOX };
      states.set(key, state);
      return state;
    };
    for (const key of await db.outbox.orderBy(BY_STATE).keys()) {
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
      if (data !== undefined) stateOf(...data).quarantined += 1;
    }
    return [...states.values()];
  });
}

/** The same of one user in one case, counted by the database: it is asked after every batch. */
export function outboxStateOf(
  db: Database,
  { case_uid, user }: OutboxOwner,
): Promise<OutboxCounts> {
  const within = (state: OutboxRow['state']) => {
    const [from, to] = ANY_TIME.map((at) => [case_uid, user, state, at]);
    return db.outbox.where(BY_STATE).between(from, to, true, true);
  };
  return db.transaction('r', db.outbox, db.quarantined, async () => {
    const [waiting, first, damaged, quarantined] = await Promise.all([
      within('waiting').count(),
      within('waiting').limit(1).keys(),
      within('damaged').count(),
      db.quarantined.where('[case_uid+user]').equals([case_uid, user]).count(),
    ]);
    const oldest = IndexKey.safeParse(first[0]).data?.[3] ?? null;
    return { waiting, oldest, damaged, quarantined };
  });
}

/**
 * Applies what other windows put into the outbox: nothing is sent before it is part of this
 * replica. Returns true where the next batch must be chosen again.
 */
export async function absorb(link: Link, rows: readonly OutboxRow[]): Promise<boolean> {
  const { life, state } = link;
  const missing = rows.filter(({ id }) => !state.changeIds.isApplied(id));
  return missing.length > 0 && takeIn(link, await openRows(missing, link.hasher), life);
}

/** Applies unsent changes that were read, unless the replica was replaced since they were. */
export async function takeIn(link: Link, unsent: UnsentChanges, life: number): Promise<boolean> {
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
export function overlay(
  state: ReplicaState,
  { changes }: UnsentChanges,
  own: RecordedBy,
): string[] {
  const added = changes.filter(({ id }) => !state.changeIds.isApplied(id));
  for (const change of added) applyChange(state, change, own);
  return added.map(({ id }) => id);
}
