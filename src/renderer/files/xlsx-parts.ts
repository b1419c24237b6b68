import type { Pace } from './pace.ts';
import { FileProblem, LIMITS } from './table.ts';
import { attribute, createXmlScanner, type XmlListener } from './xml.ts';
import { fromXlsxText } from './xlsx-text.ts';
import { readZipDirectory, unzip, type ZipEntry } from './zip.ts';
import { t } from '../text/t.ts';

/**
 * What the parts of a workbook may unpack to, in bytes: its texts are kept in memory, a sheet is
 * not.
 */
const MAX_PART = 256 * 1024 * 1024;
export const MAX_SHEET = 3 * 1024 * 1024 * 1024;

export interface SheetInfo {
  name: string;
  isHidden: boolean;
  entry: ZipEntry;
}

export interface Workbook {
  file: Blob;
  sheets: readonly SheetInfo[];
  epoch1904: boolean;
  styles: ZipEntry | undefined;
  texts: ZipEntry | undefined;
}

/** OLE compound file: an .xls of before 2007, or an .xlsx with a password. */
const OLD = [0xd0, 0xcf, 0x11, 0xe0];

export async function scanPart(
  file: Blob,
  entry: ZipEntry,
  most: number,
  listener: XmlListener,
  pace: Pace,
): Promise<void> {
  const decoder = new TextDecoder();
  const scanner = createXmlScanner(listener);
  for await (const { bytes, done } of unzip(file, entry, most)) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      scanner.push(decoder.decode(bytes.subarray(from, from + PIECE), { stream: true }));
      await pace(done);
    }
  }
}

/** Bytes scanned at once; the window gets its turn between two pieces. */
const PIECE = 64 * 1024;

const ignore = (): void => undefined;

export async function openWorkbook(file: Blob, pace: Pace): Promise<Workbook> {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (OLD.every((byte, index) => head[index] === byte))
    throw new FileProblem(
      t(
        'This is an .xls file of an old Excel, or it has a password. Save it as .xlsx without a password.',
      ),
    );
  const entries = await readZipDirectory(file);
  const book = entries.get('xl/workbook.xml');
  const relations = entries.get('xl/_rels/workbook.xml.rels');
  if (book === undefined || relations === undefined)
    throw new FileProblem(t('The file is no .xlsx workbook.'));
  const { found, epoch1904 } = await readSheetList(file, book, pace);
  const { targets, styles, texts } = await readRelations(file, relations, entries, pace);
  const sheets = found.flatMap(({ name, isHidden, id }) => {
    const entry = targets.get(id);
    return entry === undefined ? [] : [{ name, isHidden, entry }];
  });
  if (sheets.length === 0) throw new FileProblem(t('The workbook has no sheet with cells.'));
  return { file, sheets, epoch1904, styles, texts };
}

/** The sheets in the order of their tabs, each with the ID of its relation. */
async function readSheetList(file: Blob, book: ZipEntry, pace: Pace) {
  const found: { name: string; isHidden: boolean; id: string }[] = [];
  let epoch1904 = false;
  await scanPart(
    file,
    book,
    MAX_PART,
    {
      open: (name, attributes) => {
        if (name === 'sheet')
          found.push({
            name: attribute(attributes, 'name') ?? '',
            isHidden: (attribute(attributes, 'state') ?? 'visible') !== 'visible',
            id: /\w+:id=["']([^"']+)/.exec(attributes)?.[1] ?? '',
          });
        if (name === 'workbookPr')
          epoch1904 = ['1', 'true'].includes(attribute(attributes, 'date1904') ?? '');
      },
      close: ignore,
      text: ignore,
    },
    pace,
  );
  return { found, epoch1904 };
}

/** Where the sheets, the styles and the texts are in the file. */
async function readRelations(
  file: Blob,
  relations: ZipEntry,
  entries: ReadonlyMap<string, ZipEntry>,
  pace: Pace,
) {
  const targets = new Map<string, ZipEntry>();
  let [styles, texts]: (ZipEntry | undefined)[] = [];
  await scanPart(
    file,
    relations,
    MAX_PART,
    {
      open: (name, attributes) => {
        if (name !== 'Relationship') return;
        const target = attribute(attributes, 'Target') ?? '';
        const entry = entries.get(target.startsWith('/') ? target.slice(1) : `xl/${target}`);
        const type = attribute(attributes, 'Type') ?? '';
        if (entry === undefined) return;
        if (type.endsWith('/worksheet')) targets.set(attribute(attributes, 'Id') ?? '', entry);
        else if (type.endsWith('/styles')) styles = entry;
        else if (type.endsWith('/sharedStrings')) texts = entry;
      },
      close: ignore,
      text: ignore,
    },
    pace,
  );
  return { targets, styles, texts };
}

/** A text that comes in pieces. */
export function joined(previous: string | undefined, piece: string): string {
  const before = previous ?? '';
  if (before.length + piece.length > LIMITS.characters)
    throw new FileProblem(
      t('A cell has more than {most, number} characters, which no spreadsheet has.', {
        most: LIMITS.characters,
      }),
    );
  return before + piece;
}

/**
 * The texts that cells refer to by number. Readings of East Asian signs (`rPh`) are no part of
 * them.
 */
export async function readTexts(book: Workbook, pace: Pace): Promise<string[]> {
  const texts: string[] = [];
  if (book.texts === undefined) return texts;
  let text = '';
  let [isText, isReading] = [false, false];
  await scanPart(
    book.file,
    book.texts,
    MAX_PART,
    {
      open: (name) => {
        if (name === 'si') text = '';
        else if (name === 'rPh') isReading = true;
        else if (name === 't') isText = !isReading;
      },
      close: (name) => {
        if (name === 'si') texts.push(fromXlsxText(text));
        else if (name === 'rPh') isReading = false;
        else if (name === 't') isText = false;
      },
      text: (piece) => {
        if (isText) text = joined(text, piece);
      },
    },
    pace,
  );
  return texts;
}

/** Number formats of the standard that show a date or a time. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);
const isDateFormat = (format: string): boolean =>
  /[dmyhs]/i.test(
    format
      .replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*./gi, '')
      .replace(/General/gi, ''),
  );

/** Which cell styles show a number as a date. */
export async function readDateStyles(book: Workbook, pace: Pace): Promise<boolean[]> {
  const styles: boolean[] = [];
  if (book.styles === undefined) return styles;
  const formats = new Map<number, string>();
  let isCellFormats = false;
  await scanPart(
    book.file,
    book.styles,
    MAX_PART,
    {
      open: (name, attributes) => {
        if (name === 'numFmt')
          formats.set(
            Number(attribute(attributes, 'numFmtId')),
            attribute(attributes, 'formatCode') ?? '',
          );
        else if (name === 'cellXfs') isCellFormats = true;
        else if (name === 'xf' && isCellFormats) {
          const id = Number(attribute(attributes, 'numFmtId') ?? 0);
          const format = formats.get(id);
          styles.push(format === undefined ? isBuiltInDate(id) : isDateFormat(format));
        }
      },
      close: (name) => {
        if (name === 'cellXfs') isCellFormats = false;
      },
      text: ignore,
    },
    pace,
  );
  return styles;
}
