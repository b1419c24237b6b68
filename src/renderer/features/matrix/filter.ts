import type { MatrixSession } from '../../data/port.ts';

export type FilterKind = 'all' | 'unrecorded' | 'problem' | 'contested';

export interface Filter {
  kind: FilterKind;
  text: string;
}

export const NO_FILTER: Filter = { kind: 'all', text: '' };

export const FILTER_LABELS: Record<FilterKind, string> = {
  all: 'All items',
  unrecorded: 'Has unrecorded',
  problem: 'Has problem found',
  contested: 'Has contested',
};

export const isActive = (filter: Filter): boolean => filter.kind !== 'all' || filter.text.trim() !== '';

type Reads = Pick<MatrixSession, 'items' | 'rules' | 'rowCounts' | 'contested' | 'detail'>;

function fitsKind(kind: FilterKind, session: Reads, row: number): boolean {
  switch (kind) {
    case 'all':
      return true;
    case 'unrecorded':
      return session.rowCounts(row)[3] > 0;
    case 'problem':
      return session.rowCounts(row)[1] > 0;
    case 'contested':
      return session.rules.some((_, column) => session.contested(row, column));
  }
}

function holdsText(needle: string, session: Reads, row: number): boolean {
  const item = session.items[row];
  if (item === undefined) return false;
  if (item.item_uid.toLowerCase().includes(needle) || item.label.toLowerCase().includes(needle)) return true;
  for (let column = 0; column < session.rules.length; column += 1) {
    const { notes, source_value } = session.detail(row, column);
    if (notes?.toLowerCase().includes(needle) === true || source_value?.toLowerCase().includes(needle) === true) return true;
  }
  return false;
}

/** Does this row of the session pass? The text is looked for in uid, label, notes and source values, whatever the case. */
export function createPredicate(filter: Filter, session: Reads): (row: number) => boolean {
  const needle = filter.text.trim().toLowerCase();
  return (row) => fitsKind(filter.kind, session, row) && (needle === '' || holdsText(needle, session, row));
}
