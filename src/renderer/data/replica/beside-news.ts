import type { Timers } from '../../../sync/loop.ts';

/** How soon somebody who has heard hears again, ms: an agent may send much in little time. */
const REST_MS = 1_000;

interface Listening {
  caseUid: string;
  isResting: boolean;
  /** There was more meanwhile. */
  isDue: boolean;
}

/** Who wants to hear that what stands beside the record of a case has changed. */
export class BesideNews {
  readonly #after: Timers['after'];
  readonly #listeners = new Map<() => void, Listening>();

  constructor({ after }: Pick<Timers, 'after'>) {
    this.#after = after;
  }

  /** `tell`: tells this one alone, that the log has grown where nobody reads it. */
  watch(caseUid: string, onNews: () => void): { tell: () => void; stop: () => void } {
    const listener = (): void => onNews();
    const of: Listening = { caseUid, isResting: false, isDue: false };
    this.#listeners.set(listener, of);
    return {
      tell: () => this.#tell(listener, of),
      stop: () => void this.#listeners.delete(listener),
    };
  }
  tell(caseUid: string): void {
    for (const [listener, of] of this.#listeners)
      if (of.caseUid === caseUid) this.#tell(listener, of);
  }

  #tell(listener: () => void, of: Listening): void {
    of.isDue = of.isResting;
    if (of.isResting) return;
    of.isResting = true;
    listener();
    this.#after(REST_MS, () => {
      of.isResting = false;
      if (of.isDue && this.#listeners.has(listener)) this.#tell(listener, of);
    });
  }
}
