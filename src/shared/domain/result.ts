import { z } from 'zod';
import { betaInterval } from './beta-quantile.ts';
import { countColumns } from './matrix.ts';
import type { CellState } from './outcome.ts';

/**
 * Name of the one method: a Beta(prior_alpha, prior_beta) prior for each item, updated with k
 * evidence-present rules of m.
 */
export const METHOD = 'beta_binomial_v1';

export const INTERPRETATION_BOUNDARY =
  'This result states evidence sufficiency under the selected profile only; ' +
  'it does not establish truth, pathogenicity, safety, regulatory acceptability or clinical ' +
  'actionability.';

/**
 * Parameters of the prior (counts, dimensionless) and the credible level. The bounds are those
 * inside which the quantiles were checked.
 */
export const RunSettings = z.strictObject({
  prior_alpha: z.number().min(0.25).max(10),
  prior_beta: z.number().min(0.25).max(10),
  ci_level: z.number().min(0.5).max(0.999),
});
export type RunSettings = z.infer<typeof RunSettings>;

export const DEFAULT_SETTINGS: Readonly<RunSettings> = {
  prior_alpha: 1,
  prior_beta: 1,
  ci_level: 0.95,
};

const count = z.int().min(0);

export const ItemResult = z.strictObject({
  item_uid: z.string(),
  /** Rules with evidence present, of `m`. */
  k: count,
  m: count,
  p_hat: z.number(),
  /** Parameters of the posterior Beta(alpha, beta). */
  alpha: z.number(),
  beta: z.number(),
  theta_mean: z.number(),
  /** Equal-tailed credible interval of theta at `ci_level`. */
  theta_lower: z.number(),
  theta_upper: z.number(),
  /** 100 x mean rank of theta_mean / n, ascending. */
  percentile: z.number(),
});
export type ItemResult = z.infer<typeof ItemResult>;

export const RuleResult = z.strictObject({
  rule_uid: z.string(),
  evidence_present: count,
  problem_found: count,
  not_available: count,
  unrecorded: count,
});
export type RuleResult = z.infer<typeof RuleResult>;

export const RunResult = z.strictObject({
  global: z.strictObject({
    n_items: count,
    m_rules: count,
    mean_theta: z.number(),
    median_theta: z.number(),
    /**
     * Type-7 quantiles of the items' theta_mean: the spread of the items, not a credible interval.
     */
    lower_theta: z.number(),
    upper_theta: z.number(),
    ci_level: z.number(),
    prior_a: z.number(),
    prior_b: z.number(),
  }),
  items: z.array(ItemResult),
  rules: z.array(RuleResult),
  interpretation_boundary: z.string(),
});
export type RunResult = z.infer<typeof RunResult>;

export class ResultError extends Error {
  override name = 'ResultError';
  readonly code: 'empty_matrix' | 'shape_mismatch';
  constructor(code: 'empty_matrix' | 'shape_mismatch', message: string) {
    super(message);
    this.code = code;
  }
}

/** `raw[i][j]` is the state of rule j for item i; null counts as NA. */
export interface MatrixInput {
  items: readonly string[];
  rules: readonly string[];
  raw: readonly (readonly CellState[])[];
}

/** What items with the same k share: everything but their uid. */
export interface CountResult extends Omit<ItemResult, 'item_uid'> {
  /** How many items have this k. */
  size: number;
}

/** Throws ResultError where there is no item or no rule, or `raw` is not items x rules. */
export function computeResult(input: MatrixInput, settings: RunSettings): RunResult {
  const { items, rules, raw } = input;
  const n = items.length;
  const m = rules.length;
  if (n === 0 || m === 0)
    throw new ResultError('empty_matrix', 'A result needs at least one item and one rule.');
  if (raw.length !== n || raw.some((row) => row.length !== m))
    throw new ResultError(
      'shape_mismatch',
      'The matrix must have one row an item and one column a rule.',
    );
  const present = raw.map(countPresent);
  const groups = resultsByCount(countSizes(present, m), settings);
  const groupByK = new Map(groups.map((group) => [group.k, group]));
  const columns = countColumns(raw, m);
  return {
    global: {
      n_items: n,
      m_rules: m,
      ...spreadOf(groups, n, settings.ci_level),
      ci_level: settings.ci_level,
      prior_a: settings.prior_alpha,
      prior_b: settings.prior_beta,
    },
    items: items.map((item_uid, index) => {
      const { size: _, ...shared } = groupByK.get(present[index] as number) as CountResult;
      return { item_uid, ...shared };
    }),
    rules: rules.map((rule_uid, column) => ({
      rule_uid,
      ...(columns[column] as (typeof columns)[number]),
    })),
    interpretation_boundary: INTERPRETATION_BOUNDARY,
  };
}

function countPresent(row: readonly CellState[]): number {
  let k = 0;
  for (const state of row) if (state === 'FALSE') k += 1;
  return k;
}

/** How many items have each k: `sizes[k]`, for k from 0 to m. */
export function countSizes(present: ArrayLike<number>, m: number): number[] {
  const sizes = new Array<number>(m + 1).fill(0);
  for (let row = 0; row < present.length; row += 1) {
    const k = present[row] as number;
    sizes[k] = (sizes[k] as number) + 1;
  }
  return sizes;
}

/**
 * The results of items by their k; at most m + 1 of them, in ascending order of k and so of
 * theta_mean. They depend on nothing but `sizes`.
 */
export function resultsByCount(
  sizes: readonly number[],
  { prior_alpha, prior_beta, ci_level }: RunSettings,
): CountResult[] {
  const m = sizes.length - 1;
  const n = sizes.reduce((sum, size) => sum + size, 0);
  let below = 0;
  return sizes.flatMap((size, k) => {
    if (size === 0) return [];
    const alpha = prior_alpha + k;
    const beta = prior_beta + (m - k);
    const { lower, upper } = betaInterval(alpha, beta, ci_level);
    // Ranks below + 1 .. below + size, averaged. theta_mean rises with k, so ranking k is exact
    // where ranking theta would round.
    const rank = below + (size + 1) / 2;
    below += size;
    return [
      {
        size,
        k,
        m,
        p_hat: k / m,
        alpha,
        beta,
        theta_mean: thetaMean(alpha, beta),
        theta_lower: lower,
        theta_upper: upper,
        percentile: (100 * rank) / n,
      },
    ];
  });
}

/** The numbers of all items together that depend on the evidence. */
export type ResultSpread = Pick<
  RunResult['global'],
  'mean_theta' | 'median_theta' | 'lower_theta' | 'upper_theta'
>;

/** They depend on nothing but how many items have each k: `sizes[k]`, for k from 0 to m. */
export function resultSpread(
  sizes: readonly number[],
  { prior_alpha, prior_beta, ci_level }: RunSettings,
): ResultSpread {
  const m = sizes.length - 1;
  const groups = sizes.flatMap((size, k) =>
    size === 0 ? [] : [{ size, theta_mean: thetaMean(prior_alpha + k, prior_beta + (m - k)) }],
  );
  return spreadOf(
    groups,
    sizes.reduce((sum, size) => sum + size, 0),
    ci_level,
  );
}

type Sized = Pick<CountResult, 'size' | 'theta_mean'>;

function spreadOf(groups: readonly Sized[], n: number, ci_level: number): ResultSpread {
  const tail = (1 - ci_level) / 2;
  return {
    mean_theta: groups.reduce((sum, group) => sum + group.size * group.theta_mean, 0) / n,
    median_theta: thetaQuantile(groups, n, 0.5),
    lower_theta: thetaQuantile(groups, n, tail),
    upper_theta: thetaQuantile(groups, n, 1 - tail),
  };
}

/** Mean of Beta(alpha, beta). */
export function thetaMean(alpha: number, beta: number): number {
  return alpha / (alpha + beta);
}

/**
 * Type-7 quantile of the n theta_means: Hyndman and Fan 1996, linear between the order statistics
 * around (n - 1) p.
 */
function thetaQuantile(groups: readonly Sized[], n: number, p: number): number {
  const position = (n - 1) * p;
  const index = Math.floor(position);
  const low = orderStatistic(groups, index);
  const high = orderStatistic(groups, Math.min(index + 1, n - 1));
  return low + (position - index) * (high - low);
}

/** The theta_mean at 0-based `index` of all items in ascending order. */
function orderStatistic(groups: readonly Sized[], index: number): number {
  let seen = 0;
  for (const group of groups) {
    seen += group.size;
    if (index < seen) return group.theta_mean;
  }
  return Number.NaN;
}
