import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { betaInterval } from '../../../../src/shared/domain/beta-quantile.ts';
import { BetaError } from '../../../../src/shared/domain/incomplete-beta.ts';

function rows(name: string): number[][] {
  const text = readFileSync(
    new URL(`../../../fixtures/reference/${name}`, import.meta.url),
    'utf8',
  );
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number));
}

function relativeError(value: number, reference: number): number {
  return Math.abs(value / reference - 1);
}

/** A finite double as an exact fraction `numerator / 2^exponent`. */
function exact(value: number): { numerator: bigint; exponent: bigint } {
  let exponent = 0n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    exponent += 1n;
  }
  return { numerator: BigInt(scaled), exponent };
}

/**
 * Whether I_x(a, b) <= tail for integers a, b, without rounding: I_x(a, b) = P(Binomial(a + b - 1,
 * x) >= a), DLMF 8.17.5. `upper` asks for 1 - I_x(a, b) instead.
 */
function tailAtMost(a: number, b: number, x: number, tail: number, upper: boolean): boolean {
  const size = a + b - 1;
  const { numerator: success, exponent } = exact(x);
  const failure = (1n << exponent) - success;
  const [from, to] = upper ? [0, a - 1] : [a, size];
  let binomial = 1n;
  let sum = 0n;
  for (let j = 0; j <= to; j += 1) {
    if (j > 0) binomial = (binomial * BigInt(size - j + 1)) / BigInt(j);
    if (j >= from) sum += binomial * success ** BigInt(j) * failure ** BigInt(size - j);
  }
  const limit = exact(tail);
  return sum << limit.exponent <= limit.numerator << (exponent * BigInt(size));
}

describe('betaInterval', () => {
  it('meets every reference vector at 1e-12 relative, median included', () => {
    const table = rows('beta_quantiles.csv');
    expect(table.length).toBe(648);
    let worst = 0;
    for (const [k = 0, m = 0, a = 0, b = 0, ci = 0, , median = 0, lower = 0, upper = 0] of table) {
      const interval = betaInterval(a + k, b + m - k, ci);
      worst = Math.max(
        worst,
        relativeError(interval.lower, lower),
        relativeError(interval.upper, upper),
        relativeError(betaInterval(a + k, b + m - k, 0).lower, median),
      );
    }
    expect(worst).toBeLessThan(1e-13);
  });

  it('meets settings drawn over the whole domain at 1e-12 relative', () => {
    let worst = 0;
    for (const [alpha = 0, beta = 0, ci = 0, lower = 0, upper = 0] of rows(
      'beta_intervals_random.csv',
    )) {
      const interval = betaInterval(alpha, beta, ci);
      worst = Math.max(
        worst,
        relativeError(interval.lower, lower),
        relativeError(interval.upper, upper),
      );
    }
    expect(worst).toBeLessThan(1e-13);
  });

  it.each([
    [1, 1, 0.95],
    [1, 6, 0.999],
    [6, 1, 0.999],
    [3, 3, 0.5],
    [11, 115, 0.9],
    [125, 2, 0.99],
    [51, 51, 0.95],
    [1, 260, 0.999],
    [250, 11, 0.8],
  ])('brackets the exact binomial tail of Beta(%i, %i) at %d', (a, b, ci) => {
    const tail = (1 - ci) / 2;
    const { lower, upper } = betaInterval(a, b, ci);
    expect(tailAtMost(a, b, lower * (1 - 1e-12), tail, false)).toBe(true);
    expect(tailAtMost(a, b, lower * (1 + 1e-12), tail, false)).toBe(false);
    if (upper * (1 + 1e-12) < 1)
      expect(tailAtMost(a, b, upper * (1 + 1e-12), tail, true)).toBe(true);
    expect(tailAtMost(a, b, upper * (1 - 1e-12), tail, true)).toBe(false);
  });

  it.each([0.25, 1, 2.5, 10, 510])('has the closed form of Beta(%d, 1)', (a) => {
    for (const ci of [0.5, 0.95, 0.999]) {
      const { lower, upper } = betaInterval(a, 1, ci);
      expect(relativeError(lower, ((1 - ci) / 2) ** (1 / a))).toBeLessThan(1e-13);
      expect(relativeError(upper, Math.exp(Math.log1p((ci - 1) / 2) / a))).toBeLessThan(1e-13);
    }
  });

  it('widens with the level, rises with alpha, and mirrors', () => {
    const levels = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999].map((ci) => betaInterval(3.5, 20, ci));
    for (const [index, wider] of levels.slice(1).entries()) {
      expect(wider.lower).toBeLessThan(levels[index]?.lower ?? 0);
      expect(wider.upper).toBeGreaterThan(levels[index]?.upper ?? 1);
    }
    for (let k = 1; k <= 500; k += 1)
      expect(betaInterval(1 + k, 501 - k, 0.95).lower).toBeGreaterThan(
        betaInterval(k, 502 - k, 0.95).lower,
      );
    expect(betaInterval(2, 7, 0.9).lower + betaInterval(7, 2, 0.9).upper).toBeCloseTo(1, 15);
  });

  it.each([
    [0, 1, 0.95],
    [1, -1, 0.95],
    [1, 1, 1],
    [Number.NaN, 1, 0.95],
    [1, Number.POSITIVE_INFINITY, 0.95],
  ])('refuses Beta(%d, %d) at %d', (a, b, ci) => {
    expect(() => betaInterval(a, b, ci)).toThrow(BetaError);
  });
});
