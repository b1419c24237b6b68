import { t } from '../../../text/t.ts';
export interface ItemLine {
  line: number;
  item_uid: string;
  label?: string;
  item_type?: string;
}

export interface RefusedLine {
  line: number;
  item_uid: string;
  message: string;
}

const COLUMNS = new Map([
  ['item_uid', 'item_uid'],
  ['uid', 'item_uid'],
  ['id', 'item_uid'],
  ['label', 'label'],
  ['name', 'label'],
  ['item_type', 'item_type'],
  ['type', 'item_type'],
]);

/** The columns that a first line names; undefined where it names none, and so is an item itself. */
function headerOf(fields: readonly string[]): (string | undefined)[] | undefined {
  const columns = fields.map((field) => COLUMNS.get(field.toLowerCase()));
  return fields.length > 1 &&
    columns.includes('item_uid') &&
    columns.every((column) => column !== undefined)
    ? columns
    : undefined;
}

export type ParsedLine =
  | { kind: 'header' }
  | ({ kind: 'item' } & ItemLine)
  | ({ kind: 'refused' } & RefusedLine);

/**
 * One item a line: its uid, and after tabs its label and its type, or in the order that a first
 * line names. Blank lines do not count; a uid listed before is refused here.
 */
export function* readItemLines(text: string): Generator<ParsedLine> {
  const firstLine = new Map<string, number>();
  const lines = text.split(/\r\n|\r|\n/);
  const header = headerOf((lines[0] ?? '').split('\t').map((field) => field.trim()));
  const columns = header ?? ['item_uid', 'label', 'item_type'];
  const [uidAt, labelAt, typeAt] = [
    columns.indexOf('item_uid'),
    columns.indexOf('label'),
    columns.indexOf('item_type'),
  ];
  if (header !== undefined) yield { kind: 'header' };
  for (let at = header === undefined ? 0 : 1; at < lines.length; at += 1) {
    const fields = (lines[at] ?? '').split('\t');
    const item_uid = (fields[uidAt] ?? '').trim().normalize('NFC');
    const [label, item_type] = [(fields[labelAt] ?? '').trim(), (fields[typeAt] ?? '').trim()];
    const line = at + 1;
    const earlier = firstLine.get(item_uid);
    if (item_uid === '' && fields.every((field) => field.trim() === '')) continue;
    if (item_uid === '')
      yield { kind: 'refused', line, item_uid, message: t('Has a label but no ID.') };
    else if (fields.slice(columns.length).some((rest) => rest.trim() !== ''))
      yield {
        kind: 'refused',
        line,
        item_uid,
        message: t('Has more than {count, number} columns: ID, label and type are read.', {
          count: columns.length,
        }),
      };
    else if (earlier !== undefined)
      yield {
        kind: 'refused',
        line,
        item_uid,
        message: t('Stands on line {line, number} already.', { line: earlier }),
      };
    else {
      firstLine.set(item_uid, line);
      yield {
        kind: 'item',
        line,
        item_uid,
        ...(label !== '' && { label }),
        ...(item_type !== '' && { item_type }),
      };
    }
  }
}
