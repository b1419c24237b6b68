import type { Deps } from '../context/deps.ts';
import { describeError } from '../instance/logger.ts';
import type { TokenBuckets } from './token-bucket.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';

const TELL_MS = 500;
/**
 * Turns after which an amount too small to share is dropped: by then less than a hundredth of the
 * allowance.
 */
const PATIENCE = 10;
/**
 * After a longer pause an instance ignores what was spent before: those allowances have refilled
 * meanwhile. Milliseconds.
 */
const DEAF_MS = 4 * TELL_MS;

/**
 * Shares spent allowances among the instances on one database: twice a second each instance writes
 * what it spent, in one row for all subjects, and subtracts what the others spent. No request waits
 * for it. Over time the instances together allow what one would; in a burst each allows its own
 * share first.
 */
export function createSharedSpending(
  { store, instanceId, clock, logger }: Pick<Deps, 'store' | 'instanceId' | 'clock' | 'logger'>,
  limits: ReadonlyMap<string, TokenBuckets>,
) {
  const waiting = new Map<string, { count: number; turns: number }>();
  let seen = new Map<string, number>();
  let listenedAt = -Infinity;
  let turn = 0;
  let isActive = false;
  let running: Promise<void> | undefined;

  /** The amounts that are large enough to be shared now. */
  function gather(): Map<string, number> {
    const told = new Map<string, number>();
    for (const [name, entry] of waiting) {
      const { perSecond } = limits.get(name.slice(0, name.indexOf(' ')))!;
      if (entry.count >= perSecond / 20) told.set(name, entry.count);
      else if ((entry.turns += 1) < PATIENCE) continue;
      waiting.delete(name);
    }
    return told;
  }

  async function context(): Promise<void> {
    const isNew = clock.now() - listenedAt > DEAF_MS;
    if (isNew) seen = new Map();
    const told = gather();
    const heard = await store.transact(async (writer) => {
      if (told.size > 0) await writer.rateLimitUsage.publish(instanceId, (turn += 1), told);
      return writer.rateLimitUsage.receive(instanceId, seen);
    }, EVERY_ACCOUNT);
    listenedAt = clock.now();
    for (const { instance, turn: last, spent } of heard) {
      seen.set(instance, Math.max(last, seen.get(instance) ?? 0));
      if (isNew) continue;
      for (const [name, count] of spent)
        limits
          .get(name.slice(0, name.indexOf(' ')))
          ?.take(name.slice(name.indexOf(' ') + 1), listenedAt, count);
    }
  }

  const timer = setInterval(() => {
    if (!isActive || running !== undefined) return;
    isActive = false;
    running = context()
      .catch((error: unknown) =>
        logger.warn(
          { error: describeError(error) },
          'the rate limits of this instance stand alone',
        ),
      )
      .finally(() => (running = undefined));
  }, TELL_MS);
  timer.unref();

  return {
    spent(limit: string, subject: string): void {
      const name = `${limit} ${subject}`;
      const entry = waiting.get(name);
      if (entry === undefined) waiting.set(name, { count: 1, turns: 0 });
      else entry.count += 1;
      isActive = true;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
export type SharedSpending = ReturnType<typeof createSharedSpending>;
