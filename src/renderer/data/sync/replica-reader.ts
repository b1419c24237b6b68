import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { EncodePorts } from '../replica/transaction.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import { readReplica, restoreReplica, type StoredReplica } from '../replica/load.ts';
import { openRows, overlay, readUnsent, type UnsentChanges } from './outbox.ts';
import type { ReplicaPorts } from '../replica/replica-ports.ts';
import { ReplicaState } from '../replica/replica-state.ts';
import type { StorageQuota } from '../store/storage-quota.ts';
import type { ReplicaWriter } from '../replica/writer.ts';

const REREAD_MS = 1_000;

interface StoredReading {
  stored: StoredReplica | undefined;
  state: ReplicaState;
}
interface Reading extends StoredReading {
  unsent: UnsentChanges;
}

/** What reading a replica needs of it. */
export interface ReplicaReaderHost {
  readonly ports: ReplicaPorts;
  readonly db: Database;
  readonly hasher: EncodePorts['hasher'];
  readonly boot: string;
  readonly writer: ReplicaWriter;
  readonly quota: StorageQuota;
  readonly closed: boolean;
  readonly isLeader: boolean;
  readonly state: ReplicaState;
  readonly own: RecordedBy;
  row: MatrixRow;
  life: number;
  replace(state: ReplicaState, row: MatrixRow): Promise<void>;
  recount(): Promise<void>;
  requestSync(why: 'work'): void;
}

/**
 * Reads the stored replica again whenever that is needed: one reading at a time, and none while
 * something is being written.
 */
export class ReplicaReader {
  readonly #host: ReplicaReaderHost;
  #underWay: Promise<void> | null = null;
  #isWanted = false;
  /** How often this window has become the leader; what it read before is not continued. */
  #claims = 0;

  constructor(host: ReplicaReaderHost) {
    this.#host = host;
  }

  /**
   * Reads everything from the disk again and applies the unsent changes on top of it. Waits for a
   * moment in which nothing is being written.
   */
  again(): Promise<void> {
    // A reading that is under way may have passed the rows that this call is about, so another one
    // follows.
    return this.#next(() => this.#reload());
  }
  /**
   * Reads after `claim` has made this window the replica's one writer; tries until both are done. A
   * reading that is under way may miss what the last leader wrote at its end: nothing may be
   * written on top of it.
   */
  async afterClaim(claim: () => Promise<void>): Promise<void> {
    this.#claims += 1;
    const { quota, writer } = this.#host;
    for (let isDone = false; !isDone && !this.#host.closed;) {
      isDone = await this.#next(async () => {
        // The numbers in this window's memory are its own, and what it wrote meanwhile is only in
        // the outbox: so nothing of it is written to the replica before that is read again.
        writer.detach();
        await claim();
        await this.#reload();
      }).then(
        () => true,
        (error: unknown) => {
          quota.failed(error, false);
          return false;
        },
      );
      if (!isDone) await this.#reopened();
    }
  }
  #next(read: () => Promise<void>): Promise<void> {
    const reading = (this.#underWay ?? Promise.resolve()).catch(() => undefined).then(read);
    const chained = reading.finally(() => {
      if (this.#underWay === chained) this.#underWay = null;
    });
    this.#underWay = chained;
    return chained;
  }
  /** Reads again soon; several calls together cause one reading, begun after the last of them. */
  againSoon(): void {
    if (this.#isWanted || this.#host.closed) return;
    this.#isWanted = true;
    void (this.#underWay ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#isWanted = false;
        return this.again();
      })
      .catch(() => this.#reopened().then(() => this.againSoon()));
  }
  /**
   * A store that the browser has just deleted may refuse to open at first, and Dexie does not try
   * again by itself.
   */
  async #reopened(): Promise<void> {
    const { ports, db } = this.#host;
    await new Promise<void>((resolve) => void ports.timers.after(REREAD_MS, resolve));
    if (!this.#host.closed) await db.open().catch(() => undefined);
  }

  /**
   * The result of `read`, taken while no write of this window was pending. The caller must use it
   * synchronously.
   */
  async whenQuiet<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.#host.writer.settled();
      const { count } = this.#host.writer;
      const value = await read();
      if (this.#host.closed || (this.#host.writer.idle && this.#host.writer.count === count))
        return value;
    }
  }

  async #reload(): Promise<void> {
    const claims = this.#claims;
    const { stored, state, unsent } = await (this.#host.isLeader
      ? this.whenQuiet(() => this.#read())
      : this.#readBeside());
    if (this.#host.closed || this.#claims !== claims) return;
    // What was begun between the end of the reading and this line has the numbers of the old state.
    if (!this.#host.writer.idle) return this.#reload();
    // The browser has deleted the copy under an open window. What is on screen is the best there is
    // until the server has been read.
    if (stored === undefined && this.#host.state.items.length > 0) return this.#rescue();
    overlay(state, unsent, this.#host.own);
    const { damaged } = unsent;
    if (damaged.length > 0) void this.#host.writer.enqueue({ damaged }).catch(() => undefined);
    const row = stored?.matrix ?? { ...this.#host.row, epoch: '', schema: 0 };
    void this.#host.replace(state, row).catch(() => undefined);
    await this.#host.recount();
  }
  /** In the leader's window, which writes the rows: none may be written meanwhile. */
  async #read(): Promise<Reading> {
    const read = await this.#readStored();
    return { ...read, unsent: await this.#readUnsent(read.state) };
  }
  /**
   * In another window. Reading a large copy takes seconds, in which its person keeps writing: what
   * was written meanwhile, or sent by the leader after the rows were read, is in neither of the two
   * readings, and comes from memory.
   */
  async #readBeside(): Promise<Reading> {
    const { db, writer, hasher } = this.#host;
    const before = [...writer.retained.keys()];
    const waiting = new Set(await db.outbox.orderBy('id').uniqueKeys());
    const sentBefore = new Set(before.filter((id) => !waiting.has(id)));
    const read = await this.#readStored();
    const unsent = await this.whenQuiet(async () => {
      const { changes, damaged } = await this.#readUnsent(read.state);
      const found = new Set([...changes, ...damaged.map(({ row }) => row)].map(({ id }) => id));
      const own = [...writer.retained.values()].filter(
        ({ id }) => !sentBefore.has(id) && !found.has(id) && !read.state.changeIds.isApplied(id),
      );
      return { changes: [...(await openRows(own, hasher)).changes, ...changes], damaged };
    });
    return { ...read, unsent };
  }
  async #readStored(): Promise<StoredReading> {
    let stored = await readReplica(this.#host.db, this.#host.row.id);
    let state = new ReplicaState(this.#host.row);
    try {
      if (stored !== undefined) state = restoreReplica(stored);
    } catch {
      // Rows that do not fit each other are read from the server again.
      stored = stored && { ...stored, matrix: { ...stored.matrix, schema: 0, gen: 0 } };
    }
    return { stored, state };
  }
  #readUnsent({ changeIds }: ReplicaState): Promise<UnsentChanges> {
    return readUnsent(this.#host.db, this.#host.row, changeIds, this.#host.hasher);
  }

  async #rescue(): Promise<void> {
    this.#host.row = { ...this.#host.row, epoch: '', schema: 0, boot: this.#host.boot };
    this.#host.life += 1;
    await this.#host.writer.putBack();
    await this.#host.db.matrices.put(this.#host.row);
    this.#host.quota.stored();
    await this.#host.recount();
    this.#host.requestSync('work');
  }
}
