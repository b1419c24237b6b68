import { describe, expect, it } from 'vitest';
import { usageSentence } from '../../../src/renderer/features/account/UsageChart.tsx';
import {
  globalSentence,
  heatmapSentence,
  rulesSentence,
  tailsText,
  unrecordedSentence,
} from '../../../src/renderer/features/runs/sentences.ts';
import {
  domainName,
  formatDate,
  formatDateTime,
  formatPercent,
  plural,
} from '../../../src/renderer/state/format.ts';

const global = {
  n_items: 12,
  m_rules: 5,
  mean_theta: 0.5357,
  median_theta: 0.5714,
  lower_theta: 0.2857,
  upper_theta: 0.7143,
  ci_level: 0.95,
  prior_a: 1,
  prior_b: 1,
};

describe('sentences', () => {
  it('the global one names profile, mean, spread, and that the spread is no credible interval', () => {
    expect(globalSentence(global, { name: 'Trio rare disease', version: '1.0' })).toBe(
      'Across 12 items under Trio rare disease 1.0, mean evidence sufficiency 0.54; ' +
        'items spread from 0.29 to 0.71 (2.5%–97.5% quantiles of item means; ' +
        'not a credible interval).',
    );
  });

  it('one item is one item', () => {
    expect(globalSentence({ ...global, n_items: 1 }, { name: 'P', version: '1.0' })).toMatch(
      /^Across 1 item under/,
    );
  });

  it.each([
    [0.95, '2.5%–97.5%'],
    [0.9, '5%–95%'],
    [0.999, '0.05%–99.95%'],
    [0.5, '25%–75%'],
  ])('level %d has the tails %s', (level, text) => {
    expect(tailsText(level)).toBe(text);
  });

  const rule = (rule_uid: string, problem_found: number) => ({
    rule_uid,
    evidence_present: 3,
    problem_found,
    not_available: 0,
    unrecorded: 1,
  });
  it('the one on rules names the rule with most problems', () => {
    expect(rulesSentence([rule('a', 1), rule('b', 4)], (uid) => `Rule ${uid}`, [6, 5, 0, 2])).toBe(
      'Evidence is present in 6 of 13 cells (46.2%). Most problems, 4, were found by "Rule b".',
    );
  });
  it('and says so where there is none', () => {
    expect(rulesSentence([rule('a', 0)], (uid) => uid, [3, 0, 0, 1])).toContain(
      'No rule found a problem.',
    );
  });

  it('the others count all four states apart', () => {
    expect(heatmapSentence([1_200, 3, 0, 7], 121, 10)).toBe(
      '121 items in rows by 10 rules in columns: 1,200 FALSE (evidence present), ' +
        '3 TRUE (problem found), 0 NA (not available) and 7 not recorded, as frozen.',
    );
    expect(unrecordedSentence(0, 60)).toBe('Every cell was recorded when the run was made.');
    expect(unrecordedSentence(5, 60)).toMatch(/^5 of 60 cells had not been recorded.*count as NA/);
    expect(usageSentence([{ month: '2026-11', requests: 1, cells_written: 0, runs: 2 }])).toBe(
      'Over 1 month: 1 request, 0 cells written and 2 runs.',
    );
  });
});

describe('formatting', () => {
  it('dates have one reading everywhere', () => {
    const at = new Date(2026, 10, 3, 9, 5).toISOString();
    expect(formatDate(at)).toBe('2026-11-03');
    expect(formatDateTime(at)).toBe('2026-11-03 09:05');
  });
  it('shares lose the noise of binary fractions', () => {
    expect([0.95, 0.1, 0.29, 0.999].map(formatPercent)).toEqual(['95%', '10%', '29%', '99.9%']);
  });
  it('counts and names', () => {
    expect([
      plural(1, 'cell'),
      plural(10_000, 'cell'),
      domainName('ai_verification'),
      domainName('clinical_genetics'),
    ]).toEqual(['1 cell', '10,000 cells', 'AI verification', 'Clinical genetics']);
  });
});
