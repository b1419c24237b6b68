import VCFParser from '@gmod/vcf';
import Papa from 'papaparse';
import readXlsxFile from 'read-excel-file/node';
import { factsOf } from '../../src/renderer/features/transfer/import/column-facts.ts';
import { guessColumns } from '../../src/renderer/features/transfer/import/guess.ts';
import { planImport } from '../../src/renderer/features/transfer/import/plan-import.ts';
import {
  type ChosenFile,
  openFile,
  readOpened,
} from '../../src/renderer/features/transfer/import/read-file.ts';
import { headersOf } from '../../src/renderer/features/transfer/import/source.ts';
import { collectValues, mapValues } from '../../src/renderer/features/transfer/import/values.ts';
import { createPace } from '../../src/renderer/files/pace.ts';
import type { Table } from '../../src/renderer/files/table.ts';
import { writeXlsx } from '../../src/renderer/files/xlsx-write.ts';
import { createMemorySession } from '../support/memory-session.ts';
import { profileOf } from '../unit/renderer-matrix/profile.ts';
import type { Figure } from './figure.ts';
import { processorTime, time } from './measure.ts';

const ROWS = 100_000;
const RULES = 20;
const FIELDS = 9;
/** Both read in turns, and of each the least processor time counts. */
const TURNS = 3;
const WORDS = ['TRUE', 'FALSE', 'NA', ''];
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

const HEADINGS = [
  'item_uid',
  ...Array.from({ length: FIELDS }, (_, at) => `metadata:field ${at}`),
  ...Array.from({ length: RULES }, (_, at) => `r${at + 1}`),
];
const fieldsOf = (row: number): string[] => [
  `item_${String(row).padStart(6, '0')}`,
  ...Array.from({ length: FIELDS }, (_, at) => `text ${at} of ${row % 5_000}`),
  ...Array.from({ length: RULES }, (_, at) => WORDS[(row + at) % WORDS.length]!),
];

function csv(): string {
  const lines = Array.from({ length: ROWS }, (_, row) => fieldsOf(row).join(','));
  return `${[HEADINGS.join(','), ...lines].join('\n')}\n`;
}

function xlsx(): Promise<Blob> {
  const rows = Array.from({ length: ROWS }, (_, row) => fieldsOf(row));
  const columns = HEADINGS.map((header, column) => ({
    header,
    cells: rows.map((fields) => fields[column]!),
  }));
  return writeXlsx([{ name: 'M', rowCount: ROWS, columns }], createPace());
}

const INFOS = HEADINGS.length - 8;
const VCF_HEADER = [
  '##fileformat=VCFv4.3',
  ...Array.from(
    { length: INFOS },
    (_, at) => `##INFO=<ID=F${at},Number=1,Type=String,Description="Field ${at}">`,
  ),
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
];
const record = (row: number, filter: string): string =>
  `chr${1 + (row % 22)}\t${row + 1}\t.\tA\tG\t50\t${filter}\t${Array.from(
    { length: INFOS },
    (_, at) => `F${at}=${(row * (at + 1)) % 997}`,
  ).join(';')}`;
const vcf = (rows: number, filter: (row: number) => string): string =>
  [...VCF_HEADER, ...Array.from({ length: rows }, (_, row) => record(row, filter(row))), ''].join(
    '\n',
  );

const allFields = (opened: ChosenFile): ChosenFile =>
  opened.kind === 'vcf'
    ? {
        ...opened,
        choice: { ...opened.choice, infos: opened.header.infos.map(({ id }) => id) },
      }
    : opened;

/** What the files are read for. */
const EMPTY = createMemorySession(profileOf(RULES), []);

async function read(content: Blob | string): Promise<Table> {
  const opened = await openFile(new File([content], 'file'), createPace());
  return (await readOpened(allFields(opened), EMPTY, createPace())).table;
}

/** From what was read to what the import would do. */
async function plan(table: Table): Promise<void> {
  const pace = createPace();
  const session = createMemorySession(profileOf(RULES), []);
  const headers = headersOf(table, 0);
  const facts = await factsOf(table, 0, (uid) => session.rowOf(uid) >= 0, pace);
  const mapping = await guessColumns(headers, facts, session.profile.rules, pace);
  const columns = await collectValues(table, 1, mapping, pace);
  await planImport(
    { table, headerRow: 0, headers, mapping, isStrict: false },
    {
      meanings: mapValues(columns, new Map(), new Map()),
      keepsWords: true,
      emptyClears: false,
      meet: 'fill',
      aliases: new Map(),
      locate: () => ({}),
    },
    session,
    pace,
  );
}

async function compared(
  what: string,
  content: Blob | string,
  library: string,
  most: number,
  floor: () => unknown,
): Promise<Figure> {
  let table: Table | undefined;
  let [reading, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < TURNS; turn += 1) {
    reading = Math.min(reading, await processorTime(async () => (table = await read(content))));
    theirs = Math.min(theirs, await processorTime(floor));
  }
  const planning = await processorTime(() => plan(table!));
  return {
    what: `${what} of 100,000 x 30 read, in slices that leave the window its turn`,
    ours: `${seconds(reading)} of CPU, then ${seconds(planning)} to what it would change`,
    floor: `${seconds(theirs)}, ${library} alone at one go`,
    compared: `${(reading / theirs).toFixed(2)} of its time`,
    gate: `at most ${most}`,
    met: reading <= most * theirs,
  };
}

/** A million records, of which one in twenty passed: the longest that a page would not answer. */
async function millionRecords(): Promise<Figure> {
  const file = new File([vcf(1_000_000, (row) => (row % 20 === 0 ? 'PASS' : 'q10'))], 'm.vcf');
  const opened = await openFile(file, createPace());
  if (opened.kind !== 'vcf') throw new Error('not taken for VCF');
  let [longest, last, isOver] = [0, process.cpuUsage(), false];
  const look = (): void => {
    const { user } = process.cpuUsage(last);
    last = process.cpuUsage();
    longest = Math.max(longest, user / 1_000);
    if (!isOver) setImmediate(look);
  };
  look();
  const choice = { ...opened.choice, onlyPassed: true };
  let rows = 0;
  const ms = await time(async () => {
    rows = (await readOpened({ ...opened, choice }, EMPTY, createPace())).table.rows.length - 1;
  });
  isOver = true;
  return {
    what: 'VCF of 1,000,000 records read, 50,000 taken: longest work between two turns',
    ours: `${longest.toFixed(0)} ms (${seconds(ms)} in all, ${rows} rows)`,
    floor: '',
    compared: '',
    gate: 'under 100 ms of CPU',
    met: longest < 100 && rows === 50_000,
  };
}

export async function importBench(): Promise<Figure[]> {
  const text = csv();
  const workbook = await xlsx();
  const bytes = Buffer.from(await workbook.arrayBuffer());
  const records = vcf(ROWS, () => 'PASS');
  const figures = [
    await compared('CSV', text, 'Papa Parse', 3, () => Papa.parse(text)),
    await compared('XLSX', workbook, 'read-excel-file', 1, () => readXlsxFile(bytes)),
    await compared('VCF', records, '@gmod/vcf', 3, () => {
      const parser = new VCFParser({ header: VCF_HEADER.join('\n') });
      return records
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => parser.parseLine(line).INFO);
    }),
  ];
  return [...figures, await millionRecords()];
}
