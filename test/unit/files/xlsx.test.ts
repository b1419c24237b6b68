import fc from 'fast-check';
import readOther from 'read-excel-file/universal';
import writeOther from 'write-excel-file/universal';
import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/renderer/files/pace.ts';
import type { Sheet } from '../../../src/renderer/files/sheet.ts';
import { type Table, wordAt } from '../../../src/renderer/files/table.ts';
import { joined, openWorkbook } from '../../../src/renderer/files/xlsx-parts.ts';
import {
  readSheet,
  serialToDate,
  type SheetRemarks,
} from '../../../src/renderer/files/xlsx-read.ts';
import { writeXlsx } from '../../../src/renderer/files/xlsx-write.ts';
import { createXmlScanner } from '../../../src/renderer/files/xml.ts';
import { createZip, readZipDirectory, unzip } from '../../../src/renderer/files/zip.ts';
import { NASTY_TEXTS } from '../../fixtures/names-that-spreadsheets-break.ts';

const pace = createPace();
async function read(file: Blob, index = 0): Promise<{ table: Table; remarks: SheetRemarks }> {
  const book = await openWorkbook(file, pace);
  return readSheet(book, book.sheets[index]!, 1_000, pace);
}
const words = (table: Table): string[][] =>
  table.rows.map((_, row) =>
    Array.from({ length: table.width }, (__, column) => wordAt(table, row, column).text),
  );
const sheetOf = (rows: readonly (readonly (string | number | null)[])[]): Sheet => ({
  name: 'Matrix',
  rowCount: rows.length,
  frozenColumns: 1,
  columns: Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, index) => ({
    header: `c${index}`,
    cells: rows.map((row) => row[index] ?? null),
  })),
});

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
/** A workbook as another program might write it. */
function handWritten(
  sheet: string,
  more: { book?: string; styles?: string; texts?: string; sheets?: string } = {},
): Promise<Blob> {
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  return createZip(
    [
      {
        name: 'xl/workbook.xml',
        content: [
          '<?xml version="1.0"?>' +
            `<x:workbook xmlns:x="a" xmlns:r="b">${more.book ?? ''}<x:sheets>` +
            `${more.sheets ?? '<x:sheet name="A &amp; B" sheetId="1" r:id="r1"/>'}` +
            '</x:sheets></x:workbook>',
        ],
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: [
          `<Relationships>${relation('r1', 'worksheet', '/xl/worksheets/s.xml')}` +
            `${relation('r2', 'styles', 'styles.xml')}` +
            `${relation('r3', 'sharedStrings', 'texts.xml')}</Relationships>`,
        ],
      },
      { name: 'xl/worksheets/s.xml', content: [sheet] },
      { name: 'xl/styles.xml', content: [`<styleSheet>${more.styles ?? ''}</styleSheet>`] },
      { name: 'xl/texts.xml', content: [`<sst>${more.texts ?? ''}</sst>`] },
    ],
    '',
  );
}

describe('workbooks', () => {
  it('give back every text byte for byte', async () => {
    const rows = NASTY_TEXTS.map((text) => [text, 'x', text]);
    const { table } = await read(await writeXlsx([sheetOf(rows)], pace));
    expect(words(table).slice(1)).toEqual(rows);
    expect(table.words.every((word) => word.kind === 'text')).toBe(true);
  });
  it('give back any table of texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(
            fc.string({ unit: 'binary' }).filter((text) => text !== ''),
            { minLength: 2, maxLength: 2 },
          ),
          { minLength: 1, maxLength: 4 },
        ),
        async (rows) => {
          expect(
            words((await read(await writeXlsx([sheetOf(rows)], pace))).table).slice(1),
          ).toEqual(rows);
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
  it('are read alike by another library', async () => {
    const rows = [
      ['SEPT2', '00123'],
      ['2310009E13', '=1+1'],
      ['日本語', 'two\nlines'],
      ['1E5', '_x0041_'],
      [' a ', '12345678901234567890'],
    ];
    const [sheet] = await readOther(await (await writeXlsx([sheetOf(rows)], pace)).arrayBuffer(), {
      trim: false,
    });
    expect(sheet?.data.slice(1)).toEqual(rows);
  });
  it('of another library are read', async () => {
    const data = [
      ['SEPT2', 1.1, true],
      ['x ', 1e21, false],
      ['β & <y>', new Date('2002-09-02T00:00:00Z'), null],
    ];
    const { table } = await read(
      await writeOther([{ sheet: 'One', data, dateFormat: 'dd/mm/yyyy' }]).toBlob(),
    );
    expect(words(table)).toEqual([
      ['SEPT2', '1.1', 'TRUE'],
      ['x ', '1e+21', 'FALSE'],
      ['β & <y>', '2002-09-02', ''],
    ]);
    expect(wordAt(table, 2, 1).kind).toBe('date');
    expect(wordAt(table, 0, 2).kind).toBe('boolean');
  });
});

describe('what other programs write', () => {
  it('prefixes, gaps, shared, rich and phonetic text, formulas, errors, merged cells', async () => {
    const { table, remarks } = await read(
      await handWritten(
        `<?xml version="1.0"?><!-- a > b --><x:worksheet ${MAIN}><x:sheetData>
      <x:row r="2"><x:c r="B2" t="s"><x:v>0</x:v></x:c><x:c
        r="D2" t = "str"><x:f>A1&gt;"b"</x:f><x:v>sum</x:v></x:c></x:row>
      <x:row><x:c t="e"><x:v>#N/A</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c><x:c><x:f>1+1</x:f></x:c>
        <x:c t="inlineStr"><x:is><x:r><x:t>in</x:t></x:r><x:r><x:t>line</x:t></x:r></x:is></x:c></x:row>
      </x:sheetData><x:mergeCells><x:mergeCell ref="A1:B1"/></x:mergeCells></x:worksheet>`,
        {
          texts:
            '<si><r><t>ri</t></r><r><t xml:space="preserve">ch </t></r><rPh><t>no</t></rPh></si>',
        },
      ),
    );
    expect(table.lines).toEqual([2, 3]);
    expect(words(table)).toEqual([
      ['', 'rich ', '', 'sum'],
      ['#N/A', 'TRUE', '', 'inline'],
    ]);
    expect(remarks).toEqual({
      formulas: 2,
      firstFormula: 'D2',
      withoutValue: 1,
      merged: 1,
      firstMerged: 'A1:B1',
    });
  });
  it('dates by number format, numbers in the form people typed', async () => {
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="d\\-mmm"/>' +
      '<numFmt numFmtId="165" formatCode="0.00&quot;days&quot;"/>' +
      '<numFmt numFmtId="166" formatCode="[Red]0"/></numFmts><cellStyleXfs>' +
      '<xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/>' +
      '<xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="14"/></cellXfs>';
    const { table } = await read(
      await handWritten(
        '<worksheet><sheetData><row><c s="1"><v>37501</v></c><c s="2">' +
          '<v>1.1000000000000001</v></c><c s="3"><v>42615</v></c><c s="4"><v>37501.5</v></c><c>' +
          '<v>2.3100000000000001E+19</v></c></row></sheetData></worksheet>',
        { styles },
      ),
    );
    expect(table.rows[0]?.length).toBe(5);
    expect([0, 1, 2, 3, 4].map((column) => wordAt(table, 0, column))).toEqual([
      { text: '2002-09-02', kind: 'date' },
      { text: '1.1', kind: 'number' },
      { text: '42615', kind: 'number' },
      { text: '2002-09-02 12:00:00', kind: 'date' },
      { text: '23100000000000000000', kind: 'number' },
    ]);
  });
  it('day numbers of both calendars', () => {
    expect([1, 59, 61, 42_615].map((serial) => serialToDate(serial, false))).toEqual([
      '1900-01-01',
      '1900-02-28',
      '1900-03-01',
      '2016-09-02',
    ]);
    expect(serialToDate(41_153, true)).toBe('2016-09-02');
  });
  it('five entities and no others', async () => {
    const { table } = await read(
      await handWritten(
        '<worksheet><sheetData><row><c t="str">' +
          '<v>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;&constructor;&nbsp;&#x110000;</v></c></row>' +
          '</sheetData></worksheet>',
      ),
    );
    expect(words(table)).toEqual([['<&>"\'AB&constructor;&nbsp;&#x110000;']]);
  });
  it('hidden sheets are told', async () => {
    const book = await openWorkbook(
      await handWritten('<worksheet/>', {
        sheets: '<sheet name="A" state="veryHidden" r:id="r1"/><sheet name="B" r:id="r1"/>',
      }),
      pace,
    );
    expect(book.sheets.map(({ name, isHidden }) => [name, isHidden])).toEqual([
      ['A', true],
      ['B', false],
    ]);
  });
});

describe('files that are refused', () => {
  it.each<[string, () => Promise<Blob>, string]>([
    [
      'an old or encrypted workbook',
      async () => new Blob([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0])]),
      '.xls file of an old Excel',
    ],
    ['no archive', async () => new Blob(['item_uid,label\n']), 'list of parts'],
    [
      'another archive',
      () => createZip([{ name: 'a.txt', content: ['x'] }], ''),
      'no .xlsx workbook',
    ],
    [
      'a document type',
      () => handWritten('<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'),
      'document type',
    ],
    [
      'a text that is not there',
      () =>
        handWritten(
          '<worksheet><sheetData><row><c r="A1" t="s"><v>7</v></c></row></sheetData></worksheet>',
        ),
      'cell A1 names a text',
    ],
  ])('%s', async (_, file, message) => {
    const given = await file();
    await expect(read(given)).rejects.toThrow(message);
  });
  it('a part that unpacks to more than allowed, whatever it says of its size', async () => {
    const bomb = await createZip(
      [{ name: 'a', content: Array.from({ length: 40 }, () => '0'.repeat(100_000)) }],
      '',
    );
    expect(bomb.size).toBeLessThan(20_000);
    const entry = (await readZipDirectory(bomb)).get('a')!;
    await expect(async () => {
      for await (const _ of unzip(bomb, { ...entry, size: 10 }, 1_000_000));
    }).rejects.toThrow('unpacks to more than 1 MB');
  });
  it('a column beyond the last', async () => {
    const given = await handWritten(
      '<worksheet><sheetData><row r="3"><c r="XFE3"><v>1</v></c></row></sheetData></worksheet>',
    );
    await expect(read(given)).rejects.toThrow('Row 3 has more than 16,384 columns');
  });
  it.each(['<c ', '<!-- ', '<![CDATA[', '<c a="'])('%j that does not end', (start) => {
    const scanner = createXmlScanner({
      open: () => undefined,
      close: () => undefined,
      text: () => undefined,
    });
    scanner.push(start);
    expect(() => {
      for (let piece = 0; piece < 40; piece += 1) scanner.push('a'.repeat(64 * 1024));
    }).toThrow('a tag in it does not end');
  });
  it('a cell that never ends', () => {
    expect(joined(undefined, 'a')).toBe('a');
    expect(() => joined('a'.repeat(999_999), 'bb')).toThrow('more than 1,000,000 characters');
  });
  it('one that is cancelled', async () => {
    const stop = new AbortController();
    stop.abort();
    const rows = Array.from({ length: 20_000 }, (_, index) => [`item ${index}`, 'x']);
    await expect(writeXlsx([sheetOf(rows)], createPace(stop.signal))).rejects.toThrow();
  });
});
