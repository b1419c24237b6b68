import { describe, expect, it } from 'vitest';
import {
  contestedInOrder,
  contestedWords,
  flipWords,
} from '../../../src/renderer/features/runs/record.ts';
import { contestedInput, sampleRecord } from '../shared/domain/run-sample.ts';

const run = sampleRecord(contestedInput);
const [first, second] = run.frozen.contested ?? [];

describe('the contested cells of a run', () => {
  it('are told with every value, those that change the result first, and with what they would make of it', () => {
    expect(contestedInOrder([second!, first!])).toEqual([first, second]);
    expect(contestedWords(first!)).toBe(
      'item_a, sample_traced: shown as FALSE, evidence present (tube 12), also recorded as TRUE, problem found',
    );
    expect(contestedWords(second!)).toBe('item_b, controls_run; the notes differ');
    // Three rules, priors 1 and 1: k 1 of 3 is 2/5, k 0 is 1/5; the others have k 1 and 0.
    expect(flipWords(run)(first!)).toBe(
      'The other way 0 rules are met instead of 1, the item’s mean 0.200 instead of 0.400, the mean of all 0.26667 instead of 0.33333.',
    );
    expect(flipWords(run)(second!)).toBeUndefined();
  });

  it('are named alone in runs that froze addresses alone', () => {
    const { item_uid, rule_uid } = first!;
    const old = { ...run, frozen: { ...run.frozen, contested: [{ item_uid, rule_uid }] } };
    expect(contestedWords({ item_uid, rule_uid })).toBe('item_a, sample_traced');
    expect(flipWords(old)({ item_uid, rule_uid })).toBeUndefined();
  });
});
