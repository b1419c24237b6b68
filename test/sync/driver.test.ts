import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compare } from '../../src/sync/driver/pull.ts';
import { quiesce, run } from './simulation/check.ts';
import { operations } from './simulation/campaign.ts';
import { realCore } from './simulation/core.ts';
import { drivenBy, MOST, MovedError } from './simulation/driving.ts';
import type { LogStore } from './simulation/log-store.ts';
import { World } from './simulation/world.ts';
import { lengthOf, seedOf } from '../support/length.ts';

/** From now on every `nth` write of a link finds that another process has moved it. */
function moveEvery(world: World, nth: number): { refused: number; end(): void } {
  const count = { refused: 0, end: () => {} };
  const ends: (() => void)[] = [];
  for (const { port } of world.clients) {
    const { live } = port;
    let writes = 0;
    port.live = () => {
      live.call(port);
      if ((writes += 1) % nth !== 0) return;
      count.refused += 1;
      throw new MovedError();
    };
    ends.push(() => (port.live = live));
  }
  count.end = () => ends.forEach((end) => end());
  return count;
}

describe('replication driver', () => {
  test('R3 I1 to I18 hold where another process moves links between an answer and its use', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(operations(20), fc.integer({ min: 1, max: 5 }), async (ops, nth) => {
        const world = new World(realCore);
        const moved = moveEvery(world, nth);
        for (const op of ops) await world.step(op);
        refused += moved.refused;
        moved.end();
        await run(world, []);
      }),
      { numRuns: lengthOf(150, 3_000), seed: seedOf(20_261_122) },
    );
    expect(refused).toBeGreaterThan(100);
  }, 120_000);

  describe('R7 both sides differ though nothing is under way', () => {
    /** A hub that has lost a change in silence, and the end of the page that shows it. */
    async function differing(): Promise<{ hub: LogStore; world: World }> {
      const world = new World(realCore);
      const [hub] = world.hubs;
      for (let b = 0; b < 4; b += 1) await world.step({ t: 'write', a: 1, b, c: 1, d: 0 });
      await quiesce(world);
      hub.digest = { count: hub.digest.count - 1, sum: hub.digest.sum };
      return { hub, world };
    }
    const compareOnce = ({ hub, world }: Awaited<ReturnType<typeof differing>>) =>
      compare(
        drivenBy(hub, hub.port, MOST, () => Promise.reject(new Error('asks nothing'))),
        world.hosted.digest,
      );

    test('everything is offered again once, then a person is notified', async () => {
      const between = await differing();
      const { hub } = between;
      const gen = hub.link?.gen ?? 0;
      expect(await compareOnce(between)).toBe('offered');
      expect(hub.link).toMatchObject({ gen: gen + 1, push_pos: 0, again_to: hub.log.length });
      if (hub.link !== null) hub.link = { ...hub.link, push_pos: hub.log.length };
      expect(await compareOnce(between)).toBe('unequal');
    });

    test('a new generation that could not be stored does not count', async () => {
      const between = await differing();
      const { hub, world } = between;
      const before = hub.link;
      const moved = moveEvery(world, 1);
      await expect(compareOnce(between)).rejects.toThrow(MovedError);
      moved.end();
      expect(hub.link).toEqual(before);
      // Both sides were not offered everything yet, so nobody is told that they still differ.
      expect(await compareOnce(between)).toBe('offered');
    });
  });
});
