export interface Timers {
  /**
   * The wall clock, ms since 1970: for what is shown and stored. It may be set at any time,
   * forwards and back.
   */
  now(): number;
  /**
   * Milliseconds since some moment. They only grow, whatever becomes of the wall clock: for waits
   * and for ages within one process.
   */
  elapsed(): number;
  /** 0 <= x < 1. */
  random(): number;
  /** Calls back after `ms`; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The outcome of one cycle of a link, by which the loop decides what comes next. */
export type CycleStep =
  | { kind: 'done' }
  /** Try later. `online`: the server did answer. */
  | { kind: 'later'; online: boolean; retryAfter: number | null; problem: string | null }
  /** Nothing is sent until a person acts; everything is kept. */
  | { kind: 'blocked'; problem: string };

const FIRST_BACKOFF_MS = 1_000;
export const LONGEST_BACKOFF_MS = 300_000;
/**
 * Longest wait while somebody works: a window is open, or something was written in the last
 * minutes.
 */
export const ATTENDED_BACKOFF_MS = 30_000;
export const ATTENDED_MS = 300_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
const PARKED_MS = 60_000;
/** Least time between two waits that are cut short. Milliseconds. */
const SKIP_MS = 5_000;
const WATCH_MS = 60_000;
/**
 * If unsent work makes no progress for this long although the server answers, something is wrong.
 * Milliseconds.
 */
export const STUCK_MS = 600_000;
const STUCK =
  'Changes have been waiting for more than ten minutes though the server answers. Nothing was dropped.';

/**
 * The wait after the `failures`th failure in a row, ms. It is random within a growing bound (full
 * jitter), so that many clients do not return at the same time.
 */
export function backoff(
  failures: number,
  retryAfterS: number | null,
  random: number,
  cap = LONGEST_BACKOFF_MS,
): number {
  return Math.max(
    Math.min((retryAfterS ?? 0) * 1_000, LONGEST_RETRY_AFTER_MS),
    random * Math.min(cap, FIRST_BACKOFF_MS * 2 ** failures),
  );
}

/**
 * Why a cycle is asked for. `work`: there may be some; a wait is kept. `edit`: somebody has just
 * written something. `reach`: the server can probably be reached: a stream of events was opened,
 * the network is back, a window was brought to the front. `access`: another user has signed in, or
 * a role has changed.
 */
export type Why = 'work' | 'edit' | 'reach' | 'person' | 'access';

export interface LoopOptions {
  cycle: () => Promise<CycleStep>;
  timers: Timers;
  idleMs: () => number;
  /** Longest wait after failures, ms: short where the server is on this machine. */
  cap: () => number;
  changed: () => void;
  /** What waits to be sent: how many changes, and when the oldest was made, by any clock. */
  waiting: () => { count: number; oldest: number | null };
  /** Cancels the cycle that is under way, because it seems to hang. */
  restart: () => void;
  /** What is said of a cycle that threw an error of this name; English where nothing else is. */
  failed?: (name: string) => string;
}

const failedWords = (name: string): string => `Changes could not be exchanged (${name}).`;

/**
 * The loop of one link: a cycle, then a wait, and so on. There are never two cycles at once, so
 * there are never two requests in flight.
 */
export class SyncLoop {
  readonly #options: LoopOptions;
  #cycle = 0;
  #running = false;
  #stopped = false;
  #again = false;
  /** Asked for while a cycle was under way, and not to wait for anything after it. */
  #atOnce = false;
  #failures = 0;
  /** `asked`: the server said how long. */
  #waiting: 'idle' | 'backoff' | 'asked' | 'blocked' = 'idle';
  /** A wait was to be cut short while a cycle was under way. */
  #soon = false;
  #cancel: (() => void) | null = null;
  #cancelWatch: (() => void) | null = null;
  #skipped = -Infinity;
  /** When the next cycle begins by itself, in elapsed time. */
  #due = 0;
  /**
   * Since when the same work has been waiting (`oldest` tells which it is), and whether the loop
   * was restarted for it.
   */
  #stuck: { count: number; oldest: number; since: number; restarted: boolean } | null = null;
  #alarm: string | null = null;
  #problem: string | null = null;
  online = true;
  /** When the next cycle begins by itself, ms since 1970; null while one is under way. */
  nextAt: number | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#watch();
  }

  get problem(): string | null {
    return this.#problem ?? this.#alarm;
  }

  /**
   * Begins a cycle. A person and a change of who is signed in are served at once, or as soon as the
   * cycle under way has ended, however it ends: it may have failed because of what was before.
   * After a failure the wait is kept where there is only work. Other reasons cut it short, at most
   * once in five seconds: where that was done just now, the cycle comes when they are over. They
   * change nothing where the server asked for the wait, and an edit nothing for work that is
   * blocked.
   */
  requestCycle(why: Why = 'work'): void {
    if (this.#stopped) return;
    const isAtOnce = why === 'person' || why === 'access';
    if (this.#running) {
      this.#again = true;
      this.#atOnce ||= isAtOnce;
      this.#soon ||= why !== 'work';
      return;
    }
    if (this.#waiting === 'idle' || this.#cancel === null) return void this.#run();
    if (isAtOnce) return this.#begins();
    if (
      why === 'work' ||
      this.#waiting === 'asked' ||
      (why === 'edit' && this.#waiting === 'blocked')
    )
      return;
    const { timers } = this.#options;
    const wait = this.#skipped + SKIP_MS - timers.elapsed();
    if (wait <= 0) this.#begins();
    else if (timers.elapsed() + wait < this.#due) this.#sleep(wait, () => this.#begins());
  }
  #begins(): void {
    this.#skipped = this.#options.timers.elapsed();
    void this.#run();
  }
  #sleep(wait: number, then: () => void): void {
    const { timers } = this.#options;
    this.#cancel?.();
    this.#due = timers.elapsed() + wait;
    this.nextAt = timers.now() + wait;
    this.#cancel = timers.after(wait, then);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancelWatch?.();
    this.#cancel = this.#cancelWatch = null;
  }

  async #run(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.nextAt = null;
    this.#running = true;
    this.#cycle += 1;
    const cycle = this.#cycle;
    let step: CycleStep;
    do {
      this.#again = this.#atOnce = this.#soon = false;
      try {
        step = await this.#options.cycle();
      } catch (error) {
        step = {
          kind: 'later',
          online: this.online,
          retryAfter: null,
          problem:
            error instanceof Error && error.name !== 'LinkMovedError'
              ? (this.#options.failed ?? failedWords)(error.name)
              : null,
        };
      }
      if (cycle !== this.#cycle) return;
      const before = [this.online, this.#problem];
      this.#note(step);
      if (before[0] !== this.online || before[1] !== this.#problem) this.#options.changed();
    } while (!this.#stopped && (this.#atOnce || (step.kind === 'done' && this.#again)));
    this.#running = false;
    if (!this.#stopped) this.#rest(step);
  }

  /** Where somebody keeps writing there is no rest between two cycles. */
  #note(step: CycleStep): void {
    const online = step.kind === 'later' ? step.online : true;
    // What failed while nobody answered says nothing of the load of a server that answers now.
    if (step.kind === 'done' || (online && !this.online)) this.#failures = 0;
    this.online = online;
    this.#problem = step.kind === 'done' ? null : step.problem;
  }

  #rest(step: CycleStep): void {
    const { timers } = this.#options;
    let wait = this.#options.idleMs();
    this.#waiting = 'idle';
    if (step.kind === 'blocked') {
      this.#waiting = 'blocked';
      wait = PARKED_MS;
    } else if (step.kind === 'later') {
      this.#failures += 1;
      this.#waiting = (step.retryAfter ?? 0) > 0 ? 'asked' : 'backoff';
      wait = backoff(this.#failures, step.retryAfter, timers.random(), this.#options.cap());
    }
    if (this.#soon && this.#waiting === 'backoff') wait = Math.min(wait, SKIP_MS);
    this.#sleep(wait, () => void this.#run());
    this.#options.changed();
  }

  /**
   * If work makes no progress although the server answers, restarts the loop once, and after that
   * tells a person.
   */
  #watch(): void {
    this.#cancelWatch = this.#options.timers.after(WATCH_MS, () => {
      this.#look();
      if (!this.#stopped) this.#watch();
    });
  }
  #look(): void {
    const now = this.#options.timers.elapsed();
    const { count, oldest } = this.#options.waiting();
    const before = this.#stuck;
    if (oldest === null || !this.online || (this.#problem !== null && !this.#running))
      this.#stuck = null;
    else if (before === null || before.oldest !== oldest || count < before.count)
      this.#stuck = { count, oldest, since: now, restarted: false };
    const alarm =
      this.#stuck !== null && this.#stuck.restarted && now - this.#stuck.since >= STUCK_MS
        ? STUCK
        : null;
    if (this.#stuck !== null && !this.#stuck.restarted && now - this.#stuck.since >= STUCK_MS) {
      this.#stuck = { ...this.#stuck, since: now, restarted: true };
      this.#begin();
    }
    if (alarm === this.#alarm) return;
    this.#alarm = alarm;
    this.#options.changed();
  }
  #begin(): void {
    this.#options.restart();
    // A cycle that never ends is abandoned. Whatever it still brings is refused, since the link's
    // row has changed by then.
    this.#cycle += 1;
    void this.#run();
  }
}
