import {
  BetaError,
  lnConstant,
  lnIncompleteBeta,
  lnKernel,
  type UnitPoint,
} from './incomplete-beta.ts';

const MAX_NEWTON_STEPS = 200;

/** From the log odds z = ln(x / y). */
function pointAt(z: number): UnitPoint {
  return { x: 1 / (1 + Math.exp(-z)), y: 1 / (1 + Math.exp(z)) };
}

/**
 * The point with I_x(a, b) = tail, for 0 < tail <= 1/2. Newton's method on ln I over z = ln(x / y).
 * In z the density is log-concave, hence ln I is concave and increasing, and every tangent lies
 * above it. The start is the root of the tangent at z = -infinity (ln I ~ a z - ln(a B(a, b)), DLMF
 * 8.17.8), which is left of the solution; the iterates then rise to it without overshoot, so no
 * bracket is needed.
 */
function lowerTailPoint(a: number, b: number, tail: number): UnitPoint {
  const target = Math.log(tail);
  const constant = lnConstant(a, b);
  // ln B(a, b) = (a ln meanX + b ln meanY) - constant, see lnKernel.
  const lnBeta = a * Math.log(a / (a + b)) + b * Math.log(b / (a + b)) - constant;
  let z = (target + Math.log(a) + lnBeta) / a;
  for (let count = 0; count < MAX_NEWTON_STEPS; count += 1) {
    const point = pointAt(z);
    const kernel = lnKernel(a, b, point, constant);
    const lnI = lnIncompleteBeta(a, b, point, kernel);
    // d ln I / dz = x^a y^b / (B(a, b) I).
    const step = (target - lnI) * Math.exp(lnI - kernel);
    z += step;
    // Convergence is quadratic: after a step this small the next would be below rounding.
    if (Math.abs(step) < 1e-9) return pointAt(z);
  }
  throw new BetaError('no_convergence', 'The beta quantile did not converge.');
}

/**
 * Equal-tailed interval of Beta(alpha, beta) at level `ci`: the quantiles at (1 - ci) / 2 and 1 -
 * (1 - ci) / 2, dimensionless, 0 < lower < upper < 1. Relative error below 1e-12 for alpha, beta
 * from 0.25 to 510 and ci from 0.5 to 0.999; checked there, see
 * docs/decisions/0002-beta-quantile.md. The upper bound is solved as the lower tail of the mirrored
 * distribution, so that 1 - (1 - ci) / 2 is never rounded.
 */
export function betaInterval(
  alpha: number,
  beta: number,
  ci: number,
): { lower: number; upper: number } {
  if (!(alpha >= 0.1 && beta >= 0.1 && alpha <= 1e5 && beta <= 1e5 && ci >= 0 && ci < 1)) {
    throw new BetaError(
      'out_of_domain',
      'Beta parameters must be from 0.1 to 100,000 and the level from 0 to below 1.',
    );
  }
  const tail = (1 - ci) / 2;
  return { lower: lowerTailPoint(alpha, beta, tail).x, upper: lowerTailPoint(beta, alpha, tail).y };
}
