import type { OutboxRow } from '../store/db.ts';
import { type CommandTransaction, encodeChange, type EncodePorts } from './transaction.ts';
import { yieldNowAndThen, yieldToBrowser } from './yielding.ts';
import { type Job, JobStore, type JobStoreOptions, CopyMovedError } from './job-store.ts';
import { t } from '../../text/t.ts';

/** Unacknowledged changes retained in memory in addition to the disk. */
const MAX_RETAINED = 1_000;
const MAX_RETAINED_BYTES = 128 * 1024 * 1024;
/** Entries from which encoding a command takes noticeable time. */
const LARGE = 500;

export interface WriterOptions extends JobStoreOptions {
  ports: EncodePorts;
  /** Called when a transaction failed: memory is ahead of the disk and has to be read again. */
  onFailure(error: unknown, job: Job): void;
  /** `offered`: how many acknowledged changes are in the outbox again. */
  onStored(job: Job, offered: number): void;
  /** Called after every job, written or not. */
  onSettled(): void;
}

/**
 * Writes to Dexie in the order in which memory changed, one transaction for each change of memory.
 * The disk therefore always holds a state that was once shown, together with the outbox entries
 * that led to it.
 */
export class ReplicaWriter {
  readonly #options: WriterOptions;
  readonly #store: JobStore;
  #tail: Promise<void> = Promise.resolve();
  #jobs = 0;
  #unencoded: CommandTransaction[] = [];
  #failed = false;
  /**
   * True while memory does not continue the replica on disk; its rows are then not written until it
   * is read again.
   */
  #detached = false;
  /**
   * This window's unacknowledged changes. If the browser deletes its storage, they are put back
   * from here.
   */
  readonly #retained = new Map<string, OutboxRow>();
  /** Changes that could not be stored and are still on screen. */
  #lost: OutboxRow[] = [];
  /** Grows with each job, which shows whether anything was enqueued meanwhile. */
  count = 0;
  /** Changes on screen that are not in the outbox yet; below, when the oldest was made. */
  pending = 0;
  pendingSince: number | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#store = new JobStore(options);
  }
  get idle(): boolean {
    return this.#jobs === 0;
  }
  /** This window's latest changes by their ids, sent or not. */
  get retained(): ReadonlyMap<string, OutboxRow> {
    return this.#retained;
  }
  /** Resolves when everything enqueued so far has been written or has failed. */
  settled(): Promise<void> {
    return this.#tail;
  }
  /**
   * Called when this window takes over a replica that another one has written: memory does not
   * continue it.
   */
  detach(): void {
    this.#detached = true;
  }
  /** Called when memory was read again from the disk. */
  recover(): void {
    this.#lost = [];
    this.#failed = false;
    this.#detached = false;
  }

  enqueue(job: Job): Promise<void> {
    this.#jobs += 1;
    this.count += 1;
    if (job.transaction !== undefined) {
      this.#unencoded.push(job.transaction);
      this.pending += job.transaction.changes.length;
      this.pendingSince ??= job.transaction.at;
    }
    const result = this.#tail.then(() => this.#run(job));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #run(job: Job): Promise<void> {
    try {
      if (this.#failed) throw new Error(t('An earlier change could not be stored.'));
      if (job.transaction !== undefined) await this.#encodeSlowly(job.transaction);
      const offered = await this.#store.put(job, () => this.#detached);
      for (const row of job.acknowledged ?? []) this.#retained.delete(row.id);
      for (const { encoded } of job.transaction?.changes ?? [])
        if (encoded !== null) this.#retained.set(encoded.id, encoded);
      this.#dropOldest();
      this.#options.onStored(job, offered);
    } catch (error) {
      if (error instanceof CopyMovedError) this.#detached = true;
      else this.#failed = true;
      this.#retainUnstored(job);
      this.#options.onFailure(error, job);
      throw error;
    } finally {
      this.#jobs -= 1;
      if (job.transaction !== undefined) {
        this.pending -= job.transaction.changes.length;
        if (this.pending === 0) this.pendingSince = null;
      }
      this.#options.onSettled();
    }
  }

  /**
   * Retains the changes of a failed job: if the whole storage was deleted, they go into the new
   * one.
   */
  #retainUnstored({ transaction }: Job): void {
    if (transaction === undefined) return;
    for (const change of transaction.changes) {
      if (change.encoded === null) this.#encode(transaction, change);
      if (change.encoded !== null) this.#lost.push(change.encoded);
    }
    this.#unencoded = this.#unencoded.filter((other) => other !== transaction);
  }

  #dropOldest(): void {
    let bytes = 0;
    for (const row of this.#retained.values()) bytes += row.bytes;
    for (const [id, row] of this.#retained) {
      if (this.#retained.size <= MAX_RETAINED && bytes <= MAX_RETAINED_BYTES) return;
      this.#retained.delete(id);
      bytes -= row.bytes;
    }
  }

  /**
   * Puts back what is missing in the outbox after the storage was deleted under an open window;
   * from then on changes are stored again.
   */
  async putBack(): Promise<void> {
    const { db } = this.#options;
    do {
      for (const row of this.#lost.splice(0)) this.#retained.set(row.id, row);
      await db.transaction('rw', db.outbox, async () => {
        const known = new Set(await db.outbox.orderBy('id').uniqueKeys());
        await db.outbox.bulkAdd(
          [...this.#retained.values()]
            .filter((row) => !known.has(row.id))
            .map(({ n: _, ...row }) => row),
        );
      });
    } while (this.#lost.length > 0);
    this.recover();
  }

  async #encodeSlowly(transaction: CommandTransaction): Promise<void> {
    const yieldIfDue = yieldNowAndThen();
    // Planning and showing a large command has kept the thread busy already.
    if (transaction.source.count >= LARGE) await yieldToBrowser();
    for (const change of transaction.changes) {
      if (change.encoded !== null) continue;
      this.#encode(transaction, change);
      await yieldIfDue(change.to - change.from);
    }
    this.#unencoded = this.#unencoded.filter((other) => other !== transaction);
  }
  #encode(transaction: CommandTransaction, change: CommandTransaction['changes'][number]): void {
    change.encoded = encodeChange(transaction, change, this.#options.ports);
    this.#options.changeIds().name(change.ref, change.encoded.id);
  }
  /**
   * Encodes every change on screen, so that it has an id: entries of the log are about to be
   * compared with them.
   */
  encodeAll(): void {
    for (const transaction of this.#unencoded)
      for (const change of transaction.changes)
        if (change.encoded === null) this.#encode(transaction, change);
    this.#unencoded = [];
  }
}
