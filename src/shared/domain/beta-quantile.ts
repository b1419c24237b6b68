/** The parameters are outside the domain, or the continued fraction did not settle. */
export class BetaQuantileError extends Error {
  override name = 'BetaQuantileError';
  readonly code: 'out_of_domain' | 'no_convergence';
  constructor(code: 'out_of_domain' | 'no_convergence', message: string) {
    super(message);
    this.code = code;
  }
}

/** A point of (0, 1) as `x` and `y = 1 - x`, each to full relative precision (x may be 1e-17). */
interface UnitPoint {
  x: number;
  y: number;
}

/**
 * Largest relative error of one continued-fraction step that still counts as movement: a few units
 * in the last place.
 */
const SETTLED = 4e-16;
const MAX_FRACTION_STEPS = 5_000;
const MAX_NEWTON_STEPS = 200;

/**
 * B_2k / (2k (2k - 1)) for k = 1.. of Stirling's series, DLMF 5.11.1. Next term at x = 10: 3e-17.
 */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156];

/**
 * ln Gamma(x) - ((x - 1/2) ln x - x + ln(2 pi) / 2), for x > 0: small, so free of the cancellation
 * that ln Gamma itself brings.
 */
function stirlingRemainder(x: number): number {
  let shifted = x;
  let sum = 0;
  // Gudermann: R(x) = R(x + 1) + (x + 1/2) ln(1 + 1/x) - 1, from Gamma(x + 1) = x Gamma(x).
  for (; shifted < 10; shifted += 1) sum += (shifted + 0.5) * Math.log1p(1 / shifted) - 1;
  const inverse = 1 / shifted;
  const square = inverse * inverse;
  let series = 0;
  for (const coefficient of STIRLING.toReversed()) series = series * square + coefficient;
  return sum + series * inverse;
}

/**
 * p ln(1 + d / c), where c + d = value: the plain logarithm far from c, the precise one near it.
 */
function scaledLog(p: number, c: number, d: number, value: number): number {
  const ratio = d / c;
  return p * (Math.abs(ratio) < 0.5 ? Math.log1p(ratio) : Math.log(value / c));
}

/**
 * ln( x^a y^b / B(a, b) ), x + y = 1. Written about the mean a / (a + b), where the large terms
 * vanish instead of cancelling (Didonato and Morris 1992, ACM TOMS 18, section 4; ln B through DLMF
 * 5.12.1 and 5.11.1). `constant` = `lnConstant(a, b)`.
 */
function lnKernel(a: number, b: number, { x, y }: UnitPoint, constant: number): number {
  const meanX = a / (a + b);
  const meanY = b / (a + b);
  const distance = x < y ? x - meanX : meanY - y;
  return scaledLog(a, meanX, distance, x) + scaledLog(b, meanY, -distance, y) + constant;
}

function lnConstant(a: number, b: number): number {
  return (
    0.5 * Math.log((a / (a + b)) * (b / (2 * Math.PI))) +
    stirlingRemainder(a + b) -
    stirlingRemainder(a) -
    stirlingRemainder(b)
  );
}

/**
 * The continued fraction of DLMF 8.17.22 by Lentz's method: I_x(a, b) = x^a y^b / (a B(a, b)) times
 * this. Fast for x < (a + 1) / (a + b + 2).
 */
function fraction(a: number, b: number, x: number): number {
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let c = 1;
  let value = d;
  for (let m = 1; m <= MAX_FRACTION_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    value *= d * c;
    if (Math.abs(d * c - 1) <= SETTLED) return value;
  }
  throw new BetaQuantileError('no_convergence', 'The incomplete beta function did not converge.');
}

/**
 * ln I_x(a, b), DLMF 8.17.2, from the side on which the continued fraction is fast (8.17.4).
 * `kernel` = `lnKernel` at the point.
 */
function lnIncompleteBeta(a: number, b: number, { x, y }: UnitPoint, kernel: number): number {
  if (x * (a + b + 2) < a + 1) return kernel + Math.log(fraction(a, b, x) / a);
  return Math.log1p((-Math.exp(kernel) * fraction(b, a, y)) / b);
}

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
  throw new BetaQuantileError('no_convergence', 'The beta quantile did not converge.');
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
    throw new BetaQuantileError(
      'out_of_domain',
      'Beta parameters must be from 0.1 to 100,000 and the level from 0 to below 1.',
    );
  }
  const tail = (1 - ci) / 2;
  return { lower: lowerTailPoint(alpha, beta, tail).x, upper: lowerTailPoint(beta, alpha, tail).y };
}
