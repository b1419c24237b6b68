/** What a log may exchange at once after a rest, and how often while both sides go on writing. */
const BURST = 6;
const EACH_MS = 1_500;

/**
 * When a log may be exchanged with the hosted server again. What happens now and then goes at once.
 * Where people go on writing, the changes of a moment go together: an exchange of two costs a
 * server hardly more than one of one.
 */
export class ExchangePace {
  /** In elapsed time. It lies in the past by as many exchanges as may still go at once. */
  readyAt = -Infinity;

  /** Notes an exchange. */
  note(now: number): void {
    this.readyAt = Math.max(this.readyAt, now - BURST * EACH_MS) + EACH_MS;
  }

  /** Somebody asks for it: it goes at once. */
  forget(): void {
    this.readyAt = -Infinity;
  }
}
