import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUGS } from './bugs.ts';
import { operations, play, wrong, written } from './campaign.ts';
import { KEPT_NAMES, keptOps } from './kept.ts';

const SEED = 20_260_101;
const RUNS = 3_000;
/** Runs in which a planted bug that has no sequence of its own must be found. */
const HUNT = 300;

/** Three tiers, faults of every kind, an oracle that uses nothing of the core: see docs/decisions/0021. */
describe('simulation', () => {
  test(`I1 to I18 hold in ${RUNS} runs, and the runs meet what they are for`, () => {
    const met: Record<string, number> = {};
    fc.assert(
      fc.property(operations(20), (ops) => {
        for (const [what, count] of Object.entries(play(ops).stats)) met[what] = (met[what] ?? 0) + count;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    for (const what of ['contested', 'duplicates', 'recovered', 'anew', 'snapshots', 'released', 'crooked', 'bulk', 'parked']) expect(met[what], what).toBeGreaterThan(50);
  }, 600_000);

  test.each(KEPT_NAMES)('kept: %s fails with its bug and holds without', (name) => {
    const ops = keptOps(name) ?? [];
    expect(wrong(ops, BUGS[name])).not.toBeNull();
    expect(wrong(ops)).toBeNull();
  });

  test.each(Object.keys(BUGS).filter((name) => !KEPT_NAMES.includes(name)))('planted: %s is caught', (name) => {
    const found = fc.check(fc.property(operations(1), (ops) => void play(ops, BUGS[name])), { numRuns: HUNT, seed: SEED, endOnFailure: true });
    expect(found.failed, `not caught; the last run was ${written(found.counterexample?.[0] ?? [])}`).toBe(true);
  });
});
