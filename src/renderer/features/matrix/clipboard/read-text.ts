import { readOutcomeWord } from '../../../../shared/domain/outcome-words.ts';
import {
  ABSENT,
  createTableBuilder,
  type Separator,
  type PastedTable,
} from '../model/pasted-table.ts';

const QUOTE = 34;
const LF = 10;
const CR = 13;
const SIGN: Record<Exclude<Separator, 'blank' | 'cells'>, string> = {
  tab: '\t',
  comma: ',',
  semicolon: ';',
};

/**
 * Fields between separators. Files have a reader of their own, which reads in slices and
 * refuses an open quotation mark; here that is text like other text. A quoted field may hold
 * separators, line ends and doubled quotes; a quote that never closes before a separator or line
 * end is text. Lines end with CR LF, LF or CR, and exactly one line end at the end of all is
 * dropped.
 */
function readSeparated(text: string, separator: keyof typeof SIGN): PastedTable {
  const sign = SIGN[separator].charCodeAt(0);
  const builder = createTableBuilder();
  const { length } = text;
  const isEnd = (at: number): boolean => {
    if (at >= length) return true;
    const code = text.charCodeAt(at);
    return code === sign || code === LF || code === CR;
  };
  let at = 0;
  for (;;) {
    let end = at;
    let isQuoted = false;
    if (text.charCodeAt(at) === QUOTE) {
      end = text.indexOf('"', at + 1);
      while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) end = text.indexOf('"', end + 2);
      isQuoted = end !== -1 && isEnd(end + 1);
    }
    if (isQuoted) {
      builder.add(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
    } else {
      end = at;
      while (!isEnd(end)) end += 1;
      builder.add(text.slice(at, end));
      at = end;
    }
    if (at < length && text.charCodeAt(at) === sign) {
      at += 1;
      continue;
    }
    builder.endRow();
    at += text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
    if (at >= length) return builder.build(separator);
  }
}

/**
 * Columns padded with blanks, as R prints a matrix, or with one blank, as its `write.table` does.
 */
function readBlanks(text: string): PastedTable {
  const builder = createTableBuilder();
  for (const line of text.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/)) {
    for (const [field, quoted] of line.matchAll(/"((?:[^"]|"")*)"(?= |$)|[^ ]+/g))
      builder.add(quoted === undefined ? field : quoted.replaceAll('""', '"'));
    builder.endRow();
  }
  return builder.build('blank');
}

/** A sample large enough to tell, small enough to cost nothing. */
const SAMPLE = 20_000;

/**
 * All rows equally long (the first may lack the corner, as R writes it), and most fields beside
 * names are outcomes.
 */
function looksLikeMatrix({ rows, columns, fields, words }: PastedTable): boolean {
  if (columns < 2) return false;
  let [known, filled] = [0, 0];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const word = fields[row * columns + column];
      if (word === ABSENT && !(row === 0 && column === columns - 1 && rows > 1)) return false;
      if (
        column === 0 ||
        (row === 0 && rows > 1) ||
        word === 0 ||
        word === undefined ||
        word === ABSENT
      )
        continue;
      filled += 1;
      if (readOutcomeWord(words[word] ?? '') !== undefined) known += 1;
    }
  }
  return known > 0 && known * 2 >= filled;
}

/** The block that a clipboard's plain text holds. */
export function readText(raw: string): PastedTable {
  const text = (raw.startsWith('\uFEFF') ? raw.slice(1) : raw).replaceAll('\u0000', '');
  if (text.includes('\t') || !/[,; ]/.test(text)) return readSeparated(text, 'tab');
  const sampled =
    text.length <= SAMPLE
      ? text
      : text.slice(0, Math.max(text.lastIndexOf('\n', SAMPLE), text.lastIndexOf('\r', SAMPLE)) + 1);
  for (const [mark, read] of [
    [';', (part) => readSeparated(part, 'semicolon')],
    [',', (part) => readSeparated(part, 'comma')],
    [' ', readBlanks],
  ] as [string, (part: string) => PastedTable][]) {
    if (sampled.includes(mark) && looksLikeMatrix(read(sampled))) {
      const table = read(text);
      if (looksLikeMatrix(table)) return table;
    }
  }
  return readSeparated(text, 'tab');
}
