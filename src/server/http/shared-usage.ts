import type { Deps } from '../context/deps.ts';
import { describeError } from '../instance/logger.ts';
import type { TokenBuckets } from './token-bucket.ts';
import { shareInRedis } from './usage-in-redis.ts';
import { shareInRows } from './usage-in-rows.ts';

const SHARE_MS = 500;
/**
 * Rounds after which an amount too small to share is dropped: by then less than a hundredth of the
 * allowance.
 */
const PATIENCE = 10;
/**
 * After a longer pause an instance ignores what was used before: those allowances have refilled
 * meanwhile. Milliseconds.
 */
const STALE_MS = 4 * SHARE_MS;

type Limits = ReadonlyMap<string, TokenBuckets>;

/** Name of an amount: the limit, and of whom. */
const nameOf = (limit: string, subject: string): string => `${limit} ${subject}`;
function partsOf(name: string): { limit: string; subject: string } {
  const at = name.indexOf(' ');
  return { limit: name.slice(0, at), subject: name.slice(at + 1) };
}

/** What this instance let pass, until it is shared. */
function createUnshared(limits: Limits) {
  const amounts = new Map<string, { count: number; rounds: number }>();
  return {
    add(name: string, units: number): void {
      const entry = amounts.get(name);
      if (entry === undefined) amounts.set(name, { count: units, rounds: 0 });
      else entry.count += units;
    },
    /** Takes out the amounts that are large enough to be shared now. */
    take(): Map<string, number> {
      const taken = new Map<string, number>();
      for (const [name, entry] of amounts) {
        const { perSecond } = limits.get(partsOf(name).limit)!;
        if (entry.count >= perSecond / 20) taken.set(name, entry.count);
        else if ((entry.rounds += 1) < PATIENCE) continue;
        amounts.delete(name);
      }
      return taken;
    },
  };
}

type ShareDeps = Pick<Deps, 'store' | 'instanceId' | 'clock' | 'logger' | 'redisUrl'>;

/**
 * Shares used allowances among the instances on one database: twice a second each instance tells
 * what it used and subtracts what the others used. No request waits for it. Over time the instances
 * together allow what one would; in a burst, and while nobody can be told, each allows its own
 * share.
 */
export function createSharedUsage(deps: ShareDeps, limits: Limits) {
  const { clock, logger, redisUrl } = deps;
  const exchange =
    redisUrl === undefined
      ? shareInRows(deps)
      : shareInRedis(redisUrl, `evidence-studio ${deps.store.storeId}`);
  const unshared = createUnshared(limits);
  let sharedAt = -Infinity;
  let isActive = false;
  let isAlone = false;
  let running: Promise<void> | undefined;

  async function share(): Promise<void> {
    const isNew = clock.now() - sharedAt > STALE_MS;
    const others = await exchange.share(unshared.take(), isNew);
    sharedAt = clock.now();
    for (const [name, count] of others) {
      const { limit, subject } = partsOf(name);
      if (count > 0) limits.get(limit)?.take(subject, sharedAt, count);
    }
    isAlone = false;
  }

  function standAlone(error: unknown): void {
    if (!isAlone)
      logger.warn({ error: describeError(error) }, 'the rate limits of this instance stand alone');
    isAlone = true;
  }

  const timer = setInterval(() => {
    if (running !== undefined || !(isActive || exchange.isAwaited?.() === true)) return;
    isActive = false;
    running = share()
      .catch(standAlone)
      .finally(() => (running = undefined));
  }, SHARE_MS);
  timer.unref();

  return {
    used(limit: string, subject: string, units: number): void {
      unshared.add(nameOf(limit, subject), units);
      isActive = true;
    },
    /** Takes in soon what others used, and writes nothing. */
    receive(): void {
      isActive = true;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
      await exchange.close();
    },
  };
}
export type SharedUsage = ReturnType<typeof createSharedUsage>;
