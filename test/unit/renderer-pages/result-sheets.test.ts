import { expect, it } from 'vitest';
import { itemLines } from '../../../src/shared/domain/item-lines.ts';
import { resultSheets } from '../../../src/renderer/features/runs/result-sheets.ts';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { textAt } from '../../../src/renderer/files/table.ts';
import { openWorkbook } from '../../../src/renderer/files/xlsx-parts.ts';
import { readSheet } from '../../../src/renderer/files/xlsx-read.ts';
import { writeXlsx } from '../../../src/renderer/files/xlsx-write.ts';
import { freezeRun, type RunRecord } from '../../../src/shared/domain/run.ts';
import { testHasher } from '../../support/hasher.ts';
import { sampleInput } from '../shared/domain/run-sample.ts';
import { asProject, asRun } from '../../support/ids.ts';

const run: RunRecord = {
  run_uid: asRun('run_1'),
  case_uid: sampleInput.case.case_uid,
  project_id: asProject('prj_1'),
  profile_uid: sampleInput.profile.profileUid,
  profile_version: sampleInput.profile.version,
  created_at: '2026-11-20T10:00:00.000Z',
  created_by: 'usr_1',
  engine: { name: 'evidence-studio', version: '0.1.0' },
  url: '/studio/runs/run_1',
  ...freezeRun(sampleInput, testHasher),
};

it('the workbook of a run says each number in full, what was frozen, its hash and its boundary', async () => {
  const pace = createPace();
  const book = await openWorkbook(await writeXlsx(resultSheets(run), pace), pace);
  expect(book.sheets.map(({ name }) => name)).toEqual(['Items', 'Rules', 'Raw outcomes', 'About']);
  const rows = await Promise.all(
    book.sheets.map(async (sheet) => {
      const { table } = await readSheet(book, sheet, 1_000, pace);
      return table.rows.map((_, row) =>
        Array.from({ length: table.width }, (__, column) => textAt(table, row, column)),
      );
    }),
  );
  const column = (sheet: number, header: string): string[] =>
    rows[sheet]!.slice(1).map((row) => row[rows[sheet]![0]!.indexOf(header)] ?? '');
  expect(column(0, 'item_uid')).toEqual(run.frozen.items.map((item) => item.item_uid));
  expect(column(0, 'theta_lower').map(Number)).toEqual(
    itemLines(run).map((line) => line.theta_lower),
  );
  expect(column(1, 'problem_found').map(Number)).toEqual(
    run.result.rules.map((rule) => rule.problem_found),
  );
  expect(rows[2]!.slice(1).map((row) => row.slice(1))).toEqual(
    run.frozen.raw.map((row) => row.map((state) => state ?? '')),
  );
  const about = Object.fromEntries(rows[3]!.slice(1));
  expect(about).toMatchObject({
    run_uid: 'run_1',
    content_hash: run.content_hash,
    profile_version: run.profile_version,
    interpretation_boundary: run.result.interpretation_boundary,
  });
});
