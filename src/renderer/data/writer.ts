import type { OutboxRow } from './db.ts';
import { type Draft, sealPiece, type SealPorts } from './drafts.ts';
import { breather, giveWay } from './give-way.ts';
import { type Job, JobStore, type JobStoreOptions, LinkMovedError } from './job-store.ts';

/** Unacknowledged changes kept in memory besides the disk. */
const KEPT = 1_000;
const KEPT_BYTES = 128 * 1024 * 1024;
/** Entries of a gesture whose sealing is felt. */
const LARGE = 500;

export interface WriterOptions extends JobStoreOptions {
  ports: SealPorts;
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
  readonly #store: JobStore;
  #tail: Promise<void> = Promise.resolve();
  #jobs = 0;
  #unsealed: Draft[] = [];
  #failed = false;
  /** Memory is not the disk's with something added: replica rows wait until it is read again. */
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
    this.#store = new JobStore(options);
  }
  get idle(): boolean {
    return this.#jobs === 0;
  }
  /** Resolves when everything enqueued so far has been written or has failed. */
  settled(): Promise<void> {
    return this.#tail;
  }
  /** The replica on the disk is another window's, and becomes this one's. */
  detach(): void {
    this.#detached = true;
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
      const offered = await this.#store.put(job, () => this.#detached);
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
}
