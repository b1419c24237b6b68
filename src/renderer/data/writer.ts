import Dexie, { type Collection } from 'dexie';
import { type Database, type GestureRow, type MatrixRow, type OutboxRow, rowsOf, type SentRow } from './db.ts';
import { type Draft, sealPiece, type SealPorts } from './drafts.ts';
import { breather, giveWay } from './give-way.ts';
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
/** Unacknowledged changes kept in memory besides the disk. */
const KEPT = 1_000;
const KEPT_BYTES = 128 * 1024 * 1024;
/** Changes handed to the disk at once, large or acknowledged ones. */
const PUT_AT_ONCE = 16;
const MOVED_AT_ONCE = 400;
/** Entries of a gesture whose sealing is felt. */
const LARGE = 500;

export interface WriterOptions {
  db: Database;
  matrix: string;
  caseUid: string;
  user: string;
  boot: string;
  ports: SealPorts;
  names(): Names;
  gen(): number;
  hlc(): string;
  now(): number;
  /** A transaction failed: memory is ahead of the disk and must be read again. */
  onFailure(error: unknown, job: Job): void;
  /** `offered`: acknowledged changes that wait again. */
  onStored(job: Job, offered: number): void;
  /** Told after every job, written or not. */
  onSettled(): void;
}

/**
 * Writes to Dexie in the order in which memory changed, one transaction a change of memory, so that the disk always holds a state that was
 * shown once, with the outbox entries that led to it.
 */
export class Writer {
  readonly #options: WriterOptions;
  #tail: Promise<void> = Promise.resolve();
  #jobs = 0;
  #unsealed: Draft[] = [];
  #failed = false;
  /** Bytes of acknowledged changes kept since the oldest were last let go. */
  #keptBytes = 0;
  /** Memory holds something that was not written because the link moved: replica rows wait until it is read again. */
  #detached = false;
  /** Changes of this window that nobody has acknowledged: should the browser throw its storage away, they go back into it. */
  readonly #kept = new Map<string, OutboxRow>();
  /** Changes that could not be stored and are still on screen. */
  #lost: OutboxRow[] = [];
  /** Grows with each job: tells whether anything was enqueued meanwhile. */
  count = 0;
  /** Changes on screen that are not in the outbox yet, and the time of the oldest. */
  pending = 0;
  pendingSince: number | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
  }
  get idle(): boolean {
    return this.#jobs === 0;
  }
  /** Resolves when everything enqueued so far has been written or has failed. */
  settled(): Promise<void> {
    return this.#tail;
  }
  /** Memory was read again from the disk. */
  recover(): void {
    this.#lost = [];
    this.#failed = false;
    this.#detached = false;
  }

  enqueue(job: Job): Promise<void> {
    this.#jobs += 1;
    this.count += 1;
    if (job.draft !== undefined) {
      this.#unsealed.push(job.draft);
      this.pending += job.draft.pieces.length;
      this.pendingSince ??= job.draft.at;
    }
    const result = this.#tail.then(() => this.#run(job));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #run(job: Job): Promise<void> {
    try {
      if (this.#failed) throw new Error('An earlier change could not be stored.');
      if (job.draft !== undefined) await this.#sealSlowly(job.draft);
      const offered = await this.#store(job);
      for (const row of job.acknowledged ?? []) this.#kept.delete(row.id);
      for (const { sealed } of job.draft?.pieces ?? []) if (sealed !== null) this.#kept.set(sealed.id, sealed);
      this.#letGo();
      this.#options.onStored(job, offered);
    } catch (error) {
      if (error instanceof LinkMovedError) this.#detached = true;
      else this.#failed = true;
      this.#hold(job);
      this.#options.onFailure(error, job);
      throw error;
    } finally {
      this.#jobs -= 1;
      if (job.draft !== undefined) {
        this.pending -= job.draft.pieces.length;
        if (this.pending === 0) this.pendingSince = null;
      }
      this.#options.onSettled();
    }
  }

  /** If it was the whole storage that went, what could not be stored goes into the new one. */
  #hold({ draft }: Job): void {
    if (draft === undefined) return;
    for (const piece of draft.pieces) {
      if (piece.sealed === null) this.#seal(draft, piece);
      if (piece.sealed !== null) this.#lost.push(piece.sealed);
    }
    this.#unsealed = this.#unsealed.filter((other) => other !== draft);
  }

  #letGo(): void {
    let bytes = 0;
    for (const row of this.#kept.values()) bytes += row.bytes;
    for (const [id, row] of this.#kept) {
      if (this.#kept.size <= KEPT && bytes <= KEPT_BYTES) return;
      this.#kept.delete(id);
      bytes -= row.bytes;
    }
  }

  /** Puts back what is missing in the outbox, after the storage was lost under an open window; from then on changes are stored again. */
  async putBack(): Promise<void> {
    const { db } = this.#options;
    do {
      for (const row of this.#lost.splice(0)) this.#kept.set(row.id, row);
      await db.transaction('rw', db.outbox, async () => {
        const known = new Set(await db.outbox.orderBy('id').uniqueKeys());
        await db.outbox.bulkAdd([...this.#kept.values()].filter((row) => !known.has(row.id)).map(({ n: _, ...row }) => row));
      });
    } while (this.#lost.length > 0);
    this.recover();
  }

  async #sealSlowly(draft: Draft): Promise<void> {
    const breathe = breather();
    // A large gesture has kept the thread already when it comes here.
    if (draft.source.count >= LARGE) await giveWay();
    for (const piece of draft.pieces) {
      if (piece.sealed !== null) continue;
      this.#seal(draft, piece);
      await breathe(piece.to - piece.from);
    }
    this.#unsealed = this.#unsealed.filter((other) => other !== draft);
  }
  #seal(draft: Draft, piece: Draft['pieces'][number]): void {
    piece.sealed = sealPiece(draft, piece, this.#options.ports);
    this.#options.names().name(piece.ref, piece.sealed.id);
  }
  /** Gives every change on screen its id now: the log is about to be compared with them. */
  sealAll(): void {
    for (const draft of this.#unsealed) for (const piece of draft.pieces) if (piece.sealed === null) this.#seal(draft, piece);
    this.#unsealed = [];
  }

  async #store(job: Job): Promise<number> {
    const { db, matrix, caseUid, user, boot } = this.#options;
    const sealed = job.draft?.pieces.flatMap((piece) => piece.sealed ?? []) ?? [];
    let offered = 0;
    const tables = [db.matrices, db.names, db.items, db.blocks, db.details, db.contested, db.outbox, db.sent, db.quarantined, db.gestures, db.meta];
    await db.transaction('rw', tables, async () => {
      // What is asked for together waits for the database once. A refusal below takes all of it back.
      const [row] = await Promise.all([db.matrices.get(matrix), this.#storeGesture(job, sealed)]);
      const owned = row !== undefined && row.boot === boot && row.gen === this.#options.gen() && !this.#detached;
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
