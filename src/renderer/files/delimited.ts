import { decode, type Encoding } from './encoding.ts';
import type { Pace } from './pace.ts';
import {
  createTableBuilder,
  FileProblem,
  MOST,
  type Table,
  type TableBuilder,
  tooLong,
  tooWide,
} from './table.ts';

export const DELIMITERS = [',', '\t', ';', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface DelimitedReader {
  push(text: string): void;
  end(): void;
  /** The line that a quote opened and nothing closed, after `end`. */
  readonly unclosed: number | undefined;
}

const QUOTE = 34;
const CR = 13;
const LF = 10;

/**
 * Reads text piece by piece. A quoted field may hold delimiters, line ends and doubled quotes; a
 * quote within a plain field is a character like others. Lines end with LF, CR LF or CR, also
 * mixed.
 */
export function createDelimitedReader(
  delimiter: Delimiter,
  onRow: (fields: string[], line: number) => void,
): DelimitedReader {
  const stop = delimiter.charCodeAt(0);
  let state: 'start' | 'plain' | 'quoted' | 'after' = 'start';
  let field = '';
  let row: string[] = [];
  let line = 1;
  let rowLine = 1;
  let lastWasCr = false;
  let unclosed: number | undefined;
  let openedAt = 1;

  const endRow = (): void => {
    row.push(field);
    onRow(row, rowLine);
    row = [];
    field = '';
    state = 'start';
    rowLine = line;
  };
  const push = (text: string): void => {
    let from = 0;
    let at = 0;
    const take = (): void => {
      if (at > from) field += text.slice(from, at);
      from = at + 1;
    };
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const followsCr = lastWasCr;
      lastWasCr = false;
      if (state === 'quoted') {
        if (code === QUOTE) {
          take();
          state = 'after';
        } else if (code === LF ? !followsCr : code === CR) line += 1;
        if (code === CR) lastWasCr = true;
      } else if (state === 'after' && code === QUOTE) {
        // The second of a pair stays in the field.
        from = at;
        state = 'quoted';
      } else if (code === stop) {
        take();
        row.push(field);
        field = '';
        state = 'start';
      } else if (
        code === LF &&
        followsCr &&
        state === 'start' &&
        row.length === 0 &&
        field === ''
      ) {
        from = at + 1;
      } else if (code === LF || code === CR) {
        take();
        line += 1;
        lastWasCr = code === CR;
        endRow();
      } else if (code === QUOTE && state === 'start') {
        from = at + 1;
        state = 'quoted';
        openedAt = line;
      } else if (state !== 'plain') {
        from = at;
        state = 'plain';
      }
    }
    if (from < text.length && state !== 'after') field += text.slice(from);
    if (field.length > MOST.characters) throw tooLong(rowLine);
    if (row.length > MOST.columns) throw tooWide(rowLine);
  };
  return {
    push,
    end: () => {
      if (state === 'quoted') unclosed = openedAt;
      if (field !== '' || row.length > 0 || state === 'after') endRow();
    },
    get unclosed() {
      return unclosed;
    },
  };
}

/**
 * How evenly a delimiter splits the first lines: the share of lines that have the most common
 * number of fields, if that number is more than one.
 */
function evenness(sample: string, delimiter: Delimiter): number {
  const widths = new Map<number, number>();
  let rows = 0;
  const reader = createDelimitedReader(delimiter, (fields) => {
    if (fields.length === 1 && fields[0] === '') return;
    rows += 1;
    widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
  });
  reader.push(sample);
  const [width = 1, count = 0] =
    [...widths].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
  return width < 2 ? 0 : count / rows + width / 1_000;
}

const SAMPLE = 64 * 1024;

export async function detectDelimiter(file: Blob, encoding: Encoding): Promise<Delimiter> {
  let sample = '';
  for await (const { text } of decode(file, encoding)) {
    sample += text;
    if (sample.length >= SAMPLE) break;
  }
  return (
    DELIMITERS.map((delimiter) => ({
      delimiter,
      score: evenness(sample.slice(0, SAMPLE), delimiter),
    })).toSorted((a, b) => b.score - a.score)[0]?.delimiter ?? ','
  );
}

/** Characters handed over at once; the window gets its turn between two pieces. */
const PIECE = 64 * 1024;

export async function readDelimited(
  file: Blob,
  how: { encoding: Encoding; delimiter: Delimiter; mostRows: number },
  pace: Pace,
): Promise<Table> {
  const builder: TableBuilder = createTableBuilder();
  const reader = createDelimitedReader(how.delimiter, (fields, line) =>
    builder.add(
      fields.map((field) => builder.word(field)),
      line,
    ),
  );
  for await (const { text, bytes } of decode(file, how.encoding)) {
    for (let from = 0; from < text.length; from += PIECE) {
      reader.push(text.slice(from, from + PIECE));
      if (builder.rowCount > how.mostRows)
        throw new FileProblem(
          `The file has more than ${how.mostRows.toLocaleString('en-GB')} rows.`,
        );
      await pace(bytes / file.size);
    }
  }
  reader.end();
  if (reader.unclosed !== undefined)
    throw new FileProblem(
      `Row ${reader.unclosed}: a quotation mark opens a field that is never closed.`,
    );
  return builder.finish();
}
