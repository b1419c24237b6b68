import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  betaAbove,
  betaCumulative,
  betaDensity,
  densityCurve,
  globalPosterior,
  mixtureCumulative,
  mixtureDensity,
} from '../../../../src/shared/domain/beta-density.ts';
import { betaInterval } from '../../../../src/shared/domain/beta-quantile.ts';
import { countSizes, resultsByCount, resultSpread } from '../../../../src/shared/domain/result.ts';

const VECTORS = readFileSync(
  new URL('../../../fixtures/reference/beta_density.csv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(',').map(Number));

const off = (value: number, reference: number): number => Math.abs(value / reference - 1);

describe('density and distribution function of a Beta distribution', () => {
  it('meet every reference vector at 1e-12 relative', () => {
    expect(VECTORS).toHaveLength(300);
    let worst = 0;
    for (const [k = 0, m = 0, a = 0, b = 0, x = 0, density = 0, below = 0] of VECTORS) {
      const [alpha, beta] = [a + k, b + m - k];
      worst = Math.max(
        worst,
        off(betaDensity(alpha, beta, x), density),
        off(betaCumulative(alpha, beta, x), below),
      );
    }
    expect(worst).toBeLessThan(1e-12);
  });

  it('have closed forms at the ends and where a parameter is 1', () => {
    expect([betaDensity(1, 7, 0), betaDensity(2, 7, 0), betaDensity(0.5, 7, 0)]).toEqual([
      7,
      0,
      Infinity,
    ]);
    expect([betaDensity(7, 1, 1), betaDensity(7, 2, 1), betaDensity(7, 0.5, 1)]).toEqual([
      7,
      0,
      Infinity,
    ]);
    expect([betaDensity(2, 2, -0.1), betaDensity(2, 2, 1.1)]).toEqual([0, 0]);
    expect([betaCumulative(2, 2, 0), betaCumulative(2, 2, 1)]).toEqual([0, 1]);
    for (const x of [1e-9, 0.1, 0.5, 0.9]) {
      expect(off(betaCumulative(5, 1, x), x ** 5)).toBeLessThan(1e-13);
      expect(off(betaDensity(5, 1, x), 5 * x ** 4)).toBeLessThan(1e-13);
      expect(off(betaAbove(1, 5, x), (1 - x) ** 5)).toBeLessThan(1e-13);
    }
  });

  it('agree with the quantiles of the result', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.25, max: 500, noNaN: true }),
        fc.double({ min: 0.25, max: 500, noNaN: true }),
        (alpha, beta) => {
          const { lower, upper } = betaInterval(alpha, beta, 0.95);
          expect(off(betaCumulative(alpha, beta, lower), 0.025)).toBeLessThan(1e-9);
          if (upper < 0.999) expect(off(betaAbove(alpha, beta, upper), 0.025)).toBeLessThan(1e-9);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the posterior of all items together', () => {
  const settings = { prior_alpha: 1, prior_beta: 1, ci_level: 0.95 };
  const sizes = countSizes([0, 3, 3, 3, 5, 8, 8], 8);
  const parts = globalPosterior(resultsByCount(sizes, settings));
  const STEPS = 4_000;
  const at = (index: number): number => mixtureDensity(parts, index / STEPS);

  it('is a distribution whose mean is the mean of the result', () => {
    let [area, mean] = [0, 0];
    for (let index = 0; index < STEPS; index += 1) {
      const x = (index + 0.5) / STEPS;
      const piece = (at(index) + 4 * at(index + 0.5) + at(index + 1)) / (6 * STEPS);
      area += piece;
      mean += piece * x;
    }
    expect(area).toBeCloseTo(1, 10);
    expect(mean).toBeCloseTo(resultSpread(sizes, settings).mean_theta, 6);
    expect(mixtureCumulative(parts, 1)).toBeCloseTo(1, 14);
    expect(mixtureCumulative(parts, 0.25)).toBeLessThan(mixtureCumulative(parts, 0.26));
  });

  it('is drawn through exact points, finite also where the density is not', () => {
    const curve = densityCurve([{ alpha: 0.5, beta: 3, share: 1 }], 100);
    expect(curve).toHaveLength(101);
    expect(curve[0]?.x).toBeGreaterThan(0);
    expect(curve.every(({ density }) => Number.isFinite(density))).toBe(true);
    expect(curve[30]).toEqual({ x: 0.3, density: betaDensity(0.5, 3, 0.3) });
  });
});
