import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES, type CellState } from '../../../../src/shared/domain/outcome.ts';
import { type AgreeingRules, agreeingRules } from '../../../../src/shared/domain/rule-agreement.ts';

type Matrix = readonly (readonly CellState[])[];

function pairsOf(raw: Matrix, rules: number): AgreeingRules[] {
  const work = agreeingRules(raw, rules);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The same, cell by cell. */
function plainly(raw: Matrix, rules: number): AgreeingRules[] {
  const pairs: AgreeingRules[] = [];
  for (let first = 0; first < rules; first += 1) {
    for (let second = first + 1; second < rules; second += 1) {
      const both = raw
        .map((row) => [row[first] ?? null, row[second] ?? null] as const)
        .filter(([a, b]) => a !== null && b !== null);
      if (both.length === 0 || both.some(([a, b]) => a !== b)) continue;
      const varies = new Set(both.map(([a]) => a)).size > 1;
      pairs.push({ first, second, compared: both.length, varies });
    }
  }
  return pairs;
}

describe('pairs of rules that always agree', () => {
  it('are found as by looking at every cell, over the edges of a word of bits', () => {
    const size = fc.tuple(fc.constantFrom(1, 5, 31, 32, 33, 70), fc.integer({ min: 1, max: 6 }));
    fc.assert(
      fc.property(
        size.chain(([n, m]) =>
          fc.tuple(
            fc.constant(m),
            fc.array(
              fc.tuple(
                fc.constantFrom(...CELL_STATES),
                fc.array(fc.boolean(), { minLength: m, maxLength: m }),
              ),
              { minLength: n, maxLength: n },
            ),
          ),
        ),
        ([m, rows]) => {
          // Rules that say the same where they say anything, so that pairs are common.
          const raw = rows.map(([outcome, said]) => said.map((is) => (is ? outcome : null)));
          expect(pairsOf(raw, m)).toEqual(plainly(raw, m));
          const other = raw.map((row, at) => (at === 0 ? row.with(0, 'NA') : row));
          expect(pairsOf(other, m)).toEqual(plainly(other, m));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are none where nothing was recorded of both', () => {
    expect(pairsOf([['TRUE', null]], 2)).toEqual([]);
  });
});
