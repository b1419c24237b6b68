// Imported by file: the package's entry would load a client for every kind of store.
import type { UserId } from '../../shared/contract/ids.ts';
import { createHash } from 'node:crypto';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import RateLimiterStoreAbstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import { subjectOf } from './address.ts';
import type { CountedPoints } from '../storage/accounts/sign-in-limits.ts';

/** Seconds, the limiter's unit. */
const MINUTE = 60;
/** Longer than any window below, ms: entries older than this are deleted. */
export const LIMITS_KEPT = 2 * 60 * MINUTE * 1_000;

/**
 * A limiter on the store's own table, so that the servers on one database share it. Names are
 * stored as hashes, so that the table does not list who signs in from where.
 */
class StoredLimiter extends RateLimiterStoreAbstract {
  readonly #store: Deps['store'];
  readonly isOfPerson: boolean;
  constructor(
    store: Deps['store'],
    kind: 'person' | 'address' | 'browser' | 'confirm',
    points: number,
    duration: number,
  ) {
    super({ storeClient: store, keyPrefix: `${kind} ${duration}`, points, duration });
    this.#store = store;
    this.isOfPerson = kind === 'person';
  }
  _upsert(key: string, points: number, within: number): Promise<CountedPoints> {
    const subject = createHash('sha256').update(key).digest('hex');
    return this.#store.transact((writer) => writer.signInLimits.count(subject, points, within));
  }
  _getRateLimiterRes(
    _key: string,
    changed: number,
    { points, left }: CountedPoints,
  ): RateLimiterRes {
    return new RateLimiterRes(Math.max(this.points - points, 0), left, points, points === changed);
  }
}

/** Too many tries have failed. */
export class SignInLimited extends ApiError {
  override name = 'SignInLimited';
  /** Whether it was this person's password that was tried too often, from anywhere. */
  readonly ofPerson: boolean;
  constructor(seconds: number, ofPerson: boolean) {
    const wait = seconds < MINUTE ? `${seconds} s` : `${Math.ceil(seconds / MINUTE)} min`;
    super('rate_limited', {
      message: `Too many failed sign-ins. Try again in ${wait}.`,
      headers: { 'Retry-After': String(seconds) },
    });
    this.ofPerson = ofPerson;
  }
}

type Limit = readonly [limiter: StoredLimiter, name: string];

/**
 * Counts a try against every limit before its outcome is known, since many tries may be sent at
 * once. If one limit is used up, the try counts against none.
 */
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
    throw new SignInLimited(
      Math.ceil(refused.msBeforeNext / 1_000),
      limits[counted.length]?.[0].isOfPerson ?? false,
    );
  }
}

async function giveBack(limits: readonly Limit[]): Promise<void> {
  for (const [limiter, name] of limits) await limiter.reward(name);
}

/**
 * Runs `check` with a limit on failures: a success is taken back from the count, and so is a check
 * that could not be made.
 */
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

/**
 * Failures within seconds. Each next one is reached more slowly and waits longer, so that nobody is
 * locked out by a few mistakes, nor lets many be tried.
 */
type Steps = readonly (readonly [failures: number, seconds: number])[];
const OF_PERSON: Steps = [
  [5, MINUTE],
  [10, 10 * MINUTE],
  [20, 60 * MINUTE],
];
const OF_ADDRESS: Steps = [
  [30, MINUTE],
  [60, 10 * MINUTE],
  [120, 60 * MINUTE],
];

export interface SignInLimits {
  /**
   * Answers what `check` answers (`false` and `undefined` are failures). Throws `rate_limited`
   * where too many tries have failed: for this person or from this address, from anywhere; in a
   * browser that the person is known to have signed in with before (`known`), there alone.
   */
  signIn<T>(
    from: { email: string; address: string; known: string | undefined },
    check: () => Promise<T>,
  ): Promise<T>;
  /** The same for the password of a person who is signed in. */
  confirm<T>(userId: UserId, check: () => Promise<T>): Promise<T>;
}

export function createSignInLimits(store: Deps['store']): SignInLimits {
  const limitersOf = (kind: 'person' | 'address' | 'browser', steps: Steps): StoredLimiter[] =>
    steps.map(([failures, seconds]) => new StoredLimiter(store, kind, failures, seconds));
  const [byPerson, byAddress, byBrowser] = [
    limitersOf('person', OF_PERSON),
    limitersOf('address', OF_ADDRESS),
    limitersOf('browser', OF_PERSON),
  ];
  const bySession = new StoredLimiter(store, 'confirm', 5, 15 * MINUTE);
  const each = (limiters: readonly StoredLimiter[], name: string): Limit[] =>
    limiters.map((limiter) => [limiter, name]);
  return {
    signIn({ email, address, known }, check) {
      const limits =
        known === undefined
          ? [...each(byPerson, email), ...each(byAddress, subjectOf(address))]
          : each(byBrowser, JSON.stringify([email, known]));
      return within(limits, check);
    },
    confirm: (userId, check) => within([[bySession, userId]], check),
  };
}
