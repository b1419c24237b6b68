import { decode, type Encoding } from './encoding.ts';
import type { Pace } from './pace.ts';
import {
  createTableBuilder,
  FileProblem,
  LIMITS,
  type Table,
  type TableBuilder,
  tooLong,
  tooWide,
} from './table.ts';
import { t } from '../text/t.ts';

export const DELIMITERS = [',', '\t', ';', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

export interface DelimitedReader {
  /** Reads a text, or that part of it. */
  push(text: string, from?: number, to?: number): void;
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
export const createDelimitedReader = (
  delimiter: Delimiter,
  onRow: (fields: string[], line: number) => void,
): DelimitedReader => new Scanner(delimiter, (text, from, to) => text.slice(from, to), onRow);

/** What a reader keeps of a field: this part of a text. */
type TakeField<T> = (text: string, from: number, to: number) => T;

class Scanner<T> implements DelimitedReader {
  readonly #delimiter: number;
  readonly #takeField: TakeField<T>;
  readonly #onRow: (fields: T[], line: number) => void;
  #state: 'start' | 'plain' | 'quoted' | 'after' = 'start';
  /** What was read of the current field, but for the part that begins at `#from`. */
  #field = '';
  #row: T[] = [];
  #line = 1;
  #rowLine = 1;
  #lastWasCr = false;
  #openedAt = 1;
  #unclosed: number | undefined;
  /** The piece that is read, and where its part of the current field begins. */
  #text = '';
  #from = 0;

  constructor(
    delimiter: Delimiter,
    takeField: TakeField<T>,
    onRow: (fields: T[], line: number) => void,
  ) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#takeField = takeField;
    this.#onRow = onRow;
  }

  get unclosed(): number | undefined {
    return this.#unclosed;
  }

  push(text: string, from = 0, to = text.length): void {
    this.#text = text;
    this.#from = from;
    for (let at = this.#pass(from, to); at < to; at = this.#pass(at + 1, to)) {
      at = this.#takePlain(at, to);
      if (at < to) this.#read(text.charCodeAt(at), at);
    }
    if (this.#from < to && this.#state !== 'after') this.#field += text.slice(this.#from, to);
    if (this.#field.length > LIMITS.characters) throw tooLong(this.#rowLine);
    if (this.#row.length > LIMITS.columns) throw tooWide(this.#rowLine);
  }

  end(): void {
    if (this.#state === 'quoted') this.#unclosed = this.#openedAt;
    if (this.#field === '' && this.#row.length === 0 && this.#state !== 'after') return;
    this.#text = '';
    this.#from = 0;
    this.#endRow(0);
  }

  /**
   * Takes the plain fields of one row that are whole in this piece, most of a file; and gives where
   * something else begins.
   */
  #takePlain(from: number, to: number): number {
    if (this.#state !== 'start' || this.#lastWasCr || this.#field !== '') return from;
    const text = this.#text;
    const delimiter = this.#delimiter;
    let start = from;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code === delimiter) {
        this.#row.push(this.#takeField(text, start, at));
        start = at + 1;
      } else if (code === LF || code === CR || (code === QUOTE && at === start)) break;
    }
    this.#from = start;
    return start;
  }

  /** Passes by characters that mean nothing here, to the first that may end something. */
  #pass(from: number, to: number): number {
    let at = from;
    const text = this.#text;
    if (this.#state === 'plain')
      for (; at < to; at += 1) {
        const code = text.charCodeAt(at);
        if (code === this.#delimiter || code === LF || code === CR) break;
      }
    else if (this.#state === 'quoted' && !this.#lastWasCr)
      for (; at < to; at += 1) {
        const code = text.charCodeAt(at);
        if (code === QUOTE || code === LF || code === CR) break;
      }
    return at;
  }

  #read(code: number, at: number): void {
    const followsCr = this.#lastWasCr;
    this.#lastWasCr = false;
    if (this.#state === 'quoted') this.#readQuoted(code, at, followsCr);
    else if (this.#state === 'after' && code === QUOTE) {
      // The second of a pair stays in the field.
      this.#from = at;
      this.#state = 'quoted';
    } else if (code === this.#delimiter) {
      this.#endField(at);
    } else if (code === LF && followsCr && this.#isAtRowStart()) {
      this.#from = at + 1;
    } else if (code === LF || code === CR) {
      this.#line += 1;
      this.#lastWasCr = code === CR;
      this.#endRow(at);
    } else if (code === QUOTE && this.#state === 'start') {
      this.#from = at + 1;
      this.#state = 'quoted';
      this.#openedAt = this.#line;
    } else if (this.#state !== 'plain') {
      this.#from = at;
      this.#state = 'plain';
    }
  }

  #readQuoted(code: number, at: number, followsCr: boolean): void {
    if (code === QUOTE) {
      this.#take(at);
      this.#state = 'after';
    } else if (code === LF ? !followsCr : code === CR) this.#line += 1;
    if (code === CR) this.#lastWasCr = true;
  }

  #isAtRowStart(): boolean {
    return this.#state === 'start' && this.#row.length === 0 && this.#field === '';
  }

  /** Adds what was read of the current field, up to the character at this place. */
  #take(at: number): void {
    if (at > this.#from) this.#field += this.#text.slice(this.#from, at);
    this.#from = at + 1;
  }

  #endField(at: number): void {
    if (this.#field === '') this.#row.push(this.#takeField(this.#text, this.#from, at));
    else {
      this.#take(at);
      this.#row.push(this.#takeField(this.#field, 0, this.#field.length));
      this.#field = '';
    }
    this.#from = at + 1;
    this.#state = 'start';
  }

  #endRow(at: number): void {
    this.#endField(at);
    this.#onRow(this.#row, this.#rowLine);
    this.#row = [];
    this.#rowLine = this.#line;
  }
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
  how: { encoding: Encoding; delimiter: Delimiter; maxRows: number },
  pace: Pace,
): Promise<Table> {
  const builder: TableBuilder = createTableBuilder();
  const reader = new Scanner(how.delimiter, builder.wordIn, builder.add);
  for await (const { text, bytes } of decode(file, how.encoding)) {
    for (let from = 0; from < text.length; from += PIECE) {
      reader.push(text, from, Math.min(from + PIECE, text.length));
      if (builder.rowCount > how.maxRows)
        throw new FileProblem(
          t('The file has more than {rows, number} rows.', { rows: how.maxRows }),
        );
      await pace(bytes / file.size);
    }
  }
  reader.end();
  if (reader.unclosed !== undefined)
    throw new FileProblem(
      t('Row {row}: a quotation mark opens a field that is never closed.', {
        row: reader.unclosed,
      }),
    );
  return builder.finish();
}
