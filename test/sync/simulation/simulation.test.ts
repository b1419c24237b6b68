import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUGS } from './bugs.ts';
import { quiesce, run } from './check.ts';
import { operations, play, wrong, written } from './campaign.ts';
import { realCore } from './core.ts';
import { KEPT_NAMES, keptOps } from './kept.ts';
import { World } from './world.ts';
import { lengthOf, seedOf } from '../../support/length.ts';

const SEED = seedOf(20_260_101);
const RUNS = lengthOf(400, 10_000);
/** Runs in which a planted bug that has no sequence of its own must be found. */
const HUNT = 600;

/** A hub loses its third change in silence. */
function loseOne(world: World): void {
  const [hub] = world.hubs;
  const left = hub.log
    .slice(0, 2)
    .concat(hub.log.slice(3))
    .flatMap((id) => hub.held.get(id) ?? []);
  const fresh = world.another().hubs[0].save();
  Object.assign(hub, {
    log: fresh.log,
    chain: fresh.chain,
    digest: fresh.digest,
    held: fresh.held,
    views: fresh.views,
    link: hub.link && { ...hub.link, push_pos: left.length },
  });
  for (const held of left) hub.append(held, held.origin);
}

/**
 * Three tiers, faults of every kind, an oracle that uses nothing of the core: see
 * docs/decisions/0021.
 */
describe('simulation', () => {
  test(`I1 to I18 hold in ${RUNS} runs, and the runs meet what they are for`, async () => {
    const met: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(operations(20), async (ops) => {
        for (const [what, count] of Object.entries((await play(ops)).stats))
          met[what] = (met[what] ?? 0) + count;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    for (const what of [
      'contested',
      'duplicates',
      'recovered',
      'started over',
      'snapshots',
      'released',
      'crooked',
      'bulk',
      'blocked',
      'stumbles',
      'aside',
    ])
      expect(met[what], what).toBeGreaterThan(RUNS / 60);
  }, 600_000);

  test.each(KEPT_NAMES)('kept: %s fails with its bug and holds without', async (name) => {
    const ops = keptOps(name);
    expect(await wrong(ops, BUGS[name])).not.toBeNull();
    expect(await wrong(ops)).toBeNull();
  });

  test('R7 a change that a hub loses in silence is noticed, and comes back to everybody', async () => {
    const world = new World(realCore);
    const [hub] = world.hubs;
    const write = (a: number, b: number): Promise<void> =>
      world.step({ t: 'write', a, b, c: 1, d: 0 });
    for (let b = 0; b < 5; b += 1) await write(1 + (b % 2), b);
    await quiesce(world);
    let noticed = 0;
    hub.differs = () => {
      noticed += 1;
    };
    loseOne(world);
    await run(world, []);
    expect(noticed).toBe(1);
  });

  test.each(Object.keys(BUGS).filter((name) => !KEPT_NAMES.includes(name)))(
    'planted: %s is caught',
    async (name) => {
      const found = await fc.check(
        fc.asyncProperty(operations(1), async (ops) => void (await play(ops, BUGS[name]))),
        { numRuns: HUNT, seed: 20_260_101, endOnFailure: true },
      );
      expect(
        found.failed,
        `not caught; the last run was ${written(found.counterexample?.[0] ?? [])}`,
      ).toBe(true);
    },
  );
});
