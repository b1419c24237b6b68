import { describe, expect, it } from 'vitest';
import {
  CELL_STATES,
  matrixValue,
  outcomeLabel,
  outcomeMeaning,
  runMatrixValue,
} from '../../../../src/shared/domain/outcome.ts';

describe('outcomes of failure checks (SGA-QEM-1.0)', () => {
  it('have one matrix value, one meaning and one label each', () => {
    expect(
      CELL_STATES.map((state) => [
        state,
        matrixValue(state),
        runMatrixValue(state),
        outcomeMeaning(state),
        outcomeLabel(state),
      ]),
    ).toEqual([
      ['FALSE', 1, 1, 'evidence_present', 'evidence present'],
      ['TRUE', 0, 0, 'problem_found', 'problem found'],
      ['NA', 0, 0, 'not_available', 'not available'],
      [null, null, 0, 'unrecorded', 'unrecorded'],
    ]);
  });

  it('never label two states alike', () => {
    expect(new Set(CELL_STATES.map(outcomeLabel)).size).toBe(4);
  });
});
