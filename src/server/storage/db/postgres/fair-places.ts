/**
 * How long an account counts as here after it was last given a place, ms: as long, the places kept
 * for others are kept.
 */
const REMEMBERED_MS = 10_000;

interface AccountQueue {
  held: number;
  /** Milliseconds of places that it has had, as against the others. */
  used: number;
  lastAt: number;
  waiting: Set<WaitingConnection>;
}
interface WaitingConnection {
  go(): void;
}

/**
 * So many places, shared among accounts: a free one is given to the account that holds the fewest,
 * and among equals to the one that has used them for the least time. An account that is here alone
 * may have all; where there are others, a few stay free for whoever comes. What belongs to no
 * account (looking up who somebody is) goes first.
 */
export class FairPlaces {
  readonly #places: number;
  readonly #kept: number;
  readonly #now: () => number;
  readonly #accounts = new Map<string, AccountQueue>();
  readonly #first = new Set<WaitingConnection>();
  #held = 0;

  constructor(places: number, now: () => number) {
    this.#places = places;
    this.#kept = Math.max(1, Math.floor(places / 4));
    this.#now = now;
  }

  get waiting(): number {
    return [...this.#accounts.values()].reduce(
      (sum, { waiting }) => sum + waiting.size,
      this.#first.size,
    );
  }

  #accountOf(name: string): AccountQueue {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    // Who comes back has no claim for the time in which it asked nothing.
    const others = [...this.#accounts.values()].filter(
      ({ held, waiting }) => held > 0 || waiting.size > 0,
    );
    const account: AccountQueue = {
      held: 0,
      used: Math.min(...others.map(({ used }) => used), Infinity),
      lastAt: -Infinity,
      waiting: new Set(),
    };
    if (account.used === Infinity) account.used = 0;
    this.#accounts.set(name, account);
    return account;
  }

  #forgetOld(now: number): void {
    for (const [name, { held, waiting, lastAt }] of this.#accounts)
      if (held === 0 && waiting.size === 0 && now - lastAt >= REMEMBERED_MS)
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
    let best: AccountQueue | undefined;
    for (const account of this.#accounts.values()) {
      if (account.waiting.size === 0 || !this.#mayHave(account)) continue;
      if (
        best === undefined ||
        account.held < best.held ||
        (account.held === best.held && account.used < best.used)
      )
        best = account;
    }
    return best?.waiting.values().next().value;
  }

  /**
   * Waits for a place; answers how to give it back. `given` up: who no longer waits is passed over.
   */
  take(name: string | undefined, givenUp: Promise<never>): Promise<() => void> {
    return new Promise((resolve, reject) => {
      this.#forgetOld(this.#now());
      const account = name === undefined ? undefined : this.#accountOf(name);
      const queue = account?.waiting ?? this.#first;
      const waiting: WaitingConnection = {
        go: () => {
          queue.delete(waiting);
          resolve(this.#give(account));
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

  #give(account: AccountQueue | undefined): () => void {
    const from = this.#now();
    this.#held += 1;
    if (account !== undefined) [account.held, account.lastAt] = [account.held + 1, from];
    return () => {
      this.#held -= 1;
      if (account !== undefined) {
        account.held -= 1;
        account.used += this.#now() - from;
      }
      this.#deal();
    };
  }
}
