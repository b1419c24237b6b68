import { TextIndex } from './text-index.ts';
import { t } from '../text/t.ts';
/** How a spreadsheet kept a field. Text files hold text alone. */
export type FieldKind = 'text' | 'number' | 'date' | 'boolean' | 'error';
export interface Word {
  text: string;
  kind: FieldKind;
}

/**
 * A file's fields, each different one kept once: a field is an index into `words`, and 0 is the
 * empty text.
 */
export interface Table {
  readonly words: readonly Word[];
  readonly rows: readonly Uint32Array[];
  /** The number of each row in its file, from 1. Empty rows are left out of `rows`. */
  readonly lines: readonly number[];
  /** Fields of the longest row. */
  readonly width: number;
  /** What the file calls its columns, where they are not those of the table. */
  readonly places?: readonly string[];
  /** What `lines` counts, where it is not the lines of the file. */
  readonly unit?: string;
  /** Where a table was put together of several files: their names, and of each row whose it is. */
  readonly files?: { readonly names: readonly string[]; readonly of: readonly number[] };
}

/** What no honest file goes beyond: a small one may unpack to more than a computer can hold. */
export const LIMITS = {
  columns: 16_384,
  characters: 1_000_000,
  fields: 60_000_000,
  words: 20_000_000,
};
export const tooLong = (line: number): FileProblem =>
  new FileProblem(
    t(
      'Row {line}: a field has more than {most, number} characters. A quotation mark may not be closed.',
      { line, most: LIMITS.characters },
    ),
  );
export const tooWide = (line: number): FileProblem =>
  new FileProblem(
    t('Row {line} has more than {most, number} columns, which no spreadsheet has.', {
      line,
      most: LIMITS.columns,
    }),
  );

const NOTHING: Word = { text: '', kind: 'text' };

export const wordAt = (table: Table, row: number, column: number): Word =>
  table.words[table.rows[row]?.[column] ?? 0] ?? NOTHING;
export const textAt = (table: Table, row: number, column: number): string =>
  wordAt(table, row, column).text;

export interface TableBuilder {
  word(text: string, kind?: FieldKind): number;
  /** The word that this part of a text is. */
  wordIn(text: string, from: number, to: number): number;
  add(fields: readonly number[], line: number): void;
  readonly rowCount: number;
  finish(): Table;
}

/** Fields in one block of memory. Rows are parts of blocks: memory of their own is dear. */
const BLOCK = 1 << 16;

export function createTableBuilder(): TableBuilder {
  const words: Word[] = [NOTHING];
  const texts = new TextIndex();
  /** Number of a plain text -> its index in `words`; and of each that is more than text. */
  const ofText: number[] = [0];
  const ofOthers = new Map<string, number>();
  const add = (word: Word): number => {
    if (words.length >= LIMITS.words)
      throw new FileProblem(
        t('The file has more than {most, number} different texts.', { most: LIMITS.words }),
      );
    return words.push(word) - 1;
  };
  const wordIn = (text: string, from: number, to: number): number => {
    if (from === to) return 0;
    const number = texts.number(text, from, to);
    return (ofText[number] ??= add({ text: texts.textOf(number), kind: 'text' }));
  };
  const rows: Uint32Array[] = [];
  let block = new Uint32Array(0);
  let used = 0;
  const lines: number[] = [];
  let width = 0;
  let count = 0;
  return {
    wordIn,
    word: (text, kind = 'text') => {
      if (kind === 'text') return wordIn(text, 0, text.length);
      const key = `${kind}\u0000${text}`;
      const known = ofOthers.get(key) ?? add({ text, kind });
      ofOthers.set(key, known);
      return known;
    },
    add: (fields, line) => {
      let filled = fields.length;
      while (filled > 0 && fields[filled - 1] === 0) filled -= 1;
      if (filled === 0) return;
      count += filled;
      if (count > LIMITS.fields)
        throw new FileProblem(
          t('The file has more than {most, number} fields.', { most: LIMITS.fields }),
        );
      if (used + filled > block.length) {
        block = new Uint32Array(Math.max(BLOCK, filled));
        used = 0;
      }
      const row = block.subarray(used, used + filled);
      for (let at = 0; at < filled; at += 1) row[at] = fields[at]!;
      rows.push(row);
      used += filled;
      lines.push(line);
      width = Math.max(width, filled);
    },
    get rowCount() {
      return rows.length;
    },
    finish: () => ({ words, rows, lines, width }),
  };
}

/** "A", "B", … "AA": the name of a column in every spreadsheet. */
export function columnName(index: number): string {
  let name = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  return name;
}

/** A file that cannot be read, in words for the person who chose it. */
export class FileProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FileProblem';
  }
}
