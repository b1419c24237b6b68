import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import { subjectOf } from '../auth/address.ts';
import type { Principal } from '../context/principal.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';
import { createSharedSpending, type SharedSpending } from './shared-spending.ts';
import { createTokenBuckets, type TokenBuckets } from './token-bucket.ts';

const SUBJECTS = 10_000;
const FAILURES = { burst: 20, perSecond: 0.2 };

interface Bill {
  buckets: TokenBuckets;
  /** Name of the allowance, the same on all instances. */
  name: string;
  subject: string;
  message: string;
}

/**
 * Request allowances of keys, people and accounts, and of addresses whose credentials fail.
 * Instances on one database share them.
 */
export function createRateLimits(
  deps: Pick<Deps, 'store' | 'rateLimit' | 'instanceId' | 'clock' | 'logger'>,
  mostUnderWay: number,
) {
  const { rateLimit } = deps;
  const steady = (perSecond: number | undefined): TokenBuckets | undefined =>
    perSecond === undefined
      ? undefined
      : createTokenBuckets({ burst: perSecond, perSecond, subjects: SUBJECTS });
  const limits = {
    caller: steady(rateLimit?.perSecond),
    caller_writes: steady(rateLimit?.writesPerSecond),
    account: steady(rateLimit?.account?.perSecond),
    account_writes: steady(rateLimit?.account?.writesPerSecond),
    failures: createTokenBuckets({ ...FAILURES, subjects: SUBJECTS }),
  };
  const shared: SharedSpending | undefined =
    deps.store.engine === 'postgres'
      ? createSharedSpending(
          deps,
          new Map(
            Object.entries(limits).filter(
              (entry): entry is [string, TokenBuckets] => entry[1] !== undefined,
            ),
          ),
        )
      : undefined;

  const underWay = new Map<string, number>();
  /**
   * Counts a request of the account until it is answered, so that slow requests of one account
   * cannot fill the server.
   */
  function enter(account: string, { res }: RequestContext): void {
    // Whoever hung up while their credentials were looked up has closed already: nothing would take
    // it off again.
    if (res.closed) return;
    const others = underWay.get(account) ?? 0;
    if (others >= mostUnderWay)
      throw new ApiError('rate_limited', {
        message: 'Too many requests of this account are under way; wait and try again.',
      });
    underWay.set(account, others + 1);
    res.once('close', () => {
      const left = underWay.get(account)! - 1;
      if (left === 0) underWay.delete(account);
      else underWay.set(account, left);
    });
  }

  /** Spends one unit of every allowance, or of none if one of them is used up. */
  function spend(bills: readonly Bill[], now: number): void {
    for (const { buckets, subject, message } of bills) {
      const wait = buckets.wait(subject, now);
      if (wait > 0)
        throw new ApiError('rate_limited', { message, headers: { 'Retry-After': String(wait) } });
    }
    for (const { buckets, name, subject } of bills) {
      buckets.take(subject, now);
      shared?.spent(name, subject);
    }
  }
  function bill(name: keyof typeof limits, subject: string, message: string): Bill[] {
    const buckets = limits[name];
    return buckets === undefined ? [] : [{ buckets, name, subject, message }];
  }

  return {
    /** Throws where the caller, or its account as a whole, sends too many requests. */
    checkCall(context: RequestContext, { actor }: Principal): void {
      const { method, now, label } = context;
      const principal = actor.key_id ?? actor.user_id;
      const ofCaller =
        actor.key_id === null
          ? 'You ask too often; wait and try again.'
          : 'This key asks too often; wait and try again.';
      const ofAccount = 'This account asks too often; wait and try again.';
      const bills = [
        ...bill('caller', principal, ofCaller),
        ...bill('account', actor.account_id, ofAccount),
      ];
      if (method !== 'GET')
        bills.push(
          ...bill('caller_writes', principal, ofCaller),
          ...bill('account_writes', actor.account_id, ofAccount),
        );
      spend(bills, now);
      // Event streams have limits of their own.
      if (label !== SYNC_EVENTS_PATH) enter(actor.account_id, context);
    },
    /** Counts failed credentials; throws once an address has shown too many. */
    checkFailure({ address, now }: RequestContext): void {
      spend(
        bill('failures', subjectOf(address), 'Too many failed sign-ins from this address.'),
        now,
      );
    },
    close: () => shared?.close(),
  };
}
export type RateLimits = ReturnType<typeof createRateLimits>;
