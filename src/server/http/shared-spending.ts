import type { Deps } from '../deps.ts';
import { describeError } from '../logger.ts';
import { EVERY_ACCOUNT } from '../storage/port.ts';
import type { TokenBuckets } from './token-bucket.ts';

const TELL_MS = 500;
/** What is not worth telling is forgotten after so many turns: less than a hundredth of the allowance. */
const PATIENCE = 10;
/** Whoever has not listened for longer begins anew: what was spent before has grown back. */
const DEAF_MS = 4 * TELL_MS;

/**
 * Tells other instances on the same database what was spent here, and takes what was spent there off the allowances here, twice a second and
 * in one row for all subjects: no request waits for it. Over time the instances together give what one would; in a burst, each gives its own first.
 */
export function createSharedSpending({ store, instanceId, clock, logger }: Pick<Deps, 'store' | 'instanceId' | 'clock' | 'logger'>, limits: ReadonlyMap<string, TokenBuckets>) {
  const waiting = new Map<string, { count: number; turns: number }>();
  let seen = new Map<string, number>();
  let listenedAt = -Infinity;
  let turn = 0;
  let isActive = false;
  let running: Promise<void> | undefined;

  /** What is worth telling now. */
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

  async function exchange(): Promise<void> {
    const isNew = clock.now() - listenedAt > DEAF_MS;
    if (isNew) seen = new Map();
    const told = gather();
    const heard = await store.transact(async (writer) => {
      if (told.size > 0) await writer.spending.tell(instanceId, (turn += 1), told);
      return writer.spending.hear(instanceId, seen);
    }, EVERY_ACCOUNT);
    listenedAt = clock.now();
    for (const { instance, turn: last, spent } of heard) {
      seen.set(instance, Math.max(last, seen.get(instance) ?? 0));
      if (isNew) continue;
      for (const [name, count] of spent) limits.get(name.slice(0, name.indexOf(' ')))?.take(name.slice(name.indexOf(' ') + 1), listenedAt, count);
    }
  }

  const timer = setInterval(() => {
    if (!isActive || running !== undefined) return;
    isActive = false;
    running = exchange()
      .catch((error: unknown) => logger.warn({ error: describeError(error) }, 'the rate limits of this instance stand alone'))
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
