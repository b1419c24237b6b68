import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import {
  createDelimitedReader,
  DELIMITERS,
  type Delimiter,
  detectDelimiter,
  readDelimited,
} from '../../../src/renderer/files/delimited.ts';
import { delimitedField } from '../../../src/shared/lib/spreadsheet-text.ts';
import { detectEncoding } from '../../../src/renderer/files/encoding.ts';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { createTableBuilder, textAt } from '../../../src/renderer/files/table.ts';
import { NASTY_TEXTS } from '../../fixtures/names-that-spreadsheets-break.ts';

function read(text: string, delimiter: Delimiter = ',', cuts: readonly number[] = []): string[][] {
  const rows: string[][] = [];
  const reader = createDelimitedReader(delimiter, (fields) => rows.push([...fields]));
  let from = 0;
  for (const cut of [
    ...cuts.filter((at) => at < text.length).toSorted((a, b) => a - b),
    text.length,
  ]) {
    reader.push(text.slice(from, cut));
    from = cut;
  }
  reader.end();
  return rows;
}
const field = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS, ''),
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\t', ';', '\n', '\r', ' ', "'", '=') }),
);
const tables = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

describe('reading delimited text', () => {
  it.each<[string, string, string[][]]>([
    [
      'line ends of three kinds',
      'a,b\r\nc,d\re,f\ng,h',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
        ['g', 'h'],
      ],
    ],
    ['one line end at the end', 'a,b\n', [['a', 'b']]],
    ['empty first and last fields', ',b,\n', [['', 'b', '']]],
    [
      'quoted delimiters, line ends and quotes',
      '"a,""b""","c\nd"\r\ne,f',
      [
        ['a,"b"', 'c\nd'],
        ['e', 'f'],
      ],
    ],
    ['a quote within a plain field', 'a "b" c,d', [['a "b" c', 'd']]],
    ['an empty line between', 'a,b\n\nc,d', [['a', 'b'], [''], ['c', 'd']]],
    ['text after a closed quote', '"a"b,c', [['ab', 'c']]],
    ['a quoted empty field alone', '""', [['']]],
  ])('%s', (_, text, rows) => expect(read(text)).toEqual(rows));

  it('gives back what was written, wherever the text is cut into pieces', () => {
    fc.assert(
      fc.property(
        tables,
        fc.constantFrom(...DELIMITERS),
        fc.array(fc.nat(200), { maxLength: 8 }),
        (rows, delimiter, cuts) => {
          const text = rows.map((row) => row.map(delimitedField).join(delimiter)).join('\r\n');
          expect(read(`${text}\r\n`, delimiter, cuts)).toEqual(rows);
        },
      ),
    );
  });

  it('agrees with Papa Parse on what Papa Parse writes', () => {
    fc.assert(
      fc.property(tables, (rows) => {
        const text = Papa.unparse(rows, { newline: '\r\n' });
        expect(read(text)).toEqual(Papa.parse(text, { newline: '\r\n', delimiter: ',' }).data);
      }),
    );
  });

  it('numbers rows by the line they start on, with line ends inside fields counted', async () => {
    const table = await readDelimited(
      new Blob(['h\n"a\r\nb"\n\nlast']),
      { encoding: 'utf-8', delimiter: ',', maxRows: 10 },
      createPace(),
    );
    expect(table.lines).toEqual([1, 2, 5]);
    expect(textAt(table, 1, 0)).toBe('a\r\nb');
  });

  it('names the row of a quotation mark that is never closed', async () => {
    await expect(
      readDelimited(
        new Blob(['a,b\nc,"d\n']),
        { encoding: 'utf-8', delimiter: ',', maxRows: 10 },
        createPace(),
      ),
    ).rejects.toThrow('Row 2: a quotation mark');
  });

  it('refuses more rows than asked for', async () => {
    await expect(
      readDelimited(
        new Blob(['a\nb\nc\n']),
        { encoding: 'utf-8', delimiter: ',', maxRows: 2 },
        createPace(),
      ),
    ).rejects.toThrow('more than 2 rows');
  });

  it.each([
    ['"' + 'a,\n'.repeat(400_000), 'Row 1: a field has more than 1,000,000 characters'],
    [`a\n${','.repeat(20_000)}`, 'Row 2 has more than 16,384 columns'],
  ])('refuses what no table holds, before it fills the memory', async (text, message) => {
    await expect(
      readDelimited(
        new Blob([text]),
        { encoding: 'utf-8', delimiter: ',', maxRows: 10 },
        createPace(),
      ),
    ).rejects.toThrow(message);
  });

  it('refuses more fields than can be kept, however small the file', () => {
    const builder = createTableBuilder();
    const row = Array.from({ length: 16_384 }, () => builder.word('x'));
    expect(() => {
      for (let line = 1; line <= 4_000; line += 1) builder.add(row, line);
    }).toThrow('more than 60,000,000 fields');
  });

  it('tells the delimiter by how evenly it cuts', async () => {
    const of = (text: string): Promise<Delimiter> => detectDelimiter(new Blob([text]), 'utf-8');
    expect(await of('a;b;c\n1,5;2,5;3,5\n2,5;;\n')).toBe(';');
    expect(await of('a\tb\n"x, y"\tz\n')).toBe('\t');
    expect(await of('a,b\n1,2\n')).toBe(',');
    expect(await of('one column\nonly\n')).toBe(',');
  });
});

describe('encodings', () => {
  const utf16 = (text: string, mark: boolean, big = false): Blob => {
    const bytes = [...(mark ? '\ufeff' : ''), ...text]
      .join('')
      .split('')
      .flatMap((sign) =>
        big
          ? [sign.charCodeAt(0) >> 8, sign.charCodeAt(0) & 255]
          : [sign.charCodeAt(0) & 255, sign.charCodeAt(0) >> 8],
      );
    return new Blob([new Uint8Array(bytes)]);
  };
  it('are told by byte order mark, zero bytes and validity', async () => {
    expect(await detectEncoding(new Blob(['plain']))).toBe('utf-8');
    expect(await detectEncoding(new Blob(['\ufeffβ']))).toBe('utf-8');
    expect(await detectEncoding(utf16('item_uid', true))).toBe('utf-16le');
    expect(await detectEncoding(utf16('item_uid', true, true))).toBe('utf-16be');
    expect(await detectEncoding(utf16('item_uid', false))).toBe('utf-16le');
    expect(await detectEncoding(new Blob([new Uint8Array([0x63, 0x61, 0x66, 0xe9])]))).toBe(
      'windows-1252',
    );
  });
  it.each(['utf-16le', 'utf-8'] as const)(
    '%s: the byte order mark is no part of the first field',
    async (encoding) => {
      const file =
        encoding === 'utf-8' ? new Blob(['\ufeffitem_uid\n']) : utf16('item_uid\n', true);
      expect(
        textAt(
          await readDelimited(file, { encoding, delimiter: ',', maxRows: 9 }, createPace()),
          0,
          0,
        ),
      ).toBe('item_uid');
    },
  );
});
