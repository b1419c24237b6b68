import type { AccountId } from '../../shared/contract/ids.ts';
import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import { subjectOf } from '../auth/address.ts';
import type { Shards } from '../auth/shard.ts';
import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';
import { createSharedUsage, type SharedUsage } from './shared-usage.ts';
import { createTokenBuckets, type TokenBuckets } from './token-bucket.ts';

const SUBJECTS = 10_000;
const FAILURES = { burst: 20, perSecond: 0.2 };

type RateDeps = Pick<Deps, 'store' | 'rateLimit' | 'instanceId' | 'clock' | 'logger' | 'redisUrl'>;

function createBuckets({ rateLimit }: RateDeps) {
  const steady = (perSecond: number | undefined): TokenBuckets | undefined =>
    perSecond === undefined
      ? undefined
      : createTokenBuckets({ burst: perSecond, perSecond, subjects: SUBJECTS });
  return {
    caller: steady(rateLimit?.perSecond),
    caller_writes: steady(rateLimit?.writesPerSecond),
    account: steady(rateLimit?.account?.perSecond),
    account_writes: steady(rateLimit?.account?.writesPerSecond),
    failures: createTokenBuckets({ ...FAILURES, subjects: SUBJECTS }),
  };
}
type BucketName = keyof ReturnType<typeof createBuckets>;

function shareAmongInstances(
  deps: RateDeps,
  buckets: ReturnType<typeof createBuckets>,
): SharedUsage | undefined {
  if (deps.store.engine !== 'postgres' && deps.redisUrl === undefined) return undefined;
  const limits = Object.entries(buckets).filter(
    (entry): entry is [BucketName, TokenBuckets] => entry[1] !== undefined,
  );
  return createSharedUsage(deps, new Map(limits));
}

/**
 * Counts requests of each account until they are answered, so that slow requests of one account
 * cannot fill the server.
 */
function createUnderWay(most: number) {
  const counts = new Map<string, number>();
  return (account: AccountId, { res }: RequestContext): void => {
    // A client that hung up while its credentials were looked up has closed already: nothing would
    // take its request off again.
    if (res.closed) return;
    const others = counts.get(account) ?? 0;
    if (others >= most)
      throw new ApiError('rate_limited', {
        message: 'Too many requests of this account are under way; wait and try again.',
      });
    counts.set(account, others + 1);
    res.once('close', () => {
      const left = counts.get(account)! - 1;
      if (left === 0) counts.delete(account);
      else counts.set(account, left);
    });
  };
}

/** One unit of an allowance, by its name, which is the same on all instances. */
interface Charge {
  name: BucketName;
  subject: string;
  message: string;
  /** Of a key or an account; a person may be in several accounts, and so at several instances. */
  isOfAccount: boolean;
}

function chargesOf({ method }: RequestContext, { actor }: Principal): readonly Charge[] {
  const subject = actor.key_id ?? actor.user_id;
  const isKey = actor.key_id !== null;
  const ofCaller = isKey
    ? 'This key asks too often; wait and try again.'
    : 'You ask too often; wait and try again.';
  const ofAccount = 'This account asks too often; wait and try again.';
  const charges: readonly Charge[] = [
    { name: 'caller', subject, message: ofCaller, isOfAccount: isKey },
    { name: 'account', subject: actor.account_id, message: ofAccount, isOfAccount: true },
  ];
  if (method === 'GET') return charges;
  return [
    ...charges,
    { name: 'caller_writes', subject, message: ofCaller, isOfAccount: isKey },
    { name: 'account_writes', subject: actor.account_id, message: ofAccount, isOfAccount: true },
  ];
}

/**
 * Request allowances of keys, people and accounts, and of addresses whose credentials fail.
 * Instances on one database share them, but for what comes to one of them alone.
 */
export function createRateLimits(
  deps: RateDeps,
  shards: Pick<Shards, 'isHome'>,
  mostUnderWay: number,
) {
  const buckets = createBuckets(deps);
  const shared = shareAmongInstances(deps, buckets);
  const enter = createUnderWay(mostUnderWay);

  /**
   * Takes one unit of every allowance, or of none if one of them is used up. `isHome`: no other
   * instance counts what is the account's, but for requests that went astray.
   */
  function take(charges: readonly Charge[], now: number, isHome: boolean): void {
    for (const { name, subject, message } of charges) {
      const wait = buckets[name]?.wait(subject, now) ?? 0;
      if (wait > 0)
        throw new ApiError('rate_limited', { message, headers: { 'Retry-After': String(wait) } });
    }
    spend(charges, now, isHome, 1);
  }

  function spend(charges: readonly Charge[], now: number, isHome: boolean, units: number): void {
    for (const { name, subject, isOfAccount } of charges) {
      if (buckets[name] === undefined) continue;
      buckets[name].take(subject, now, units);
      if (isHome && isOfAccount) shared?.receive();
      else shared?.used(name, subject, units);
    }
  }

  return {
    /** Throws where the principal, or its account as a whole, sends too many requests. */
    checkCall(context: RequestContext, principal: Principal): void {
      take(chargesOf(context, principal), context.now, shards.isHome(context, principal));
      // Event streams have limits of their own.
      if (context.label !== SYNC_EVENTS_PATH) enter(principal.actor.account_id, context);
    },
    /**
     * Counts what a call came to beyond one unit. It has been carried out, so the next ones wait
     * for it.
     */
    charge(context: RequestContext, principal: Principal, units: number): void {
      if (units === 0) return;
      const isHome = shards.isHome(context, principal);
      spend(chargesOf(context, principal), context.now, isHome, units);
    },
    /** Counts failed credentials; throws once an address has shown too many. */
    checkFailure({ address, now }: RequestContext): void {
      const message = 'Too many failed sign-ins from this address.';
      const subject = subjectOf(address);
      take([{ name: 'failures', subject, message, isOfAccount: false }], now, false);
    },
    close: () => shared?.close(),
  };
}
export type RateLimits = ReturnType<typeof createRateLimits>;
