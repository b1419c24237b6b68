import { HLC_PATTERN, HLC_ZERO, type Hlc, nextHlc, seeHlc } from '../../../sync/clock.ts';
import type { Database } from '../store/db.ts';

/**
 * This window's clock for changes. It never falls behind a value that it has given out or seen; the
 * value is stored with every change.
 */
export class ReplicaClock {
  readonly #now: () => number;
  last: Hlc;

  constructor(now: () => number, last: Hlc = HLC_ZERO) {
    this.#now = now;
    this.last = last;
  }
  static async from(db: Database, now: () => number): Promise<ReplicaClock> {
    const value = (await db.meta.get('hlc'))?.value;
    return new ReplicaClock(
      now,
      typeof value === 'string' && HLC_PATTERN.test(value) ? value : HLC_ZERO,
    );
  }

  next(): Hlc {
    this.last = nextHlc(this.last, this.#now());
    return this.last;
  }
  /** The clock of another author that is far ahead of ours is not adopted (2.3). */
  see(hlc: Hlc): void {
    this.last = seeHlc(this.last, hlc, this.#now()).last;
  }
}
