import { z } from 'zod';

/** What a check of one rule on one item found (SGA-QEM-1.0; rules are failure checks). */
export const RawOutcome = z.enum(['TRUE', 'FALSE', 'NA']);
export type RawOutcome = z.infer<typeof RawOutcome>;

/** A cell as the editor shows it; null is unrecorded: nobody has said anything. */
export type CellState = RawOutcome | null;

/** The four states in the order of every legend and count. */
export const CELL_STATES = ['FALSE', 'TRUE', 'NA', null] as const satisfies readonly CellState[];

/** A state as one byte: its place in CELL_STATES. */
export const UNRECORDED = 3;
export const codeOf = (state: CellState): number =>
  state === 'FALSE' ? 0 : state === 'TRUE' ? 1 : state === 'NA' ? 2 : UNRECORDED;
export const stateOf = (code: number): CellState => CELL_STATES[code] ?? null;

export type OutcomeMeaning = 'evidence_present' | 'problem_found' | 'not_available' | 'unrecorded';

export function outcomeMeaning(state: CellState): OutcomeMeaning {
  switch (state) {
    case 'FALSE':
      return 'evidence_present';
    case 'TRUE':
      return 'problem_found';
    case 'NA':
      return 'not_available';
    case null:
      return 'unrecorded';
  }
}

/**
 * Words for people. A 0 from TRUE and a 0 from NA are never shown alike, so a label goes with every
 * value.
 */
export const OUTCOME_LABELS: Readonly<Record<OutcomeMeaning, string>> = {
  evidence_present: 'evidence present',
  problem_found: 'problem found',
  not_available: 'not available',
  unrecorded: 'unrecorded',
};

export function outcomeLabel(state: CellState): string {
  return OUTCOME_LABELS[outcomeMeaning(state)];
}

/** An outcome named alone carries its meaning: "FALSE, evidence present". */
export const outcomeWords = (state: CellState): string =>
  state === null ? 'unrecorded' : `${state}, ${outcomeLabel(state)}`;

/** 1 for FALSE (evidence present), 0 for TRUE and for NA, null for unrecorded. */
export function matrixValue(state: CellState): 0 | 1 | null {
  if (state === null) return null;
  return state === 'FALSE' ? 1 : 0;
}

/** The value inside a run, where an unrecorded cell counts as NA, so as 0. */
export function runMatrixValue(state: CellState): 0 | 1 {
  return state === 'FALSE' ? 1 : 0;
}
