import { describe, expect, it } from 'vitest';
import { itemLines } from '../../../src/shared/domain/item-lines.ts';
import {
  runFileName,
  sumRules,
  unrecordedCells,
} from '../../../src/renderer/features/runs/record.ts';
import { buildResultCsv } from '../../../src/shared/domain/result-csv.ts';
import { csvText } from '../../../src/shared/lib/spreadsheet-text.ts';
import { freezeRun, type RunRecord } from '../../../src/shared/domain/run.ts';
import { testHasher } from '../../support/hasher.ts';
import { sampleInput } from '../shared/domain/run-sample.ts';
import { asProject, asRun } from '../../support/ids.ts';

function runOf(input: typeof sampleInput): RunRecord {
  return {
    run_uid: asRun('run_1'),
    case_uid: input.case.case_uid,
    project_id: asProject('prj_1'),
    profile_uid: input.profile.profileUid,
    profile_version: input.profile.version,
    created_at: '2026-11-20T10:00:00.000Z',
    created_by: 'usr_1',
    engine: { name: 'evidence-studio', version: '0.1.0' },
    url: '/studio/runs/run_1',
    ...freezeRun(input, testHasher),
  };
}
const run = runOf(sampleInput);

/** RFC 4180, enough for what is written here. */
function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
        .map((match) => (match[1] as string).replace(/^"|"$/g, '').replaceAll('""', '"'))
        .slice(0, 18),
    );
}

describe('a text cell of the CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49', "'+49"],
    ['-5', "'-5"],
    ['@sum', "'@sum"],
    ['\tx', '"\'\tx"'],
    ['\rx', '"\'\rx"'],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['7-117559592-CTT--_AR', '7-117559592-CTT--_AR'],
    ['chr1:12345:A>G', 'chr1:12345:A>G'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['', ''],
    ["'=1", "''=1"],
  ])('%j becomes %j', (value, expected) => {
    expect(csvText(value)).toBe(expected);
  });
});

describe('the result table', () => {
  const rows = parseCsv(buildResultCsv(run));
  const column = (name: string) => (rows[0] as string[]).indexOf(name);

  it('has one line an item, in the order of the run, under a header', () => {
    expect(rows.map((row) => row[column('item_uid')])).toEqual([
      'item_uid',
      'item_a',
      'item_b',
      'item_c',
    ]);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([18]));
  });

  it('keeps every digit of the numbers', () => {
    expect(Number(rows[1]?.[column('theta_lower')])).toBe(run.result.items[0]?.theta_lower);
    expect(Number(rows[1]?.[column('percentile')])).toBe(run.result.items[0]?.percentile);
  });

  it('tells a 0 from a problem, from NA and from an unrecorded cell', () => {
    const counts = ['evidence_present', 'problem_found', 'not_available', 'unrecorded'].map(
      (name) => rows.slice(1).map((row) => Number(row[column(name)])),
    );
    expect(counts).toEqual([
      [1, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
      [1, 1, 3],
    ]);
  });

  it('says on every line what it does not establish', () => {
    for (const row of rows.slice(1))
      expect(row[column('interpretation_boundary')]).toContain('does not establish truth');
  });

  it('cannot be made to run a formula by an item', () => {
    const hostile = runOf({
      ...sampleInput,
      items: [{ item_uid: '=cmd', item_type: '@type', label: '-1+2', metadata: {}, position: 0 }],
      cells: [],
    });
    expect(buildResultCsv(hostile).split('\r\n')[1]).toMatch(/^'=cmd,'-1\+2,'@type,/);
  });
});

describe('what a run page counts', () => {
  it('agrees with the rules of the result', () => {
    const lines = itemLines(run);
    const summed = [0, 1, 2, 3].map((kind) =>
      lines.reduce((total, line) => total + (line.counts[kind] ?? 0), 0),
    );
    expect(summed).toEqual([...sumRules(run.result.rules)]);
  });

  it('lists unrecorded cells by page, in matrix order', () => {
    const all = unrecordedCells(run, 0, 100);
    expect(all).toHaveLength(5);
    expect([
      ...unrecordedCells(run, 0, 2),
      ...unrecordedCells(run, 2, 2),
      ...unrecordedCells(run, 4, 2),
    ]).toEqual(all);
  });

  it.each([
    ['run_01h', 'run_01h.csv'],
    ['baseline', 'run_baseline.csv'],
  ])('names the file of %s %s', (uid, name) => {
    expect(runFileName(asRun(uid), 'csv')).toBe(name);
  });
});
