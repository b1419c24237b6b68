import { lnConstant, lnIncompleteBeta, lnKernel } from './incomplete-beta.ts';

/** A Beta distribution with its share in a mixture; shares sum to 1. */
export interface BetaPart {
  alpha: number;
  beta: number;
  share: number;
}

/** Density at an end of the unit interval whose own parameter is `near`, the other `far`. */
const densityAtEnd = (near: number, far: number): number =>
  near < 1 ? Infinity : near > 1 ? 0 : far;

/** Density of Beta(alpha, beta) at x; infinite at an end whose parameter is below 1. */
export function betaDensity(alpha: number, beta: number, x: number): number {
  if (x < 0 || x > 1) return 0;
  if (x === 0) return densityAtEnd(alpha, beta);
  if (x === 1) return densityAtEnd(beta, alpha);
  const y = 1 - x;
  return Math.exp(lnKernel(alpha, beta, { x, y }, lnConstant(alpha, beta))) / (x * y);
}

/** Probability that Beta(alpha, beta) is at most x. */
export function betaCumulative(alpha: number, beta: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const point = { x, y: 1 - x };
  return Math.exp(
    lnIncompleteBeta(alpha, beta, point, lnKernel(alpha, beta, point, lnConstant(alpha, beta))),
  );
}

/** Probability that Beta(alpha, beta) is above x, also where that is tiny. */
export const betaAbove = (alpha: number, beta: number, x: number): number =>
  betaCumulative(beta, alpha, 1 - x);

export function mixtureDensity(parts: readonly BetaPart[], x: number): number {
  return parts.reduce(
    (sum, { alpha, beta, share }) => sum + share * betaDensity(alpha, beta, x),
    0,
  );
}

export function mixtureCumulative(parts: readonly BetaPart[], x: number): number {
  return parts.reduce(
    (sum, { alpha, beta, share }) => sum + share * betaCumulative(alpha, beta, x),
    0,
  );
}

/**
 * The posterior of all items together: theta of an item drawn at random, so the mean of the items'
 * posteriors. Items with the same k share theirs; its mean is the result's `mean_theta`.
 */
export function globalPosterior(
  groups: readonly { alpha: number; beta: number; size: number }[],
): BetaPart[] {
  const items = groups.reduce((sum, { size }) => sum + size, 0);
  return groups.map(({ alpha, beta, size }) => ({ alpha, beta, share: size / items }));
}

export interface CurvePoint {
  x: number;
  density: number;
}

/**
 * The density at `steps` + 1 points from 0 to 1. Where it is infinite at an end, the point stands a
 * little inside.
 */
export function densityCurve(parts: readonly BetaPart[], steps: number): CurvePoint[] {
  const inside = 1 / (50 * steps);
  return Array.from({ length: steps + 1 }, (_, index) => {
    const x = index / steps;
    const density = mixtureDensity(parts, x);
    if (Number.isFinite(density)) return { x, density };
    const near = x === 0 ? inside : 1 - inside;
    return { x: near, density: mixtureDensity(parts, near) };
  });
}
