import { type Delimiter, detectDelimiter, readDelimited } from '../../../files/delimited.ts';
import { detectEncoding, type Encoding } from '../../../files/encoding.ts';
import { gunzip, isGzip } from '../../../files/gzip.ts';
import type { Pace } from '../../../files/pace.ts';
import { FileProblem, type Table } from '../../../files/table.ts';
import {
  openVcf,
  readVcf,
  VCF_START,
  type VcfChoice,
  type VcfField,
  type VcfHeader,
} from '../../../files/vcf.ts';
import { openWorkbook, type Workbook } from '../../../files/xlsx-parts.ts';
import { readSheet, type SheetRemarks } from '../../../files/xlsx-read.ts';
import { rankAs } from '../../../../shared/domain/heading-words.ts';
import { joinTables } from './join-tables.ts';
import { runInBundle } from './read-bundle.ts';
import { jsonKind, readJson } from './read-json.ts';
import type { Asking } from './read-qem.ts';
import { t } from '../../../text/t.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 200 * MB;
/** Read piece by piece, and few of its records are kept. */
const MAX_VCF_BYTES = 20_000 * MB;
/** Rows of a spreadsheet's sheet; text files are held to the same. */
const MAX_ROWS = 1_048_576;
/** Each is asked about; a profile has at most 500 rules. */
const MAX_COLUMNS = 2_000;
const HEAD = 4_096;

/** A file and how it is to be read: what was found out, until the person says otherwise. */
export type ChosenFile =
  | { kind: 'text'; file: File; encoding: Encoding; delimiter: Delimiter }
  | { kind: 'workbook'; file: File; book: Workbook; sheet: number }
  | { kind: 'vcf'; file: File; header: VcfHeader; choice: VcfChoice }
  | { kind: 'json'; file: File; lines: boolean }
  | { kind: 'several'; file: File; files: readonly (ChosenFile & { kind: 'text' })[] };

/** The first bytes, unpacked where the file is packed. */
async function headOf(file: File): Promise<{ bytes: Uint8Array; isPacked: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, HEAD).arrayBuffer());
  if (!isGzip(bytes)) return { bytes, isPacked: false };
  for await (const piece of gunzip(file)) return { bytes: piece.bytes, isPacked: true };
  return { bytes, isPacked: true };
}

function refuseLarge(file: File, most: number): void {
  if (file.size > most)
    throw new FileProblem(
      t('The file has {size} MB. Files of up to {most} MB are read.', {
        size: Math.ceil(file.size / MB),
        most: most / MB,
      }),
    );
}

const FIELD_KINDS = ['hgvs_c', 'hgvs_p', 'gene', 'allele_frequency'] as const;
const isWellKnown = ({ id }: VcfField): boolean =>
  FIELD_KINDS.some((kind) => rankAs(id, kind) !== undefined);

async function openPackedOrVcf(file: File, isPacked: boolean): Promise<ChosenFile> {
  refuseLarge(file, MAX_VCF_BYTES);
  const header = await openVcf(file, isPacked);
  const infos = header.infos.filter(isWellKnown).map(({ id }) => id);
  return {
    kind: 'vcf',
    file,
    header,
    choice: { infos, formats: [], onlyPassed: false, region: '' },
  };
}

/** What a file is, by its first bytes and never by its name. */
export async function openFile(file: File, pace: Pace): Promise<ChosenFile> {
  if (file.size === 0) throw new FileProblem(t('The file is empty.'));
  const { bytes: head, isPacked } = await headOf(file);
  const start = new TextDecoder().decode(head);
  if (start.startsWith(VCF_START)) return openPackedOrVcf(file, isPacked);
  if (isPacked)
    throw new FileProblem(t('Of packed files only VCF is read (.vcf.gz). Unpack this one first.'));
  refuseLarge(file, MAX_BYTES);
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  const bundled = isZip ? await runInBundle(file) : undefined;
  if (bundled !== undefined) return { kind: 'json', file: bundled, lines: false };
  if (isZip || (head[0] === 0xd0 && head[1] === 0xcf)) {
    const book = await openWorkbook(file, pace);
    const sheet = Math.max(
      0,
      book.sheets.findIndex(({ isHidden }) => !isHidden),
    );
    return { kind: 'workbook', file, book, sheet };
  }
  const json = jsonKind(start);
  if (json !== undefined) return { kind: 'json', file, lines: json === 'lines' };
  const encoding = await detectEncoding(file);
  return { kind: 'text', file, encoding, delimiter: await detectDelimiter(file, encoding) };
}

/** One file, or several text files that are one table. */
export async function openFiles(files: readonly File[], pace: Pace): Promise<ChosenFile> {
  const [first] = files;
  if (first === undefined) throw new FileProblem(t('There is no file.'));
  if (files.length === 1) return openFile(first, pace);
  const opened: (ChosenFile & { kind: 'text' })[] = [];
  for (const file of files) {
    if (file.size === 0) continue;
    const one = await openFile(file, pace);
    if (one.kind !== 'text')
      throw new FileProblem(t('{name} is no table of text.', { name: file.name }));
    opened.push(one);
    await pace(opened.length / files.length);
  }
  if (opened.length === 0) throw new FileProblem(t('All of the files are empty.'));
  const size = opened.reduce((sum, { file }) => sum + file.size, 0);
  refuseLarge({ size } as File, MAX_BYTES);
  return {
    kind: 'several',
    // Its name is what the import is called in the history.
    file: new File([], `${opened.length} files, first ${opened[0]!.file.name}`),
    files: opened,
  };
}

export interface ReadFile {
  table: Table;
  remarks: SheetRemarks | undefined;
  /** Records of a VCF file that were not asked for. */
  skipped?: number;
}

/** Reads a file for the matrix that asks. */
export async function readOpened(
  opened: ChosenFile,
  asking: Asking,
  pace: Pace,
): Promise<ReadFile> {
  const read = await readAs(opened, asking, pace);
  if (read.table.width > MAX_COLUMNS)
    throw new FileProblem(
      t('The table has {columns, number} columns. Tables of up to {most, number} are read.', {
        columns: read.table.width,
        most: MAX_COLUMNS,
      }),
    );
  return read;
}

const readText = (opened: ChosenFile & { kind: 'text' }, pace: Pace): Promise<Table> =>
  readDelimited(opened.file, { ...opened, maxRows: MAX_ROWS }, pace);

async function readAs(opened: ChosenFile, asking: Asking, pace: Pace): Promise<ReadFile> {
  const remarks = undefined;
  switch (opened.kind) {
    case 'text':
      return { table: await readText(opened, pace), remarks };
    case 'several': {
      const tables: { name: string; table: Table }[] = [];
      for (const one of opened.files)
        tables.push({ name: one.file.name, table: await readText(one, pace) });
      return { table: await joinTables(tables, MAX_ROWS, pace), remarks };
    }
    case 'json': {
      const kind = opened.lines ? 'lines' : 'json';
      return { table: await readJson(opened.file, kind, asking, MAX_ROWS, pace), remarks };
    }
    case 'vcf': {
      const { file, header, choice } = opened;
      const { skipped, ...table } = await readVcf(file, header, choice, MAX_ROWS, pace);
      return { table, remarks, skipped };
    }
    case 'workbook': {
      const sheet = opened.book.sheets[opened.sheet];
      if (sheet === undefined) throw new FileProblem(t('The workbook has no such sheet.'));
      return readSheet(opened.book, sheet, MAX_ROWS, pace);
    }
  }
}
