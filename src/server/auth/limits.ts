import { createHash } from 'node:crypto';
// Imported by file: the package's entry would load a client for every kind of store.
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import type { Deps } from '../deps.ts';
import { Refusal } from '../errors.ts';
import type { Counted } from '../storage/team-port.ts';
import { subjectOf } from './address.ts';

/** Seconds, the limiter's unit. */
const MINUTE = 60;
/** Longer than any window below, ms: entries older than this are deleted. */
export const LIMITS_KEPT = 2 * 60 * MINUTE * 1_000;

/**
 * A limiter on the store's own table, so that the servers on one database share it. Names are stored as hashes, so that the table does not list who signs in
 * from where.
 */
class StoredLimiter extends RateLimiterStoreAbstract {
  readonly #store: Deps['store'];
  constructor(store: Deps['store'], kind: string, points: number, duration: number) {
    super({ storeClient: store, keyPrefix: kind, points, duration });
    this.#store = store;
  }
  _upsert(key: string, points: number, within: number): Promise<Counted> {
    const subject = createHash('sha256').update(key).digest('hex');
    return this.#store.transact((writer) => writer.signInLimits.count(subject, points, within));
  }
  _getRateLimiterRes(_key: string, changed: number, { points, left }: Counted): RateLimiterRes {
    return new RateLimiterRes(Math.max(this.points - points, 0), left, points, points === changed);
  }
}

type Limit = readonly [limiter: StoredLimiter, name: string];

/** Counts a try against every limit before its outcome is known, since many tries may be sent at once. If one limit is used up, the try counts against none. */
async function consume(limits: readonly Limit[]): Promise<void> {
  const counted: Limit[] = [];
  try {
    for (const limit of limits) {
      await limit[0].consume(limit[1]);
      counted.push(limit);
    }
  } catch (refused) {
    await giveBack(counted);
    if (!(refused instanceof RateLimiterRes)) throw refused;
    const seconds = Math.ceil(refused.msBeforeNext / 1_000);
    throw new Refusal('rate_limited', { message: `Too many failed sign-ins. Try again in ${Math.ceil(seconds / MINUTE)} min.`, headers: { 'Retry-After': String(seconds) } });
  }
}

async function giveBack(limits: readonly Limit[]): Promise<void> {
  for (const [limiter, name] of limits) await limiter.reward(name);
}

/** Runs `check` with a limit on failures: a success is taken back from the count, and so is a check that could not be made. */
async function within<T>(limits: readonly Limit[], check: () => Promise<T>): Promise<T> {
  await consume(limits);
  let failed = false;
  try {
    const passed = await check();
    failed = passed === undefined || passed === false;
    return passed;
  } finally {
    if (!failed) await giveBack(limits);
  }
}

export interface SignInLimits {
  /**
   * Answers what `check` answers (`false` and `undefined` are failures). Throws where too many tries have failed for this name from this address, or from this
   * address.
   */
  signIn<T>(email: string, address: string, check: () => Promise<T>): Promise<T>;
  /** The same for the password of a person who is signed in. */
  confirm<T>(userId: string, check: () => Promise<T>): Promise<T>;
}

export function createSignInLimits(store: Deps['store']): SignInLimits {
  const byName = new StoredLimiter(store, 'sign-in', 5, 15 * MINUTE);
  const byAddress = new StoredLimiter(store, 'address', 30, 60 * MINUTE);
  const byPerson = new StoredLimiter(store, 'confirm', 5, 15 * MINUTE);
  return {
    signIn(email, address, check) {
      const from = subjectOf(address);
      return within([[byName, JSON.stringify([email, from])], [byAddress, from]], check);
    },
    confirm: (userId, check) => within([[byPerson, userId]], check),
  };
}
