import type { RecordedBy } from '../../../../shared/contract/v1/evidence.ts';
import { codeOf, stateOf, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import type { CellDetail, MatrixSession } from '../../../data/store/port.ts';

/** What an export reads. */
export type ExportReads = Pick<
  MatrixSession,
  'caseUid' | 'profile' | 'rules' | 'items' | 'state' | 'detail' | 'recordedBy'
>;

const NO_DETAIL: CellDetail = { source_value: null, notes: null, provenance: null };

/**
 * The matrix as it is now. A file is made in many turns of the window, between which others may
 * record, and add, move and remove rows: it holds one moment, and each outcome beside its own item.
 * Who recorded a cell is known afterwards only `withAuthors`.
 */
export function freeze(session: MatrixSession, withAuthors: boolean): ExportReads {
  const { caseUid, profile, rules, items } = session;
  const cellOf = (row: number, column: number): number => row * rules.length + column;
  const codes = new Uint8Array(items.length * rules.length);
  const authors: (RecordedBy | null)[] = [];
  const details = new Map<number, CellDetail>();
  session.eachDetail((row, column, detail) => details.set(cellOf(row, column), detail));
  for (let row = 0; row < items.length; row += 1)
    for (let column = 0; column < rules.length; column += 1) {
      codes[cellOf(row, column)] = codeOf(session.state(row, column));
      if (withAuthors) authors.push(session.recordedBy(row, column));
    }
  return {
    caseUid,
    profile,
    rules,
    items,
    state: (row, column) => stateOf(codes[cellOf(row, column)] ?? UNRECORDED),
    detail: (row, column) => details.get(cellOf(row, column)) ?? NO_DETAIL,
    recordedBy: (row, column) => authors[cellOf(row, column)] ?? null,
  };
}
