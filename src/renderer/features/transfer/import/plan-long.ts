import { LongText, Provenance } from '../../../../shared/contract/common.ts';
import { type CellState, outcomeWords } from '../../../../shared/domain/outcome.ts';
import { rulesByWord } from '../../../../shared/domain/rule-words.ts';
import type { CellDetail, CellPatch, MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import { readProvenanceField, provenanceField } from '../metadata-text.ts';
import { type ImportChoice, note, type ImportPlan } from './plan.ts';
import { countCell, createMapper, EMPTY, type MappedValue, NOT_MAPPED } from './plan-cells.ts';
import { createFields, DAMAGED, type FileFields, type ImportSource } from './source.ts';
import { t, tOf } from '../../../text/t.ts';

type Detail = 'source_value' | 'notes' | 'provenance';
const DETAIL_WORDS: Record<Detail, string> = {
  source_value: t('reported value'),
  notes: t('notes'),
  provenance: t('provenance'),
};
const DETAILS = ['source_value', 'notes', 'provenance'] as const satisfies readonly Detail[];
const NO_DETAIL: Pick<CellDetail, Detail> = { source_value: null, notes: null, provenance: null };

/** The columns of a file with one row a cell; -1 where it has none. */
interface LongColumns {
  rule: number;
  outcome: number;
  details: readonly { field: Detail; column: number }[];
}

function columnsOf(fields: FileFields): LongColumns {
  return {
    rule: fields.column('rule_uid'),
    outcome: fields.column('outcome'),
    details: DETAILS.map((field) => ({ field, column: fields.column(field) })).filter(
      ({ column }) => column >= 0,
    ),
  };
}

/** A row of the file, and the cell of the matrix that it names. */
interface LongRow {
  row: number;
  line: number;
  item: string;
  rule: string;
  before: CellState;
  details: Pick<CellDetail, Detail>;
  isContested: boolean;
}

type DetailTexts = Map<Detail, { text: string; column: number }>;

/** Plans the cells of a file with one row a cell. */
export async function planLongCells(
  plan: ImportPlan,
  source: ImportSource,
  choice: ImportChoice,
  session: MatrixSession,
  accepted: readonly (string | undefined)[],
  pace: Pace,
): Promise<void> {
  const { table } = source;
  const fields = createFields(source);
  const columns = columnsOf(fields);
  const mapped = createMapper(table.words, choice, columns.outcome);
  const ruleAt = ruleFinder(plan, source, fields, columns, session);
  for (const [row, item] of accepted.entries()) {
    if (row % 200 === 0) await pace(row / accepted.length);
    if (item === undefined) continue;
    const line = table.lines[row]!;
    const rule = ruleAt(row, item);
    if (rule === undefined) continue;
    const value = columns.outcome < 0 ? EMPTY : mapped(table.rows[row]![columns.outcome] ?? 0);
    if (value.kind === 'unknown') {
      const text = fields.text(row, columns.outcome);
      note(plan.rejections, { line, column: columns.outcome, text, reason: NOT_MAPPED });
      continue;
    }
    if (value.kind === 'skip') plan.skipped += 1;
    planRow(plan, { row, line, item, rule, ...heldBy(session, item, rule) }, value, {
      fields,
      columns,
      choice,
    });
  }
}

/** The rule that a row names; undefined where it names none, or its cell a second time. */
function ruleFinder(
  plan: ImportPlan,
  { table }: ImportSource,
  fields: FileFields,
  { rule: column, outcome, details }: LongColumns,
  session: MatrixSession,
): (row: number, item: string) => string | undefined {
  const cells = [...(outcome < 0 ? [] : [outcome]), ...details.map((detail) => detail.column)];
  const ruleOf = rulesByWord(session.profile.rules);
  const seen = new Map<string, number>();
  return (row, item) => {
    const line = table.lines[row]!;
    const refuse = (reason: string): void =>
      note(plan.rejections, { line, column, text: fields.text(row, column), reason });
    const { text } = fields.word(row, column);
    const rule = ruleOf(text);
    // A row that says nothing of a cell is there for its item.
    if (text === '' && cells.every((at) => fields.word(row, at).text === '')) return undefined;
    if (rule === undefined) {
      refuse(
        text === '' ? t('Names no rule.') : t('Is neither ID nor name of a rule of this profile.'),
      );
      return undefined;
    }
    const address = `${rule} ${item}`;
    const earlier = seen.get(address);
    if (earlier !== undefined) {
      refuse(t('The same cell is already in row {earlier}.', { earlier }));
      return undefined;
    }
    seen.set(address, line);
    return rule;
  };
}

/** What the matrix holds of a cell before the import. */
function heldBy(
  session: MatrixSession,
  item: string,
  rule: string,
): Pick<LongRow, 'before' | 'details' | 'isContested'> {
  const row = session.rowOf(item);
  if (row < 0) return { before: null, details: NO_DETAIL, isContested: false };
  const column = session.columnOf(rule);
  return {
    before: session.state(row, column),
    details: session.detail(row, column),
    isContested: session.contested(row, column),
  };
}

/** What a row says of its cell. */
interface RowReading {
  after: CellState;
  texts: DetailTexts;
  /** The cell stays as it is, though the row says another outcome: that was noted. */
  isLeft: boolean;
}

function readRow(
  plan: ImportPlan,
  { row, line, item, rule, before }: LongRow,
  value: MappedValue,
  { fields, columns, choice: { meet } }: RowContext,
): RowReading {
  const asked = value.kind === 'state' ? value.state : before;
  const stays = before !== null && meet !== 'overwrite';
  const isLeft = stays && asked !== before;
  const texts: DetailTexts = new Map(
    columns.details
      // What proves another outcome says nothing of this one.
      .filter(({ field }) => !(isLeft || (stays && meet === 'fill')) || field === 'notes')
      .map(({ field, column }) => [field, { text: fields.text(row, column), column }]),
  );
  if (isLeft) {
    const [was, would] = [tOf(outcomeWords(before)), tOf(outcomeWords(asked))];
    note(plan.left, { line, item, place: rule, before: was, after: would });
    return { after: before, texts, isLeft };
  }
  if (
    value.kind === 'state' &&
    value.keeps &&
    (asked !== before || !(value.isPlain || (stays && meet === 'fill'))) &&
    (texts.get('source_value')?.text ?? '') === ''
  )
    texts.set('source_value', { text: fields.text(row, columns.outcome), column: columns.outcome });
  return { after: asked, texts, isLeft };
}

interface RowContext {
  fields: FileFields;
  columns: LongColumns;
  choice: ImportChoice;
}

function planRow(plan: ImportPlan, at: LongRow, value: MappedValue, context: RowContext): void {
  const { row, line, item, rule, before } = at;
  const { columns, choice } = context;
  const { after, texts, isLeft } = readRow(plan, at, value, context);
  const { patch, overwrites } = patchDetails(plan, at, after, texts, context);
  if (after !== before) patch.raw_outcome = after;
  const isNews = patch.source_value !== undefined || (patch.raw_outcome ?? null) !== null;
  const hasPlace =
    choice.meet !== 'overwrite' && after === before && at.details.provenance !== null;
  if (choice.keepsWords && isNews && after !== null && patch.provenance === undefined && !hasPlace)
    patch.provenance = choice.locate(
      row,
      columns.outcome < 0 ? (texts.get('source_value')?.column ?? 0) : columns.outcome,
    );
  if (Object.keys(patch).length === 0) {
    if (value.kind === 'empty') plan.empty += 1;
    else if (value.kind === 'state' && !isLeft) plan.unchanged += 1;
    return;
  }
  countCell(plan, before, after, overwrites);
  if (at.isContested) plan.contested += 1;
  if (before !== null && after !== before) {
    const [was, is] = [tOf(outcomeWords(before)), tOf(outcomeWords(after))];
    note(plan.overwrites, { line, item, place: rule, before: was, after: is });
  }
  plan.cells.push({ item, rule, patch });
}

/** The details that a row changes; those that something else stood in are noted. */
function patchDetails(
  plan: ImportPlan,
  { row, line, item, rule, before, details }: LongRow,
  after: CellState,
  texts: DetailTexts,
  { fields, choice }: RowContext,
): { patch: CellPatch; overwrites: boolean } {
  const patch: CellPatch = {};
  let overwrites = false;
  for (const [field, { text, column }] of texts) {
    // Beside another outcome a source has to be written even if it is the same text.
    const old = after !== before && field !== 'notes' ? '' : textOf(details, field);
    if (text === '' || text === old) continue;
    const value = field === 'provenance' ? readProvenanceField(text) : text;
    const checked = (field === 'provenance' ? Provenance : LongText).safeParse(value);
    if (fields.isDamaged(row, column) || !checked.success) {
      const reason = checked.success
        ? DAMAGED
        : tOf(checked.error.issues[0]?.message ?? t('Is not valid.'));
      note(plan.rejections, { line, column, text: fields.text(row, column), reason });
      continue;
    }
    const place = `${rule}, ${DETAIL_WORDS[field]}`;
    if (old !== '') {
      const isKept = choice.meet !== 'overwrite';
      note(isKept ? plan.left : plan.overwrites, { line, item, place, before: old, after: text });
      if (isKept) continue;
      overwrites = true;
    }
    if (field === 'provenance') patch.provenance = checked.data;
    else patch[field] = text;
  }
  return { patch, overwrites };
}

const textOf = (details: Pick<CellDetail, Detail>, field: Detail): string =>
  field === 'provenance' ? provenanceField(details.provenance) : (details[field] ?? '');
