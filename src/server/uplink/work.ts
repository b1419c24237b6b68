import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { backoff, type Timers } from '../../sync/loop.ts';
import { PROFILE_STREAM } from '../../sync/register.ts';
import { type Circumstances, exchange } from './exchange.ts';
import { knownLink, type Line, LinkMovedError, type LinkState, moveTo, type Turn } from './line.ts';
import type { Plan } from './plan.ts';
import { ProfileShelf } from './profiles.ts';
import { PARKED } from './words.ts';
import { StoreError } from '../storage/db/errors.ts';

const AT_ONCE = 4;
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
export type End = Extract<Turn, { kind: 'later' }> | { kind: 'halted'; problem: string };

/** What the outcome of a request that belongs to no single link means for all of them. */
export function endOf(turn: Turn): End | undefined {
  if (turn.kind === 'later') return turn;
  return turn.kind === 'parked' ? { kind: 'halted', problem: turn.problem } : undefined;
}

/**
 * The links of one connection and which of them are due. Several links are served at a time, each
 * with one request at a time.
 */
export class Work {
  readonly #timers: Timers;
  /** Longest wait after failures, ms. */
  readonly #cap: () => number;
  readonly #kick: () => void;
  readonly #met: (link: LinkState) => void;
  readonly #shelf = new ProfileShelf();
  #due: Plan['due'] = new Map();
  #needed: readonly string[] = [];
  readonly #running = new Set<string>();
  /**
   * Streams with changes of this studio that are not known to be on the other side: since when, in
   * elapsed time.
   */
  readonly #pending = new Map<string, number>();
  links: ReadonlyMap<string, LinkState> = new Map();

  /** `met` is called at the end of a turn, when it is known where the other side's log stands. */
  constructor(
    timers: Timers,
    { cap, kick, met }: { cap: () => number; kick: () => void; met: (link: LinkState) => void },
  ) {
    this.#timers = timers;
    this.#cap = cap;
    this.#kick = kick;
    this.#met = met;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }
  get pending(): { count: number; oldest: number | null } {
    return {
      count: this.#pending.size,
      oldest: this.#pending.size === 0 ? null : Math.min(...this.#pending.values()),
    };
  }
  isServed(stream: string): boolean {
    return this.#running.has(stream);
  }

  /** How many needed profiles are not known to be on the other side. */
  async profilesWaiting(line: Line): Promise<number> {
    const link = this.links.get(PROFILE_STREAM);
    return link === undefined ? 0 : (await this.#shelf.wanting(line, link, this.#needed)).length;
  }

  adopt(plan: Plan): void {
    this.links = plan.links;
    this.#needed = plan.needed;
    for (const stream of this.#due.keys()) if (!plan.links.has(stream)) this.#due.delete(stream);
    for (const [stream, { look }] of plan.due) this.touch(stream, look);
  }

  /** Marks a stream as due; `look`: also read from the other side. */
  touch(stream: string, look: boolean): void {
    this.#due.set(stream, { look: look || this.#due.get(stream)?.look === true });
  }

  /**
   * Called when something was stored here. The profiles are due as well, since a case may name one
   * that the other side lacks.
   */
  changed(stream: string): void {
    if (!this.#pending.has(stream)) this.#pending.set(stream, this.#timers.elapsed());
    this.touch(stream, false);
    this.touch(PROFILE_STREAM, false);
  }

  /** Ends the waits after failures. */
  hurry(): void {
    for (const link of this.links.values()) if (link.failures > 0) link.retryAt = -Infinity;
  }

  /** Makes everything that was refused or put off due again. */
  forgive(): void {
    for (const link of this.links.values())
      Object.assign(link, {
        retryAt: -Infinity,
        failures: 0,
        blocked: false,
        unequal: 0,
        offer: true,
      });
  }

  /**
   * Serves the due links, several at a time, until none is left or one reports that all must wait.
   */
  async run(line: Line, held: Circumstances['held']): Promise<End | undefined> {
    let end: End | undefined;
    const worker = async (): Promise<void> => {
      for (
        let link = this.#next();
        link !== undefined && end === undefined && !line.signal.aborted;
        link = this.#next()
      ) {
        const told = await this.#serve(line, link, held);
        end ??= told;
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return end;
  }

  /** Streams of profiles and projects go before the cases that name them. */
  #next(): LinkState | undefined {
    const now = this.#timers.elapsed();
    let found: LinkState | undefined;
    for (const stream of this.#due.keys()) {
      const link = this.links.get(stream);
      if (link === undefined || link.blocked || this.#running.has(stream) || link.retryAt > now)
        continue;
      if (stream.startsWith('@')) return link;
      found ??= link;
    }
    return found;
  }

  async #serve(line: Line, link: LinkState, held: Circumstances['held']): Promise<End | undefined> {
    const { stream } = link;
    const due = this.#due.get(stream) ?? { look: true };
    this.#due.delete(stream);
    this.#running.add(stream);
    try {
      if (stream === PROFILE_STREAM)
        this.#needed = await line.store.read(async (reader) =>
          reader.uplink.profiles(line.account, await reader.uplink.shared(line.account)),
        );
      const turn =
        stream === PROFILE_STREAM
          ? await this.#shelf.exchange(line, link, this.#needed, { ...due, held })
          : await exchange(line, link, { ...due, held });
      return await this.#settle(line, link, turn, due);
    } catch (error) {
      if (error instanceof StoreError && !STORE_WIDE.has(error.code))
        return await this.#settle(
          line,
          link,
          { kind: 'later', host: false, online: true, retryAfter: null, problem: error.message },
          due,
        );
      if (!(error instanceof LinkMovedError)) {
        this.touch(stream, due.look);
        throw error;
      }
      const stored = (await line.store.read((reader) => reader.log.links(line.account))).find(
        (one) => one.stream === stream,
      );
      if (stored !== undefined)
        Object.assign(link, knownLink(stream, stored.link, line.boot, SYNC_LIMITS.changes));
      link.retryAt = line.elapsed() + MOVED_MS;
      this.touch(stream, true);
      this.#timers.after(MOVED_MS, this.#kick);
      return undefined;
    } finally {
      this.#running.delete(stream);
    }
  }

  /**
   * Acts on the outcome of a turn: notes it in the link's row for a person to see, schedules
   * another try, or makes all links wait.
   */
  async #settle(
    line: Line,
    link: LinkState,
    turn: Turn,
    due: { look: boolean },
  ): Promise<End | undefined> {
    const timers = this.#timers;
    const again = (wait: number): void => {
      link.retryAt = timers.elapsed() + wait;
      this.touch(link.stream, due.look);
      timers.after(wait, this.#kick);
    };
    switch (turn.kind) {
      case 'done':
        this.#pending.delete(link.stream);
        link.failures = 0;
        this.#met(link);
        if (link.row.state !== 'open' || link.row.problem !== null)
          await this.#tell(line, link, 'open', null);
        return undefined;
      case 'later':
        if (turn.host) {
          this.touch(link.stream, due.look);
          return turn;
        }
        link.failures += 1;
        again(backoff(link.failures, turn.retryAfter, timers.random(), this.#cap()));
        if (turn.problem !== null && link.failures > 1)
          await this.#tell(line, link, 'open', turn.problem);
        return undefined;
      case 'parked':
        this.#pending.delete(link.stream);
        if (turn.why === 'signed_out' || turn.why === 'too_old') {
          this.touch(link.stream, due.look);
          return { kind: 'halted', problem: PARKED[turn.why] };
        }
        link.blocked = turn.why === 'no_access' || turn.why === 'purged';
        await this.#tell(line, link, 'parked', turn.problem);
        return undefined;
      case 'stopped':
        this.#pending.delete(link.stream);
        again(STOPPED_MS);
        await this.#tell(line, link, 'stopped', turn.problem);
        return undefined;
      case 'diverged':
        again(backoff(1, null, timers.random()));
        return undefined;
    }
  }

  async #tell(
    line: Line,
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
      (await line.store.read((reader) => reader.log.position(line.account, link.stream))) ===
        undefined
    )
      return;
    await moveTo(line, link, { ...row, rev: row.rev + 1, state, problem });
  }
}
