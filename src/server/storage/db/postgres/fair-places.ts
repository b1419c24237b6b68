/**
 * How long an account counts as here after it was last given a place, ms: as long, the places kept
 * for others are kept.
 */
const REMEMBERED_MS = 10_000;

/**
 * Of the places, those that stand behind keep so many: whoever else waits goes first beyond that.
 */
const BEHIND_SHARE = 0.5;

interface AccountQueue {
  held: number;
  /** Milliseconds of places that it has had, as against the others. */
  used: number;
  lastAt: number;
  waiting: Queues;
}
interface WaitingConnection {
  go(): void;
}
/** Of one account: those that stand behind, and all others. */
type Queues = Record<'ahead' | 'behind', Set<WaitingConnection>>;
const countOf = ({ ahead, behind }: Queues): number => ahead.size + behind.size;

/**
 * So many places, shared among accounts: a free one is given to the account that holds the fewest,
 * and among equals to the one that has used them for the least time. An account that is here alone
 * may have all; where there are others, a few stay free for whoever comes. What belongs to no
 * account (looking up who somebody is) goes first. What stands behind (desktops that catch up, of
 * which there may be thousands at once) lets all others go first, whatever their accounts have had,
 * as long as it holds its share.
 */
export class FairPlaces {
  readonly #places: number;
  readonly #kept: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, AccountQueue>();
  readonly #first = new Set<WaitingConnection>();
  #held = 0;
  #heldBehind = 0;

  constructor(places: number, now: () => number) {
    this.#places = places;
    this.#kept = Math.max(1, Math.floor(places / 4));
    this.#now = now;
  }

  get waiting(): number {
    return [...this.#accounts.values()].reduce(
      (sum, { waiting }) => sum + countOf(waiting),
      this.#first.size,
    );
  }

  #accountOf(name: string): AccountQueue {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    // Who comes back has no claim for the time in which it asked nothing.
    const others = [...this.#accounts.values()].filter(
      ({ held, waiting }) => held > 0 || countOf(waiting) > 0,
    );
    const account: AccountQueue = {
      held: 0,
      used: Math.min(...others.map(({ used }) => used), Infinity),
      lastAt: -Infinity,
      waiting: { ahead: new Set(), behind: new Set() },
    };
    if (account.used === Infinity) account.used = 0;
    this.#accounts.set(name, account);
    return account;
  }

  #forgetOld(now: number): void {
    for (const [name, { held, waiting, lastAt }] of this.#accounts)
      if (held === 0 && countOf(waiting) === 0 && now - lastAt >= REMEMBERED_MS)
        this.#accounts.delete(name);
  }

  #mayHave({ held }: AccountQueue): boolean {
    const most = this.#accounts.size > 1 ? Math.max(1, this.#places - this.#kept) : this.#places;
    return held < most;
  }

  /** Gives what is free to those who wait, in the order of their claims. */
  #deal(): void {
    while (this.#held < this.#places) {
      const next = this.#next();
      if (next === undefined) return;
      next.go();
    }
  }

  #next(): WaitingConnection | undefined {
    const [first] = this.#first;
    if (first !== undefined) return first;
    const hasShare = this.#heldBehind >= this.#places * BEHIND_SHARE;
    const best =
      (hasShare ? this.#best(({ ahead }) => ahead.size) : undefined) ?? this.#best(countOf);
    if (best === undefined) return undefined;
    // Nor does an account's own work keep its desktops from having the share.
    const { ahead, behind } = best.waiting;
    const queue = (hasShare && ahead.size > 0) || behind.size === 0 ? ahead : behind;
    return queue.values().next().value;
  }

  /** Whose claim is the strongest of those that have something waiting. */
  #best(count: (waiting: Queues) => number): AccountQueue | undefined {
    let best: AccountQueue | undefined;
    for (const account of this.#accounts.values()) {
      if (count(account.waiting) === 0 || !this.#mayHave(account)) continue;
      if (
        best === undefined ||
        account.held < best.held ||
        (account.held === best.held && account.used < best.used)
      )
        best = account;
    }
    return best;
  }

  /**
   * Waits for a place; answers how to give it back. `given` up: who no longer waits is passed over.
   */
  take(name: string | undefined, givenUp: Promise<never>, isBehind = false): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#forgetOld(this.#now());
      const account = name === undefined ? undefined : this.#accountOf(name);
      const queue = account?.waiting[isBehind ? 'behind' : 'ahead'] ?? this.#first;
      const waiting: WaitingConnection = {
        go: () => {
          queue.delete(waiting);
          resolve(this.#give(account, isBehind));
        },
      };
      queue.add(waiting);
      givenUp.catch((reason: unknown) => {
        queue.delete(waiting);
        reject(reason as Error);
      });
      this.#deal();
    });
  }

  #give(account: AccountQueue | undefined, isBehind: boolean): () => void {
    const from = this.#now();
    this.#held += 1;
    if (isBehind) this.#heldBehind += 1;
    if (account !== undefined) [account.held, account.lastAt] = [account.held + 1, from];
    return () => {
      this.#held -= 1;
      if (isBehind) this.#heldBehind -= 1;
      if (account !== undefined) {
        account.held -= 1;
        account.used += this.#now() - from;
      }
      this.#deal();
    };
  }
}
