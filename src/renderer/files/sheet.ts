import {
  delimitedField,
  looksLikeFormula,
  protectText,
} from '../../shared/lib/spreadsheet-text.ts';
import type { Pace } from './pace.ts';

/**
 * A column to be written. Few different words are kept as codes, so that half a million outcomes
 * are half a megabyte.
 */
export type SheetColumn =
  | { header: string; width?: number; cells: readonly (string | number | null)[] }
  | { header: string; width?: number; codes: Uint8Array; words: readonly string[] };

export interface Sheet {
  name: string;
  columns: readonly SheetColumn[];
  rowCount: number;
  /** Columns that stay in view; the header row always does. */
  frozenColumns?: number;
}

export const cellAt = (column: SheetColumn, row: number): string | number | null =>
  'codes' in column ? (column.words[column.codes[row]!] ?? '') : (column.cells[row] ?? null);

/** The header of a column that says in which rows apostrophes were added; see decision 0017. */
export const GUARD_HEADER = 'apostrophes_added';
const ROWS_A_LOOK = 500;
/** Characters handed on at once. */
const PIECE = 64 * 1024;

export interface TextOptions {
  delimiter: ',' | '\t';
  /** Fields that a spreadsheet would run as a formula get an apostrophe, and their row a mark. */
  guarded: boolean;
}

async function hasFormulas(sheet: Sheet, pace: Pace): Promise<boolean> {
  for (const column of sheet.columns) {
    if ('codes' in column) {
      if (column.words.some(looksLikeFormula)) return true;
      continue;
    }
    for (const [row, cell] of column.cells.entries()) {
      if (typeof cell === 'string' && looksLikeFormula(cell)) return true;
      if (row % ROWS_A_LOOK === 0) await pace();
    }
  }
  return false;
}

/** A sheet as delimited text, piece by piece. */
export async function* sheetText(
  sheet: Sheet,
  { delimiter, guarded }: TextOptions,
  pace: Pace,
): AsyncGenerator<string> {
  const marks = guarded && (await hasFormulas(sheet, pace));
  const headers = sheet.columns.map((column) => delimitedField(column.header));
  let piece = `${[...headers, ...(marks ? [GUARD_HEADER] : [])].join(delimiter)}\r\n`;
  for (let row = 0; row < sheet.rowCount; row += 1) {
    let isMarked = false;
    const fields = sheet.columns.map((column) => {
      const cell = cellAt(column, row);
      if (typeof cell !== 'string') return cell === null ? '' : String(cell);
      const text = marks ? protectText(cell) : cell;
      if (text !== cell) isMarked = true;
      return delimitedField(text);
    });
    if (marks) fields.push(isMarked ? 'yes' : '');
    piece += `${fields.join(delimiter)}\r\n`;
    if (piece.length > PIECE) {
      yield piece;
      piece = '';
      await pace(row / sheet.rowCount);
    }
  }
  yield piece;
}

/** As a file. The byte order mark is how Excel knows UTF-8. */
export async function sheetFile(
  sheet: Sheet,
  options: TextOptions & { byteOrderMark: boolean },
  pace: Pace,
): Promise<Blob> {
  const pieces: Blob[] = options.byteOrderMark ? [new Blob(['\ufeff'])] : [];
  for await (const piece of sheetText(sheet, options, pace)) pieces.push(new Blob([piece]));
  return new Blob(pieces, {
    type:
      options.delimiter === ','
        ? 'text/csv;charset=utf-8'
        : 'text/tab-separated-values;charset=utf-8',
  });
}
