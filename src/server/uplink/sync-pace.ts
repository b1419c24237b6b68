/** What a log may exchange at once after a rest, and how often while both sides go on writing. */
const BURST = 6;
const EACH_MS = 1_500;

/**
 * When a log may be exchanged with the hosted server again. What happens now and then goes at once;
 * where people keep writing, the changes of a moment go together, in fewer requests.
 */
export class ExchangePace {
  /** In elapsed time. It lies in the past by as many exchanges as may still go at once. */
  readyAt = -Infinity;
  #hasAsked = false;

  /** Called with each request: a cycle that makes none is no exchange. */
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
