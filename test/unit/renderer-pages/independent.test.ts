import { describe, expect, it } from 'vitest';
import {
  agreementSentence,
  settledSentence,
} from '../../../src/renderer/features/runs/independent.ts';
import { agreementRows } from '../../../src/renderer/state/agreement-figures.ts';
import { type FrozenRound, figuresOf } from '../../../src/shared/domain/round.ts';

const ITEMS = ['a', 'b', 'c', 'd'];
const RULES = ['r1', 'r2'];
const frozen = (letters: readonly string[], fits: readonly string[] = []): FrozenRound =>
  ({
    recorders: letters.map((_, at) => ({ fit: fits[at] ?? 'fits' })),
    figures: figuresOf({
      terms: { items: 'all', rules: 'all' },
      items: ITEMS,
      rules: RULES,
      letters,
    }),
    settled: [{ kind: 'agreed' }, { kind: 'agreed' }, { kind: 'adjudicated' }],
  }) as unknown as FrozenRound;

describe('the independent recording that a run froze', () => {
  const round = frozen(['FFTTFFNN', 'FFTTFTNN']);

  it('is said in a sentence with its figures, and what they do not show', () => {
    expect(agreementSentence(round)).toMatch(
      /^2 of 2 recorders recorded independently of each other and are counted\. They agree on 87\.5% of 8 cells that at least two recorded: Gwet’s AC1 0\.8\d\d \(95 % interval 0\.\d{3} to 1\.000\), Krippendorff’s alpha 0\.8\d\d\. Agreement does not show that they are right\.$/,
    );
    expect(settledSentence(round)).toContain(
      '2 cells went into the matrix as the recorders agreed, 1 cell as',
    );
    expect(settledSentence({ ...round, settled: [] })).toBe(
      'Nothing of these recordings is in the matrix.',
    );
  });

  it('states no agreement where no two recorded the same cell, and says who is not counted', () => {
    expect(agreementSentence(frozen(['F-------', '-T------']))).toContain('no agreement to state');
    expect(agreementSentence(frozen(['FFFFFFFF', '--------'], ['fits', 'awaited']))).toMatch(
      /^1 of 2 recorders/,
    );
  });

  it('has a row for all cells and one for each rule, by name, in the order of the profile', () => {
    const rows = agreementRows(round.figures, [
      { ruleUid: 'r2', name: 'Phase' },
      { ruleUid: 'r1', name: 'Segregation' },
    ]);
    expect(rows.map(([name, cells, percent]) => [name, cells, percent])).toEqual([
      ['All cells', '8', '87.5%'],
      ['Phase', '4', '75%'],
      ['Segregation', '4', '100%'],
    ]);
  });
});
