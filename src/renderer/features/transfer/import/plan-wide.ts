import { type CellState, codeOf, outcomeWords } from '../../../../shared/domain/outcome.ts';
import { LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import {
  type ImportChange,
  type ImportChoice,
  type ImportPlan,
  type Meet,
  note,
  type WideCells,
} from './plan.ts';
import { countCell, createMapper, type MappedState, NOT_MAPPED } from './plan-cells.ts';
import type { ImportSource } from './source.ts';
import { t, tOf } from '../../../text/t.ts';

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
  hasPlace: boolean;
  isContested: boolean;
}

const NEW_ITEM: CellBefore = { state: null, source: null, hasPlace: false, isContested: false };

function beforeOf(session: MatrixSession, row: number, column: number, keeps: boolean): CellBefore {
  if (row < 0) return NEW_ITEM;
  const detail = keeps ? session.detail(row, column) : undefined;
  return {
    state: session.state(row, column),
    source: detail?.source_value ?? null,
    hasPlace: (detail?.provenance ?? null) !== null,
    isContested: session.contested(row, column),
  };
}

interface PlannedCell {
  line: number;
  item: string;
  rule: string;
}

const REPORTED_VALUE = t('reported value');

const reportedValue = (
  { line, item, rule }: PlannedCell,
  before: CellBefore,
  after: string,
): ImportChange => ({
  line,
  item,
  place: `${rule}, ${REPORTED_VALUE}`,
  before: before.source ?? '',
  after,
});

/** Whether a recorded cell stays as it is, and lists what the file says otherwise. */
function isLeft(
  plan: ImportPlan,
  at: PlannedCell,
  text: string,
  { state: after, keeps, isPlain }: MappedState,
  before: CellBefore,
  meet: Meet,
): boolean {
  if (before.state === null || meet === 'overwrite') return false;
  const { line, item, rule } = at;
  if (after !== before.state) {
    const [was, would] = [tOf(outcomeWords(before.state)), tOf(outcomeWords(after))];
    note(plan.left, { line, item, place: rule, before: was, after: would });
    return true;
  }
  const hasOtherSource = before.source !== null && before.source !== text;
  if (meet === 'differ' && keeps && !isPlain && hasOtherSource)
    note(plan.left, reportedValue(at, before, text));
  else if (meet === 'differ' && before.source === null && !before.hasPlace) return false;
  else plan.unchanged += 1;
  return true;
}

/** Plans one cell and answers whether it is written. */
function planCell(
  plan: ImportPlan,
  at: PlannedCell,
  text: string,
  value: MappedState,
  before: CellBefore,
  meet: Meet,
): boolean {
  if (isLeft(plan, at, text, value, before, meet)) return false;
  const { state: after, keeps, isPlain } = value;
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
      before: tOf(outcomeWords(before.state)),
      after: tOf(outcomeWords(after)),
    });
  else if (overwritesSource) note(plan.overwrites, reportedValue(at, before, text));
  return true;
}

/** Plans the cells of a file with one row an item. */
export async function planWideCells(
  plan: ImportPlan,
  source: ImportSource,
  choice: ImportChoice,
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
    rows,
    columns: columns.map(({ column }) => column),
    locate: choice.locate,
  };
  const mappers = columns.map(({ column }) => createMapper(table.words, choice, column));
  for (const [at, row] of rows.entries()) {
    if (at % 100 === 0) await pace(at / rows.length);
    const item = wide.items[at]!;
    const known = session.rowOf(item);
    const line = table.lines[row]!;
    for (const [offset, { column, rule, index }] of columns.entries()) {
      const word = table.rows[row]![column] ?? 0;
      const { text } = table.words[word]!;
      const value = mappers[offset]!(word);
      if (value.kind === 'unknown')
        note(plan.rejections, { line, column, text, reason: NOT_MAPPED });
      if (value.kind === 'empty') plan.empty += 1;
      if (value.kind === 'skip') plan.skipped += 1;
      if (value.kind !== 'state') continue;
      const before = beforeOf(session, known, index, value.keeps);
      if (!planCell(plan, { line, item, rule }, text, value, before, choice.meet)) continue;
      wide.states[at * width + offset] = codeOf(value.state);
      if (value.keeps) wide.sources[at * width + offset] = word;
    }
  }
  plan.wide = wide;
}
