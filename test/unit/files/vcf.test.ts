import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { type Table, textAt } from '../../../src/renderer/files/table.ts';
import { openVcf, readVcf, type VcfChoice } from '../../../src/renderer/files/vcf.ts';
import { blocksOf } from '../../support/bgzip.ts';

const HEADER = [
  '##fileformat=VCFv4.3',
  '##INFO=<ID=AF,Number=A,Type=Float,Description="Allele frequency, as \\"seen\\"">',
  '##INFO=<ID=AD,Number=R,Type=Integer,Description="Depth">',
  '##INFO=<ID=GENE,Number=.,Type=String,Description="Gene">',
  '##INFO=<ID=DB,Number=0,Type=Flag,Description="In dbSNP">',
  '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
  '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="Depth of alleles">',
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\tS2',
];
const RECORDS = [
  'chr7\t117559592\trs1\tCTT\tC\t50\tPASS\tAF=0.00010;AD=30,12;GENE=CFTR;DB\tGT:AD\t0/1:30,12\t0/0:9,0',
  'chr7\t117559600\t.\tA\tG,T\t.\tq10\tAF=1e-5,.;AD=9,2,1;GENE=CFTR%3BX\tGT\t1/2\t.',
  'X\t5\t.\tG\t<DEL>\t.\t.\t.\tGT\t./.\t0/1',
];
const ALL: VcfChoice = { infos: [], formats: [], onlyPassed: false, region: '' };
const text = [...HEADER, ...RECORDS, ''].join('\r\n');
const fileOf = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content]);

async function read(file: Blob, choice: Partial<VcfChoice>, isPacked = false) {
  const header = await openVcf(file, isPacked);
  return readVcf(file, header, { ...ALL, ...choice }, 1_000, createPace());
}
const rowsOf = (table: Table): string[][] =>
  table.rows.map((_, row) =>
    Array.from({ length: table.width }, (__, column) => textAt(table, row, column)),
  );

describe('a VCF file', () => {
  it('says what it holds', async () => {
    const { infos, formats, samples } = await openVcf(fileOf(text), false);
    expect([infos.map(({ id }) => id), formats.map(({ id }) => id), samples]).toEqual([
      ['AF', 'AD', 'GENE', 'DB'],
      ['GT', 'AD'],
      ['S1', 'S2'],
    ]);
  });

  it('is a row for each alternate allele, with values as they are written', async () => {
    const table = await read(fileOf(text), {
      infos: ['AF', 'AD', 'GENE', 'DB'],
      formats: ['GT', 'AD'],
    });
    expect(rowsOf(table)).toEqual([
      [
        ...['item_uid', 'CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER'],
        ...['AF', 'AD', 'GENE', 'DB', 'GT S1', 'AD S1', 'GT S2', 'AD S2'],
      ],
      [
        ...['chr7-117559592-CTT-C', 'chr7', '117559592', 'rs1', 'CTT', 'C', '50', 'PASS'],
        ...['0.00010', '30,12', 'CFTR', 'yes', '0/1', '30,12', '0/0', '9,0'],
      ],
      [
        ...['chr7-117559600-A-G', 'chr7', '117559600', '', 'A', 'G', '', 'q10'],
        ...['1e-5', '9,2', 'CFTR;X', '', '1/2', '', '', ''],
      ],
      [
        ...['chr7-117559600-A-T', 'chr7', '117559600', '', 'A', 'T', '', 'q10'],
        ...['', '9,1', 'CFTR;X', '', '1/2', '', '', ''],
      ],
      [
        ...['X-5-G-<DEL>', 'X', '5', '', 'G', '<DEL>', '', ''],
        ...['', '', '', '', './.', '', '0/1', ''],
      ],
    ]);
    expect([table.lines, table.places?.at(8), table.places?.at(-1)]).toEqual([
      [0, 9, 10, 10, 11],
      'INFO AF',
      'AD of sample S2',
    ]);
  });

  it('gives the records that are asked for, and counts the others', async () => {
    const ids = async (choice: Partial<VcfChoice>) => {
      const table = await read(fileOf(text), choice);
      return [
        rowsOf(table)
          .slice(1)
          .map(([id]) => id),
        table.skipped,
      ];
    };
    expect(await ids({ onlyPassed: true })).toEqual([['chr7-117559592-CTT-C', 'X-5-G-<DEL>'], 1]);
    expect(await ids({ region: '7:117559593-117559600, chrX' })).toEqual([
      ['chr7-117559600-A-G', 'chr7-117559600-A-T', 'X-5-G-<DEL>'],
      1,
    ]);
    await expect(ids({ region: 'chr7:a' })).rejects.toThrow('A region is a chromosome');
  });

  it.each([
    ['one stream', (content: string) => gzipSync(content)],
    ['blocks', (content: string) => blocksOf(content, 100)],
  ])('is the same when packed as %s', async (_, pack) => {
    const packed = fileOf(new Uint8Array(pack(text)));
    const choice = { infos: ['AF'], formats: ['GT'] };
    expect(rowsOf(await read(packed, choice, true))).toEqual(
      rowsOf(await read(fileOf(text), choice)),
    );
  });

  it('is refused in words where it is damaged', async () => {
    const packed = blocksOf(text, 100);
    await expect(read(fileOf(packed.slice(0, packed.length - 40)), {}, true)).rejects.toThrow(
      'The file is damaged',
    );
    await expect(
      read(fileOf(blocksOf(`${text}${'#'.repeat(70_000)}`, 80_000)), {}, true),
    ).rejects.toThrow('The file is damaged');
    await expect(openVcf(fileOf('##fileformat=VCFv4.2\nno headings'), false)).rejects.toThrow(
      'has no line of headings',
    );
    await expect(openVcf(fileOf('##fileformat=VCFv4.2\n#CHROM\tPOS\n'), false)).rejects.toThrow(
      'The header of the VCF file cannot be read.',
    );
    await expect(read(fileOf(`${HEADER.join('\n')}\nchr1\t1\n`), {})).rejects.toThrow(
      'Line 9: a record has 2 of its 8 columns.',
    );
  });

  it('reaches no object but its own, whatever its names are', async () => {
    const nasty = [
      '##fileformat=VCFv4.3',
      '##__proto__=<ID=polluted,Description="x">',
      '##constructor=<ID=prototype,Description="x">',
      '##INFO=<ID=__proto__,Number=1,Type=String,Description="x">',
      '##INFO=<ID=constructor,Number=1,Type=String,Description="x">',
      '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
      '1\t1\t.\tA\tC\t.\t.\t__proto__=1;toString=2;constructor=3',
      '1\t2\t.\tA\tC\t.\t.\tDP=1',
    ].join('\n');
    const table = await read(fileOf(nasty), { infos: ['constructor', 'toString'] });
    expect(rowsOf(table).map((row) => row.slice(8))).toEqual([
      ['constructor', 'toString'],
      ['3', '2'],
      ['', ''],
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('of more rows than are taken is refused before it is read to its end', async () => {
    const many = `${text}${`${RECORDS[0]!}\r\n`.repeat(2_000)}`;
    await expect(read(fileOf(many), {})).rejects.toThrow('Take those that passed, or a region.');
  });
});
