import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { SCHEMA_VERSION } from '../../../sync/change.ts';
import { SyncLoop } from '../../../sync/loop.ts';
import type { Check } from '../replica/checking.ts';
import { CallError, type Client } from '../api/client.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import type { EncodePorts } from '../replica/transaction.ts';
import { type Permission, permissionOf } from '../api/access.ts';
import { SyncCycle, type SyncCycleHost } from './sync-cycle.ts';
import type { Job } from '../replica/job-store.ts';
import { claimReplica } from '../replica/load.ts';
import { failedWords, inWords, isDue, type Link, refusedWords } from './link.ts';
import { EMPTY_OUTBOX, type OutboxCounts, outboxStateOf } from './outbox.ts';
import { LeaderElection } from '../replica/leader-election.ts';
import { OtherWindows } from './other-windows.ts';
import { ReplicaReader, type ReplicaReaderHost } from './replica-reader.ts';
import type { ReplicaPorts } from '../replica/replica-ports.ts';
import { ReplicaState } from '../replica/replica-state.ts';
import { StorageQuota } from '../store/storage-quota.ts';
import type { SyncReason } from '../replica/window-channel.ts';
import { ReplicaWriter } from '../replica/writer.ts';

const POLL_MS = 60_000;
const POLL_WITHOUT_HINTS_MS = 2_000;
const HANDOVER_MS = 200;
const HANDOVER_TRIES = 150;

/**
 * One open matrix of this window: its state in memory, its rows on disk, and its link to the
 * server.
 */
export class Replica implements SyncCycleHost, ReplicaReaderHost {
  readonly ports: ReplicaPorts;
  readonly client: Client;
  readonly db: Database;
  readonly hasher: EncodePorts['hasher'];
  readonly check: Check;
  readonly writer: ReplicaWriter;
  readonly #election = new LeaderElection();
  readonly #others: OtherWindows;
  readonly loop: SyncLoop;
  readonly profile: ProfileDocument;
  readonly boot: string;
  readonly #cycle: SyncCycle;
  readonly #reader: ReplicaReader;
  readonly #abort = new AbortController();
  #requests = new AbortController();
  readonly #unlisten: () => void;
  row: MatrixRow;
  state: ReplicaState;
  life = 0;
  /** Null until the outbox has been counted; until then nothing is said about it. */
  counted: OutboxCounts | null = null;
  readonly quota: StorageQuota;
  ended: string | null = null;
  verifiedAt: number | null = null;
  /**
   * False until the first reading is over. Until then the loop does nothing: two snapshots at the
   * same time would each find the other's state.
   */
  #begun = false;
  /** Whether this window is the replica's one writer on the disk, too. */
  #hasClaimed = false;
  /** Called when the status may have changed; `onReload` when the replica was read again. */
  onStatus: () => void = () => {};
  onReload: () => void = () => {};

  constructor(row: MatrixRow, ports: ReplicaPorts) {
    this.ports = ports;
    this.row = row;
    this.profile = row.profile;
    ({ client: this.client, db: this.db } = ports);
    this.hasher = ports.encoding.hasher;
    this.check = ports.check;
    this.state = new ReplicaState(row);
    this.boot = ports.encoding.randomHex(8);
    this.quota = new StorageQuota(ports.db, ports.timers, () => this.changed());
    this.writer = new ReplicaWriter({
      db: ports.db,
      matrix: row.id,
      caseUid: row.case_uid,
      user: row.user,
      boot: this.boot,
      ports: ports.encoding,
      now: () => ports.timers.now(),
      changeIds: () => this.state.changeIds,
      gen: () => this.row.gen,
      hlc: () => ports.clock.last,
      onStored: (job, offered) => this.#onStored(job, offered),
      onSettled: () => this.changed(),
      onFailure: (error, job) => this.#onFailure(error, job),
    });
    this.#cycle = new SyncCycle(this);
    this.#reader = new ReplicaReader(this);
    this.#others = new OtherWindows(this, ports.broadcast, () => this.#reader.againSoon());
    this.loop = new SyncLoop({
      cycle: async () => (this.#begun && this.#hasClaimed ? this.#cycle.cycle() : { kind: 'done' }),
      timers: ports.timers,
      cap: () => ports.backoffCap(),
      changed: () => this.#notify(),
      idleMs: () => (ports.hints.up ? POLL_MS : POLL_WITHOUT_HINTS_MS),
      waiting: () => ({ count: this.stored.waiting, oldest: this.stored.oldest }),
      restart: () => this.#restart(),
      failed: failedWords,
    });
    const unlisten = ports.hints.listen(row.case_uid, (seq) => {
      // No number: the stream of events was opened, or has ended.
      if (this.isLeader && seq > this.row.pull_seq)
        this.loop.requestCycle(seq === Infinity && ports.hints.up ? 'reach' : 'work');
    });
    const forget = ports.who.subscribe(() => {
      this.changed();
      if (this.isLeader) this.loop.requestCycle('access');
    });
    this.#unlisten = () => {
      unlisten();
      forget();
    };
  }

  /** Whether the case is approved, as far as is known here. */
  isApproved = false;

  get permission(): Permission {
    return permissionOf(this.row.user, this.ports.who, {
      ended: this.ended,
      full: this.quota.full ? this.quota.problem : null,
      unsettled: this.state.document?.other === true,
      approved: this.isApproved,
    });
  }
  /**
   * Keeps with the copy that its matrix's document is named. What only names it once more would do
   * no harm.
   */
  async noteNamed(): Promise<void> {
    const { document } = this.state;
    if (document === undefined) return;
    this.row = { ...this.row, document };
    await this.db.matrices.update(this.row.id, { document }).catch(() => undefined);
  }
  get seesKeys(): boolean {
    return this.ports.who.seesKeys;
  }
  get own(): RecordedBy {
    return this.ports.who.authorshipOf(this.row.user);
  }
  get blocked(): string | null {
    return this.permission.blocked;
  }
  get silent(): boolean {
    const { owner, signedOut } = this.ports.who;
    return signedOut || (owner !== undefined && owner !== this.row.user);
  }
  get stored(): OutboxCounts {
    return this.counted ?? EMPTY_OUTBOX;
  }
  changed(): void {
    this.ports.changed();
    this.onStatus();
  }
  readonly readBeside: Link['readBeside'] = (news) =>
    this.ports.readBeside(this.row.case_uid, news);
  get online(): boolean {
    return this.isLeader ? this.loop.online : (this.#others.leader?.online ?? true);
  }
  /** A problem that a person should know of or act on, in words; null when all is well. */
  get problem(): string | null {
    const { damaged } = this.stored;
    return (
      this.quota.problem ??
      (this.silent ? this.blocked : null) ??
      (this.isLeader ? inWords(this.loop.problem) : (this.#others.leader?.problem ?? null)) ??
      (damaged === 0 ? null : refusedWords(damaged))
    );
  }
  get versions(): string {
    const { who, encoding } = this.ports;
    return `${encoding.version} ${SCHEMA_VERSION} ${who.facts?.server.version ?? ''}`;
  }
  async answers(): Promise<boolean> {
    await this.askWho();
    return this.ports.who.reachable;
  }
  async askWho(): Promise<void> {
    await this.ports.who.askAgain().catch(() => undefined);
  }
  end(words: string | null): void {
    this.ended = words;
  }
  /**
   * Notes that both sides are equal, unless something of this copy is still missing on the server.
   */
  async agreed(): Promise<void> {
    await this.recount();
    if (this.stored.waiting + this.stored.damaged + this.writer.pending === 0)
      this.verifiedAt = this.now();
  }

  /** Aborts the requests of the present cycle. */
  get signal(): AbortSignal {
    return this.#requests.signal;
  }
  get closing(): AbortSignal {
    return this.#abort.signal;
  }
  #restart(): void {
    this.#requests.abort();
    this.#requests = new AbortController();
  }
  get isLeader(): boolean {
    return this.#election.isLeader;
  }
  get closed(): boolean {
    return this.#abort.signal.aborted;
  }
  /**
   * Called when there may be something to sync. A window that is not the leader asks the one that
   * is.
   */
  requestSync(why: SyncReason): void {
    if (this.isLeader) this.loop.requestCycle(why);
    else this.#others.sendOutbox(why);
  }
  /**
   * Whether nothing is sent by this window until it is asked again: its last cycle is over, or
   * another window is the leader and has said so.
   */
  get isAtRest(): boolean {
    return this.isLeader ? this.loop.nextAt !== null : this.#others.leader !== null;
  }
  now(): number {
    return this.ports.timers.now();
  }
  elapsed(): number {
    return this.ports.timers.elapsed();
  }
  readonly seeClock = (hlc: string): void => this.ports.clock.see(hlc);

  /**
   * Reads the stored replica, or everything from the server where there is none; then begins to
   * sync.
   */
  async start(): Promise<void> {
    let first = true;
    await this.#election.start(`evidence-studio/${this.row.id}`, this.ports.locks, () => {
      if (!first) void this.#takeOver();
    });
    first = false;
    if (this.isLeader) await claimReplica(this.db, this.row, this.boot);
    this.#hasClaimed = this.isLeader;
    await this.reload();
    if (this.row.gen === 0) await this.#begin();
    this.#begun = true;
    if (this.isLeader) this.loop.requestCycle();
    this.changed();
  }

  async #begin(): Promise<void> {
    for (let tries = 0; !this.isLeader && tries < HANDOVER_TRIES; tries += 1) {
      await new Promise<void>((resolve) => void this.ports.timers.after(HANDOVER_MS, resolve));
      await this.reload();
      if (this.row.gen > 0) return;
    }
    // A snapshot is dropped if the replica was read from disk meanwhile; then it is asked for
    // again.
    while (this.row.gen === 0 && !this.closed) {
      const failure = await this.#cycle.first();
      if (failure !== null) throw new CallError(failure);
    }
  }

  async #takeOver(): Promise<void> {
    await this.#reader.afterClaim(() => claimReplica(this.db, this.row, this.boot));
    this.#hasClaimed = true;
    this.loop.requestCycle();
  }

  reload(): Promise<void> {
    return this.#reader.again();
  }
  whenQuiet<T>(read: () => Promise<T>): Promise<T> {
    return this.#reader.whenQuiet(read);
  }
  /**
   * Replaces the state in memory. The caller has made sure that nothing of the old state is still
   * being written.
   */
  replace(state: ReplicaState, row: MatrixRow, rebuild = false): Promise<void> {
    const previous = this.state;
    state.arrange();
    this.state = state;
    this.row = row;
    // After the state is in place, since listeners read it at once.
    state.store.succeed(previous.store);
    this.life += 1;
    this.writer.recover();
    this.onReload();
    if (rebuild) state.markAllChanged();
    const rows = state.takeChanged();
    return this.isLeader && !isDue(row)
      ? this.writer.enqueue(rebuild ? { rebuild: row, rows } : { rows })
      : Promise.resolve();
  }

  #onStored(job: Job, offered: number): void {
    if (job.transaction !== undefined || job.link !== undefined) this.quota.stored();
    if (job.transaction !== undefined) {
      this.counted = {
        ...this.stored,
        waiting: this.stored.waiting + job.transaction.changes.length,
        oldest: this.stored.oldest ?? job.transaction.at,
      };
      this.#others.sendOutbox();
      if (this.isLeader) this.loop.requestCycle('edit');
    }
    if (offered > 0) this.counted = { ...this.stored, waiting: this.stored.waiting + offered };
    if (job.rows !== undefined && this.isLeader) this.#others.sendRows();
    if (job.acknowledged !== undefined || job.damaged !== undefined || job.offerAgain === true)
      void this.#count().catch(() => undefined);
  }
  #onFailure(error: unknown, job: Job): void {
    if (this.closed) return;
    this.quota.failed(error, job.transaction !== undefined);
    this.#reader.againSoon();
  }
  async recount(): Promise<void> {
    this.counted = await outboxStateOf(this.db, this.row);
    this.changed();
  }
  async #count(): Promise<void> {
    await this.recount();
    this.#notify();
    this.#others.sendOutbox();
  }
  #notify(): void {
    this.changed();
    if (this.isLeader) this.#others.sendStatus();
  }

  close(): void {
    this.#abort.abort();
    this.#requests.abort();
    this.loop.stop();
    this.quota.close();
    this.#unlisten();
    // The lock is released only when everything on screen is on the disk.
    void this.writer.settled().then(() => {
      this.#election.close();
      this.#others.close();
    });
  }
}
