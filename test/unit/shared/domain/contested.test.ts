import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flippedResults, isMaterial } from '../../../../src/shared/domain/contested.ts';
import { CELL_STATES, type CellState } from '../../../../src/shared/domain/outcome.ts';
import { computeResult, DEFAULT_SETTINGS } from '../../../../src/shared/domain/result.ts';

const state = fc.constantFrom(...CELL_STATES);
const matrix = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([n, m]) =>
    fc.array(fc.array(state, { minLength: m, maxLength: m }), { minLength: n, maxLength: n }),
  );
const settings = fc.record({
  prior_alpha: fc.double({ min: 0.25, max: 10, noNaN: true }),
  prior_beta: fc.double({ min: 0.25, max: 10, noNaN: true }),
  ci_level: fc.constantFrom(0.5, 0.9, 0.95),
});

function compute(raw: readonly (readonly CellState[])[], own: typeof DEFAULT_SETTINGS) {
  return computeResult(
    {
      items: raw.map((_, row) => `i${row}`),
      rules: (raw[0] as CellState[]).map((_, column) => `r${column}`),
      raw,
    },
    own,
  );
}

describe('material contested cells', () => {
  it('are those with a head of another matrix value', () => {
    expect(isMaterial('FALSE', ['TRUE'])).toBe(true);
    expect(isMaterial(null, ['NA', 'FALSE'])).toBe(true);
    for (const other of ['TRUE', 'NA', null] as const)
      expect(isMaterial('TRUE', [other])).toBe(false);
    expect(isMaterial('FALSE', ['FALSE'])).toBe(false);
    expect(isMaterial('FALSE', [])).toBe(false);
  });

  it('are exactly those whose flip gives another result when everything is computed again, and give that result', () => {
    fc.assert(
      fc.property(
        matrix,
        settings,
        fc.array(
          fc.record({ at: fc.nat(), others: fc.array(state, { minLength: 1, maxLength: 3 }) }),
          { minLength: 1, maxLength: 6 },
        ),
        (raw, own, picks) => {
          const [n, m] = [raw.length, (raw[0] as CellState[]).length];
          const before = compute(raw, own);
          const cells = picks.map(({ at, others }) => ({
            row: at % n,
            column: at % m,
            shown: raw[at % n]?.[at % m] ?? null,
            others,
          }));
          const found = flippedResults(
            raw.map((row) => row.filter((cell) => cell === 'FALSE').length),
            m,
            own,
            cells,
          );
          for (const [index, { row, column, shown, others }] of cells.entries()) {
            let differs = false;
            for (const other of others) {
              const after = compute(
                raw.map((cellsOfRow, at) =>
                  at === row ? cellsOfRow.with(column, other) : cellsOfRow,
                ),
                own,
              );
              const changed =
                JSON.stringify([after.global, after.items]) !==
                JSON.stringify([before.global, before.items]);
              differs ||= changed;
              if (!changed) continue;
              const { mean_theta, median_theta, lower_theta, upper_theta } = after.global;
              const { k, theta_mean } = after.items[row] as (typeof after.items)[number];
              expect(found[index]).toEqual({
                k,
                theta_mean,
                mean_theta,
                median_theta,
                lower_theta,
                upper_theta,
              });
            }
            expect(isMaterial(shown, others)).toBe(differs);
            expect(found[index] !== null).toBe(differs);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('counts 1,000 cells of 10,000 x 50 with at most 100 results', () => {
    const present = Int32Array.from({ length: 10_000 }, (_, row) => row % 51);
    const cells = Array.from({ length: 1_000 }, (_, index) =>
      present[index * 7] === 0
        ? { row: index * 7, shown: null, others: ['FALSE' as const] }
        : { row: index * 7, shown: 'FALSE' as const, others: [null] },
    );
    const found = flippedResults(present, 50, DEFAULT_SETTINGS, cells);
    expect(found.every((result) => result !== null)).toBe(true);
    expect(new Set(found).size).toBeLessThanOrEqual(100);
  });
});
