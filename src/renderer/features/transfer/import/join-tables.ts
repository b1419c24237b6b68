import type { Pace } from '../../../files/pace.ts';
import { createTableBuilder, FileProblem, type Table, textAt } from '../../../files/table.ts';
import { t } from '../../../text/t.ts';

/**
 * Tables of several files below one row of headings. Each file begins with its headings, in an
 * order of its own; a heading that the first file does not have is one more column.
 */
export async function joinTables(
  tables: readonly { name: string; table: Table }[],
  maxRows: number,
  pace: Pace,
): Promise<Table> {
  const headings: string[] = [];
  const columns = tables.map(({ name, table }) => columnsOf(name, table, headings));
  const builder = createTableBuilder();
  const of = [0];
  builder.add(
    headings.map((heading) => builder.word(heading)),
    1,
  );
  for (const [file, { table }] of tables.entries()) {
    for (let row = 1; row < table.rows.length; row += 1) {
      const fields = new Array<number>(headings.length).fill(0);
      for (const [at, column] of columns[file]!.entries()) {
        const text = textAt(table, row, at);
        if (text !== '') fields[column] = builder.word(text);
      }
      builder.add(fields, table.lines[row]!);
      of.push(file);
      if (builder.rowCount > maxRows)
        throw new FileProblem(
          t('The files have more than {rows, number} rows.', { rows: maxRows }),
        );
      if (row % 500 === 0) await pace(file / tables.length);
    }
  }
  // The columns of one file are not those of another: their headings are what they share.
  const files = { names: tables.map(({ name }) => name), of };
  return { ...builder.finish(), files, places: headings };
}

/** Which column of all each column of a file is; headings not met before are added. */
function columnsOf(name: string, table: Table, headings: string[]): number[] {
  const seen = new Set<string>();
  return Array.from({ length: table.width }, (_, column) => {
    const heading = textAt(table, 0, column).trim();
    if (heading === '' || seen.has(heading))
      throw new FileProblem(
        t('{name}: several files are one table only where each column has a heading of its own.', {
          name,
        }),
      );
    seen.add(heading);
    const known = headings.indexOf(heading);
    if (known >= 0) return known;
    headings.push(heading);
    return headings.length - 1;
  });
}
