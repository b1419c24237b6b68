/**
 * How many cycles a log may have at once after a rest, and how often while both sides keep writing.
 */
const BURST = 6;
const EACH_MS = 1_500;

/**
 * When a log may have its next cycle with the hosted server. What happens now and then goes at
 * once; where people keep writing, the changes of a moment go together, in fewer requests.
 */
export class SyncPace {
  /** In elapsed time. It lies in the past by as many cycles as may still go at once. */
  readyAt = -Infinity;
  #hasAsked = false;

  /** Called with each request: a cycle that makes none does not count. */
  asked(): void {
    this.#hasAsked = true;
  }

  /** Called at the end of each cycle. */
  ended(now: number): void {
    if (this.#hasAsked) this.readyAt = Math.max(this.readyAt, now - BURST * EACH_MS) + EACH_MS;
    this.#hasAsked = false;
  }

  /** Somebody asks for it: it goes at once. */
  forget(): void {
    this.readyAt = -Infinity;
  }
}
