import type { Pace } from './pace.ts';
import { createTableBuilder, FileProblem, type Kind, MOST, type Table, tooWide } from './table.ts';
import { attribute } from './xml.ts';
import { fromXlsxText } from './xlsx-text.ts';
import {
  joined,
  MOST_SHEET,
  readDateStyles,
  readTexts,
  scanPart,
  type SheetInfo,
  type Workbook,
} from './xlsx-parts.ts';

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
 * dates told as dates.
 */
export async function readSheet(
  book: Workbook,
  sheet: SheetInfo,
  mostRows: number,
  pace: Pace,
): Promise<{ table: Table; remarks: SheetRemarks }> {
  const texts = await readTexts(book, pace);
  const dateStyles = await readDateStyles(book, pace);
  const builder = createTableBuilder();
  const remarks: SheetRemarks = {
    formulas: 0,
    firstFormula: undefined,
    withoutValue: 0,
    merged: 0,
    firstMerged: undefined,
  };
  let row: number[] = [];
  let line = 0;
  let column = -1;
  let cell: OpenCell | undefined;
  let collects = false;
  let isReading = false;

  const meaning = ({ type, style, value = '' }: OpenCell): [string, Kind] => {
    switch (type) {
      case 's': {
        const text = texts[Number(value)];
        if (text === undefined)
          throw new FileProblem(
            `The file is damaged: cell ${cell?.reference} names a text that is not there.`,
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
        return dateStyles[Number(style ?? 0)] === true
          ? [serialToDate(Number(value), book.epoch1904), 'date']
          : [numberText(value), 'number'];
    }
  };
  const endCell = (ended: OpenCell): void => {
    if (ended.hasFormula) {
      remarks.formulas += 1;
      remarks.firstFormula ??= ended.reference;
      if (ended.value === undefined && ended.type !== 'str') remarks.withoutValue += 1;
    }
    if (ended.value === undefined || (ended.value === '' && ended.type !== 's')) return;
    const [text, kind] = meaning(ended);
    while (row.length < column) row.push(0);
    row[column] = builder.word(text, text === '' ? 'text' : kind);
  };

  await scanPart(
    book.file,
    sheet.entry,
    MOST_SHEET,
    {
      open: (name, attributes) => {
        switch (name) {
          case 'row':
            line = Number(attribute(attributes, 'r') ?? line + 1);
            row = [];
            column = -1;
            return;
          case 'c': {
            const reference = attribute(attributes, 'r');
            column = reference === undefined ? column + 1 : columnOf(reference);
            if (column >= MOST.columns) throw tooWide(line);
            cell = {
              reference: reference ?? '',
              type: attribute(attributes, 't') ?? 'n',
              style: attribute(attributes, 's'),
              hasFormula: false,
              value: undefined,
            };
            return;
          }
          case 'v':
          case 't':
            collects = cell !== undefined && !isReading;
            if (collects && cell !== undefined) cell.value ??= '';
            return;
          case 'f':
            if (cell !== undefined) cell.hasFormula = true;
            return;
          case 'rPh':
            isReading = true;
            return;
          case 'mergeCell':
            remarks.merged += 1;
            remarks.firstMerged ??= attribute(attributes, 'ref');
            return;
          default:
        }
      },
      close: (name) => {
        if (name === 'v' || name === 't') collects = false;
        else if (name === 'rPh') isReading = false;
        else if (name === 'c' && cell !== undefined) {
          endCell(cell);
          cell = undefined;
        } else if (name === 'row') {
          builder.add(row, line);
          if (builder.rowCount > mostRows)
            throw new FileProblem(
              `The sheet has more than ${mostRows.toLocaleString('en-GB')} rows.`,
            );
        }
      },
      text: (piece) => {
        if (collects && cell !== undefined) cell.value = joined(cell.value, piece);
      },
    },
    pace,
  );
  return { table: builder.finish(), remarks };
}
