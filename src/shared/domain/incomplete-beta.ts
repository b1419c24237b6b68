/** The parameters are outside the domain, or the continued fraction did not settle. */
export class BetaError extends Error {
  override name = 'BetaError';
  readonly code: 'out_of_domain' | 'no_convergence';
  constructor(code: 'out_of_domain' | 'no_convergence', message: string) {
    super(message);
    this.code = code;
  }
}

/** A point of (0, 1) as `x` and `y = 1 - x`, each to full relative precision (x may be 1e-17). */
export interface UnitPoint {
  x: number;
  y: number;
}

/**
 * Largest relative error of one continued-fraction step that still counts as movement: a few units
 * in the last place.
 */
const SETTLED = 4e-16;
const MAX_FRACTION_STEPS = 5_000;

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
export function lnKernel(a: number, b: number, { x, y }: UnitPoint, constant: number): number {
  const meanX = a / (a + b);
  const meanY = b / (a + b);
  const distance = x < y ? x - meanX : meanY - y;
  return scaledLog(a, meanX, distance, x) + scaledLog(b, meanY, -distance, y) + constant;
}

export function lnConstant(a: number, b: number): number {
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
  throw new BetaError('no_convergence', 'The incomplete beta function did not converge.');
}

/**
 * ln I_x(a, b), DLMF 8.17.2, from the side on which the continued fraction is fast (8.17.4).
 * `kernel` = `lnKernel` at the point.
 */
export function lnIncompleteBeta(
  a: number,
  b: number,
  { x, y }: UnitPoint,
  kernel: number,
): number {
  if (x * (a + b + 2) < a + 1) return kernel + Math.log(fraction(a, b, x) / a);
  return Math.log1p((-Math.exp(kernel) * fraction(b, a, y)) / b);
}
