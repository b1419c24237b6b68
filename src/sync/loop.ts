export interface Timers {
  now(): number;
  /** 0 <= x < 1. */
  random(): number;
  /** Calls back after `ms`; answers how to call it off. */
  after(ms: number, callback: () => void): () => void;
}

/** How one turn of a link went, and what the loop does next. */
export type Step =
  | { kind: 'done' }
  /** Try later. `online`: the server did answer. */
  | { kind: 'later'; online: boolean; retryAfter: number | null; problem: string | null }
  /** Nothing will move until a person acts; everything is kept. */
  | { kind: 'parked'; problem: string };

const FIRST_BACKOFF_MS = 1_000;
export const LONGEST_BACKOFF_MS = 300_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;
const PARKED_MS = 60_000;
/** A person's wish, or the network coming back, may cut a wait short this often. */
const SKIP_MS = 5_000;
const WATCH_MS = 60_000;
/** Unsent work that has not moved for so long though the server answers. */
export const STUCK_MS = 600_000;
const STUCK = 'Changes have been waiting for more than ten minutes though the server answers. Nothing was dropped.';

/** The wait after the `failures`th failure in a row: full jitter, so that many clients do not come back together. */
export function backoff(failures: number, retryAfterS: number | null, random: number, cap = LONGEST_BACKOFF_MS): number {
  return Math.max(Math.min((retryAfterS ?? 0) * 1_000, LONGEST_RETRY_AFTER_MS), random * Math.min(cap, FIRST_BACKOFF_MS * 2 ** failures));
}

export interface LoopOptions {
  cycle: () => Promise<Step>;
  timers: Timers;
  idleMs: () => number;
  /** Longest wait after failures: short where the server is on this machine. */
  cap: () => number;
  changed: () => void;
  /** What waits to be sent: how many changes, and when the oldest was made. */
  waiting: () => { count: number; oldest: number | null };
  /** Calls off the turn that is under way, as it seems to have stopped. */
  restart: () => void;
}

/** One loop a link: a turn at a time, then a wait. Never two at once, so never two requests in flight. */
export class SyncLoop {
  readonly #options: LoopOptions;
  #turn = 0;
  #running = false;
  #stopped = false;
  #again = false;
  #failures = 0;
  #waiting: 'idle' | 'backoff' = 'idle';
  #cancel: (() => void) | null = null;
  #cancelWatch: (() => void) | null = null;
  #skipped = -Infinity;
  /** Since when the same work waits, and whether the loop was begun anew for it. */
  #stuck: { count: number; oldest: number; since: number; restarted: boolean } | null = null;
  #alarm: string | null = null;
  #problem: string | null = null;
  online = true;
  /** When the next turn begins by itself, ms; null while one is under way. */
  nextAt: number | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#watch();
  }

  get problem(): string | null {
    return this.#problem ?? this.#alarm;
  }

  /** There is work, or a hint of some. A wait after a failure is kept, unless a person (or a returning network) asks, or who is signed in has changed. */
  kick(why: 'work' | 'person' | 'access' = 'work'): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    const { timers } = this.#options;
    if (this.#waiting === 'backoff' && this.#cancel !== null) {
      if (why === 'work' || (why === 'person' && timers.now() - this.#skipped < SKIP_MS)) return;
      this.#skipped = timers.now();
    }
    void this.#run();
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
    this.#turn += 1;
    const turn = this.#turn;
    let step: Step;
    do {
      this.#again = false;
      try {
        step = await this.#options.cycle();
      } catch (error) {
        step = { kind: 'later', online: this.online, retryAfter: null, problem: error instanceof Error && error.name !== 'LinkMovedError' ? `Changes could not be exchanged (${error.name}).` : null };
      }
      if (turn !== this.#turn) return;
    } while (step.kind === 'done' && this.#again && !this.#stopped);
    this.#running = false;
    if (!this.#stopped) this.#rest(step);
  }

  #rest(step: Step): void {
    const { timers } = this.#options;
    let wait = this.#options.idleMs();
    this.#waiting = 'idle';
    this.online = step.kind === 'later' ? step.online : true;
    this.#problem = step.kind === 'done' ? null : step.problem;
    if (step.kind === 'parked') {
      this.#waiting = 'backoff';
      wait = PARKED_MS;
    } else if (step.kind === 'later') {
      this.#failures += 1;
      this.#waiting = 'backoff';
      wait = backoff(this.#failures, step.retryAfter, timers.random(), this.#options.cap());
    } else this.#failures = 0;
    this.nextAt = timers.now() + wait;
    this.#cancel = timers.after(wait, () => void this.#run());
    this.#options.changed();
  }

  /** Work that does not move though the server answers: the loop is begun anew once, then a person is told. */
  #watch(): void {
    this.#cancelWatch = this.#options.timers.after(WATCH_MS, () => {
      this.#look();
      if (!this.#stopped) this.#watch();
    });
  }
  #look(): void {
    const now = this.#options.timers.now();
    const { count, oldest } = this.#options.waiting();
    const before = this.#stuck;
    if (oldest === null || !this.online || (this.#problem !== null && !this.#running)) this.#stuck = null;
    else if (before === null || before.oldest !== oldest || count < before.count) this.#stuck = { count, oldest, since: now, restarted: false };
    const alarm = this.#stuck !== null && this.#stuck.restarted && now - this.#stuck.since >= STUCK_MS ? STUCK : null;
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
    // A turn that never ends is left behind; whatever it still brings meets a row that has moved on.
    this.#turn += 1;
    void this.#run();
  }
}
