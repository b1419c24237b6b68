import { createHash } from 'node:crypto';
// From its parts: the whole also loads a client for every store there is.
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import type { Deps } from '../deps.ts';
import { Refusal } from '../errors.ts';
import type { Counted } from '../storage/team-port.ts';
import { subjectOf } from './address.ts';

/** In seconds, as the limiter counts. */
const MINUTE = 60;
/** Longer than any of the windows below, ms. */
export const LIMITS_KEPT = 2 * 60 * MINUTE * 1_000;

/** A limiter on the store's own table, so that its limits hold across its servers. Names are kept as hashes: a table of limits is no list of who signs in from where. */
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

/** Counts a try against each before it is known whether it fails, since many may be sent at once. Where one has no room, none keeps it. */
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

/** What only fails so often: a success is not counted, and nor is what was never found out. */
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
  /** Answers what `check` does, `false` and `undefined` being failures, unless too many have failed for this name from this address, or from this address. */
  signIn<T>(email: string, address: string, check: () => Promise<T>): Promise<T>;
  /** The same for the password of somebody who is signed in. */
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
