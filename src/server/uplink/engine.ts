import type { Hasher } from '../../shared/lib/hash.ts';
import { SCHEMA_VERSION } from '../../sync/change.ts';
import { isDueAgain } from '../../sync/faults.ts';
import {
  ATTENDED_BACKOFF_MS,
  ATTENDED_MS,
  LONGEST_BACKOFF_MS,
  type Step,
  SyncLoop,
  type Timers,
  type Why,
} from '../../sync/loop.ts';
import type { HostedClient } from './client.ts';
import { ContentExchange } from './contents.ts';
import { fetchAwaited, sendOwed } from './courier.ts';
import { fetchDocuments } from './documents.ts';
import { greet, type Greeted } from './greeting.ts';
import { Hints } from './hints.ts';
import { type Line, turnOf } from './line.ts';
import { OwnChanges } from './own-changes.ts';
import { makePlan } from './plan.ts';
import { Positions } from './positions.ts';
import { OTHER_STORE, TOO_OLD } from './words.ts';
import { type End, endOf, Work } from './work.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { Store } from '../storage/store.ts';

const POLL_MS = 60_000;
/** How often runs that were not accepted are offered again, ms. */
const OFFER_MS = 3_600_000;

export interface EnginePorts {
  store: Store;
  hasher: Hasher;
  timers: Timers;
  /** Identifies this process in link rows (R3). */
  boot: string;
  /** Of this program. */
  version: string;
  client: HostedClient;
  /**
   * Identity of the hosted store that was connected to; if another store answers at its address,
   * nothing is written to it.
   */
  hostedStore: string;
  mayStandFor: ReadonlySet<string>;
  failed: Line['failed'];
  /** Logs an unexpected error. */
  unforeseen(error: unknown): void;
  learned(facts: { epoch: string; role: Positions['role'] }): void;
}

/**
 * The exchange over one connection: a single loop polls where the other side's logs stand and has
 * the due work done.
 */
export class Engine {
  readonly #ports: EnginePorts;
  readonly #loop: SyncLoop;
  readonly #work: Work;
  readonly #hints: Hints;
  readonly #contents = new ContentExchange();
  readonly #own: OwnChanges;
  #abort = new AbortController();
  #line: Line;
  #cycle: Promise<unknown> = Promise.resolve();
  /** In elapsed time, like the two below. */
  #polledAt = -Infinity;
  #offeredAt = -Infinity;
  /** When somebody last looked or wrote here. */
  #attendedAt = -Infinity;
  #planDue = true;
  #greeted = false;
  /** What the other side last said of its own version. */
  #theirs = '';
  #closed = false;
  readonly positions = new Positions();
  /** Why nothing is requested until a person acts; null while all is well. */
  halted: string | null = null;
  lastFailure: string | null = null;
  clockOffset: number | null = null;
  lastOk: number | null = null;

  constructor(ports: EnginePorts) {
    const { timers, store } = ports;
    this.#ports = ports;
    this.#line = this.#newLine();
    this.#work = new Work(timers, {
      cap: () => this.#cap(),
      kick: () => this.#loop.kick(),
      met: ({ stream, row }) => this.positions.met(stream, row.pull_seq, row.pull_chain),
    });
    this.#loop = new SyncLoop({
      cycle: () => {
        const cycle = this.#turn();
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
      heard: (stream, seq) => this.#heard(stream, seq),
      opened: () => this.#reached(),
    });
    this.#own = new OwnChanges({
      store,
      timers,
      work: this.#work,
      edited: () => this.attended(),
      request: (why) => this.#loop.kick(why),
    });
    this.#loop.kick();
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
    return this.#work.isRunning;
  }
  isServed(stream: string): boolean {
    return this.#work.isServed(stream);
  }
  profilesWaiting(): Promise<number> {
    return this.#work.profilesWaiting(this.#line);
  }

  /**
   * Called when a person asks, the computer wakes up or the network returns: polls at once and
   * retries what was refused before.
   */
  wake(): void {
    this.halted = null;
    this.#offeredAt = -Infinity;
    this.#work.forgive();
    this.#contents.forget();
    this.#hints.again();
    this.#poll('person');
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
    this.#greeted = false;
    this.#work.hurry();
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

  #newLine(): Line {
    const { store, hasher, client, timers, boot, mayStandFor, failed, version } = this.#ports;
    return {
      store,
      account: store.local.account_id,
      hasher,
      client,
      signal: this.#abort.signal,
      now: () => timers.now(),
      elapsed: () => timers.elapsed(),
      boot,
      mayStandFor,
      failed,
      versions: () => `${version} ${SCHEMA_VERSION} ${this.#theirs}`,
      answers: async () => (await this.#meet()).kind === 'ok',
      isStudio: async () => {
        const greeted = await this.#meet();
        return greeted.kind === 'ok' && greeted.greeting.studio;
      },
    };
  }

  #restart(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#line = this.#newLine();
  }

  #poll(why: Why = 'work'): void {
    this.#polledAt = -Infinity;
    this.positions.forget();
    this.#planDue = true;
    this.#loop.kick(why);
  }

  #heard(stream: string, seq: number): void {
    const known = this.positions.grown(stream, seq);
    const link = this.#work.links.get(stream);
    // Of another log, or of the account: a role has changed, or a run has come.
    if (known === undefined) this.#poll('reach');
    else if (link !== undefined && seq > link.row.pull_seq) {
      this.#work.touch(stream, true);
      this.#loop.kick();
    }
  }

  async #turn(): Promise<Step> {
    if (this.halted !== null) return { kind: 'parked', problem: this.halted };
    try {
      const end =
        (await this.#greet()) ??
        (await this.#look()) ??
        (await this.#work.run(this.#line, this.positions.held));
      return this.#stepOf(end);
    } catch (error) {
      if (this.#closed) return { kind: 'done' };
      if (error instanceof StoreError)
        return { kind: 'later', online: true, retryAfter: null, problem: error.message };
      this.#ports.unforeseen(error);
      throw error;
    }
  }

  #stepOf(end: End | undefined): Step {
    if (end?.kind === 'halted') {
      this.halted = end.problem;
      return { kind: 'parked', problem: end.problem };
    }
    if (end === undefined) {
      this.lastOk = this.#ports.timers.now();
      this.lastFailure = null;
      return { kind: 'done' };
    }
    this.lastFailure = end.problem;
    return { kind: 'later', online: end.online, retryAfter: end.retryAfter, problem: end.problem };
  }

  async #greet(): Promise<End | undefined> {
    if (this.#greeted) return undefined;
    const { hostedStore } = this.#ports;
    const greeted = await this.#meet();
    if (greeted.kind === 'too_old') return { kind: 'halted', problem: TOO_OLD };
    if (greeted.kind === 'failed') {
      this.#line.failed('', 'hello', greeted.failure);
      return endOf(turnOf(greeted.failure, 'pull'));
    }
    const { store, epoch, role, clockOffset } = greeted.greeting;
    if (store !== hostedStore) return { kind: 'halted', problem: OTHER_STORE };
    this.clockOffset = clockOffset;
    this.#ports.learned({ epoch, role });
    this.#greeted = true;
    return undefined;
  }

  async #meet(): Promise<Greeted> {
    const { client, timers } = this.#ports;
    const greeted = await greet(client, () => timers.now(), this.#line.signal);
    if (greeted.kind === 'ok') this.#theirs = greeted.greeting.versions;
    return greeted;
  }

  /**
   * Of the cases that are exchanged, and only where their logs have been read: what was announced
   * since brings its content itself.
   */
  async #exchangeContents(): Promise<void> {
    const cases = [...this.#work.links.values()].flatMap(({ stream, row }) => {
      const there = this.positions.streams.get(stream);
      return there === undefined || there.project_id === null || there.seq > row.pull_seq
        ? []
        : [[stream, there] as const];
    });
    if (cases.length > 0)
      await this.#contents.exchange(this.#line, new Map(cases), this.positions.role !== 'viewer');
  }

  /** What was set aside and may be taken now. */
  async #offerAside(): Promise<void> {
    const { store, account, now, versions } = this.#line;
    for (const { stream, at, versions: then } of await store.read((reader) =>
      reader.uplink.aside(account),
    )) {
      if (
        this.#work.links.get(stream)?.offer === true ||
        isDueAgain({ at: Date.parse(at), versions: then }, now(), versions())
      )
        this.#work.touch(stream, true);
    }
  }

  /** Polls where that is due, then makes a new plan if the poll or a change here requires one. */
  async #look(): Promise<End | undefined> {
    const now = this.#ports.timers.elapsed();
    if (now - this.#polledAt >= POLL_MS - 1_000) {
      const { held } = this.positions;
      const { turn, moved } = await this.positions.ask(this.#line);
      if (turn.kind !== 'done') return endOf(turn);
      this.#polledAt = now;
      this.#planDue ||= moved;
      if (moved) this.#ports.learned({ epoch: this.positions.epoch, role: this.positions.role });
      await fetchAwaited(this.#line);
      await fetchDocuments(this.#line);
      if (this.positions.held === null) await this.#offerAside();
      if (now - this.#offeredAt >= OFFER_MS && this.positions.held === null) {
        this.#offeredAt = now;
        await sendOwed(this.#line);
      }
      if (held !== this.positions.held) this.#work.forgive();
    }
    if (this.#planDue || (await this.#own.isToBeLinked())) {
      this.#planDue = false;
      this.#work.adopt(
        await makePlan(this.#ports.store, this.#ports.boot, this.#work.links, this.positions),
      );
    }
    if (this.#polledAt === now) await this.#exchangeContents();
    return undefined;
  }
}
