import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthOf, seedOf } from '../../support/length.ts';
import { operations, play } from './campaign.ts';

const SEED = seedOf(20_261_124);
const RUNS = lengthOf(120, 10_000);

describe('layers', () => {
  test(`Y1 to Y15 hold in ${RUNS} runs`, () => {
    const met: Record<string, number> = {};
    fc.assert(
      fc.property(operations(20), (ops) => {
        for (const [what, count] of Object.entries(play(ops).stats))
          met[what] = (met[what] ?? 0) + count;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    console.log(met);
    expect(met['changes']).toBeGreaterThan(RUNS);
  }, 600_000);
});
