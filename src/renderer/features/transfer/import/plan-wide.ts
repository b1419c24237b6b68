import { type CellState, codeOf, outcomeWords } from '../../../../shared/domain/outcome.ts';
import { LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import { note, type ImportPlan, type WideCells, type WordChoice } from './plan.ts';
import { countCell, createMapper, type MappedState, NOT_MAPPED } from './plan-cells.ts';
import type { ImportSource } from './source.ts';

interface RuleColumn {
  /** In the file. */
  column: number;
  rule: string;
  /** In the matrix. */
  index: number;
}

const ruleColumns = (source: ImportSource, session: MatrixSession): RuleColumn[] =>
  source.mapping.roles.flatMap((role, column) =>
    role.startsWith('rule:')
      ? [{ column, rule: role.slice(5), index: session.columnOf(role.slice(5)) }]
      : [],
  );

/** What a cell of the matrix holds before the import. */
interface CellBefore {
  state: CellState;
  source: string | null;
  isContested: boolean;
}

const NEW_ITEM: CellBefore = { state: null, source: null, isContested: false };

function beforeOf(session: MatrixSession, row: number, column: number, keeps: boolean): CellBefore {
  if (row < 0) return NEW_ITEM;
  return {
    state: session.state(row, column),
    source: keeps ? session.detail(row, column).source_value : null,
    isContested: session.contested(row, column),
  };
}

/** Plans one cell and answers whether it is written. */
function planCell(
  plan: ImportPlan,
  at: { line: number; item: string; rule: string },
  text: string,
  { state: after, keeps, isPlain }: MappedState,
  before: CellBefore,
): boolean {
  const isSameSource = !keeps || isPlain || before.source === text;
  if (after === before.state && isSameSource) {
    plan.unchanged += 1;
    return false;
  }
  const overwritesSource = keeps && before.source !== null && before.source !== text;
  countCell(plan, before.state, after, overwritesSource);
  if (before.isContested) plan.contested += 1;
  const { line, item, rule } = at;
  if (before.state !== null && after !== before.state)
    note(plan.overwrites, {
      line,
      item,
      place: rule,
      before: outcomeWords(before.state),
      after: outcomeWords(after),
    });
  else if (overwritesSource)
    note(plan.overwrites, {
      line,
      item,
      place: `${rule}, reported value`,
      before: before.source ?? '',
      after: text,
    });
  return true;
}

/** Plans the cells of a file with one row an item. */
export async function planWideCells(
  plan: ImportPlan,
  source: ImportSource,
  choice: WordChoice,
  session: MatrixSession,
  accepted: readonly (string | undefined)[],
  pace: Pace,
): Promise<void> {
  const { table } = source;
  const columns = ruleColumns(source, session);
  const rows = accepted.flatMap((uid, row) => (uid === undefined ? [] : [row]));
  const width = columns.length;
  const wide: WideCells = {
    items: rows.map((row) => accepted[row] ?? ''),
    rules: columns.map(({ rule }) => rule),
    states: new Uint8Array(rows.length * width).fill(LEAVE),
    sources: new Uint32Array(rows.length * width),
    lines: rows.map((row) => table.lines[row]!),
    columns: columns.map(({ column }) => column),
    origin: choice.origin,
  };
  const mapped = createMapper(table.words, choice);
  for (const [at, row] of rows.entries()) {
    if (at % 100 === 0) await pace(at / rows.length);
    const item = wide.items[at]!;
    const known = session.rowOf(item);
    const line = table.lines[row]!;
    for (const [offset, { column, rule, index }] of columns.entries()) {
      const word = table.rows[row]![column] ?? 0;
      const { text } = table.words[word]!;
      const value = mapped(word);
      if (value.kind === 'unknown')
        note(plan.rejections, { line, column, text, reason: NOT_MAPPED });
      if (value.kind === 'empty') plan.empty += 1;
      if (value.kind === 'skip') plan.skipped += 1;
      if (value.kind !== 'state') continue;
      const before = beforeOf(session, known, index, value.keeps);
      if (!planCell(plan, { line, item, rule }, text, value, before)) continue;
      wide.states[at * width + offset] = codeOf(value.state);
      if (value.keeps) wide.sources[at * width + offset] = word;
    }
  }
  plan.wide = wide;
}
