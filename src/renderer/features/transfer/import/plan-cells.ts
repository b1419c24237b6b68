import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { Word } from '../../../files/table.ts';
import type { ImportPlan, WordChoice } from './plan.ts';
import { wordKey } from './words.ts';

/** An outcome, and whether the cell keeps the value that was read as its source. */
export interface MappedState {
  kind: 'state';
  state: CellState;
  keeps: boolean;
  isPlain: boolean;
}

/** What a value of the file maps to: an outcome, nothing, or no outcome at all. */
export type Mapped = MappedState | { kind: 'empty' | 'skip' | 'unknown' };

export const EMPTY: Mapped = { kind: 'empty' };
export const NOT_MAPPED = 'Is no outcome, and is not mapped to one.';

/** Maps each different value once. */
export function createMapper(
  words: readonly Word[],
  { meanings, plain, keepsWords, emptyClears }: WordChoice,
): (index: number) => Mapped {
  const mapped = new Array<Mapped | undefined>(words.length);
  const map = (word: Word): Mapped => {
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
  return (index) => (mapped[index] ??= map(words[index] ?? words[0]!));
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
