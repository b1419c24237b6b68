import type { RunRecord } from '../../../shared/domain/run.ts';
import { csvText } from '../../../shared/lib/spreadsheet-text.ts';
import { itemLines } from './record.ts';

const HEADER = [
  'item_uid',
  'label',
  'item_type',
  'k',
  'm',
  'evidence_present',
  'problem_found',
  'not_available',
  'unrecorded',
  'theta_mean',
  'theta_lower',
  'theta_upper',
  'percentile',
  'ci_level',
  'run_uid',
  'profile',
  'content_hash',
  'interpretation_boundary',
];

/**
 * The result table with numbers in full precision. Each line carries the run and the boundary, so
 * that no part of it can be read without.
 */
export function buildResultCsv(run: RunRecord): string {
  const constant = [
    csvText(run.run_uid),
    csvText(`${run.profile_uid} ${run.profile_version}`),
    csvText(run.content_hash),
    csvText(run.result.interpretation_boundary),
  ];
  const lines = itemLines(run).map((line) =>
    [
      csvText(line.item_uid),
      csvText(line.label),
      csvText(line.item_type),
      line.k,
      line.m,
      ...line.counts,
      line.theta_mean,
      line.theta_lower,
      line.theta_upper,
      line.percentile,
      run.settings.ci_level,
      ...constant,
    ].join(','),
  );
  return `${[HEADER.join(','), ...lines].join('\r\n')}\r\n`;
}
