import type { Pace } from './pace.ts';
import {
  createTableBuilder,
  FileProblem,
  type FieldKind,
  LIMITS,
  type Table,
  tooWide,
} from './table.ts';
import { attribute, type XmlListener } from './xml.ts';
import { fromXlsxText } from './xlsx-text.ts';
import {
  joined,
  MAX_SHEET,
  readDateStyles,
  readTexts,
  scanPart,
  type SheetInfo,
  type Workbook,
} from './xlsx-parts.ts';
import { t } from '../text/t.ts';

export interface SheetRemarks {
  /** Cells whose value a formula gave when the file was last saved. */
  formulas: number;
  firstFormula: string | undefined;
  /** Formulas whose value was never stored: read as empty. */
  withoutValue: number;
  merged: number;
  firstMerged: string | undefined;
}

const DAY_MS = 86_400_000;

/**
 * A day number as an ISO date, with the time where it has one. The calendar of 1900 has a 29
 * February that never was.
 */
export function serialToDate(serial: number, epoch1904: boolean): string {
  const days = epoch1904 ? serial + 1_462 : serial < 61 ? serial + 1 : serial;
  const date = new Date(Math.round(((days - 25_569) * DAY_MS) / 1_000) * 1_000);
  if (Number.isNaN(date.getTime())) return String(serial);
  const iso = date.toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}

/** As many digits as the number needs: spreadsheets write 1.1 as 1.1000000000000001. */
function numberText(raw: string): string {
  const number = Number(raw);
  return Number.isFinite(number) && raw.trim() !== '' ? String(number) : raw;
}

function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const code = reference.charCodeAt(at);
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}

interface OpenCell {
  reference: string;
  type: string;
  style: string | undefined;
  hasFormula: boolean;
  value: string | undefined;
}

/**
 * The fields of one sheet as they are stored: texts as they are, numbers in their shortest form,
 * dates as dates.
 */
export async function readSheet(
  book: Workbook,
  sheet: SheetInfo,
  maxRows: number,
  pace: Pace,
): Promise<{ table: Table; remarks: SheetRemarks }> {
  const reader = new SheetReader(
    await readTexts(book, pace),
    await readDateStyles(book, pace),
    book.epoch1904,
    maxRows,
  );
  await scanPart(book.file, sheet.entry, MAX_SHEET, reader, pace);
  return { table: reader.builder.finish(), remarks: reader.remarks };
}

/** Builds the table from the elements of a sheet as they come. */
class SheetReader implements XmlListener {
  readonly builder = createTableBuilder();
  readonly remarks: SheetRemarks = {
    formulas: 0,
    firstFormula: undefined,
    withoutValue: 0,
    merged: 0,
    firstMerged: undefined,
  };
  readonly #texts: readonly string[];
  readonly #dateStyles: readonly boolean[];
  readonly #epoch1904: boolean;
  readonly #maxRows: number;
  #row: number[] = [];
  #line = 0;
  #column = -1;
  #cell: OpenCell | undefined;
  #collects = false;
  /** Within a reading of East Asian signs, which is no part of the text. */
  #isReading = false;

  constructor(
    texts: readonly string[],
    dateStyles: readonly boolean[],
    epoch1904: boolean,
    maxRows: number,
  ) {
    this.#texts = texts;
    this.#dateStyles = dateStyles;
    this.#epoch1904 = epoch1904;
    this.#maxRows = maxRows;
  }

  open(name: string, attributes: string): void {
    switch (name) {
      case 'row':
        this.#line = Number(attribute(attributes, 'r') ?? this.#line + 1);
        this.#row = [];
        this.#column = -1;
        return;
      case 'c':
        this.#openCell(attributes);
        return;
      case 'v':
      case 't':
        this.#collects = this.#cell !== undefined && !this.#isReading;
        if (this.#collects && this.#cell !== undefined) this.#cell.value ??= '';
        return;
      case 'f':
        if (this.#cell !== undefined) this.#cell.hasFormula = true;
        return;
      case 'rPh':
        this.#isReading = true;
        return;
      case 'mergeCell':
        this.remarks.merged += 1;
        this.remarks.firstMerged ??= attribute(attributes, 'ref');
        return;
      default:
    }
  }

  text(piece: string): void {
    if (this.#collects && this.#cell !== undefined)
      this.#cell.value = joined(this.#cell.value, piece);
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#collects = false;
    else if (name === 'rPh') this.#isReading = false;
    else if (name === 'c' && this.#cell !== undefined) {
      this.#closeCell(this.#cell);
      this.#cell = undefined;
    } else if (name === 'row') {
      this.builder.add(this.#row, this.#line);
      if (this.builder.rowCount > this.#maxRows)
        throw new FileProblem(
          t('The sheet has more than {rows, number} rows.', { rows: this.#maxRows }),
        );
    }
  }

  #openCell(attributes: string): void {
    const reference = attribute(attributes, 'r');
    this.#column = reference === undefined ? this.#column + 1 : columnOf(reference);
    if (this.#column >= LIMITS.columns) throw tooWide(this.#line);
    this.#cell = {
      reference: reference ?? '',
      type: attribute(attributes, 't') ?? 'n',
      style: attribute(attributes, 's'),
      hasFormula: false,
      value: undefined,
    };
  }

  #closeCell(cell: OpenCell): void {
    if (cell.hasFormula) {
      this.remarks.formulas += 1;
      this.remarks.firstFormula ??= cell.reference;
      if (cell.value === undefined && cell.type !== 'str') this.remarks.withoutValue += 1;
    }
    if (cell.value === undefined || (cell.value === '' && cell.type !== 's')) return;
    const [text, kind] = this.#valueOf(cell);
    while (this.#row.length < this.#column) this.#row.push(0);
    this.#row[this.#column] = this.builder.word(text, text === '' ? 'text' : kind);
  }

  #valueOf({ reference, type, style, value = '' }: OpenCell): [string, FieldKind] {
    switch (type) {
      case 's': {
        const text = this.#texts[Number(value)];
        if (text === undefined)
          throw new FileProblem(
            t('The file is damaged: cell {reference} names a text that is not there.', {
              reference,
            }),
          );
        return [text, 'text'];
      }
      case 'inlineStr':
      case 'str':
        return [fromXlsxText(value), 'text'];
      case 'b':
        return [value === '1' || value === 'true' ? 'TRUE' : 'FALSE', 'boolean'];
      case 'e':
        return [value, 'error'];
      case 'd':
        return [value, 'date'];
      default:
        return this.#dateStyles[Number(style ?? 0)] === true
          ? [serialToDate(Number(value), this.#epoch1904), 'date']
          : [numberText(value), 'number'];
    }
  }
}
