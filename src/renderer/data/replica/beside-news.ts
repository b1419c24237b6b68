import { BESIDE, type BesideKind } from '../../../sync/layers/record.ts';
import type { Timers } from '../../../sync/loop.ts';

/** How soon somebody who has heard hears again, ms: an agent may send much in little time. */
const REST_MS = 1_000;

export type OnBesideNews = (news: ReadonlySet<BesideKind>) => void;

interface Listening {
  caseUid: string;
  isResting: boolean;
  /** What came meanwhile. */
  due: Set<BesideKind>;
}

/** Who wants to hear that what stands beside the record of a case has changed. */
export class BesideNews {
  readonly #after: Timers['after'];
  readonly #listeners = new Map<OnBesideNews, Listening>();

  constructor({ after }: Pick<Timers, 'after'>) {
    this.#after = after;
  }

  /** `tell`: tells this one alone, that the log has grown where nobody reads it. */
  watch(caseUid: string, onNews: OnBesideNews): { tell: () => void; stop: () => void } {
    const listener: OnBesideNews = (news) => onNews(news);
    const of: Listening = { caseUid, isResting: false, due: new Set() };
    this.#listeners.set(listener, of);
    return {
      tell: () => this.#tell(listener, of, BESIDE),
      stop: () => void this.#listeners.delete(listener),
    };
  }
  tell(caseUid: string, news: readonly BesideKind[] = BESIDE): void {
    for (const [listener, of] of this.#listeners)
      if (of.caseUid === caseUid) this.#tell(listener, of, news);
  }

  #tell(listener: OnBesideNews, of: Listening, news: readonly BesideKind[]): void {
    for (const one of news) of.due.add(one);
    if (of.isResting) return;
    const due = of.due;
    of.due = new Set();
    of.isResting = true;
    listener(due);
    this.#after(REST_MS, () => {
      of.isResting = false;
      if (of.due.size > 0 && this.#listeners.has(listener)) this.#tell(listener, of, []);
    });
  }
}
