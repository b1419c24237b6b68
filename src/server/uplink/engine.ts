import type { StreamName, UserId } from '../../shared/contract/ids.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import {
  ATTENDED_BACKOFF_MS,
  ATTENDED_MS,
  LONGEST_BACKOFF_MS,
  type CycleStep,
  SyncLoop,
  type Timers,
  type Why,
} from '../../sync/loop.ts';
import type { HostedClient } from './client.ts';
import { comparedCases, ContentSync } from './contents.ts';
import { fetchAwaited, sendPending } from './run-contents.ts';
import { fetchDocuments } from './documents.ts';
import { shakeHands, type HandshakeResult } from './handshake.ts';
import { Hints } from './hints.ts';
import type { UpstreamPresence } from './presence.ts';
import { type UpstreamConnection, stepOf } from './connection.ts';
import { openConnection, type Said, UNSAID } from './open-connection.ts';
import { OwnChanges } from './own-changes.ts';
import { makePlan } from './plan.ts';
import { Positions } from './positions.ts';
import { OTHER_STORE, TOO_OLD } from './words.ts';
import { type Interruption, endOf, LinkScheduler } from './link-scheduler.ts';
import { StoreError } from '../storage/db/errors.ts';
import { aboutAccount } from '../storage/about-account.ts';
import type { Store } from '../storage/store.ts';

const POLL_MS = 60_000;
/** How often runs that were not accepted are offered again, ms. */
const OFFER_MS = 3_600_000;

export interface SyncEnginePorts {
  store: Store;
  hasher: Hasher;
  timers: Timers;
  /** Identifies this process in link rows (R3). */
  boot: string;
  /** Of this program. */
  version: string;
  presence: UpstreamPresence;
  client: HostedClient;
  /**
   * Identity of the hosted store that was connected to; if another store answers at its address,
   * nothing is written to it.
   */
  hostedStore: string;
  mayStandFor: ReadonlySet<UserId>;
  /** What is known of that store from an engine that was stopped. */
  before?: Pick<SyncEngine, 'positions' | 'clockOffset' | 'lastOk'> | undefined;
  failed: UpstreamConnection['failed'];
  /** Logs an unexpected error. */
  unforeseen(error: unknown): void;
  learned(facts: { epoch: string; role: Positions['role'] }): void;
}

/**
 * The sync over one connection: a single loop polls where the other side's logs stand and has
 * the due work done.
 */
export class SyncEngine {
  readonly #ports: SyncEnginePorts;
  readonly #loop: SyncLoop;
  readonly #work: LinkScheduler;
  readonly #hints: Hints;
  readonly #contents = new ContentSync();
  readonly #own: OwnChanges;
  #abort = new AbortController();
  #connection: UpstreamConnection;
  #cycle: Promise<unknown> = Promise.resolve();
  /** In elapsed time, like the two below. */
  #polledAt = -Infinity;
  #offeredAt = -Infinity;
  /** When somebody last looked or wrote here. */
  #attendedAt = -Infinity;
  #planDue = true;
  /** Asked for since the last poll began. */
  #isPollWanted = false;
  /** Somebody has asked since the last cycle began: what was refused before is tried again. */
  #isWoken = false;
  #hasMet = false;
  /** What the other side last said of its own version, and of how many parts a batch may have. */
  #theirs: Said = UNSAID;
  #closed = false;
  readonly positions: Positions;
  /** Why nothing is requested until a person acts; null while all is well. */
  halted: string | null = null;
  lastFailure: string | null = null;
  clockOffset: number | null;
  lastOk: number | null;

  constructor(ports: SyncEnginePorts) {
    const { timers } = ports;
    const store = aboutAccount(ports.store, ports.store.local.account_id);
    this.#ports = { ...ports, store };
    this.positions = ports.before?.positions ?? new Positions();
    this.clockOffset = ports.before?.clockOffset ?? null;
    this.lastOk = ports.before?.lastOk ?? null;
    this.#connection = this.#newConnection();
    this.#work = new LinkScheduler(timers, {
      cap: () => this.#cap(),
      requestCycle: () => this.#loop.requestCycle(),
      readTo: ({ stream, row }) => this.positions.readTo(stream, row.pull_seq, row.pull_chain),
    });
    this.#loop = new SyncLoop({
      cycle: () => {
        const cycle = this.#runCycle();
        this.#cycle = cycle;
        return cycle;
      },
      timers,
      idleMs: () => Math.max(1_000, this.#polledAt + POLL_MS - timers.elapsed()),
      cap: () => this.#cap(),
      changed: () => {},
      waiting: () => this.#work.pending,
      restart: () => this.#restart(),
    });
    this.#hints = new Hints({
      client: ports.client,
      timers,
      cap: () => this.#cap(),
      received: (stream, seq) => this.#received(stream, seq),
      presence: ports.presence,
      isShared: (caseUid) => this.#work.links.has(caseUid) && this.positions.streams.has(caseUid),
      opened: () => this.#reached(),
    });
    this.#own = new OwnChanges({
      store,
      timers,
      work: this.#work,
      edited: () => this.attended(),
      request: (why) => this.#loop.requestCycle(why),
    });
    this.#loop.requestCycle();
  }

  get online(): boolean {
    return this.#loop.online;
  }
  get problem(): string | null {
    return this.halted ?? this.#loop.problem;
  }
  get nextAt(): number | null {
    return this.#loop.nextAt;
  }
  get hints(): { open: boolean; opened: number } {
    return { open: this.#hints.open, opened: this.#hints.opened };
  }
  get isBusy(): boolean {
    return this.#work.served > 0;
  }
  isServed(stream: StreamName): boolean {
    return this.#work.isServed(stream);
  }
  profilesWaiting(): Promise<number> {
    return this.#work.profilesWaiting(this.#connection);
  }

  /**
   * Called when a person asks, the computer wakes up or the network returns: polls at once and
   * retries what was refused before.
   */
  wake(): void {
    this.#isWoken = true;
    this.#hints.again();
    this.#poll('person');
  }
  /**
   * At the beginning of a cycle: one that was under way when somebody asked ends as it would have.
   */
  #forgetRefusals(): void {
    this.#isWoken = false;
    this.halted = null;
    this.#offeredAt = -Infinity;
    this.#work.retryAll();
    this.#contents.forget();
  }

  /** Called when somebody looks, as every open window does. */
  attended(): void {
    this.#attendedAt = this.#ports.timers.elapsed();
  }
  #cap(): number {
    return this.#ports.timers.elapsed() - this.#attendedAt < ATTENDED_MS
      ? ATTENDED_BACKOFF_MS
      : LONGEST_BACKOFF_MS;
  }
  /**
   * The other side answers again, and may be of another version: it is asked who it is, and what
   * waited after a failure goes at once.
   */
  #reached(): void {
    this.#hasMet = false;
    this.#work.endWaits();
    this.#poll('reach');
  }

  /** Called when a project was shared or is no longer. */
  replan(): void {
    this.#poll('person');
  }

  /** Stops at once. Work under way is aborted and repeated at the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#own.close();
    this.#loop.stop();
    this.#hints.close();
    this.#abort.abort();
    await this.#cycle.catch(() => undefined);
  }

  #newConnection(): UpstreamConnection {
    return openConnection(this.#ports, {
      signal: this.#abort.signal,
      meet: () => this.#meet(),
      said: () => this.#theirs,
      served: () => this.#work.served,
    });
  }

  #restart(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#connection = this.#newConnection();
  }

  /** `isWhole`: where all logs stand, and not only what has moved. */
  #poll(why: Why, isWhole = true): void {
    this.#polledAt = -Infinity;
    this.#isPollWanted = true;
    if (isWhole) this.positions.forget();
    this.#planDue = true;
    this.#loop.requestCycle(why);
  }

  #received(stream: StreamName, seq: number): void {
    const known = this.positions.grown(stream, seq);
    const link = this.#work.links.get(stream);
    // Of another log, or of the account: a role has changed, or a run has come.
    if (known === undefined) this.#poll('reach', false);
    else if (link !== undefined && seq > link.row.pull_seq) {
      this.#work.touch(stream, true);
      this.#loop.requestCycle();
    }
  }

  async #runCycle(): Promise<CycleStep> {
    if (this.#isWoken) this.#forgetRefusals();
    if (this.halted !== null) return { kind: 'blocked', problem: this.halted };
    try {
      const end =
        (await this.#shakeHands()) ??
        (await this.#look()) ??
        (await this.#work.run(this.#connection, this.positions.sendingBlocked));
      return this.#stepOf(end);
    } catch (error) {
      if (this.#closed) return { kind: 'done' };
      if (error instanceof StoreError)
        return { kind: 'later', online: true, retryAfter: null, problem: error.message };
      this.#ports.unforeseen(error);
      throw error;
    }
  }

  #stepOf(end: Interruption | undefined): CycleStep {
    if (end?.kind === 'halted') {
      this.halted = end.problem;
      return { kind: 'blocked', problem: end.problem };
    }
    if (end === undefined) {
      this.lastOk = this.#ports.timers.now();
      this.lastFailure = null;
      this.#hints.nameOpen();
      return { kind: 'done' };
    }
    this.lastFailure = end.problem;
    return { kind: 'later', online: end.online, retryAfter: end.retryAfter, problem: end.problem };
  }

  async #shakeHands(): Promise<Interruption | undefined> {
    if (this.#hasMet) return undefined;
    const result = await this.#meet();
    if (result.kind === 'too_old') return { kind: 'halted', problem: TOO_OLD };
    if (result.kind === 'failed') {
      this.#connection.failed(null, 'hello', result.failure);
      return endOf(stepOf(result.failure, 'pull'));
    }
    const { store, epoch, role, clockOffset } = result.handshake;
    if (store !== this.#ports.hostedStore) return { kind: 'halted', problem: OTHER_STORE };
    this.clockOffset = clockOffset;
    this.#ports.learned({ epoch, role });
    this.#hasMet = true;
    return undefined;
  }

  async #meet(): Promise<HandshakeResult> {
    const { client, timers } = this.#ports;
    const result = await shakeHands(client, () => timers.now(), this.#connection.signal);
    if (result.kind === 'ok') {
      this.#theirs = result.handshake;
      this.#connection.logs.met();
    }
    return result;
  }

  async #syncContents(): Promise<void> {
    const cases = comparedCases(this.#work.links.values(), this.positions);
    await this.#contents.sync(this.#connection, cases, this.positions.role !== 'viewer');
  }

  /** Polls where that is due, then makes a new plan if the poll or a change here requires one. */
  async #look(): Promise<Interruption | undefined> {
    const now = this.#ports.timers.elapsed();
    if (now - this.#polledAt >= POLL_MS - 1_000) {
      const { sendingBlocked } = this.positions;
      this.#isPollWanted = false;
      const { step, moved } = await this.positions.ask(this.#connection);
      if (step.kind !== 'done') return endOf(step);
      if (!this.#isPollWanted) this.#polledAt = now;
      this.#planDue ||= moved;
      if (moved) this.#ports.learned({ epoch: this.positions.epoch, role: this.positions.role });
      await fetchAwaited(this.#connection);
      await fetchDocuments(this.#connection);
      if (this.positions.sendingBlocked === null) await this.#work.touchAside(this.#connection);
      if (now - this.#offeredAt >= OFFER_MS && this.positions.sendingBlocked === null) {
        this.#offeredAt = now;
        await sendPending(this.#connection);
      }
      if (sendingBlocked !== this.positions.sendingBlocked) this.#work.retryAll();
    }
    if (this.#planDue || (await this.#own.isToBeLinked())) {
      this.#planDue = false;
      this.#work.adopt(
        await makePlan(
          this.#ports.store,
          this.#ports.boot,
          this.#work.links,
          this.positions,
          this.#theirs.layers,
        ),
      );
    }
    if (this.#polledAt === now) await this.#syncContents();
    return undefined;
  }
}
