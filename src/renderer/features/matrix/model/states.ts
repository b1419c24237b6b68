import { type CellState, OUTCOME_LABELS } from '../../../../shared/domain/outcome.ts';
import { t, tOf } from '../../../text/t.ts';

/** The four states of a cell by name, in the order of CELL_STATES and of every count. */
export type StateKey = 'FALSE' | 'TRUE' | 'NA' | 'unrecorded';
export const STATE_KEYS = [
  'FALSE',
  'TRUE',
  'NA',
  'unrecorded',
] as const satisfies readonly StateKey[];

export const stateKey = (state: CellState): StateKey => state ?? 'unrecorded';

interface StateWords {
  /** What stands in the cell. */
  letter: string;
  /** What the value means under every profile. */
  meaning: string;
  /** Value and meaning, as read out and as accessible name. */
  full: string;
}

export const STATE_WORDS: Record<StateKey, StateWords> = {
  FALSE: {
    letter: 'F',
    meaning: tOf(OUTCOME_LABELS.evidence_present),
    full: t('FALSE, evidence present'),
  },
  TRUE: {
    letter: 'T',
    meaning: tOf(OUTCOME_LABELS.problem_found),
    full: t('TRUE, problem found'),
  },
  NA: {
    letter: 'NA',
    meaning: tOf(OUTCOME_LABELS.not_available),
    full: t('NA, not available'),
  },
  unrecorded: { letter: '', meaning: t('nothing recorded'), full: t('unrecorded') },
};

/** Value and meaning, inside a list. */
export const withMeaning = (state: StateKey): string =>
  state === 'unrecorded' ? STATE_WORDS.unrecorded.full : `${state} (${STATE_WORDS[state].meaning})`;

const CONFLICT = t('conflict');

export function cellLabel(
  item: string,
  rule: string,
  state: CellState,
  contested: boolean,
): string {
  return `${item}, ${rule}: ${STATE_WORDS[stateKey(state)].full}${contested ? `, ${CONFLICT}` : ''}`;
}

export type Counts = readonly [number, number, number, number];

export const recordedOf = (counts: Counts): number => counts[0] + counts[1] + counts[2];
export const totalOf = (counts: Counts): number => recordedOf(counts) + counts[3];
