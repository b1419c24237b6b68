import type { CaseUid } from '../../../shared/contract/ids.ts';
import Dexie, { type Collection } from 'dexie';
import {
  type Database,
  type UndoStepRow,
  type MatrixRow,
  type OutboxRow,
  rowsOf,
  type SentRow,
} from '../store/db.ts';
import type { Aside } from '../../../sync/faults.ts';
import { deleteOutboxRows, outboxRowsAt } from '../store/outbox-rows.ts';
import type { CommandTransaction } from './transaction.ts';
import type { ChangeIds } from '../store/change-ids.ts';
import type { ReplicaRows } from './changed-rows.ts';

/**
 * Another window, or a later generation of this replica, owns the link row now. What was computed
 * from the old row is dropped (R3).
 */
export class CopyMovedError extends Error {
  override name = 'CopyMovedError';
}

/** The work of one Dexie transaction. */
export interface Job {
  /** Changes to encode and put into the outbox, and their undo step. */
  transaction?: CommandTransaction;
  undoStep?: () => UndoStepRow;
  goneSteps?: readonly string[];
  pastSteps?: readonly string[];
  /**
   * Rows of the replica as they were right after the change. Only the leader writes them.
   */
  rows?: ReplicaRows;
  /** Acknowledged changes leave the outbox; damaged ones stay there, marked. */
  acknowledged?: readonly OutboxRow[];
  damaged?: readonly { row: OutboxRow; reason: string; aside?: Aside }[];
  /** Entries that the server keeps without applying them. */
  quarantined?: readonly { id: string; entries: number[] }[];
  /**
   * Changes the link row if its `rev` is still this one; otherwise nothing of the job is written.
   */
  link?: { rev: number; change: (row: MatrixRow) => Partial<MatrixRow> };
  /** Replaces the whole replica by these rows. */
  rebuild?: MatrixRow;
  /** Puts acknowledged changes back into the outbox (R6). */
  offerAgain?: boolean;
}

/**
 * Acknowledged changes kept for each case, to be offered again if the server is restored from a
 * backup.
 */
const MAX_SENT = 4_000;
const MAX_SENT_BYTES = 32 * 1024 * 1024;
/** Changes written in one Dexie call: new ones, which may be large, and acknowledged ones. */
const PUT_AT_ONCE = 16;
const MOVED_AT_ONCE = 400;

export interface JobStoreOptions {
  db: Database;
  matrix: string;
  caseUid: CaseUid;
  user: string;
  boot: string;
  changeIds(): ChangeIds;
  gen(): number;
  hlc(): string;
  now(): number;
}

/** Puts a job into Dexie, all of it or nothing. */
export class JobStore {
  readonly #options: JobStoreOptions;
  /** Bytes of acknowledged changes added since the oldest were last deleted. */
  #sentBytes = 0;

  constructor(options: JobStoreOptions) {
    this.#options = options;
  }

  /**
   * Writes a job; returns how many acknowledged changes are in the outbox again. While
   * `isDetached`, replica rows in memory do not continue those on disk and are not written.
   */
  async put(job: Job, isDetached: () => boolean): Promise<number> {
    const { db, matrix, caseUid, user, boot } = this.#options;
    const encoded = job.transaction?.changes.flatMap((change) => change.encoded ?? []) ?? [];
    let offered = 0;
    const tables = [
      db.matrices,
      db.names,
      db.items,
      db.blocks,
      db.details,
      db.contested,
      db.outbox,
      db.sent,
      db.quarantined,
      db.gestures,
      db.meta,
    ];
    await db.transaction('rw', tables, async () => {
      // Requests made together wait for the database only once. If the job is refused below, the
      // transaction takes all of this back.
      const [row] = await Promise.all([db.matrices.get(matrix), this.#storeStep(job, encoded)]);
      const owned =
        row !== undefined && row.boot === boot && row.gen === this.#options.gen() && !isDetached();
      if (job.rebuild !== undefined && row !== undefined && row.boot !== boot)
        throw new CopyMovedError('Another window is the leader.');
      if (job.link !== undefined && (!owned || row.rev !== job.link.rev))
        throw new CopyMovedError('The link has moved on.');
      if (job.acknowledged !== undefined) await this.#acknowledge(job.acknowledged);
      for (const { row: damaged, reason, aside } of job.damaged ?? []) {
        await db.outbox
          .where('id')
          .equals(damaged.id)
          .modify((stored) => {
            Object.assign(stored, { state: 'damaged', reason });
            delete stored.aside;
            if (aside !== undefined) stored.aside = aside;
          });
      }
      if (job.quarantined !== undefined)
        await db.quarantined.bulkPut(
          job.quarantined.map((one) => ({
            ...one,
            case_uid: caseUid,
            user,
            at: this.#options.now(),
          })),
        );
      if (job.offerAgain === true) offered = await this.#offerAgain();
      if (job.rebuild !== undefined) await this.#clear(job.rebuild);
      // A window that is not the leader stores its edits, since the outbox is common to all windows,
      // but leaves the replica rows to the leader.
      if (job.rows !== undefined && (owned || job.rebuild !== undefined)) {
        await this.#storeRows(job.rows);
        if (row !== undefined && row.review !== job.rows.review)
          await db.matrices.update(matrix, { review: job.rows.review });
      }
      if (job.link !== undefined && row !== undefined)
        await db.matrices.update(matrix, { ...job.link.change(row), rev: row.rev + 1 });
    });
    return offered;
  }

  async #storeStep(job: Job, encoded: readonly OutboxRow[]): Promise<void> {
    const { db, matrix } = this.#options;
    const puts: PromiseLike<unknown>[] = [];
    if (job.transaction !== undefined || job.link !== undefined)
      puts.push(db.meta.put({ key: 'hlc', value: this.#options.hlc() }));
    if (job.undoStep !== undefined) puts.push(db.gestures.put(job.undoStep()));
    if (job.goneSteps !== undefined && job.goneSteps.length > 0)
      puts.push(db.gestures.bulkDelete(job.goneSteps.map((id): [string, string] => [matrix, id])));
    for (const id of job.pastSteps ?? [])
      puts.push(db.gestures.update([matrix, id], { stack: 'past' }));
    for (let at = 0; at < encoded.length; at += PUT_AT_ONCE)
      await db.outbox.bulkAdd(encoded.slice(at, at + PUT_AT_ONCE));
    await Promise.all(puts);
  }

  async #storeRows(rows: ReplicaRows): Promise<void> {
    const { db, matrix } = this.#options;
    const names = this.#options.changeIds().takeChanged(matrix, rows.changeIds);
    // After a single key press all but one or two of these are empty, and an empty request takes
    // the database as long as a real one.
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
    for (const table of [db.names, db.items, db.blocks, db.details, db.contested])
      await table
        .where(':id')
        .between(...rowsOf(row.id))
        .delete();
    await db.matrices.put(row);
  }

  async #acknowledge(rows: readonly OutboxRow[]): Promise<void> {
    const { db, caseUid, user } = this.#options;
    for (let at = 0; at < rows.length; at += MOVED_AT_ONCE) {
      const some = rows.slice(at, at + MOVED_AT_ONCE);
      const stored = await outboxRowsAt(
        db,
        some.map((row) => row.n ?? 0),
      );
      await deleteOutboxRows(
        db,
        stored.flatMap((row, place) =>
          row?.n !== undefined && row.id === some[place]?.id ? row.n : [],
        ),
      );
    }
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    // If enough changes are waiting to push these out again, they are not written
    // at all.
    const waiting = await db.outbox
      .where('[case_uid+user+state]')
      .equals([caseUid, user, 'waiting'])
      .count();
    if (waiting >= MAX_SENT || (waiting * bytes) / rows.length > MAX_SENT_BYTES) return;
    for (let at = 0; at < rows.length; at += MOVED_AT_ONCE) {
      // Changes that are there already stay as they are.
      await db.sent
        .bulkAdd(
          rows
            .slice(at, at + MOVED_AT_ONCE)
            .map(({ n: _, state: __, reason: ___, aside: ____, ...row }): SentRow => row),
        )
        .catch((error: unknown) => {
          if (!(error instanceof Dexie.BulkError)) throw error;
        });
    }
    const total = await this.#sent().count();
    if (total > MAX_SENT)
      await this.#sent()
        .limit(total - MAX_SENT)
        .delete();
    this.#sentBytes += bytes;
    if (this.#sentBytes > MAX_SENT_BYTES / 4) await this.#trimSent();
  }
  #sent(): Collection<SentRow, number> {
    const { db, caseUid, user } = this.#options;
    return db.sent.where('[case_uid+user]').equals([caseUid, user]);
  }
  async #trimSent(): Promise<void> {
    const { db } = this.#options;
    this.#sentBytes = 0;
    let bytes = 0;
    const old: number[] = [];
    await this.#sent()
      .reverse()
      .each((row) => {
        bytes += row.bytes;
        if (bytes > MAX_SENT_BYTES && row.n !== undefined) old.push(row.n);
      });
    await db.sent.bulkDelete(old);
  }

  async #offerAgain(): Promise<number> {
    const { db } = this.#options;
    // What does not open has no text, and cannot be offered.
    const rows = (await this.#sent().sortBy('n')).filter(({ text }) => typeof text === 'string');
    const known = new Set(
      await db.outbox
        .where('id')
        .anyOf(rows.map((row) => row.id))
        .uniqueKeys(),
    );
    const again = rows
      .filter((row) => !known.has(row.id))
      .map(({ n: _, ...row }): OutboxRow => ({ ...row, state: 'waiting', reason: null }));
    await db.outbox.bulkAdd(again);
    await db.sent.bulkDelete(rows.flatMap((row) => row.n ?? []));
    return again.length;
  }
}
