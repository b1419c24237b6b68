import { csvText } from '../lib/spreadsheet-text.ts';
import { itemLines } from './item-lines.ts';
import { NOT_HASHED, recorderInFile, type RunAuthors } from './run-authors.ts';
import type { RunRecord } from './run-record.ts';
import type { Recorder } from './run-recorders.ts';

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

const wordsOf = (author: Recorder | undefined): string =>
  author === undefined ? '' : recorderInFile(author);

/**
 * The result table with numbers in full precision. Each line carries the run and the boundary, so
 * that no part of it can be read without. Where it is known, a column a rule names who recorded the
 * outcome.
 */
export function buildResultCsv(run: RunRecord, authors?: RunAuthors): string {
  const constant = [
    csvText(run.run_uid),
    csvText(`${run.profile_uid} ${run.profile_version}`),
    csvText(run.content_hash),
    csvText(run.result.interpretation_boundary),
  ];
  const { rules } = run.frozen;
  const recorders = (row: number): string[] =>
    authors === undefined
      ? []
      : [
          csvText(NOT_HASHED),
          ...rules.map((_, column) => csvText(wordsOf(authors.of(row, column)))),
        ];
  const header = [
    ...HEADER,
    ...(authors === undefined
      ? []
      : ['recorded_by', ...rules.map((rule) => csvText(`recorded_by:${rule}`))]),
  ];
  const lines = itemLines(run).map((line, row) =>
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
      ...recorders(row),
    ].join(','),
  );
  return `${[header.join(','), ...lines].join('\r\n')}\r\n`;
}
