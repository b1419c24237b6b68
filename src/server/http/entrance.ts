import { ApiError } from '../context/errors.ts';

/**
 * Bytes of bodies from here on are work to be shared; shorter ones go in as they come. About 200
 * cells.
 */
const LARGE = 16 * 1024;
/** Whether a request with a body of so many bytes waits for its turn. */
export const isLarge = (bytes: number): boolean => bytes >= LARGE;
/**
 * Bytes of large bodies that are worked on at one time: two or three of 6,000 cells. More of them
 * at once are not done sooner.
 */
const AT_WORK = 1_536 * 1024;
/** Bytes of large bodies of one account, and of all, that may wait. */
const WAITING_OF_ACCOUNT = 64 * 1024 * 1024;
const WAITING_IN_ALL = 256 * 1024 * 1024;

interface AccountLoad {
  /** Bytes worked on for it, as against the others. */
  used: number;
  atWork: number;
  waitingBytes: number;
  waiting: Set<WaitingRequest>;
}
interface WaitingRequest {
  cost: number;
  go(): void;
}

/**
 * Large requests that have arrived are let in by turns of the accounts, and by their cost in bytes:
 * whoever sends many or long ones waits for their own, not those who send a few. An account that is
 * alone has all of the room.
 */
export class Entrance {
  readonly #accounts = new Map<string, AccountLoad>();
  #atWork = 0;
  #waitingBytes = 0;

  /**
   * Resolves when the request may be worked on; answers how to leave. `left`: whether its client
   * has gone meanwhile.
   */
  enter(name: string, bytes: number, left: () => boolean): Promise<() => void> {
    if (!isLarge(bytes)) return Promise.resolve(() => undefined);
    const cost = Math.min(bytes, AT_WORK);
    const account = this.#accountOf(name);
    if (account.waitingBytes > 0 && account.waitingBytes + bytes > WAITING_OF_ACCOUNT)
      throw new ApiError('rate_limited', {
        message: 'Too much that this account has sent is waiting; send less at once.',
      });
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > WAITING_IN_ALL)
      throw new ApiError('unavailable');
    return new Promise((resolve, reject) => {
      const waiting: WaitingRequest = {
        cost,
        go: () => {
          account.waiting.delete(waiting);
          account.waitingBytes -= bytes;
          this.#waitingBytes -= bytes;
          if (left()) reject(new ApiError('invalid_request', { message: 'The client has gone.' }));
          else resolve(this.#work(name, account, cost));
          this.#forget(name, account);
        },
      };
      account.waiting.add(waiting);
      account.waitingBytes += bytes;
      this.#waitingBytes += bytes;
      this.#deal();
    });
  }

  #accountOf(name: string): AccountLoad {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    // Who comes newly starts level with whoever has had least.
    const least = Math.min(...[...this.#accounts.values()].map(({ used }) => used));
    const account: AccountLoad = {
      used: Number.isFinite(least) ? least : 0,
      atWork: 0,
      waitingBytes: 0,
      waiting: new Set(),
    };
    this.#accounts.set(name, account);
    return account;
  }

  #forget(name: string, { atWork, waiting }: AccountLoad): void {
    if (atWork === 0 && waiting.size === 0) this.#accounts.delete(name);
  }

  #work(name: string, account: AccountLoad, cost: number): () => void {
    this.#atWork += cost;
    account.atWork += cost;
    account.used += cost;
    return () => {
      this.#atWork -= cost;
      account.atWork -= cost;
      this.#forget(name, account);
      this.#deal();
    };
  }

  /**
   * As long as there is room, the account that has had least is next. Nobody smaller overtakes it:
   * it would never come in.
   */
  #deal(): void {
    for (;;) {
      let next: AccountLoad | undefined;
      for (const account of this.#accounts.values())
        if (account.waiting.size > 0 && (next === undefined || account.used < next.used))
          next = account;
      const [first] = next?.waiting ?? [];
      if (first === undefined || (this.#atWork > 0 && this.#atWork + first.cost > AT_WORK)) return;
      first.go();
    }
  }
}
