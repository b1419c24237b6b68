import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { RuleResult, RunResult, RunSettings } from '../../../shared/domain/result.ts';
import { formatPercent, formatShare } from '../../state/format.ts';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import { t } from '../../text/t.ts';

type Global = RunResult['global'];

/** The two tail probabilities of a level as text: "2.5%–97.5%". */
export function tailsText(level: number): string {
  const tail = (1 - level) / 2;
  return `${formatPercent(tail)}–${formatPercent(1 - tail)}`;
}

/** What the quantiles of the item means are called. */
export const rangeName = (level: number): string =>
  t('{level} range of items', { level: formatPercent(level) });

/**
 * The first thing a reader sees. It names the range for what it is: quantiles of the item means.
 */
export function globalSentence(
  global: Global,
  profile: Pick<ProfileDocument, 'name' | 'version'>,
): string {
  return t(
    'Across {items, plural, one {# item} other {# items}} under {profile} {version}, mean evidence sufficiency {mean}; items spread from {lower} to {upper} ({tails} quantiles of item means; not a credible interval).',
    {
      items: global.n_items,
      profile: profile.name,
      version: profile.version,
      mean: formatShare(global.mean_theta),
      lower: formatShare(global.lower_theta),
      upper: formatShare(global.upper_theta),
      tails: tailsText(global.ci_level),
    },
  );
}

export function itemsSentence(global: Global): string {
  return t(
    'Each row is one item: a dot at its posterior mean and a bar over its equal-tailed {level} credible interval, on a fixed axis from 0 to 1. The dashed line marks the mean of all items, {mean}. “Met” counts the rules with evidence present.',
    { level: formatPercent(global.ci_level), mean: formatShare(global.mean_theta) },
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
  const first = t('Evidence is present in {present, number} of {cells, number} cells ({share}).', {
    present: totals[0],
    cells,
    share: formatPercent(Number(share.toFixed(3))),
  });
  const most = rules.reduce<RuleResult | undefined>(
    (worst, rule) =>
      worst === undefined || rule.problem_found > worst.problem_found ? rule : worst,
    undefined,
  );
  if (most === undefined || most.problem_found === 0)
    return `${first} ${t('No rule found a problem.')}`;
  return `${first} ${t('Most problems, {problems, number}, were found by "{rule}".', {
    problems: most.problem_found,
    rule: nameOf(most.rule_uid),
  })}`;
}

export function heatmapSentence(totals: RunCounts, items: number, rules: number): string {
  return t(
    '{items, plural, one {# item} other {# items}} in rows by {rules, plural, one {# rule} other {# rules}} in columns: {present, number} FALSE (evidence present), {problems, number} TRUE (problem found), {unavailable, number} NA (not available) and {unrecorded, number} not recorded, as frozen.',
    {
      items,
      rules,
      present: totals[0],
      problems: totals[1],
      unavailable: totals[2],
      unrecorded: totals[3],
    },
  );
}

export function unrecordedSentence(unrecorded: number, cells: number): string {
  if (unrecorded === 0) return t('Every cell was recorded when the run was made.');
  return t(
    '{unrecorded, number} of {cells, plural, one {# cell} other {# cells}} had not been recorded when the run was made. They count as NA, so as 0, in this result; recording them can only be done in the case, and shows in a new run.',
    { unrecorded, cells },
  );
}

export function settingsSentence(settings: RunSettings): string {
  return t('Beta({alpha}, {beta}) prior for every item, {level} equal-tailed credible intervals.', {
    alpha: settings.prior_alpha,
    beta: settings.prior_beta,
    level: formatPercent(settings.ci_level),
  });
}

/** "+0.031", "−0.004", "0": a change with its sign. */
export function signed(value: number, digits: number): string {
  const size = Math.abs(value);
  return Number(size.toFixed(digits)) === 0
    ? '0'
    : `${value > 0 ? '+' : '−'}${formatShare(size, digits)}`;
}
