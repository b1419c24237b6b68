import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import {
  ABSENT,
  PasteRefused,
  type PastedTable,
  wordAt,
} from '../../../src/renderer/features/matrix/model/pasted-table.ts';

/** Rows of words; null where a row is shorter than others. */
const rowsOf = (table: PastedTable): (string | null)[][] =>
  Array.from({ length: table.rows }, (_, row) =>
    Array.from({ length: table.columns }, (_, column) =>
      table.fields[row * table.columns + column] === ABSENT ? null : wordAt(table, row, column),
    ),
  );

describe('a pasted text', () => {
  it.each<[string, string, (string | null)[][]]>([
    [
      'CR LF ends lines',
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a lone CR ends lines', 'a\rb\r', [['a'], ['b']]],
    ['LF ends lines', 'a\nb\n', [['a'], ['b']]],
    ['exactly one line end at the end is dropped', 'a\n\n', [['a'], ['']]],
    ['one line end alone is one empty field', '\n', [['']]],
    ['nothing is one empty field', '', [['']]],
    ['the empty first field stays', '\ta', [['', 'a']]],
    ['the empty last field stays', 'a\t', [['a', '']]],
    ['the empty first line stays', '\na', [[''], ['a']]],
    [
      'quoted fields hold tabs, line ends and doubled quotes',
      '"a\tb\nc ""d"""\te',
      [['a\tb\nc "d"', 'e']],
    ],
    [
      'a quoted empty field',
      '""\tx\n""',
      [['', 'x'], ['']].map((row) => (row.length === 1 ? [...row, null] : row)),
    ],
    ['a quoted field of one quote', '""""\tx', [['"', 'x']]],
    ['a quote inside a field is only a quote', '5" rod\tx', [['5" rod', 'x']]],
    ['a quote that closes before the field ends is only a quote', '"5" rod\tx', [['"5" rod', 'x']]],
    [
      'an opening quote that never closes is text',
      '"abc\tx\ny\tz',
      [
        ['"abc', 'x'],
        ['y', 'z'],
      ],
    ],
    ['a byte order mark is dropped', '\uFEFFTRUE\tFALSE', [['TRUE', 'FALSE']]],
    ['NULs are dropped', 'TR\u0000UE\tNA\u0000', [['TRUE', 'NA']]],
    ['other control characters stay, for all to see', 'T\u0007\tx', [['T\u0007', 'x']]],
    ['non-breaking spaces stay in the word', '\u00A0TRUE\u00A0\tx', [['\u00A0TRUE\u00A0', 'x']]],
    [
      'short rows leave gaps, which are no empty fields',
      'a\tb\tc\nd\ne\t',
      [
        ['a', 'b', 'c'],
        ['d', null, null],
        ['e', '', null],
      ],
    ],
    ['commas are text beside tabs', 'a,b\tc', [['a,b', 'c']]],
    [
      'commas are text in lists of words',
      'yes, surely\nno, never',
      [['yes, surely'], ['no, never']],
    ],
  ])('%s', (_, text, rows) => {
    expect(rowsOf(readText(text))).toEqual(rows);
  });

  it.each<[string, string, string, (string | null)[][]]>([
    [
      'write.table with its defaults',
      'blank',
      '"r1" "r2"\n"i 1" TRUE FALSE\n"i2" NA TRUE\n',
      [
        ['r1', 'r2', null],
        ['i 1', 'TRUE', 'FALSE'],
        ['i2', 'NA', 'TRUE'],
      ],
    ],
    [
      'a printed matrix',
      'blank',
      '      r1    r2\ni1  TRUE FALSE\ni2    NA  TRUE',
      [
        ['r1', 'r2', null],
        ['i1', 'TRUE', 'FALSE'],
        ['i2', 'NA', 'TRUE'],
      ],
    ],
    ['outcomes in a line', 'blank', 'TRUE FALSE NA', [['TRUE', 'FALSE', 'NA']]],
    [
      'write.csv',
      'comma',
      '"","r1","r2"\n"i1",TRUE,FALSE\n"i,2",NA,TRUE\n',
      [
        ['', 'r1', 'r2'],
        ['i1', 'TRUE', 'FALSE'],
        ['i,2', 'NA', 'TRUE'],
      ],
    ],
    [
      'write.csv2',
      'semicolon',
      '"";"r1"\n"i1";TRUE\n"i2";NA\n',
      [
        ['', 'r1'],
        ['i1', 'TRUE'],
        ['i2', 'NA'],
      ],
    ],
    [
      'write.table with tabs',
      'tab',
      '"r1"\t"r2"\n"i1"\tTRUE\tFALSE\n',
      [
        ['r1', 'r2', null],
        ['i1', 'TRUE', 'FALSE'],
      ],
    ],
  ])('R: %s', (_, separator, text, rows) => {
    const table = readText(text);
    expect(table.separator).toBe(separator);
    expect(rowsOf(table)).toEqual(rows);
  });

  it('keeps each word once', () => {
    expect(readText('TRUE\tFALSE\nFALSE\tTRUE\n\tNA').words).toEqual(['', 'TRUE', 'FALSE', 'NA']);
  });

  it('refuses more fields than can be names and cells of one gesture', () => {
    expect(() => readText('T\t'.repeat(2_000_001))).toThrow(PasteRefused);
  });

  it('is read in a time that grows with its length, whatever the quotes', () => {
    const hostile = `"${'a\t""'.repeat(100_000)}\n${'"x\t'.repeat(100_000)}`;
    expect(readText(hostile).rows).toBeGreaterThan(0);
  });

  it('comes back as it was written with quotes', () => {
    const field = fc
      .oneof(fc.string(), fc.constantFrom('', 'TRUE', 'a\tb', 'a\nb', '"', 'x"y', '\r\n', ' '))
      .map((word) => word.replaceAll(/[\u0000\uFEFF]/g, ''));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }).chain((width) =>
          fc.array(fc.array(field, { minLength: width, maxLength: width }), {
            minLength: 1,
            maxLength: 5,
          }),
        ),
        (rows) => {
          const text = `${rows.map((row) => row.map((word) => `"${word.replaceAll('"', '""')}"`).join('\t')).join('\n')}\n`;
          // A lone column without a tab may be columns of commas or blanks only if it looks like
          // outcomes.
          fc.pre(text.includes('\t'));
          expect(rowsOf(readText(text))).toEqual(rows);
        },
      ),
    );
  });
});
