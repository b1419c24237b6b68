import type { ItemRow, MatrixSession } from '../../../data/store/port.ts';
import { fieldText, fieldWords, memberOf } from '../model/fields.ts';
import { t } from '../../../text/t.ts';

export type FoundIn = 'ID' | 'label' | 'field' | 'reported value' | 'notes' | 'provenance';

export const FOUND_IN_WORDS: Record<FoundIn, string> = {
  ID: t('ID'),
  label: t('label'),
  field: t('field'),
  'reported value': t('reported value'),
  notes: t('notes'),
  provenance: t('provenance'),
};

/** A place that holds the text, by the session's row and column; column -1 is the item itself. */
export interface Hit {
  row: number;
  column: number;
  in: FoundIn;
  /** The field of the item, where it is in one. */
  key?: string;
}

export interface Needle {
  text: string;
  matchCase: boolean;
}

interface IndexedCell {
  column: number;
  texts: readonly (readonly [FoundIn, string])[];
}

type FindReads = Pick<MatrixSession, 'items' | 'rules' | 'detail'>;

/** All that a person can read in a provenance, text or structure. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && value !== null)
    return Object.values(value)
      .map(wordsOf)
      .filter((words) => words !== '')
      .join(' ');
  return '';
}

const NOTHING: readonly IndexedCell[] = [];

export interface FindIndex {
  /**
   * Row by row in the session's order; in a row the item first, then its cells by column. One hit a
   * cell.
   */
  find(needle: Needle): Hit[];
  textOf(hit: Hit): string;
  /** Forgets what it knew of these rows; without rows, of all. */
  forget(rows?: Iterable<number>): void;
}

/** Where an item itself holds the text. */
function placeIn(
  { item_uid, label, metadata }: ItemRow,
  lower: string,
  holds: (words: string) => boolean,
): Pick<Hit, 'in' | 'key'> | undefined {
  if (holds(item_uid)) return { in: 'ID' };
  if (holds(label)) return { in: 'label' };
  if (!fieldWords(metadata).includes(lower)) return undefined;
  const key = Object.keys(metadata).find((name) => holds(fieldText(memberOf(metadata, name))));
  return key === undefined ? undefined : { in: 'field', key };
}

function textsIn(session: FindReads, row: number): readonly IndexedCell[] {
  const cells: IndexedCell[] = [];
  for (let column = 0; column < session.rules.length; column += 1) {
    const { source_value, notes, provenance } = session.detail(row, column);
    if (
      source_value === null &&
      notes === null &&
      (provenance === null || provenance === undefined)
    )
      continue;
    const texts = (
      [
        ['reported value', source_value ?? ''],
        ['notes', notes ?? ''],
        ['provenance', wordsOf(provenance)],
      ] as const
    ).filter(([, text]) => text !== '');
    cells.push({ column, texts });
  }
  return cells.length === 0 ? NOTHING : cells;
}

/** The texts of the matrix. Cells with none, nearly all of them, are asked once a row. */
export function createFindIndex(session: FindReads): FindIndex {
  let known: (readonly IndexedCell[] | undefined)[] = [];
  let { items } = session;

  const cellsOf = (row: number): readonly IndexedCell[] => (known[row] ??= textsIn(session, row));

  return {
    find: ({ text, matchCase }) => {
      const lower = text.toLowerCase();
      const wanted = matchCase ? text : lower;
      const hits: Hit[] = [];
      if (wanted === '') return hits;
      if (session.items !== items) {
        ({ items } = session);
        known = [];
      }
      const holds = (words: string): boolean =>
        (matchCase ? words : words.toLowerCase()).includes(wanted);
      for (const [row, item] of items.entries()) {
        const place = placeIn(item, lower, holds);
        if (place !== undefined) hits.push({ row, column: -1, ...place });
        for (const cell of cellsOf(row)) {
          const found = cell.texts.find(([, words]) => holds(words));
          if (found !== undefined) hits.push({ row, column: cell.column, in: found[0] });
        }
      }
      return hits;
    },
    textOf: ({ row, column, in: place, key }) => {
      const item = session.items[row];
      if (key !== undefined) return fieldText(memberOf(item?.metadata, key));
      if (column < 0) return (place === 'ID' ? item?.item_uid : item?.label) ?? '';
      return (
        cellsOf(row)
          .find((cell) => cell.column === column)
          ?.texts.find(([name]) => name === place)?.[1] ?? ''
      );
    },
    forget: (rows) => {
      if (rows === undefined) known = [];
      else for (const row of rows) known[row] = undefined;
    },
  };
}

/** The words round the first match, for a line of its own. */
export function excerpt(text: string, { text: wanted, matchCase }: Needle, around = 24): string {
  const at = matchCase ? text.indexOf(wanted) : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return text.slice(0, 2 * around);
  const [from, to] = [Math.max(0, at - around), Math.min(text.length, at + wanted.length + around)];
  return `${from > 0 ? '…' : ''}${text.slice(from, to).replace(/\s+/g, ' ')}${to < text.length ? '…' : ''}`;
}
