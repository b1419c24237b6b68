import type { Step } from './link.ts';

export interface Timers {
  now(): number;
  /** 0 <= x < 1. */
  random(): number;
  /** Calls back after `ms`; answers how to call it off. */
  after(ms: number, callback: () => void): () => void;
}

const FIRST_BACKOFF = 1_000;
const PARKED_MS = 60_000;
/** A person's wish, or the network coming back, may cut a wait short this often. */
const SKIP_MS = 5_000;

/** One loop a link: an exchange at a time, then a wait. Never two at once, so never two requests in flight. */
export class SyncLoop {
  readonly #cycle: () => Promise<Step>;
  readonly #timers: Timers;
  readonly #idleMs: () => number;
  readonly #cap: () => number;
  readonly #changed: () => void;
  #running = false;
  #stopped = false;
  #again = false;
  #failures = 0;
  #waiting: 'idle' | 'backoff' = 'idle';
  #cancel: (() => void) | null = null;
  #skipped = -Infinity;
  online = true;
  problem: string | null = null;

  constructor(options: { cycle: () => Promise<Step>; timers: Timers; idleMs: () => number; cap: () => number; changed: () => void }) {
    this.#cycle = options.cycle;
    this.#timers = options.timers;
    this.#idleMs = options.idleMs;
    this.#cap = options.cap;
    this.#changed = options.changed;
  }

  /** There is work, or a hint of some. A wait after a failure is kept, unless a person (or a returning network) asks. */
  kick(why: 'work' | 'person' = 'work'): void {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    if (this.#waiting === 'backoff' && this.#cancel !== null) {
      if (why === 'work' || this.#timers.now() - this.#skipped < SKIP_MS) return;
      this.#skipped = this.#timers.now();
    }
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  async #run(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#running = true;
    let step: Step;
    do {
      this.#again = false;
      try {
        step = await this.#cycle();
      } catch (error) {
        step = { kind: 'later', online: this.online, retryAfter: null, problem: error instanceof Error && error.name !== 'LinkMovedError' ? `Changes could not be exchanged (${error.name}).` : null };
      }
    } while (step.kind === 'done' && this.#again && !this.#stopped);
    this.#running = false;
    if (!this.#stopped) this.#rest(step);
  }

  #rest(step: Step): void {
    let wait = this.#idleMs();
    this.#waiting = 'idle';
    this.online = step.kind === 'later' ? step.online : true;
    this.problem = step.kind === 'later' || step.kind === 'parked' ? step.problem : null;
    if (step.kind === 'parked') {
      this.#waiting = 'backoff';
      wait = PARKED_MS;
    } else if (step.kind === 'later') {
      this.#failures += 1;
      this.#waiting = 'backoff';
      const jitter = this.#timers.random() * Math.min(this.#cap(), FIRST_BACKOFF * 2 ** this.#failures);
      wait = Math.max((step.retryAfter ?? 0) * 1_000, jitter);
    } else this.#failures = 0;
    this.#cancel = this.#timers.after(wait, () => void this.#run());
    this.#changed();
  }
}
