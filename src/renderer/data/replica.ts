import type { ProfileDocument } from '../../shared/domain/profile.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { CallError, type Client } from './client.ts';
import type { Database, MatrixRow, OutboxRow } from './db.ts';
import type { SealPorts } from './drafts.ts';
import type { Hints } from './events.ts';
import { type Link, type Step, stepOf } from './link.ts';
import { readReplica, restoreReplica } from './load.ts';
import { lookUpHeads } from './look-up.ts';
import { absorb, outboxState, overlay, pushOnce } from './outbox.ts';
import { type ChannelLike, type LocksLike, Presence, type WindowMessage } from './presence.ts';
import { pullOnce } from './pull.ts';
import type { ReplicaClock } from './replica-clock.ts';
import { ReplicaState } from './replica-state.ts';
import { fetchSnapshot } from './snapshot.ts';
import { SyncLoop, type Timers } from './sync-loop.ts';
import { type Job, Writer } from './writer.ts';

export interface ReplicaPorts {
  client: Client;
  db: Database;
  seal: SealPorts;
  timers: Timers;
  clock: ReplicaClock;
  hints: Hints;
  locks: LocksLike | undefined;
  broadcast: ((name: string) => ChannelLike) | undefined;
  /** Longest wait after failures: short where the server is on this machine. */
  backoffCap(): number;
}

export interface MatrixAddress { caseUid: string; profileUid: string; profileVersion: string }

const POLL_MS = 60_000;
const POLL_WITHOUT_HINTS_MS = 2_000;
const HANDOVER_MS = 200;
const HANDOVER_TRIES = 150;
const STORAGE_PROBLEM = 'This device could not store your last change; it is no longer shown. Free some space, then go on.';

export const matrixId = (address: MatrixAddress): string => `${address.caseUid}/${address.profileUid}@${address.profileVersion}`;

/** One matrix of this window: memory, its rows on disk, and its link to the server. */
export class Replica implements Link {
  readonly ports: ReplicaPorts;
  readonly client: Client;
  readonly db: Database;
  readonly hasher: SealPorts['hasher'];
  readonly writer: Writer;
  readonly presence: Presence;
  readonly loop: SyncLoop;
  readonly profile: ProfileDocument;
  readonly #boot: string;
  readonly #abort = new AbortController();
  readonly #unlisten: () => void;
  row: MatrixRow;
  state: ReplicaState;
  life = 0;
  stored = { waiting: 0, oldest: null as number | null, damaged: 0 };
  storageProblem: string | null = null;
  heard: { online: boolean; problem: string | null } | null = null;
  #most: number = SYNC_LIMITS.changes;
  #resets = 0;
  #stale = false;
  #reloading: Promise<void> | null = null;
  /** Called when the status may have changed, and when the replica was read again. */
  onStatus: () => void = () => {};
  onReload: () => void = () => {};

  constructor(row: MatrixRow, ports: ReplicaPorts) {
    this.ports = ports;
    this.row = row;
    this.profile = row.profile;
    ({ client: this.client, db: this.db } = ports);
    this.hasher = ports.seal.hasher;
    this.state = new ReplicaState(row);
    this.#boot = ports.seal.randomHex(8);
    this.writer = new Writer({
      db: ports.db, matrix: row.id, caseUid: row.case_uid, boot: this.#boot, ports: ports.seal,
      names: () => this.state.names, gen: () => this.row.gen, hlc: () => ports.clock.last,
      onStored: (job) => this.#onStored(job), onSettled: () => this.onStatus(), onFailure: (error) => this.#onFailure(error),
    });
    this.presence = new Presence(ports.broadcast, (message) => this.#hear(message));
    this.loop = new SyncLoop({
      cycle: () => this.#cycle(), timers: ports.timers, cap: () => ports.backoffCap(), changed: () => this.#tellStatus(),
      idleMs: () => (ports.hints.up ? POLL_MS : POLL_WITHOUT_HINTS_MS),
    });
    this.#unlisten = ports.hints.listen(row.case_uid, (seq) => {
      if (this.presence.leads && seq > this.row.pull_seq) this.loop.kick();
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
  get closed(): boolean {
    return this.#abort.signal.aborted;
  }
  now(): number {
    return this.ports.timers.now();
  }
  seeClock(hlc: string): void {
    this.ports.clock.see(hlc);
  }

  /** Reads what is stored, or everything from the server where nothing is; then keeps in step. */
  async start(): Promise<void> {
    let first = true;
    await this.presence.start(`evidence-studio/${this.row.id}`, this.ports.locks, () => {
      if (!first) void this.#takeOver().catch(() => undefined);
    });
    first = false;
    if (this.presence.leads) await this.#claim();
    await this.reload();
    if (this.row.epoch === '') await this.#begin();
    if (this.presence.leads) this.loop.kick();
    this.onStatus();
  }

  async #begin(): Promise<void> {
    for (let tries = 0; !this.presence.leads && tries < HANDOVER_TRIES; tries += 1) {
      await new Promise<void>((resolve) => void this.ports.timers.after(HANDOVER_MS, resolve));
      await this.reload();
      if (this.row.epoch !== '') return;
    }
    await this.#pushAll();
    const failure = await this.#takeSnapshot();
    if (failure !== null) throw new CallError(failure);
  }

  /** Names this window as the replica's one writer. */
  #claim(): Promise<void> {
    return this.db.transaction('rw', this.db.matrices, async () => {
      const row = await this.db.matrices.get(this.row.id);
      if (row === undefined) await this.db.matrices.put({ ...this.row, boot: this.#boot });
      else await this.db.matrices.update(row.id, { boot: this.#boot, rev: row.rev + 1 });
    });
  }
  async #takeOver(): Promise<void> {
    await this.#claim();
    await this.reload();
    this.loop.kick();
  }

  /** Reads everything again from the disk, and lays over it what is unsent. Waits for a moment in which nothing is being written. */
  reload(): Promise<void> {
    this.#reloading ??= this.#reload().finally(() => (this.#reloading = null));
    return this.#reloading;
  }
  async #reload(): Promise<void> {
    const quiet = await this.#whenQuiet(async () => ({ stored: await readReplica(this.db, this.row.id), unsent: await this.#unsent() }));
    if (this.closed) return;
    const { stored, unsent } = quiet;
    // The browser has thrown the copy away under an open window: what is on screen is the best there is until the server has been read.
    if (stored === undefined && this.state.items.length > 0) return this.#rescue();
    let state = new ReplicaState(this.row);
    let row: MatrixRow = { ...(stored?.matrix ?? this.row), epoch: '' };
    try {
      if (stored !== undefined && stored.matrix.epoch !== '') {
        state = restoreReplica(stored);
        row = stored.matrix;
      }
    } catch {
      // Rows that do not fit each other: as if there were none.
    }
    overlay(state, unsent);
    void this.#replace(state, row).catch(() => undefined);
    this.stored = await outboxState(this.db, row.case_uid);
    this.onStatus();
  }

  async #rescue(): Promise<void> {
    await this.writer.putBack();
    this.row = { ...this.row, epoch: '', boot: this.#boot };
    this.life += 1;
    this.writer.recover();
    await this.db.matrices.put(this.row);
    this.stored = await outboxState(this.db, this.row.case_uid);
    this.loop.kick();
    this.onStatus();
  }

  #unsent(): Promise<OutboxRow[]> {
    return this.db.outbox.where('case_uid').equals(this.row.case_uid).sortBy('n');
  }
  /** What `read` reads while nothing of this window is on its way to the disk. The caller goes on synchronously. */
  async #whenQuiet<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.writer.settled();
      const { count } = this.writer;
      const value = await read();
      if (this.closed || (this.writer.idle && this.writer.count === count)) return value;
    }
  }
  #replace(state: ReplicaState, row: MatrixRow, rebuild = false): Promise<void> {
    state.arrange();
    state.store.succeed(this.state.store);
    this.state = state;
    this.row = row;
    this.life += 1;
    this.writer.recover();
    this.onReload();
    if (rebuild) state.markAllDirty();
    const rows = state.takeDirty();
    return this.presence.leads && row.epoch !== '' ? this.writer.enqueue(rebuild ? { rebuild: row, rows } : { rows }) : Promise.resolve();
  }

  async #cycle(): Promise<Step> {
    if (this.closed) return { kind: 'done' };
    if (this.writer.pending > 0) await this.writer.settled();
    const pushed = await this.#pushAll();
    if (pushed.kind === 'diverged') return this.#startAnew();
    if (pushed.kind === 'later') return pushed;
    if (this.row.epoch === '' || this.#stale) {
      const failure = await this.#takeSnapshot();
      if (failure !== null) return stepOf(failure);
    }
    let pulled: Step;
    do pulled = await pullOnce(this);
    while (pulled.kind === 'again' && !this.closed);
    if (pulled.kind === 'diverged') return this.#startAnew();
    if (pulled.kind === 'stale') {
      this.#stale = true;
      return this.#cycle();
    }
    if (pulled.kind === 'done') {
      this.#resets = 0;
      await lookUpHeads(this);
    }
    return pulled.kind === 'done' ? pushed : pulled;
  }

  async #pushAll(): Promise<Step> {
    for (;;) {
      const { step, most } = await pushOnce(this, this.#most);
      this.#most = most;
      if (step.kind === 'stale') this.#stale = true;
      else if (step.kind !== 'again') return step;
      if (this.closed) return { kind: 'done' };
    }
  }

  /** R6: another log than was seen. A new life of the link: what is here is offered again, then the matrix is read anew. Nothing is dropped. */
  async #startAnew(): Promise<Step> {
    this.#resets += 1;
    if (this.#resets > 1) {
      this.#resets = 0;
      return { kind: 'later', online: true, retryAfter: 300, problem: 'The server\'s log and this window\'s copy do not agree. Nothing was dropped; please report this.' };
    }
    const change = { gen: this.row.gen + 1, epoch: '', witness: { seq: 0, chain: '' }, overlaid: [] };
    await this.writer.enqueue({ offerAgain: true, link: { rev: this.row.rev, change: () => change } });
    this.row = { ...this.row, ...change, rev: this.row.rev + 1 };
    this.life += 1;
    return this.#cycle();
  }

  async #takeSnapshot() {
    const { life } = this;
    const result = await fetchSnapshot(this.client, this.row, this.signal);
    if (result.kind !== 'ok') return result;
    if (this.life !== life) return null;
    const { state, position } = result.snapshot;
    const unsent = await this.#whenQuiet(() => this.#unsent());
    if (this.closed || this.life !== life) return null;
    const { epoch, seq, chain, count, sum } = position;
    const overlaid = overlay(state, unsent);
    this.#stale = false;
    await this.#replace(state, { ...this.row, gen: this.row.gen + 1, boot: this.#boot, rev: this.row.rev + 1, epoch, base_seq: seq, pull_seq: seq, pull_chain: chain, witness: { seq, chain }, count, sum, last_ok: this.now(), overlaid }, true);
    return null;
  }

  #onStored(job: Job): void {
    if (job.draft !== undefined || job.link !== undefined) this.storageProblem = null;
    if (job.draft !== undefined) {
      this.stored = { ...this.stored, waiting: this.stored.waiting + job.draft.pieces.length, oldest: this.stored.oldest ?? job.draft.at };
      this.presence.tell({ kind: 'outbox', case: this.row.case_uid });
      if (this.presence.leads) this.loop.kick();
    }
    if (job.rows !== undefined && this.presence.leads) this.presence.tell({ kind: 'replica', matrix: this.row.id });
    if (job.acknowledged !== undefined || job.damaged !== undefined || job.offerAgain === true) void this.#count().catch(() => undefined);
  }
  #onFailure(error: unknown): void {
    if (this.closed) return;
    if (!(error instanceof Error && error.name === 'LinkMovedError')) this.storageProblem = STORAGE_PROBLEM;
    this.#reloadQuietly();
  }
  #reloadQuietly(): void {
    this.reload().catch(() => {
      this.storageProblem = STORAGE_PROBLEM;
      this.onStatus();
    });
  }
  async #recount(): Promise<void> {
    this.stored = await outboxState(this.db, this.row.case_uid);
    this.onStatus();
  }
  async #count(): Promise<void> {
    await this.#recount();
    this.#tellStatus();
    this.presence.tell({ kind: 'outbox', case: this.row.case_uid });
  }

  #tellStatus(): void {
    this.onStatus();
    if (this.presence.leads) this.presence.tell({ kind: 'status', matrix: this.row.id, online: this.loop.online, problem: this.loop.problem });
  }
  #hear(message: WindowMessage): void {
    if (this.closed) return;
    if (message.kind === 'outbox' && message.case === this.row.case_uid) {
      void this.#recount().catch(() => undefined);
      if (this.presence.leads) void this.#absorb().catch(() => undefined);
    } else if (message.kind === 'replica' && message.matrix === this.row.id && !this.presence.leads) this.#reloadQuietly();
    else if (message.kind === 'status' && message.matrix === this.row.id && !this.presence.leads) {
      this.heard = { online: message.online, problem: message.problem };
      this.onStatus();
    }
  }
  async #absorb(): Promise<void> {
    const rows = await this.#unsent();
    if (this.closed) return;
    await absorb(this, rows);
    this.loop.kick();
  }

  close(): void {
    this.#abort.abort();
    this.loop.stop();
    this.#unlisten();
    // The lock is kept until everything on screen is on the disk.
    void this.writer.settled().then(() => this.presence.close());
  }
}
