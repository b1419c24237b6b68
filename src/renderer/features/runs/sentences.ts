import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { RuleResult, RunResult, RunSettings } from '../../../shared/domain/result.ts';
import { formatCount, formatPercent, formatShare, plural } from '../../state/format.ts';
import type { RunCounts } from './record.ts';

type Global = RunResult['global'];

/** The two tail probabilities of a level as text: "2.5%–97.5%". */
export function tailsText(level: number): string {
  const tail = (1 - level) / 2;
  return `${formatPercent(tail)}–${formatPercent(1 - tail)}`;
}

/** What the quantiles of the item means are called. */
export const rangeName = (level: number): string => `${formatPercent(level)} range of items`;

/**
 * The first thing a reader sees. It names the range for what it is: quantiles of the item means.
 */
export function globalSentence(
  global: Global,
  profile: Pick<ProfileDocument, 'name' | 'version'>,
): string {
  return (
    `Across ${plural(global.n_items, 'item')} under ${profile.name} ${profile.version}, ` +
    `mean evidence sufficiency ${formatShare(global.mean_theta)}; ` +
    `items spread from ${formatShare(global.lower_theta)} to ` +
    `${formatShare(global.upper_theta)} (${tailsText(global.ci_level)} quantiles of item ` +
    'means; not a credible interval).'
  );
}

export function itemsSentence(global: Global): string {
  return (
    'Each row is one item: a dot at its posterior mean and a bar over its equal-tailed ' +
    `${formatPercent(global.ci_level)} credible interval, on a fixed axis from 0 to 1. ` +
    `The dashed line marks the mean of all items, ${formatShare(global.mean_theta)}. ` +
    '“Met” counts the rules with evidence present.'
  );
}

/** Names the rule with the most problems and the share of cells with evidence. */
export function rulesSentence(
  rules: readonly RuleResult[],
  nameOf: (ruleUid: string) => string,
  totals: RunCounts,
): string {
  const cells = totals.reduce((sum, count) => sum + count, 0);
  const share = cells === 0 ? 0 : totals[0] / cells;
  const first =
    `Evidence is present in ${formatCount(totals[0])} of ${formatCount(cells)} cells (` +
    `${formatPercent(Number(share.toFixed(3)))}).`;
  const most = rules.reduce<RuleResult | undefined>(
    (worst, rule) =>
      worst === undefined || rule.problem_found > worst.problem_found ? rule : worst,
    undefined,
  );
  if (most === undefined || most.problem_found === 0) return `${first} No rule found a problem.`;
  return `${first} Most problems, ${formatCount(most.problem_found)}, were found by "${nameOf(most.rule_uid)}".`;
}

export function heatmapSentence(totals: RunCounts, items: number, rules: number): string {
  return (
    `${plural(items, 'item')} in rows by ${plural(rules, 'rule')} in columns: ` +
    `${formatCount(totals[0])} FALSE (evidence present), ${formatCount(totals[1])} TRUE ` +
    `(problem found), ${formatCount(totals[2])} NA (not available) and ` +
    `${formatCount(totals[3])} not recorded, as frozen.`
  );
}

export function unrecordedSentence(unrecorded: number, cells: number): string {
  if (unrecorded === 0) return 'Every cell was recorded when the run was made.';
  return (
    `${formatCount(unrecorded)} of ${plural(cells, 'cell')} had not been recorded when the run ` +
    'was made. They count as NA, so as 0, in this result; recording them can only be done in ' +
    'the case, and shows in a new run.'
  );
}

export function settingsSentence(settings: RunSettings): string {
  return (
    `Beta(${settings.prior_alpha}, ${settings.prior_beta}) prior for every item, ` +
    `${formatPercent(settings.ci_level)} equal-tailed credible intervals.`
  );
}

/** "+0.031", "−0.004", "0": a change with its sign. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? '0' : `${value > 0 ? '+' : '−'}${text}`;
}
