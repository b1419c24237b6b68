import { betaInterval } from './beta-quantile.ts';

/** The 0.975 quantile of the standard normal distribution. */
export const NORMAL_975 = 1.959963984540054;
/** Above this the series has converged to the last digits, and the Beta quantile's domain ends. */
const LARGE = 50_000;

/**
 * The 0.975 quantile of Student's t with `df` >= 1 degrees of freedom. With X = df / (df + T^2),
 * which is Beta(df / 2, 1 / 2), it is where X has 5 % below it (DLMF 8.17.2). Both X and 1 - X are
 * taken from the Beta quantile, so that neither loses digits. For large `df` the series of
 * Abramowitz and Stegun 26.7.5.
 */
export function studentT975(df: number): number {
  if (df > LARGE) {
    const z = NORMAL_975;
    return (
      z +
      (z ** 3 + z) / (4 * df) +
      (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2) +
      (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * df ** 3)
    );
  }
  const x = betaInterval(df / 2, 0.5, 0.9).lower;
  const rest = betaInterval(0.5, df / 2, 0.9).upper;
  return Math.sqrt((df * rest) / x);
}
