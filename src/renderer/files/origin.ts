import { columnName } from './table.ts';

/** Where a table was read: a file or the clipboard, the sheet of a workbook, and on which day. */
export interface Origin {
  source: string;
  sheet: string | null;
  /** YYYY-MM-DD. */
  date: string | undefined;
}

/**
 * The provenance of a cell that was read in this line (from 1) and column (from 0) of a table.
 * Where the file has no such lines or columns, `unit` says what is counted, `place` what the column
 * is.
 */
export const provenanceOf = (
  { source, sheet, date }: Origin,
  line: number,
  column: number,
  { unit = 'line', place }: { unit?: string | undefined; place?: string | undefined } = {},
): Record<string, string> => ({
  source,
  locator:
    sheet === null
      ? `${unit} ${line}, ${place ?? `column ${column + 1}`}`
      : `${sheet}!${columnName(column)}${line}`,
  method: 'import',
  ...(date !== undefined && { date }),
});

export const dayOf = (clock: { now(): number } | undefined): string | undefined =>
  clock === undefined ? undefined : new Date(clock.now()).toISOString().slice(0, 10);
