import type { StreamName } from '../../shared/contract/ids.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { isDueAgain } from '../../sync/faults.ts';
import { backoff, type Timers } from '../../sync/loop.ts';
import { type Due, DueStreams } from './due-streams.ts';
import { layerOf, PROFILE_STREAM } from '../../sync/register.ts';
import { type Circumstances, syncLink } from './sync-link.ts';
import {
  knownLink,
  type UpstreamConnection,
  LinkMovedError,
  type LinkState,
  moveTo,
  type LinkStep,
} from './connection.ts';
import type { SyncPlan } from './plan.ts';
import { ProfileSync } from './profile-sync.ts';
import { BLOCKED } from './words.ts';
import { StoreError } from '../storage/db/errors.ts';

/** Links that are served at a time: where requests go one by one, and where they go together. */
const AT_ONCE = { alone: 4, together: 128 } as const;
/** Wait after both sides differed twice, or after a damaged change. Milliseconds. */
const STOPPED_MS = 300_000;
/** Errors that concern the own store as a whole; any other error concerns one stream. */
const STORE_WIDE: ReadonlySet<string> = new Set([
  'read_only',
  'storage_full',
  'unavailable',
  'quota_exceeded',
]);
/** Wait after another process has changed a link's row. Milliseconds. */
const MOVED_MS = 1_000;

/** Why all links wait, or why they stop until a person acts. */
export type Interruption =
  | Extract<LinkStep, { kind: 'later' }>
  | { kind: 'halted'; problem: string };

/** What the outcome of a request that belongs to no single link means for all of them. */
export function endOf(step: LinkStep): Interruption | undefined {
  if (step.kind === 'later') return step;
  return step.kind === 'blocked' ? { kind: 'halted', problem: step.problem } : undefined;
}

/**
 * The links of one connection and which of them are due. Several links are served at a time, each
 * with one request at a time.
 */
export class LinkScheduler {
  readonly #timers: Timers;
  /** Longest wait after failures, ms. */
  readonly #cap: () => number;
  readonly #requestCycle: () => void;
  readonly #readTo: (link: LinkState) => void;
  readonly #profiles = new ProfileSync();
  readonly #due = new DueStreams();
  #needed: readonly string[] = [];
  readonly #running = new Set<StreamName>();
  /** Streams for which a cycle is to begin when their pace allows it. */
  readonly #paced = new Set<StreamName>();
  /**
   * Streams with changes of this studio that are not known to be on the other side: since when, in
   * elapsed time.
   */
  readonly #pending = new Map<StreamName, number>();
  links: ReadonlyMap<StreamName, LinkState> = new Map();

  /**
   * `readTo` is called at the end of a cycle, when it is known where the other side's log stands.
   */
  constructor(
    timers: Timers,
    {
      cap,
      requestCycle,
      readTo,
    }: { cap: () => number; requestCycle: () => void; readTo: (link: LinkState) => void },
  ) {
    this.#timers = timers;
    this.#cap = cap;
    this.#requestCycle = requestCycle;
    this.#readTo = readTo;
  }

  /** How many links are being served. */
  get served(): number {
    return this.#running.size;
  }
  get pending(): { count: number; oldest: number | null } {
    return {
      count: this.#pending.size,
      oldest: this.#pending.size === 0 ? null : Math.min(...this.#pending.values()),
    };
  }
  isServed(stream: StreamName): boolean {
    return this.#running.has(stream);
  }

  /** How many needed profiles are not known to be on the other side. */
  async profilesWaiting(connection: UpstreamConnection): Promise<number> {
    const link = this.links.get(PROFILE_STREAM);
    return link === undefined
      ? 0
      : (await this.#profiles.wanting(connection, link, this.#needed)).length;
  }

  adopt(plan: SyncPlan): void {
    this.links = plan.links;
    this.#needed = plan.needed;
    this.#due.keep(plan.links);
    for (const [stream, { look }] of plan.due) this.touch(stream, look);
  }

  /** Marks a stream as due; `look`: also read from the other side. */
  touch(stream: StreamName, look: boolean): void {
    this.#due.touch(stream, look);
  }

  /**
   * Called when something was stored here. The profiles are due as well, since a case may name one
   * that the other side lacks.
   */
  changed(stream: StreamName): void {
    if (!this.#pending.has(stream)) this.#pending.set(stream, this.#timers.elapsed());
    this.touch(stream, false);
    this.touch(PROFILE_STREAM, false);
  }

  /** Marks what was set aside and may be taken now as due. */
  async touchAside({ store, account, now, versions }: UpstreamConnection): Promise<void> {
    for (const { stream, at, versions: then } of await store.read((reader) =>
      reader.uplink.aside(account),
    )) {
      if (
        this.links.get(stream)?.offer === true ||
        isDueAgain({ at: Date.parse(at), versions: then }, now(), versions())
      )
        this.touch(stream, true);
    }
  }

  /** Ends the waits after failures. */
  endWaits(): void {
    for (const link of this.links.values()) if (link.failures > 0) link.retryAt = -Infinity;
  }

  /** Makes everything that was refused or put off due again. */
  retryAll(): void {
    for (const link of this.links.values()) {
      link.pace.forget();
      Object.assign(link, {
        retryAt: -Infinity,
        failures: 0,
        blocked: false,
        unequal: 0,
        offer: true,
      });
    }
  }

  /**
   * Serves the links that are due now, several at a time, until none is left or one reports that all
   * must wait.
   */
  async run(
    connection: UpstreamConnection,
    sendingBlocked: Circumstances['sendingBlocked'],
  ): Promise<Interruption | undefined> {
    let end: Interruption | undefined;
    this.#due.begin();
    const worker = async (): Promise<void> => {
      while (end === undefined && !connection.signal.aborted) {
        const next = this.#next();
        if (next === undefined) return;
        const interruption = await this.#serve(connection, next, sendingBlocked);
        end ??= interruption;
      }
    };
    const { isGathering } = connection.logs;
    const length = isGathering ? AT_ONCE.together : AT_ONCE.alone;
    const ended = await Promise.allSettled(Array.from({ length }, worker));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return end;
  }

  /** Whether a link may be served now; where only its pace forbids it, a cycle begins later. */
  #isReady(stream: StreamName, now: number): boolean {
    const link = this.links.get(stream);
    if (link === undefined || link.blocked || this.#running.has(stream) || link.retryAt > now)
      return false;
    // The other side takes nothing of a round that it has not heard of (YR8).
    const of = layerOf(stream)?.case;
    if (of !== undefined && (this.#running.has(of) || this.#due.isDueNow(of))) return false;
    const wait = link.pace.readyAt - now;
    if (wait <= 0) return true;
    if (!this.#paced.has(stream)) {
      this.#paced.add(stream);
      this.#timers.after(wait, () => {
        this.#paced.delete(stream);
        this.#requestCycle();
      });
    }
    return false;
  }

  /** The next link that may be served, and what it has to do. */
  #next(): { link: LinkState; due: Due } | undefined {
    const now = this.#timers.elapsed();
    const taken = this.#due.take((stream) => this.#isReady(stream, now));
    if (taken === undefined) return undefined;
    const [stream, due] = taken;
    const link = this.links.get(stream);
    return link && { link, due };
  }

  async #serve(
    connection: UpstreamConnection,
    { link, due }: { link: LinkState; due: Due },
    sendingBlocked: Circumstances['sendingBlocked'],
  ): Promise<Interruption | undefined> {
    const { stream, pace } = link;
    this.#running.add(stream);
    try {
      if (stream === PROFILE_STREAM)
        this.#needed = await connection.store.read(async (reader) =>
          reader.uplink.profiles(
            connection.account,
            await reader.uplink.shared(connection.account),
          ),
        );
      const step =
        stream === PROFILE_STREAM
          ? await this.#profiles.sync(connection, link, this.#needed, {
              ...due,
              sendingBlocked,
            })
          : await syncLink(connection, link, { ...due, sendingBlocked });
      return await this.#settle(connection, link, step, due);
    } catch (error) {
      if (error instanceof StoreError && !STORE_WIDE.has(error.code))
        return await this.#settle(
          connection,
          link,
          { kind: 'later', host: false, online: true, retryAfter: null, problem: error.message },
          due,
        );
      if (!(error instanceof LinkMovedError)) {
        this.touch(stream, due.look);
        throw error;
      }
      const stored = (
        await connection.store.read((reader) => reader.log.links(connection.account))
      ).find((one) => one.stream === stream);
      if (stored !== undefined)
        Object.assign(link, knownLink(stream, stored.link, connection.boot, SYNC_LIMITS.changes), {
          pace,
        });
      this.#putOff(link, true, MOVED_MS);
      return undefined;
    } finally {
      this.#running.delete(stream);
      pace.ended(this.#timers.elapsed());
    }
  }

  /**
   * Acts on the outcome of a cycle: notes it in the link's row for a person to see, schedules
   * another try, or makes all links wait.
   */
  async #settle(
    connection: UpstreamConnection,
    link: LinkState,
    step: LinkStep,
    due: { look: boolean },
  ): Promise<Interruption | undefined> {
    const timers = this.#timers;
    const again = (wait: number): void => this.#putOff(link, due.look, wait);
    switch (step.kind) {
      case 'done':
        this.#sent(link.stream);
        link.failures = 0;
        this.#readTo(link);
        this.#wakeLayers(link.stream);
        if (link.row.state !== 'open' || link.row.problem !== null)
          await this.#noteState(connection, link, 'open', null);
        return undefined;
      case 'later':
        if (step.host) {
          this.touch(link.stream, due.look);
          return step;
        }
        link.failures += 1;
        again(backoff(link.failures, step.retryAfter, timers.random(), this.#cap()));
        if (step.problem !== null && link.failures > 1)
          await this.#noteState(connection, link, 'open', step.problem);
        return undefined;
      case 'blocked':
        this.#pending.delete(link.stream);
        if (step.why === 'signed_out' || step.why === 'too_old') {
          this.touch(link.stream, due.look);
          return { kind: 'halted', problem: BLOCKED[step.why] };
        }
        // Of a round that it does not know yet, or a layer that it gives to nobody now.
        if (step.why === 'no_access' && layerOf(link.stream) !== undefined) {
          link.failures += 1;
          again(STOPPED_MS);
          return undefined;
        }
        link.blocked = step.why === 'no_access' || step.why === 'purged';
        await this.#noteState(connection, link, 'blocked', step.problem);
        return undefined;
      case 'stopped':
        this.#pending.delete(link.stream);
        again(STOPPED_MS);
        await this.#noteState(connection, link, 'stopped', step.problem);
        return undefined;
      case 'diverged':
        again(backoff(1, null, timers.random()));
        return undefined;
    }
  }

  #putOff(link: LinkState, look: boolean, wait: number): void {
    link.retryAt = this.#timers.elapsed() + wait;
    this.#due.putBack(link.stream, look);
    this.#timers.after(wait, this.#requestCycle);
  }
  /** All that waited when the cycle began; what has been written since waits from now on. */
  #sent(stream: StreamName): void {
    if (this.#pending.delete(stream) && this.#due.has(stream))
      this.#pending.set(stream, this.#timers.elapsed());
  }

  /** What was not taken of a case's layers may be, now that its own log has been exchanged. */
  #wakeLayers(stream: StreamName): void {
    for (const link of this.links.values())
      if (link.failures > 0 && layerOf(link.stream)?.case === stream) link.retryAt = -Infinity;
  }

  async #noteState(
    connection: UpstreamConnection,
    link: LinkState,
    state: LinkState['row']['state'],
    problem: string | null,
  ): Promise<void> {
    const { row } = link;
    if (row.state === state && row.problem === problem) return;
    // A case whose access ended before its first page has no stream here, and so no row to note it
    // in.
    if (
      link.key === undefined &&
      (await connection.store.read((reader) =>
        reader.log.position(connection.account, link.stream),
      )) === undefined
    )
      return;
    await moveTo(connection, link, { ...row, rev: row.rev + 1, state, problem });
  }
}
