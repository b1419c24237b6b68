import Dexie, { type Collection } from 'dexie';
import { type Database, type GestureRow, type MatrixRow, type OutboxRow, rowsOf, type SentRow } from './db.ts';
import type { Draft } from './drafts.ts';
import type { Names } from './names.ts';
import type { ReplicaRows } from './replica-state.ts';

/** Another window, or a later life of this replica, owns the link row now: what was computed against the old one is dropped (R3). */
export class LinkMovedError extends Error {
  override name = 'LinkMovedError';
}

/** One Dexie transaction to be. */
export interface Job {
  /** Changes to seal and put into the outbox, and the journal's record of them. */
  draft?: Draft;
  gesture?: () => GestureRow;
  goneGestures?: readonly string[];
  pastGestures?: readonly string[];
  /** Rows of the replica as they were right after the change; written only by the window that leads. */
  rows?: ReplicaRows;
  /** Acknowledged changes leave the outbox; damaged ones stay, marked. */
  acknowledged?: readonly OutboxRow[];
  damaged?: readonly { row: OutboxRow; reason: string }[];
  /** Entries that the server keeps without applying them. */
  quarantined?: readonly { id: string; entries: number[] }[];
  /** Changes the link row if it is still as the request left it; otherwise nothing of the job is written. */
  link?: { rev: number; change: (row: MatrixRow) => Partial<MatrixRow> };
  /** Replaces the whole replica by these rows. */
  rebuild?: MatrixRow;
  /** Acknowledged changes go back into the outbox (R6). */
  offerAgain?: boolean;
}

/** Acknowledged changes kept per case, to offer again after a server's restore. */
const SENT_KEPT = 4_000;
const SENT_BYTES = 32 * 1024 * 1024;
/** Changes handed to the disk at once, large or acknowledged ones. */
const PUT_AT_ONCE = 16;
const MOVED_AT_ONCE = 400;

export interface JobStoreOptions {
  db: Database;
  matrix: string;
  caseUid: string;
  user: string;
  boot: string;
  names(): Names;
  gen(): number;
  hlc(): string;
  now(): number;
}

/** Puts a job into Dexie, all of it or nothing. */
export class JobStore {
  readonly #options: JobStoreOptions;
  /** Bytes of acknowledged changes kept since the oldest were last let go. */
  #keptBytes = 0;

  constructor(options: JobStoreOptions) {
    this.#options = options;
  }

  /** Answers how many acknowledged changes wait again. `isDetached`: rows of the replica are not those of the disk, and wait until it is read again. */
  async put(job: Job, isDetached: () => boolean): Promise<number> {
    const { db, matrix, caseUid, user, boot } = this.#options;
    const sealed = job.draft?.pieces.flatMap((piece) => piece.sealed ?? []) ?? [];
    let offered = 0;
    const tables = [db.matrices, db.names, db.items, db.blocks, db.details, db.contested, db.outbox, db.sent, db.quarantined, db.gestures, db.meta];
    await db.transaction('rw', tables, async () => {
      // What is asked for together waits for the database once. A refusal below takes all of it back.
      const [row] = await Promise.all([db.matrices.get(matrix), this.#storeGesture(job, sealed)]);
      const owned = row !== undefined && row.boot === boot && row.gen === this.#options.gen() && !isDetached();
      if (job.rebuild !== undefined && row !== undefined && row.boot !== boot) throw new LinkMovedError('Another window leads.');
      if (job.link !== undefined && (!owned || row.rev !== job.link.rev)) throw new LinkMovedError('The link has moved on.');
      if (job.acknowledged !== undefined) await this.#acknowledge(job.acknowledged);
      for (const { row: damaged, reason } of job.damaged ?? []) await db.outbox.where('id').equals(damaged.id).modify({ state: 'damaged', reason });
      if (job.quarantined !== undefined) await db.quarantined.bulkPut(job.quarantined.map((one) => ({ ...one, case_uid: caseUid, user, at: this.#options.now() })));
      if (job.offerAgain === true) offered = await this.#offerAgain();
      if (job.rebuild !== undefined) await this.#clear(job.rebuild);
      // A window that no longer leads keeps its edits (the outbox is common) and leaves the replica to the one that does.
      if (job.rows !== undefined && (owned || job.rebuild !== undefined)) {
        await this.#storeRows(job.rows);
        if (row !== undefined && row.review !== job.rows.review) await db.matrices.update(matrix, { review: job.rows.review });
      }
      if (job.link !== undefined && row !== undefined) await db.matrices.update(matrix, { ...job.link.change(row), rev: row.rev + 1 });
    });
    return offered;
  }

  async #storeGesture(job: Job, sealed: readonly OutboxRow[]): Promise<void> {
    const { db, matrix } = this.#options;
    const puts: PromiseLike<unknown>[] = [];
    if (job.draft !== undefined || job.link !== undefined) puts.push(db.meta.put({ key: 'hlc', value: this.#options.hlc() }));
    if (job.gesture !== undefined) puts.push(db.gestures.put(job.gesture()));
    if (job.goneGestures !== undefined && job.goneGestures.length > 0) puts.push(db.gestures.bulkDelete(job.goneGestures.map((id): [string, string] => [matrix, id])));
    for (const id of job.pastGestures ?? []) puts.push(db.gestures.update([matrix, id], { stack: 'past' }));
    for (let at = 0; at < sealed.length; at += PUT_AT_ONCE) await db.outbox.bulkAdd(sealed.slice(at, at + PUT_AT_ONCE));
    await Promise.all(puts);
  }

  async #storeRows(rows: ReplicaRows): Promise<void> {
    const { db, matrix } = this.#options;
    const names = this.#options.names().takeDirty(matrix, rows.names);
    // Of a key all but one or two of these are empty, and asking the database for nothing takes as long as asking it for something.
    await Promise.all([
      names.length > 0 && db.names.bulkPut(names),
      rows.blocks.length > 0 && db.blocks.bulkPut(rows.blocks),
      rows.items.length > 0 && db.items.bulkPut(rows.items),
      rows.details.length > 0 && db.details.bulkPut(rows.details),
      rows.detailsGone.length > 0 && db.details.bulkDelete(rows.detailsGone),
      rows.contested.length > 0 && db.contested.bulkPut(rows.contested),
      rows.contestedGone.length > 0 && db.contested.bulkDelete(rows.contestedGone),
    ]);
  }

  async #clear(row: MatrixRow): Promise<void> {
    const { db } = this.#options;
    for (const table of [db.names, db.items, db.blocks, db.details, db.contested]) await table.where(':id').between(...rowsOf(row.id)).delete();
    await db.matrices.put(row);
  }

  async #acknowledge(rows: readonly OutboxRow[]): Promise<void> {
    const { db, caseUid, user } = this.#options;
    for (let at = 0; at < rows.length; at += MOVED_AT_ONCE) {
      const some = rows.slice(at, at + MOVED_AT_ONCE);
      const held = await db.outbox.bulkGet(some.map((row) => row.n ?? 0));
      await db.outbox.bulkDelete(held.flatMap((row, place) => (row?.n !== undefined && row.id === some[place]?.id ? row.n : [])));
    }
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    // What is still to be sent would push these out again: they are not even written.
    const waiting = await db.outbox.where('[case_uid+user+state]').equals([caseUid, user, 'waiting']).count();
    if (waiting >= SENT_KEPT || (waiting * bytes) / rows.length > SENT_BYTES) return;
    for (let at = 0; at < rows.length; at += MOVED_AT_ONCE) {
      // What is there already stays as it is.
      await db.sent.bulkAdd(rows.slice(at, at + MOVED_AT_ONCE).map(({ n: _, state: __, reason: ___, ...row }): SentRow => row)).catch((error: unknown) => {
        if (!(error instanceof Dexie.BulkError)) throw error;
      });
    }
    const total = await this.#sent().count();
    if (total > SENT_KEPT) await this.#sent().limit(total - SENT_KEPT).delete();
    this.#keptBytes += bytes;
    if (this.#keptBytes > SENT_BYTES / 4) await this.#trimSent();
  }
  #sent(): Collection<SentRow, number> {
    const { db, caseUid, user } = this.#options;
    return db.sent.where('[case_uid+user]').equals([caseUid, user]);
  }
  async #trimSent(): Promise<void> {
    const { db } = this.#options;
    this.#keptBytes = 0;
    let bytes = 0;
    const old: number[] = [];
    await this.#sent().reverse().each((row) => {
      bytes += row.bytes;
      if (bytes > SENT_BYTES && row.n !== undefined) old.push(row.n);
    });
    await db.sent.bulkDelete(old);
  }

  async #offerAgain(): Promise<number> {
    const { db } = this.#options;
    const rows = await this.#sent().sortBy('n');
    const known = new Set(await db.outbox.where('id').anyOf(rows.map((row) => row.id)).uniqueKeys());
    const again = rows.filter((row) => !known.has(row.id)).map(({ n: _, ...row }): OutboxRow => ({ ...row, state: 'waiting', reason: null }));
    await db.outbox.bulkAdd(again);
    await db.sent.bulkDelete(rows.flatMap((row) => row.n ?? []));
    return again.length;
  }
}
