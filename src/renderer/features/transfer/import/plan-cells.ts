import { LongText, Provenance } from '../../../../shared/contract/common.ts';
import { type CellState, codeOf, outcomeWords } from '../../../../shared/domain/outcome.ts';
import { rulesByWord } from '../../../../shared/domain/rule-words.ts';
import { type CellPatch, LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import { provenanceOf } from '../../../files/origin.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Word } from '../../../files/table.ts';
import { readProvenanceField, provenanceField } from '../metadata-text.ts';
import { note, type Plan, type WordChoice } from './plan.ts';
import { createFields, type Source } from './source.ts';
import { wordKey } from './words.ts';

/**
 * What a field says of its cell: an outcome and the word to keep as its source, nothing, or no
 * outcome at all.
 */
type Said =
  | { kind: 'state'; state: CellState; keeps: boolean; isPlain: boolean }
  | { kind: 'empty' | 'skip' | 'unknown' };
const EMPTY: Said = { kind: 'empty' };

/** Reads each different word once. */
function createReading(
  words: readonly Word[],
  { meanings, plain, keepsWords, emptyClears }: WordChoice,
): (index: number) => Said {
  const read = new Array<Said | undefined>(words.length);
  const say = (word: Word): Said => {
    if (word.text.trim() === '')
      return emptyClears ? { kind: 'state', state: null, keeps: false, isPlain: true } : EMPTY;
    const meaning = meanings.get(wordKey(word));
    if (meaning === undefined) return { kind: 'unknown' };
    if (meaning === 'skip') return { kind: 'skip' };
    return {
      kind: 'state',
      state: meaning === 'unrecorded' ? null : meaning,
      keeps: keepsWords && meaning !== 'unrecorded',
      isPlain: plain.has(wordKey(word)),
    };
  };
  return (index) => (read[index] ??= say(words[index] ?? words[0]!));
}

const DETAIL_WORDS = {
  source_value: 'reported value',
  notes: 'notes',
  provenance: 'provenance',
} as const;
const NO_OUTCOME = 'Is no outcome, and is not mapped to one.';

export async function planWideCells(
  plan: Plan,
  source: Source,
  choice: WordChoice,
  session: MatrixSession,
  accepted: readonly (string | undefined)[],
  pace: Pace,
): Promise<void> {
  const { table, mapping } = source;
  const columns = mapping.roles.flatMap((role, column) =>
    role.startsWith('rule:')
      ? [{ column, rule: role.slice(5), index: session.columnOf(role.slice(5)) }]
      : [],
  );
  const rows = accepted.flatMap((uid, row) => (uid === undefined ? [] : [row]));
  const width = columns.length;
  const wide = {
    items: rows.map((row) => accepted[row] ?? ''),
    rules: columns.map(({ rule }) => rule),
    states: new Uint8Array(rows.length * width).fill(LEAVE),
    sources: new Uint32Array(rows.length * width),
    lines: rows.map((row) => table.lines[row]!),
    columns: columns.map(({ column }) => column),
    origin: choice.origin,
  };
  const reading = createReading(table.words, choice);
  for (const [at, row] of rows.entries()) {
    if (at % 100 === 0) await pace(at / rows.length);
    const item = wide.items[at]!;
    const store = session.rowOf(item);
    const line = table.lines[row]!;
    for (const [offset, { column, rule, index }] of columns.entries()) {
      const code = table.rows[row]![column] ?? 0;
      const said = reading(code);
      if (said.kind === 'unknown')
        note(plan.rejections, { line, column, text: table.words[code]!.text, reason: NO_OUTCOME });
      if (said.kind === 'empty') plan.empty += 1;
      if (said.kind === 'skip') plan.skipped += 1;
      if (said.kind !== 'state') continue;
      const before = store < 0 ? null : session.state(store, index);
      const text = table.words[code]!.text;
      const kept = said.keeps
        ? store < 0
          ? null
          : session.detail(store, index).source_value
        : text;
      if (said.state === before && (kept === text || !said.keeps || said.isPlain))
        plan.unchanged += 1;
      else {
        count(plan, before, said.state, kept !== null && said.keeps && kept !== text);
        if (store >= 0 && session.contested(store, index)) plan.contested += 1;
        if (before !== null && said.state !== before)
          note(plan.overwrites, {
            line,
            item,
            place: rule,
            before: outcomeWords(before),
            after: outcomeWords(said.state),
          });
        else if (kept !== null && said.keeps && kept !== text)
          note(plan.overwrites, {
            line,
            item,
            place: `${rule}, reported value`,
            before: kept,
            after: text,
          });
        wide.states[at * width + offset] = codeOf(said.state);
        if (said.keeps) wide.sources[at * width + offset] = code;
      }
    }
  }
  plan.wide = wide;
}

function count(plan: Plan, before: CellState, after: CellState, overwritesDetail: boolean): void {
  if (before === after) {
    if (overwritesDetail) plan.overwritten += 1;
    else plan.detailed += 1;
  } else if (before === null) plan.fresh += 1;
  else if (after === null) plan.cleared += 1;
  else plan.overwritten += 1;
}

export async function planLongCells(
  plan: Plan,
  source: Source,
  choice: WordChoice,
  session: MatrixSession,
  accepted: readonly (string | undefined)[],
  pace: Pace,
): Promise<void> {
  const { table } = source;
  const fields = createFields(source);
  const ruleOf = rulesByWord(session.profile.rules);
  const reading = createReading(table.words, choice);
  const [ruleColumn, outcomeColumn] = [fields.column('rule_uid'), fields.column('outcome')];
  const details = (['source_value', 'notes', 'provenance'] as const)
    .map((field) => ({ field, column: fields.column(field) }))
    .filter(({ column }) => column >= 0);
  const seen = new Map<string, number>();
  for (const [row, item] of accepted.entries()) {
    if (row % 200 === 0) await pace(row / accepted.length);
    if (item === undefined) continue;
    const line = table.lines[row]!;
    const refuse = (column: number, reason: string): void =>
      note(plan.rejections, { line, column, text: fields.text(row, column), reason });
    const rule = ruleOf(fields.word(row, ruleColumn).text);
    if (rule === undefined) {
      refuse(
        ruleColumn,
        fields.word(row, ruleColumn).text === ''
          ? 'Names no rule.'
          : 'Is neither ID nor name of a rule of this profile.',
      );
      continue;
    }
    const address = `${rule} ${item}`;
    const earlier = seen.get(address);
    if (earlier !== undefined) {
      refuse(ruleColumn, `The same cell is already in row ${earlier}.`);
      continue;
    }
    seen.set(address, line);
    const store = session.rowOf(item);
    const before = store < 0 ? null : session.state(store, session.columnOf(rule));
    const known =
      store < 0
        ? { source_value: null, notes: null, provenance: null }
        : session.detail(store, session.columnOf(rule));
    const patch: CellPatch = {};
    const said = outcomeColumn < 0 ? EMPTY : reading(table.rows[row]![outcomeColumn] ?? 0);
    if (said.kind === 'unknown') {
      refuse(outcomeColumn, NO_OUTCOME);
      continue;
    }
    if (said.kind === 'skip') plan.skipped += 1;
    const after = said.kind === 'state' ? said.state : before;
    if (after !== before) patch.raw_outcome = after;
    const texts = new Map(
      details.map(({ field, column }) => [field, { text: fields.text(row, column), column }]),
    );
    if (
      said.kind === 'state' &&
      said.keeps &&
      (after !== before || !said.isPlain) &&
      (texts.get('source_value')?.text ?? '') === ''
    )
      texts.set('source_value', { text: fields.text(row, outcomeColumn), column: outcomeColumn });
    let overwritesDetail = false;
    for (const [field, { text, column }] of texts) {
      // Beside another outcome a source has to be written even if it is the same text.
      const old =
        after !== before && field !== 'notes'
          ? ''
          : field === 'provenance'
            ? provenanceField(known.provenance)
            : (known[field] ?? '');
      if (text === '' || text === old) continue;
      const value = field === 'provenance' ? readProvenanceField(text) : text;
      const checked = (field === 'provenance' ? Provenance : LongText).safeParse(value);
      if (fields.isDamaged(row, column) || !checked.success) {
        refuse(
          column,
          checked.success
            ? 'Holds a damaged character (U+FFFD): the file was read or saved in another encoding.'
            : (checked.error.issues[0]?.message ?? 'Is not valid.'),
        );
        continue;
      }
      if (field === 'provenance') patch.provenance = checked.data;
      else patch[field] = text;
      if (old === '') continue;
      overwritesDetail = true;
      note(plan.overwrites, {
        line,
        item,
        place: `${rule}, ${DETAIL_WORDS[field]}`,
        before: old,
        after: text,
      });
    }
    const isNews = patch.source_value !== undefined || (patch.raw_outcome ?? null) !== null;
    if (choice.keepsWords && isNews && after !== null && patch.provenance === undefined)
      patch.provenance = provenanceOf(
        choice.origin,
        line,
        outcomeColumn < 0 ? (texts.get('source_value')?.column ?? 0) : outcomeColumn,
      );
    if (Object.keys(patch).length === 0) {
      if (said.kind === 'empty') plan.empty += 1;
      else if (said.kind === 'state') plan.unchanged += 1;
      continue;
    }
    count(plan, before, after, overwritesDetail);
    if (store >= 0 && session.contested(store, session.columnOf(rule))) plan.contested += 1;
    if (before !== null && after !== before)
      note(plan.overwrites, {
        line,
        item,
        place: rule,
        before: outcomeWords(before),
        after: outcomeWords(after),
      });
    plan.cells.push({ item, rule, patch });
  }
}
