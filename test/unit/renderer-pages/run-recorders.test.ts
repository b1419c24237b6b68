import { describe, expect, it } from 'vitest';
import { authorsOf } from '../../../src/shared/domain/run-authors.ts';
import { buildResultCsv } from '../../../src/shared/domain/result-csv.ts';
import { runJson } from '../../../src/shared/domain/run-json.ts';
import { resultSheets } from '../../../src/renderer/features/runs/result-sheets.ts';
import { countRecorded } from '../../../src/shared/domain/run-recorders.ts';
import { verifyRun } from '../../../src/shared/domain/run.ts';
import { testHasher } from '../../support/hasher.ts';
import { sampleInput, sampleRecord } from '../shared/domain/run-sample.ts';
import { asKey } from '../../support/ids.ts';

const run = sampleRecord(sampleInput);
const recorded = countRecorded(run.frozen.raw);
const stated = {
  authors: [
    { kind: 'human' as const, name: '=Ada' },
    { kind: 'agent' as const, name: 'Bot', key_id: asKey('k1') },
  ],
  cells: `0,1x${recorded - 1}`,
};
const authors = authorsOf(run, stated);

describe('who recorded the outcomes of a run', () => {
  it('is counted, the most first, and asked for by cell', () => {
    expect(authors?.counts).toEqual([
      [stated.authors[1], recorded - 1],
      [stated.authors[0], 1],
    ]);
    const named = run.frozen.raw.flatMap((row, at) =>
      row.map((_, column) => authors?.of(at, column)?.name),
    );
    expect(named.filter((name) => name !== undefined)).toEqual([
      '=Ada',
      ...new Array<string>(recorded - 1).fill('Bot'),
    ]);
    expect(run.frozen.raw.flat().map((state) => state === null)).toEqual(
      named.map((name) => name === undefined),
    );
    expect(authorsOf(run, { ...stated, cells: '0,1' })).toBeUndefined();
  });

  it('stands in the CSV for each outcome, where no spreadsheet runs it, and in the workbook', () => {
    const [head = '', first = ''] = buildResultCsv(run, authors).split('\r\n');
    expect(head).toContain(
      `,recorded_by,${run.frozen.rules.map((rule) => `recorded_by:${rule}`).join(',')}`,
    );
    expect(first).toMatch(
      /As the server that froze the run says\. The content hash does not cover it\.,'=Ada \(person\),/,
    );
    expect(buildResultCsv(run)).not.toContain('recorded_by');
    const sheet = resultSheets(run, authors).find(({ name }) => name === 'Recorded by');
    expect(sheet?.columns.map(({ header }) => header)).toEqual(['item_uid', ...run.frozen.rules]);
    expect(resultSheets(run).map(({ name }) => name)).not.toContain('Recorded by');
  });

  it('stands in the JSON beside what the hash covers', () => {
    const file: unknown = JSON.parse(runJson(run, authors));
    expect(file).toMatchObject({ recorders: stated });
    expect(verifyRun(file, testHasher)).toMatchObject({
      problems: [],
      content_hash: { ok: true },
      recomputed: { ok: true },
    });
    expect(JSON.parse(runJson(run))).toEqual(JSON.parse(JSON.stringify(run)));
  });
});
