import type { RedisClientType } from '@redis/client';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import type { UsageExchange } from './usage-in-rows.ts';

/** How long a count is kept in Redis after it was begun, s: it then begins anew. */
const KEPT_S = 600;
/** Rounds in which others' use of a subject is asked for after it was last used here. */
const ASKED_ROUNDS = 4;
/** A connection that is silent for so long although it is asked is given up, ms. */
const SILENCE_MS = 5_000;
const PING_MS = 2_000;
/** Between two attempts to connect again, at most, ms. */
const AGAIN_MS = 2_000;

interface Redis {
  client: RedisClientType;
  limiter: RateLimiterRedis;
}

/** Loaded where it is set alone: the client knows hundreds of commands. */
async function connect(url: string, prefix: string): Promise<Redis> {
  const { createClient } = await import('@redis/client');
  const client: RedisClientType = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_MS,
    commandOptions: { timeout: SILENCE_MS },
    socket: {
      connectTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      // The client's own gives up for good after a silence.
      reconnectStrategy: (attempts) => Math.min(AGAIN_MS, 50 * 2 ** attempts) * Math.random(),
    },
  });
  // It connects again by itself; meanwhile each round fails at once.
  client.on('error', () => {});
  void client.connect().catch(() => {});
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: prefix,
    // Only counted here: what is allowed is in the buckets.
    points: Number.MAX_SAFE_INTEGER,
    duration: KEPT_S,
  });
  return { client, limiter };
}

/**
 * One count for each subject in Redis: an instance asks for those alone that it works for.
 * `prefix`: of this database's names, since others may use the same Redis.
 */
export function shareInRedis(url: string, prefix: string): UsageExchange {
  const redis = connect(url, prefix);
  redis.catch(() => {});
  /** What each count came to, and for how many rounds it has not been used here. */
  const seen = new Map<string, { count: number; rounds: number }>();

  /** What others have added since this instance last asked; nothing where it has not. */
  function heard(name: string, count: number, own: number): number {
    const before = seen.get(name);
    const rounds = own > 0 ? 0 : (before?.rounds ?? 0) + 1;
    if (rounds > ASKED_ROUNDS) seen.delete(name);
    else seen.set(name, { count, rounds });
    if (before === undefined) return 0;
    const others = count - before.count - own;
    // It has begun anew.
    return others < 0 ? Math.max(0, count - own) : others;
  }

  return {
    async share(own, isNew) {
      if (isNew) seen.clear();
      const { limiter } = await redis;
      const names = [...new Set([...own.keys(), ...seen.keys()])];
      return Promise.all(
        names.map(async (name) => {
          const used = own.get(name) ?? 0;
          const { consumedPoints } = await limiter.penalty(name, used);
          return [name, heard(name, consumedPoints, used)] as const;
        }),
      );
    },
    isAwaited: () => seen.size > 0,
    async close() {
      const { client } = await redis;
      client.destroy();
    },
  };
}
