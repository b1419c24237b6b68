import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { Word } from '../../../files/table.ts';
import type { ImportPlan, ImportChoice } from './plan.ts';
import { wordKey } from './values.ts';
import { t } from '../../../text/t.ts';

/** An outcome, and whether the cell keeps the value that was read as its source. */
export interface MappedState {
  kind: 'state';
  state: CellState;
  keeps: boolean;
  isPlain: boolean;
}

/** What a value of the file maps to: an outcome, nothing, or no outcome at all. */
export type MappedValue = MappedState | { kind: 'empty' | 'skip' | 'unknown' };

export const EMPTY: MappedValue = { kind: 'empty' };
export const NOT_MAPPED = t('Is no outcome, and is not mapped to one.');

/** Maps each different value of a column once. */
export function createMapper(
  words: readonly Word[],
  { meanings, keepsWords, emptyClears }: ImportChoice,
  column: number,
): (index: number) => MappedValue {
  const known = new Map<number, MappedValue>();
  const ofColumn = meanings.get(column);
  const map = (word: Word): MappedValue => {
    if (word.text.trim() === '')
      return emptyClears ? { kind: 'state', state: null, keeps: false, isPlain: true } : EMPTY;
    const mapped = ofColumn?.get(wordKey(word));
    if (mapped === undefined) return { kind: 'unknown' };
    const { meaning, isPlain } = mapped;
    if (meaning === 'skip') return { kind: 'skip' };
    return {
      kind: 'state',
      state: meaning === 'unrecorded' ? null : meaning,
      keeps: keepsWords && meaning !== 'unrecorded',
      isPlain,
    };
  };
  return (index) => {
    let value = known.get(index);
    if (value === undefined) {
      value = map(words[index] ?? words[0]!);
      known.set(index, value);
    }
    return value;
  };
}

/** Counts a cell that is written. */
export function countCell(
  plan: ImportPlan,
  before: CellState,
  after: CellState,
  overwritesDetail: boolean,
): void {
  if (before === after) {
    if (overwritesDetail) plan.overwritten += 1;
    else plan.detailed += 1;
  } else if (before === null) plan.fresh += 1;
  else if (after === null) plan.cleared += 1;
  else plan.overwritten += 1;
}
