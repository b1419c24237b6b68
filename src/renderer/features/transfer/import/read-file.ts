import { type Delimiter, detectDelimiter, readDelimited } from '../../../files/delimited.ts';
import { detectEncoding, type Encoding } from '../../../files/encoding.ts';
import type { Pace } from '../../../files/pace.ts';
import { FileProblem, type Table } from '../../../files/table.ts';
import { openWorkbook, type Workbook } from '../../../files/xlsx-parts.ts';
import { readSheet, type SheetRemarks } from '../../../files/xlsx-read.ts';

const MAX_BYTES = 200 * 1024 * 1024;
/** Rows of a spreadsheet's sheet; text files are held to the same. */
const MAX_ROWS = 1_048_576;
/** Each is asked about; a profile has at most 500 rules. */
const MAX_COLUMNS = 2_000;

/** A file and how it is to be read: what was found out, until the person says otherwise. */
export type ChosenFile =
  | { kind: 'text'; file: File; encoding: Encoding; delimiter: Delimiter }
  | { kind: 'workbook'; file: File; book: Workbook; sheet: number };

/** What a file is, by its first bytes and never by its name. */
export async function openFile(file: File, pace: Pace): Promise<ChosenFile> {
  if (file.size === 0) throw new FileProblem('The file is empty.');
  if (file.size > MAX_BYTES)
    throw new FileProblem(
      `The file has ${Math.ceil(file.size / 1024 / 1024)} MB. Files of up to ${MAX_BYTES / 1024 / 1024} MB are read.`,
    );
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isZip = head[0] === 0x50 && head[1] === 0x4b;
  if (isZip || (head[0] === 0xd0 && head[1] === 0xcf)) {
    const book = await openWorkbook(file, pace);
    return {
      kind: 'workbook',
      file,
      book,
      sheet: Math.max(
        0,
        book.sheets.findIndex(({ isHidden }) => !isHidden),
      ),
    };
  }
  const encoding = await detectEncoding(file);
  return { kind: 'text', file, encoding, delimiter: await detectDelimiter(file, encoding) };
}

export interface ReadFile {
  table: Table;
  remarks: SheetRemarks | undefined;
}

export async function readOpened(opened: ChosenFile, pace: Pace): Promise<ReadFile> {
  const read = await readAs(opened, pace);
  if (read.table.width > MAX_COLUMNS)
    throw new FileProblem(
      `The table has ${read.table.width.toLocaleString('en-GB')} columns. Tables of up to ${MAX_COLUMNS.toLocaleString('en-GB')} are read.`,
    );
  return read;
}

async function readAs(opened: ChosenFile, pace: Pace): Promise<ReadFile> {
  if (opened.kind === 'text')
    return {
      table: await readDelimited(opened.file, { ...opened, maxRows: MAX_ROWS }, pace),
      remarks: undefined,
    };
  const sheet = opened.book.sheets[opened.sheet];
  if (sheet === undefined) throw new FileProblem('The workbook has no such sheet.');
  return readSheet(opened.book, sheet, MAX_ROWS, pace);
}
