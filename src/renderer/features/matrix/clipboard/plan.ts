import { readOutcomeWord, type WordReading } from '../../../../shared/domain/outcome-words.ts';
import { type CellState, codeOf, stateOf, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import { type CellAddress, LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import type { SelectedCells } from '../model/selected-cells.ts';
import type { View } from '../model/view.ts';
import { findKeys, type Keys } from './keys.ts';
import { ABSENT, type PastedTable } from '../model/pasted-table.ts';
import { type PasteArea, targetOf } from './target.ts';

/** What a value that is no outcome maps to, as the person says. */
export const CHOICES = ['FALSE', 'TRUE', 'NA', 'unrecorded', 'leave'] as const;
export type PasteChoice = (typeof CHOICES)[number];

export interface PasteChoices {
  /** By the names in the block, where it has some, or by position alone. */
  place: 'keys' | 'position';
  empties: 'leave' | 'clear';
  words: ReadonlyMap<string, PasteChoice>;
}

export const FIRST_CHOICES: PasteChoices = { place: 'keys', empties: 'leave', words: new Map() };

/** A word to be shown to the person: no outcome, or an outcome in the words of one language. */
export interface WordUse {
  word: string;
  index: number;
  count: number;
  /** The first cell that it would go to. */
  at: CellAddress;
  reading: WordReading | undefined;
}

export interface ReplacedCell extends CellAddress {
  before: CellState;
  after: CellState;
  contested: boolean;
}

/** One rectangle of what is to be written: a code a cell, LEAVE where nothing changes. */
export interface PlannedArea extends PasteArea {
  codes: Uint8Array;
}

export interface PastePlan {
  /** Of the session, when this was planned. */
  revision: number;
  areas: PlannedArea[];
  keys: Keys | undefined;
  /** Cells that change: unrecorded ones, and recorded ones that get another value or none. */
  fresh: number;
  overwritten: number;
  /** Of these, the ones that get none. */
  cleared: number;
  /** Fields that say what stands there already. */
  unchanged: number;
  empty: number;
  /** Fields whose word is no outcome and was mapped to none. They leave their cell as it is. */
  rejected: number;
  /** Fields whose word the person leaves out. */
  left: number;
  /** Fields beyond the last item or rule shown, or without a name that the matrix has. */
  outside: number;
  hiddenRows: number;
  hiddenColumns: number;
  contested: number;
  words: WordUse[];
  /** The first of the overwritten cells, contested ones before others. */
  replaced: ReplacedCell[];
}

const LISTED = 100;
const UNKNOWN = 254;
const EMPTY = 253;

const CHOSEN: Record<PasteChoice, number> = {
  FALSE: 0,
  TRUE: 1,
  NA: 2,
  unrecorded: UNRECORDED,
  leave: LEAVE,
};

/** Of every word: a state's code, or EMPTY, UNKNOWN, LEAVE. */
function codesOf(table: PastedTable, choices: PasteChoices): Uint8Array {
  return Uint8Array.from(table.words, (word) => {
    if (word.trim() === '') return EMPTY;
    const reading = readOutcomeWord(word);
    if (reading?.language === null) return codeOf(reading.state);
    const choice = choices.words.get(word);
    return choice === undefined
      ? reading === undefined
        ? UNKNOWN
        : codeOf(reading.state)
      : CHOSEN[choice];
  });
}

/** Fields that hold a word, but for the names. */
function countFilled(table: PastedTable, codes: Uint8Array, keys: Keys | undefined): number {
  let count = 0;
  for (let row = keys?.rules === undefined ? 0 : 1; row < table.rows; row += 1) {
    for (let column = 0; column < table.columns; column += 1) {
      const word = table.fields[row * table.columns + column]!;
      if (word !== ABSENT && codes[word] !== EMPTY && keys?.ignored.has(column) !== true)
        count += 1;
    }
  }
  return count;
}

/** After so many cells a plan yields to others. */
const SLICE = 20_000;

/** A plan under way. */
interface PlanUnderWay {
  table: PastedTable;
  session: MatrixSession;
  choices: PasteChoices;
  plan: PastePlan;
  codes: Uint8Array;
  /** How often each word lands in the matrix, and where first. */
  counts: Uint32Array;
  firsts: Map<number, CellAddress>;
  landed: number;
  /** The first overwritten cells. */
  plain: ReplacedCell[];
  contested: ReplacedCell[];
}

const emptyPlan = (revision: number, keys: Keys | undefined): PastePlan => ({
  revision,
  areas: [],
  keys,
  fresh: 0,
  overwritten: 0,
  cleared: 0,
  unchanged: 0,
  empty: 0,
  rejected: 0,
  left: 0,
  outside: 0,
  hiddenRows: 0,
  hiddenColumns: 0,
  contested: 0,
  words: [],
  replaced: [],
});

const addressOf = ({ items, rules }: MatrixSession, row: number, column: number): CellAddress => ({
  item: items[row]?.item_uid ?? '',
  rule: rules[column] ?? '',
});

/** What one recorded cell becomes. */
function noteReplaced(
  work: PlanUnderWay,
  row: number,
  column: number,
  before: number,
  after: number,
): void {
  const { plan, session } = work;
  plan.overwritten += 1;
  if (after === UNRECORDED) plan.cleared += 1;
  const contested = session.contested(row, column);
  if (contested) plan.contested += 1;
  const list = contested ? work.contested : work.plain;
  if (list.length < LISTED)
    list.push({
      ...addressOf(session, row, column),
      before: stateOf(before),
      after: stateOf(after),
      contested,
    });
}

/** Plans one row of an area; `i` is its place there. */
function planRow(
  work: PlanUnderWay,
  { rows, columns, codes: target }: PlannedArea,
  i: number,
): void {
  const { table, session, plan, codes, counts } = work;
  const isClearing = work.choices.empties === 'clear';
  const row = rows.to[i]!;
  const width = columns.to.length;
  const base = rows.from[i]! * table.columns;
  for (let j = 0; j < width; j += 1) {
    const word = table.fields[base + columns.from[j]!]!;
    if (word === ABSENT) continue;
    const code = codes[word]!;
    const column = columns.to[j]!;
    if (code === EMPTY) {
      plan.empty += 1;
      if (!isClearing) continue;
    } else {
      work.landed += 1;
      if (counts[word]! === 0) work.firsts.set(word, addressOf(session, row, column));
      counts[word]! += 1;
    }
    if (code === UNKNOWN || code === LEAVE) {
      plan[code === UNKNOWN ? 'rejected' : 'left'] += 1;
      continue;
    }
    const after = code === EMPTY ? UNRECORDED : code;
    const before = codeOf(session.state(row, column));
    if (before === after) {
      if (code !== EMPTY) plan.unchanged += 1;
      continue;
    }
    target[i * width + j] = after;
    if (before === UNRECORDED) plan.fresh += 1;
    else noteReplaced(work, row, column, before, after);
  }
}

const cellsOf = ({ rows, columns }: PasteArea): number => rows.to.length * columns.to.length;

/** The words to be shown, with the first cell of each. */
function wordsOf({ table, counts, firsts }: PlanUnderWay): WordUse[] {
  return [...firsts].flatMap(([index, at]) => {
    const word = table.words[index]!;
    const reading = readOutcomeWord(word);
    return reading?.language === null ? [] : [{ word, index, count: counts[index]!, at, reading }];
  });
}

/**
 * What a paste would do, worked out in slices: each step gives the share that is done. Throws
 * PasteRefused where the block cannot be placed. Nothing is written, and a word that is no outcome
 * becomes one only by the person's choice. `now`: what is shown now, where that is no longer the view
 * of the place.
 */
export function* planPaste(
  table: PastedTable,
  place: SelectedCells,
  session: MatrixSession,
  choices: PasteChoices = FIRST_CHOICES,
  now?: View,
): Generator<number, PastePlan> {
  const found = findKeys(table, session);
  const keys = choices.place === 'keys' ? found : undefined;
  const { areas, hiddenRows, hiddenColumns } = targetOf(table, keys, place, session, now);
  const codes = codesOf(table, choices);
  const plan = { ...emptyPlan(session.revision, found), hiddenRows, hiddenColumns };
  const work: PlanUnderWay = {
    table,
    session,
    choices,
    plan,
    codes,
    counts: new Uint32Array(table.words.length),
    firsts: new Map(),
    landed: 0,
    plain: [],
    contested: [],
  };
  const total = areas.reduce((sum, area) => sum + cellsOf(area), 0);
  let [done, sinceYield] = [0, 0];
  for (const { rows, columns } of areas) {
    const area = {
      rows,
      columns,
      codes: new Uint8Array(cellsOf({ rows, columns })).fill(LEAVE),
    };
    plan.areas.push(area);
    for (let i = 0; i < rows.to.length; i += 1) {
      planRow(work, area, i);
      done += columns.to.length;
      if (done - sinceYield >= SLICE) {
        sinceYield = done;
        yield done / total;
      }
    }
  }
  const repeats =
    keys === undefined && areas.some((area) => cellsOf(area) > table.rows * table.columns);
  plan.outside = repeats || areas.length > 1 ? 0 : countFilled(table, codes, keys) - work.landed;
  plan.replaced = [...work.contested, ...work.plain].slice(0, LISTED);
  plan.words = wordsOf(work);
  return plan;
}

/** The whole of a plan at once. */
export function planned(steps: Generator<number, PastePlan>): PastePlan {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export const changedBy = (plan: PastePlan): number => plan.fresh + plan.overwritten;
/** Cells that it would suggest an outcome for, where it does not record. */
export const suggestedBy = (plan: PastePlan): number => changedBy(plan) - plan.cleared;

/** Cells that may be newly recorded without being asked about. */
const UNASKED = 50;

export const needsPreview = (plan: PastePlan, table: PastedTable): boolean =>
  plan.words.length > 0 ||
  plan.overwritten > 0 ||
  plan.outside > 0 ||
  plan.hiddenRows > 0 ||
  plan.hiddenColumns > 0 ||
  plan.keys !== undefined ||
  (table.separator !== 'tab' && table.separator !== 'cells') ||
  changedBy(plan) > UNASKED;
