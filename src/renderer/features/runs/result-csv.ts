import type { RunRecord } from '../../../shared/domain/run.ts';
import { itemLines } from './record.ts';

/** Characters at which a spreadsheet would take a text for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One text cell: safe from being run as a formula, quoted as RFC 4180 asks. */
export function csvText(value: string): string {
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const HEADER = [
  'item_uid', 'label', 'item_type', 'k', 'm', 'evidence_present', 'problem_found', 'not_available', 'unrecorded',
  'theta_mean', 'theta_lower', 'theta_upper', 'percentile', 'ci_level', 'run_uid', 'profile', 'content_hash', 'interpretation_boundary',
];

/** The result table with numbers in full precision. Each line carries the run and the boundary, so that no part of it can be read without. */
export function buildResultCsv(run: RunRecord): string {
  const constant = [csvText(run.run_uid), csvText(`${run.profile_uid} ${run.profile_version}`), csvText(run.content_hash), csvText(run.result.interpretation_boundary)];
  const lines = itemLines(run).map((line) => [
    csvText(line.item_uid), csvText(line.label), csvText(line.item_type), line.k, line.m, ...line.counts,
    line.theta_mean, line.theta_lower, line.theta_upper, line.percentile, run.settings.ci_level, ...constant,
  ].join(','));
  return `${[HEADER.join(','), ...lines].join('\r\n')}\r\n`;
}
