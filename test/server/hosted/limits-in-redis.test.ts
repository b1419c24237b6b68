import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSharedUsage, type SharedUsage } from '../../../src/server/http/shared-usage.ts';
import { createTokenBuckets, type TokenBuckets } from '../../../src/server/http/token-bucket.ts';
import { createLogger } from '../../../src/server/instance/logger.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { IS_LONG } from '../../support/length.ts';
import { freePort } from '../../support/postgres.ts';
import { REDIS, type RunningRedis, startRedis } from '../../support/redis.ts';
import { bootServer } from '../../support/server.ts';

/**
 * What is told at once is a twentieth of what grows back in a second; so much may be used at a
 * time.
 */
const [TOLD, BURST] = [2, 1_000];

describe('without the Redis that is set', () => {
  it('an instance counts alone: it answers what is allowed, refuses the rest with 429, and says so once', async () => {
    const now = Date.now();
    const allowance = { perSecond: 5, writesPerSecond: 5 };
    await using server = await bootServer({
      deps: {
        redisUrl: `redis://127.0.0.1:${await freePort()}`,
        clock: { now: () => now },
        rateLimit: { ...allowance, account: { perSecond: 50, writesPerSecond: 50 } },
      },
    });
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1)
      statuses.push((await server.call('GET', '/api/v1/projects')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});

const isLeftOut = REDIS === undefined || !IS_LONG;
if (IS_LONG && REDIS === undefined)
  console.log('Neither redis-server nor valkey-server is installed: limits in it are not tested.');

describe.skipIf(isLeftOut)('instances that share limits in Redis', () => {
  interface Instance {
    buckets: TokenBuckets;
    usage: SharedUsage;
    warnings: string[];
    /** Uses so many units of an allowance. */
    use(subject: string, units: number): void;
  }
  const instances: Instance[] = [];
  let redis: RunningRedis;
  // Stands still: nothing grows back.
  const now = Date.now();

  function boot(storeId = 'store'): Instance {
    const buckets = createTokenBuckets({ burst: BURST, perSecond: 20 * TOLD, subjects: 100 });
    const warnings: string[] = [];
    const usage = createSharedUsage(
      {
        store: { storeId } as Store,
        instanceId: String(instances.length),
        clock: { now: () => now },
        logger: createLogger({
          level: 'warn',
          destination: { write: (text) => void warnings.push(text) },
        }),
        redisUrl: redis.url,
      },
      new Map([['caller', buckets]]),
    );
    const instance = {
      buckets,
      usage,
      warnings,
      use(subject: string, units: number): void {
        buckets.take(subject, now, units);
        usage.used('caller', subject, units);
      },
    };
    instances.push(instance);
    return instance;
  }
  beforeAll(async () => {
    if (!isLeftOut) redis = await startRedis();
  });
  afterAll(async () => {
    for (const { usage } of instances) await usage.close();
    await redis?.stop();
  });
  const isUsedUp = ({ buckets }: Instance, subject: string): boolean =>
    buckets.wait(subject, now) > 0;

  /** Uses everything at one, again and again, until another that used little has none left. */
  async function untilHeard(from: Instance, at: Instance, subject: string): Promise<void> {
    let own = 0;
    await expect
      .poll(
        () => {
          from.use(subject, BURST);
          at.use(subject, TOLD);
          own += TOLD;
          return isUsedUp(at, subject);
        },
        { timeout: 60_000, interval: 300 },
      )
      .toBe(true);
    expect(own).toBeLessThan(BURST);
  }

  it('hear of what others have used of what they work for themselves, and of no other database', async () => {
    const [one, two, stranger] = [boot(), boot(), boot('other store')];
    stranger.use('key', TOLD);
    await untilHeard(one, two, 'key');
    expect(isUsedUp(stranger, 'key')).toBe(false);
    expect(isUsedUp(one, 'other key')).toBe(false);
  });

  it.each(['killed', 'frozen'] as const)(
    'count alone while it is %s, say so once, and share again afterwards',
    async (how) => {
      const [one, two] = [boot(), boot()];
      await untilHeard(one, two, `before it was ${how}`);
      if (how === 'killed') await redis.kill();
      else redis.freeze();
      await expect
        .poll(
          () => {
            one.use(how, TOLD);
            return one.warnings.length;
          },
          { timeout: 60_000, interval: 300 },
        )
        .toBe(1);
      if (how === 'killed') await redis.start();
      else redis.thaw();
      await untilHeard(two, one, `after it was ${how}`);
      expect(one.warnings).toHaveLength(1);
      expect(one.warnings[0]).toContain('stand alone');
    },
  );
});
