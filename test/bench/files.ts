import readXlsxFile from 'read-excel-file/node';
import writeXlsxFile from 'write-excel-file/node';
import { matrixSheet } from '../../src/renderer/features/transfer/export/sheets.ts';
import { openFile, readOpened } from '../../src/renderer/features/transfer/import/read-file.ts';
import { createPace } from '../../src/renderer/files/pace.ts';
import { writeXlsx } from '../../src/renderer/files/xlsx-write.ts';
import { ProfileDocument } from '../../src/shared/domain/profile.ts';
import { createMemorySession } from '../support/memory-session.ts';
import { benchProfile } from './evidence.ts';
import type { Figure } from './figure.ts';
import { time } from './measure.ts';

const STATES = ['FALSE', 'TRUE', 'NA', null] as const;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

function sessionOf(items: number): ReturnType<typeof createMemorySession> {
  const session = createMemorySession(
    ProfileDocument.parse(benchProfile()),
    Array.from({ length: items }, (_, row) => ({
      item_uid: `item_${String(row).padStart(6, '0')}`,
      item_type: 'variant',
      label: `Candidate ${row}`,
      metadata: {},
    })),
  );
  session.fill((row, column) => STATES[(row + column) % 4]!);
  return session;
}

async function ours(items: number): Promise<{ out: number; in: number; file: Buffer }> {
  const session = sessionOf(items);
  const scope = {
    rows: session.items.map((_, row) => row),
    columns: session.rules.map((_, column) => column),
  };
  let blob = new Blob();
  const out = await time(async () => {
    blob = await writeXlsx(
      [await matrixSheet(session, scope, { heading: 'uid', metadata: false }, createPace())],
      createPace(),
    );
  });
  const reading = await time(async () =>
    readOpened(
      await openFile(new File([blob], 'matrix.xlsx'), createPace()),
      session,
      createPace(),
    ),
  );
  return { out, in: reading, file: Buffer.from(await blob.arrayBuffer()) };
}

/** The libraries that a team would take, with the same texts. */
async function libraries(items: number, file: Buffer): Promise<{ out: number; in: number }> {
  const rows = Array.from({ length: items }, (_, row) =>
    [
      `item_${String(row).padStart(6, '0')}`,
      `Candidate ${row}`,
      'variant',
      ...Array.from({ length: 50 }, (__, column) => STATES[(row + column) % 4] ?? null),
    ].map((value) => (value === null ? null : { type: String, value })),
  );
  const out = await time(() => writeXlsxFile(rows, { sheet: 'Matrix' }).toBuffer());
  return { out, in: await time(() => readXlsxFile(file)) };
}

export async function filesBench(): Promise<Figure[]> {
  const small = await ours(10_000);
  const theirs = await libraries(10_000, small.file);
  const large = await ours(100_000);
  const figure = (what: string, way: 'out' | 'in', library: string): Figure => {
    const growth = Math.log10(large[way] / small[way]);
    return {
      what,
      ours: `${seconds(small[way])} (100,000 x 50: ${seconds(large[way])}, growth exponent ${growth.toFixed(2)})`,
      floor: `${seconds(theirs[way])}, ${library}`,
      compared: `${(small[way] / theirs[way]).toFixed(2)} of its time`,
      gate: 'not slower; exponent at most 1.15',
      met: small[way] <= theirs[way] && growth <= 1.15,
    };
  };
  return [
    figure('XLSX of 10,000 x 50 out', 'out', 'write-excel-file'),
    figure('XLSX of 10,000 x 50 in', 'in', 'read-excel-file'),
  ];
}
