import type { Edit, MatrixSession } from '../../../data/store/port.ts';
import type { FieldEntry } from '../editor/field-change.ts';
import { fieldEdits, planFields } from '../editor/fields.ts';
import { fieldId, fieldText, memberOf } from '../model/fields.ts';
import { isAmong, type SelectedCells } from '../model/selected-cells.ts';
import { type StateKey, stateKey } from '../model/states.ts';
import type { View } from '../model/view.ts';

export const REPLACE_IN = ['source', 'notes', 'outcome', 'field'] as const;
export type ReplaceIn = (typeof REPLACE_IN)[number];

export interface ReplaceChoices {
  in: ReplaceIn;
  /** For texts: what is looked for, and what comes in its place. */
  text: string;
  replacement: string;
  matchCase: boolean;
  /** The text is all that is there. */
  whole: boolean;
  /** For outcomes. */
  from: StateKey;
  to: StateKey;
  /** For fields: the one that is meant. */
  key: string;
  /** The selected cells alone; else all that is shown. */
  selected: boolean;
}

export const FIRST_CHOICES: ReplaceChoices = {
  in: 'source',
  text: '',
  replacement: '',
  matchCase: false,
  whole: false,
  from: 'unrecorded',
  to: 'NA',
  key: '',
  selected: false,
};

export interface Replacement {
  item: string;
  /** The column's id. */
  rule: string;
  before: string;
  after: string;
  /** Why this one cannot be made. */
  problem?: string | undefined;
}

type ReplaceReads = Pick<MatrixSession, 'items' | 'rowOf' | 'state' | 'eachDetail'>;

/** The text with every place replaced, without a pattern's signs meaning anything. */
export function replaceIn(
  text: string,
  { text: wanted, replacement, matchCase, whole }: ReplaceChoices,
): string {
  if (wanted === '') return text;
  const literal = wanted.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = new RegExp(whole ? `^${literal}$` : literal, matchCase ? 'gu' : 'giu');
  return text.replace(pattern, () => replacement);
}

/**
 * Every change that replacing would make among the cells shown, in the order of the screen. Nothing
 * is written.
 */
export function planReplace(
  choices: ReplaceChoices,
  view: View,
  selected: SelectedCells,
  session: ReplaceReads,
): Replacement[] {
  const isMeant = (row: number, column: number): boolean =>
    row >= 0 &&
    column >= 0 &&
    (!choices.selected || isAmong(selected, { item: view.itemAt(row), rule: view.ruleAt(column) }));
  if (choices.in === 'field') return planFieldTexts(choices, view, selected, session);
  if (choices.in === 'outcome') return planOutcomes(choices, view, isMeant, session);
  const field = choices.in === 'notes' ? 'notes' : 'source_value';
  const found: (Replacement & { place: number })[] = [];
  session.eachDetail((storeRow, storeColumn, detail) => {
    const before = detail[field];
    const [row, column] = [view.displayRow(storeRow), view.displayColumn(storeColumn)];
    if (before === null || !isMeant(row, column)) return;
    const after = replaceIn(before, choices);
    if (after === before) return;
    const [item, rule] = [view.itemAt(row), view.ruleAt(column)];
    found.push({ item, rule, before, after, place: row * view.columnCount + column });
  });
  return found
    .sort((a, b) => a.place - b.place)
    .map(({ item, rule, before, after }) => ({ item, rule, before, after }));
}

/** Of the selected items where that is asked: their cells and fields stand in the same rows. */
function planFieldTexts(
  choices: ReplaceChoices,
  view: View,
  selected: SelectedCells,
  session: ReplaceReads,
): Replacement[] {
  const { key } = choices;
  const type = view.fields[view.fieldOf(fieldId(key))]?.type ?? 'text';
  const entries: FieldEntry[] = [];
  for (let row = 0; row < view.rowCount; row += 1) {
    const before = selected.view.rowOf(view.itemAt(row));
    if (
      choices.selected &&
      !selected.rects.some(({ top, bottom }) => before >= top && before <= bottom)
    )
      continue;
    const value = memberOf(session.items[view.storeRow(row)]?.metadata, key);
    const text = replaceIn(fieldText(value), choices);
    entries.push({ item: view.itemAt(row), key, type, text });
  }
  return planFields(session, entries).map(({ item, before, text, problem }) => ({
    item,
    rule: fieldId(key),
    before,
    after: text,
    problem,
  }));
}

function planOutcomes(
  { from, to }: ReplaceChoices,
  view: View,
  isMeant: (row: number, column: number) => boolean,
  session: ReplaceReads,
): Replacement[] {
  const found: Replacement[] = [];
  if (from === to) return found;
  for (let row = 0; row < view.rowCount; row += 1)
    for (let column = 0; column < view.columnCount; column += 1) {
      const state = session.state(view.storeRow(row), view.storeColumn(column));
      if (stateKey(state) === from && isMeant(row, column))
        found.push({ item: view.itemAt(row), rule: view.ruleAt(column), before: from, after: to });
    }
  return found;
}

/** One undo step for all of them. */
export function replaceEdit(
  { in: place, to, key }: ReplaceChoices,
  changes: readonly Replacement[],
  view: View,
  session: ReplaceReads,
): Pick<Edit, 'items' | 'blocks' | 'cells'> {
  if (place === 'field') {
    const type = view.fields[view.fieldOf(fieldId(key))]?.type ?? 'text';
    const fields = changes.map(({ item, before, after, problem }) => ({
      ...{ item, key, type, before, problem },
      text: after,
    }));
    return { items: fieldEdits(session, fields) };
  }
  if (place === 'outcome') {
    const byRule = Map.groupBy(changes, ({ rule }) => rule);
    const states = to === 'unrecorded' ? null : to;
    return {
      blocks: [...byRule].map(([rule, cells]) => ({
        items: cells.map(({ item }) => item),
        rules: [rule],
        states,
      })),
    };
  }
  return {
    cells: changes.map(({ item, rule, after }) => ({
      item,
      rule,
      patch: { [place === 'notes' ? 'notes' : 'source_value']: after === '' ? null : after },
    })),
  };
}
