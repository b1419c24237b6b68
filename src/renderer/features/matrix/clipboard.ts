import type { CellState } from '../../../shared/domain/outcome.ts';
import type { CellAddress, MatrixSession } from '../../data/port.ts';
import { type Rect, sizeOf } from './selection.ts';
import type { View } from './view.ts';

/** Text with tabs between columns, as spreadsheets read and write it: TRUE, FALSE, NA, and nothing for unrecorded. */
export function copyText(rect: Rect, view: View, session: MatrixSession): string {
  const lines: string[] = [];
  for (let row = rect.top; row <= rect.bottom; row += 1) {
    const cells: string[] = [];
    for (let column = rect.left; column <= rect.right; column += 1) cells.push(session.state(view.storeRow(row), view.storeColumn(column)) ?? '');
    lines.push(cells.join('\t'));
  }
  return lines.join('\n');
}

/** Rows of fields. Quoted fields may hold tabs, line ends and doubled quotes; exactly one line end at the end is dropped. */
export function parseTable(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let at = 0;
  const endRow = (): void => {
    rows.push([...row, field]);
    row = [];
    field = '';
  };
  while (at < text.length) {
    const sign = text[at]!;
    if (sign === '"' && field === '') {
      const quoted = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y;
      quoted.lastIndex = at;
      const match = quoted.exec(text);
      if (match !== null) {
        field = match[1]!.replaceAll('""', '"');
        at += match[0].length;
        continue;
      }
    }
    if (sign === '\t') {
      row.push(field);
      field = '';
    } else if (sign === '\r' || sign === '\n') {
      endRow();
      if (sign === '\r' && text[at + 1] === '\n') at += 1;
    } else field += sign;
    at += 1;
  }
  if (field !== '' || row.length > 0 || text === '') endRow();
  return rows;
}

const TOKENS: Record<string, CellState> = { TRUE: 'TRUE', T: 'TRUE', FALSE: 'FALSE', F: 'FALSE', NA: 'NA', 'N/A': 'NA', '#N/A': 'NA' };

export interface PastePlan {
  /** What is to be written, cell by cell. */
  cells: (CellAddress & { state: CellState })[];
  /** Of those: cells that were unrecorded, and cells that had another value. */
  fresh: number;
  overwritten: number;
  /** Fields that say what stands there already, and empty ones, which leave their cell as it is. */
  unchanged: number;
  empty: number;
  /** Fields whose word is no outcome. "yes", "1" or "+" may mean either, so they are never guessed at. */
  rejected: { address: CellAddress; token: string }[];
  /** Fields beyond the last item shown or the last rule. */
  beyond: number;
}

/** How a block goes in: one value fills the selection, a block that fits a multiple is repeated, any other starts at the top left corner. */
function targetSize(table: readonly (readonly string[])[], rect: Rect): { rows: number; columns: number } {
  const rows = table.length;
  const columns = Math.max(...table.map((row) => row.length));
  const height = rect.bottom - rect.top + 1;
  const width = rect.right - rect.left + 1;
  return sizeOf(rect) > 1 && height % rows === 0 && width % columns === 0 ? { rows: height, columns: width } : { rows, columns };
}

export function planPaste(text: string, rect: Rect, view: View, session: MatrixSession): PastePlan {
  const table = parseTable(text);
  const size = targetSize(table, rect);
  const width = Math.max(...table.map((row) => row.length));
  const plan: PastePlan = { cells: [], fresh: 0, overwritten: 0, unchanged: 0, empty: 0, rejected: [], beyond: 0 };
  for (let i = 0; i < size.rows; i += 1) {
    for (let j = 0; j < size.columns; j += 1) {
      const token = (table[i % table.length]?.[j % width] ?? '').trim();
      const [row, column] = [rect.top + i, rect.left + j];
      if (row >= view.rowCount || column >= view.columnCount) {
        if (token !== '') plan.beyond += 1;
        continue;
      }
      const address = { item: view.itemAt(row), rule: view.ruleAt(column) };
      const state = TOKENS[token.toUpperCase()];
      const before = session.state(view.storeRow(row), view.storeColumn(column));
      if (token === '') plan.empty += 1;
      else if (state === undefined) plan.rejected.push({ address, token });
      else if (state === before) plan.unchanged += 1;
      else {
        plan.cells.push({ ...address, state });
        if (before === null) plan.fresh += 1;
        else plan.overwritten += 1;
      }
    }
  }
  return plan;
}

/** Cells that may change without being asked about. */
const UNASKED = 50;

export const needsPreview = (plan: PastePlan): boolean => plan.rejected.length > 0 || plan.beyond > 0 || plan.cells.length > UNASKED;
