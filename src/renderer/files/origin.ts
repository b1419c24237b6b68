import { columnName } from './table.ts';

/** Where a table was read: a file or the clipboard, the sheet of a workbook, and on which day. */
export interface Origin {
  source: string;
  sheet: string | null;
  /** YYYY-MM-DD. */
  date: string | undefined;
}

/** The provenance of a cell that was read in this line (from 1) and column (from 0) of a table. */
export const provenanceOf = (
  { source, sheet, date }: Origin,
  line: number,
  column: number,
): Record<string, string> => ({
  source,
  locator:
    sheet === null ? `line ${line}, column ${column + 1}` : `${sheet}!${columnName(column)}${line}`,
  method: 'import',
  ...(date !== undefined && { date }),
});

export const dayOf = (clock: { now(): number } | undefined): string | undefined =>
  clock === undefined ? undefined : new Date(clock.now()).toISOString().slice(0, 10);
