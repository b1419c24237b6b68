import { REPLACEMENT } from '../../../files/encoding.ts';
import { type Table, type Word, wordAt } from '../../../files/table.ts';
import { unprotectText } from '../../../../shared/lib/spreadsheet-text.ts';
import type { Mapping, ColumnRole } from './mapping.ts';
import { t } from '../../../text/t.ts';

/** A table with the meaning of its columns: what the planning reads. */
export interface ImportSource {
  table: Table;
  /** Index of the heading row in the table; rows below it are data. */
  headerRow: number;
  headers: readonly string[];
  mapping: Mapping;
  /** Such a row is refused, because its values have probably moved to other columns. */
  isStrict: boolean;
}

export const headersOf = (table: Table, headerRow: number): string[] =>
  Array.from({ length: table.width }, (_, column) => wordAt(table, headerRow, column).text);

/** Number of fields that have a heading or stand left of one that has. */
export const headingCount = (headers: readonly string[]): number =>
  headers.findLastIndex((header) => header !== '') + 1;

/** Why a damaged cell is not imported. */
export const DAMAGED = t(
  'Holds a damaged character (U+FFFD): the file was read or saved in another encoding.',
);

export interface FileFields {
  /** Column of a role, or -1. */
  column(role: ColumnRole): number;
  word(row: number, column: number): Word;
  /** The text, without an apostrophe that an export added. */
  text(row: number, column: number): string;
  isDamaged(row: number, column: number): boolean;
}

export function createFields({ table, mapping: { roles } }: ImportSource): FileFields {
  const guard = roles.indexOf('guard');
  const column = (role: ColumnRole): number => roles.indexOf(role);
  const word = (row: number, at: number): Word => wordAt(table, row, at);
  const text = (row: number, at: number): string => {
    const found = word(row, at).text;
    return guard >= 0 && word(row, guard).text !== '' ? unprotectText(found) : found;
  };
  return { column, word, text, isDamaged: (row, at) => word(row, at).text.includes(REPLACEMENT) };
}
