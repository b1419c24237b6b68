import VCFParser, { type InfoValue, type MetaMap, type Variant } from '@gmod/vcf';
import { linesOf } from './lines.ts';
import type { Pace } from './pace.ts';
import { createTableBuilder, FileProblem, type Table, type TableBuilder } from './table.ts';
import { t } from '../text/t.ts';

/** A field of a record's INFO, or of each sample. */
export interface VcfField {
  id: string;
  description: string;
}

export interface VcfHeader {
  isPacked: boolean;
  samples: readonly string[];
  infos: readonly VcfField[];
  formats: readonly VcfField[];
  parser: VCFParser;
}

/** Which records of a file become rows, and with which fields. */
export interface VcfChoice {
  infos: readonly string[];
  formats: readonly string[];
  /** Only records whose FILTER is PASS, or that were not filtered. */
  onlyPassed: boolean;
  /** `chr7`, `chr7:1000-2000`, several with commas between; empty: everywhere. */
  region: string;
}

export const VCF_START = '##fileformat=VCF';
const MOST_HEADER_LINES = 100_000;
/** Fields of samples that become columns. */
export const MOST_SAMPLE_COLUMNS = 500;
const FIXED = ['CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER'] as const;
/** Columns before the chosen fields: the made ID and the fixed ones. */
export const FIXED_COLUMNS = 1 + FIXED.length;

/**
 * Lines that say something of INFO and FORMAT. The parser keeps what a line says under the line's
 * own name: one called `__proto__` must not come near it.
 */
const FIELD_LINE = /^##(INFO|FORMAT)=<(?=.*\bID=([A-Za-z_][\w.]*)[,>])/;

/** Reads the header. Values stay as they are written: the parser is told that all are text. */
export async function openVcf(file: Blob, isPacked: boolean): Promise<VcfHeader> {
  const header: string[] = [];
  let heading: string | undefined;
  for await (const { lines } of linesOf(file, isPacked)) {
    for (const line of lines) {
      if (!line.startsWith('#')) break;
      if (line.startsWith('##')) header.push(line);
      else heading = line;
      if (heading !== undefined) break;
    }
    if (heading !== undefined || lines.some((line) => line !== '' && !line.startsWith('#'))) break;
    if (header.length > MOST_HEADER_LINES) break;
  }
  if (heading === undefined)
    throw new FileProblem(t('The VCF file has no line of headings (#CHROM, POS, ID …).'));
  const fields = { INFO: [] as VcfField[], FORMAT: [] as VcfField[] };
  const kept = [VCF_START];
  for (const line of header) {
    const [, kind, id] = FIELD_LINE.exec(line) ?? [];
    if (id === undefined || id === '__proto__' || (kind !== 'INFO' && kind !== 'FORMAT')) continue;
    kept.push(line);
    const [, description = ''] = /Description="((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
    if (!fields[kind].some((field) => field.id === id)) fields[kind].push({ id, description });
  }
  const parser = parserOf([...kept, heading].join('\n'));
  return {
    ...{ isPacked, parser, infos: fields.INFO, formats: fields.FORMAT },
    samples: parser.samples,
  };
}

function parserOf(header: string): VCFParser {
  let parser: VCFParser;
  try {
    parser = new VCFParser({ header, strict: false });
  } catch {
    throw new FileProblem(t('The header of the VCF file cannot be read.'));
  }
  for (const section of ['INFO', 'FORMAT'] as const) {
    const known = parser.getMetadata(section) as MetaMap;
    for (const id of Object.keys(known))
      if (known[id]!['Type'] !== 'Flag') known[id] = { ...known[id], Type: 'String' };
  }
  return parser;
}

type Region = { chrom: string; from: number; to: number };

export function readRegions(text: string): Region[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const [, chrom, from, to] = /^([^:]+)(?::([\d.]+)(?:-([\d.]+))?)?$/.exec(part) ?? [];
      const bound = (digits: string | undefined, otherwise: number): number =>
        digits === undefined ? otherwise : Number(digits.replaceAll('.', ''));
      if (chrom === undefined)
        throw new FileProblem(t('A region is a chromosome, or one with places: chr7:1000-2000.'));
      return {
        chrom,
        from: bound(from, 1),
        to: bound(to, from === undefined ? Infinity : bound(from, 1)),
      };
    });
}

const plainChrom = (chrom: string): string => chrom.replace(/^chr/i, '');

/** Whether the record of a line is asked for, looking at no more of it than is needed. */
function taker({ onlyPassed, region }: VcfChoice): (fixed: readonly string[]) => boolean {
  const regions = readRegions(region);
  return ([chrom = '', pos = '', , , , , filter = '']) => {
    if (onlyPassed && filter !== 'PASS' && filter !== '.') return false;
    if (regions.length === 0) return true;
    const at = Number(pos);
    return regions.some(
      (known) =>
        plainChrom(known.chrom) === plainChrom(chrom) && at >= known.from && at <= known.to,
    );
  };
}

const EXTRA = { A: 0, R: 1 } as const;

/** What a list of values says of one alternate allele, by the Number of its field. */
function ofAllele(
  values: readonly string[],
  number: unknown,
  allele: number,
  alleles: number,
): string {
  const extra = number === 'A' || number === 'R' ? EXTRA[number] : undefined;
  const shown =
    extra === undefined || values.length !== alleles + extra
      ? values
      : [...values.slice(0, extra), values[allele + extra]!];
  const text = shown.join(',');
  return text === '.' ? '' : text;
}

const infoTexts = (value: InfoValue): string[] =>
  value === true ? ['yes'] : value.map((part) => (part === undefined ? '.' : String(part)));

/** Adds a row for each alternate allele of a record. */
class RecordReader {
  readonly #header: VcfHeader;
  readonly #choice: VcfChoice;
  readonly #builder: TableBuilder;

  constructor(header: VcfHeader, choice: VcfChoice, builder: TableBuilder) {
    this.#header = header;
    this.#choice = choice;
    this.#builder = builder;
  }

  add(text: string, fixed: readonly string[], line: number): void {
    const { parser } = this.#header;
    const { infos, formats } = this.#choice;
    const variant = parser.parseLine(text);
    const [chrom = '', pos = '', id = '', ref = '', alt = '', qual = '', filter = ''] = fixed;
    const alleles = alt.split(',');
    const samples = formats.length === 0 ? [] : this.#sampleTexts(variant);
    for (const [index, allele] of alleles.entries()) {
      const held = (value: InfoValue | undefined, info: string): string =>
        value === undefined
          ? ''
          : ofAllele(
              infoTexts(value),
              parser.getMetadata('INFO', info, 'Number'),
              index,
              alleles.length,
            );
      const row = [
        ...[`${chrom}-${pos}-${ref}-${allele}`, chrom, pos, id, ref, allele, qual, filter].map(
          (field) => (field === '.' ? '' : field),
        ),
        ...infos.map((info) =>
          held(Object.hasOwn(variant.INFO, info) ? variant.INFO[info] : undefined, info),
        ),
        ...samples.map(({ format, value }) =>
          value === ''
            ? ''
            : ofAllele(
                value.split(','),
                parser.getMetadata('FORMAT', format, 'Number'),
                index,
                alleles.length,
              ),
        ),
      ];
      this.#builder.add(
        row.map((field) => this.#builder.word(field)),
        line,
      );
    }
  }

  #sampleTexts(variant: Variant): { format: string; value: string }[] {
    const { formats } = this.#choice;
    const texts: { format: string; value: string }[] = this.#header.samples.flatMap(() =>
      formats.map((format) => ({ format, value: '' })),
    );
    variant.processFormatFields([...formats], (line, ranges, sample) => {
      for (const [at] of formats.entries())
        if (ranges[2 * at]! >= 0)
          texts[sample * formats.length + at]!.value = line.slice(
            ranges[2 * at],
            ranges[2 * at + 1],
          );
    });
    return texts;
  }
}

/** The headings of the table, and what each column is called in the file. */
function columnsOf({ samples }: VcfHeader, { infos, formats }: VcfChoice) {
  const ofSamples = samples.flatMap((sample) =>
    formats.map((format) => ({
      heading: samples.length === 1 ? format : `${format} ${sample}`,
      place: `${format} of sample ${sample}`,
    })),
  );
  return {
    headings: ['item_uid', ...FIXED, ...infos, ...ofSamples.map(({ heading }) => heading)],
    places: [
      'CHROM, POS, REF and ALT',
      ...FIXED,
      ...infos.map((info) => `INFO ${info}`),
      ...ofSamples.map(({ place }) => place),
    ],
  };
}

/**
 * The records asked for as a table with a row for each alternate allele. `line` of a row is that of
 * its record in the file.
 */
export async function readVcf(
  file: Blob,
  header: VcfHeader,
  choice: VcfChoice,
  maxRows: number,
  pace: Pace,
): Promise<Table & { skipped: number }> {
  if (choice.formats.length * header.samples.length > MOST_SAMPLE_COLUMNS)
    throw new FileProblem(
      t('The file has {samples, number} samples: so many fields of samples cannot be columns.', {
        samples: header.samples.length,
      }),
    );
  const isAsked = taker(choice);
  const builder = createTableBuilder();
  const { headings, places } = columnsOf(header, choice);
  builder.add(
    headings.map((heading) => builder.word(heading)),
    0,
  );
  const reader = new RecordReader(header, choice, builder);
  let skipped = 0;
  for await (const { lines, first, done } of linesOf(file, header.isPacked)) {
    for (const [at, line] of lines.entries()) {
      if (line === '' || line.startsWith('#')) continue;
      const fixed = line.split('\t', 8);
      if (fixed.length < 8)
        throw new FileProblem(
          t('Line {line}: a record has {columns} of its 8 columns. The file is damaged.', {
            line: first + at,
            columns: fixed.length,
          }),
        );
      if (isAsked(fixed)) reader.add(line, fixed, first + at);
      else skipped += 1;
      if (builder.rowCount > maxRows)
        throw new FileProblem(
          t(
            'More than {most, number} records are asked for. Take those that passed, or a region.',
            { most: maxRows },
          ),
        );
      if (at % 200 === 0) await pace(done);
    }
    await pace(done);
  }
  return { ...builder.finish(), places, skipped };
}
