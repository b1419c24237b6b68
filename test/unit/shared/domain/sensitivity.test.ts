import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES, type CellState } from '../../../../src/shared/domain/outcome.ts';
import {
  computeResult,
  countSizes,
  type RunResult,
  type RunSettings,
} from '../../../../src/shared/domain/result.ts';
import {
  countRows,
  evidenceBounds,
  KNOWN_PRIORS,
  movedItem,
  outlineOf,
  type ResultOutline,
  withoutEachRule,
} from '../../../../src/shared/domain/sensitivity.ts';

type Matrix = readonly (readonly CellState[])[];
const state = fc.constantFrom(...CELL_STATES);
const matrix: fc.Arbitrary<Matrix> = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 8 }))
  .chain(([n, m]) =>
    fc.array(fc.array(state, { minLength: m, maxLength: m }), { minLength: n, maxLength: n }),
  );
const settings: fc.Arbitrary<RunSettings> = fc.record({
  prior_alpha: fc.double({ min: 0.25, max: 10, noNaN: true }),
  prior_beta: fc.double({ min: 0.25, max: 10, noNaN: true }),
  ci_level: fc.constantFrom(0.5, 0.9, 0.95),
});
const PLAY = { numRuns: 50 };

const widthOf = (raw: Matrix): number => (raw[0] as readonly CellState[]).length;
const compute = (raw: Matrix, own: RunSettings): RunResult =>
  computeResult(
    {
      items: raw.map((_, row) => `i${row}`),
      rules: Array.from({ length: widthOf(raw) }, (_, column) => `r${column}`),
      raw,
    },
    own,
  );
const changed = (raw: Matrix, change: (cell: CellState) => CellState): Matrix =>
  raw.map((row) => row.map(change));

const spreadOf = ({ global }: RunResult) => ({
  mean_theta: global.mean_theta,
  median_theta: global.median_theta,
  lower_theta: global.lower_theta,
  upper_theta: global.upper_theta,
});

/** The outline says of every item and of all what the whole result says. */
function expectOutline(outline: ResultOutline, result: RunResult): void {
  expect(outline.spread).toEqual(spreadOf(result));
  for (const [row, item] of result.items.entries()) {
    const { size: _, ...own } = outline.byCount.get(outline.present[row] as number) ?? { size: 0 };
    expect({ item_uid: item.item_uid, ...own }).toEqual(item);
  }
}

describe('the bounds of a result', () => {
  it('equal full computations of the matrix with its missing cells filled in', () => {
    fc.assert(
      fc.property(matrix, settings, (raw, own) => {
        const bounds = evidenceBounds(countRows(raw), widthOf(raw), own);
        const isMissing = (cell: CellState): boolean => cell === null || cell === 'NA';
        expectOutline(
          bounds.asProblem,
          compute(
            changed(raw, (cell) => (isMissing(cell) ? 'TRUE' : cell)),
            own,
          ),
        );
        expectOutline(
          bounds.asEvidence,
          compute(
            changed(raw, (cell) => (isMissing(cell) ? 'FALSE' : cell)),
            own,
          ),
        );
        expectOutline(
          bounds.unrecordedPresent,
          compute(
            changed(raw, (cell) => (cell === null ? 'FALSE' : cell)),
            own,
          ),
        );
        expectOutline(
          bounds.unavailablePresent,
          compute(
            changed(raw, (cell) => (cell === 'NA' ? 'FALSE' : cell)),
            own,
          ),
        );
        expectOutline(bounds.asProblem, compute(raw, own));
      }),
      PLAY,
    );
  });
});

describe('a result under another prior', () => {
  it('equals a full computation, and leaves every percentile as it is', () => {
    fc.assert(
      fc.property(matrix, settings, (raw, own) => {
        const { present } = countRows(raw);
        const before = compute(raw, own);
        for (const prior of Object.values(KNOWN_PRIORS)) {
          const result = compute(raw, { ...own, ...prior });
          expectOutline(outlineOf(present, widthOf(raw), { ...own, ...prior }), result);
          expect(result.items.map((item) => item.percentile)).toEqual(
            before.items.map((item) => item.percentile),
          );
        }
      }),
      PLAY,
    );
  });
});

describe('a result without one rule', () => {
  it('equals a full computation of the other rules, and names the item that moves most', () => {
    fc.assert(
      fc.property(matrix, settings, (raw, own) => {
        const before = compute(raw, own);
        const left = [...withoutEachRule(raw, countRows(raw).present, widthOf(raw), own)];
        expect(left).toHaveLength(widthOf(raw) < 2 ? 0 : widthOf(raw));
        for (const { column, spread, moved, most } of left) {
          const after = compute(
            raw.map((row) => row.filter((_, at) => at !== column)),
            own,
          );
          expect(spread).toEqual(spreadOf(after));
          const changes = after.items.map(
            (item, row) => item.percentile - (before.items[row]?.percentile ?? 0),
          );
          expect(moved).toBe(changes.filter((change) => change !== 0).length);
          expect(most.change).toBe(changes[most.row]);
          expect(Math.abs(most.change)).toBe(Math.max(...changes.map(Math.abs)));
        }
      }),
      PLAY,
    );
  });
});

describe('an item with a rule flipped', () => {
  it('has the result of the matrix with that cell flipped', () => {
    fc.assert(
      fc.property(matrix, settings, fc.nat(), fc.nat(), (raw, own, someRow, someColumn) => {
        const [row, column] = [someRow % raw.length, someColumn % widthOf(raw)];
        const isMet = raw[row]?.[column] === 'FALSE';
        const { present } = countRows(raw);
        const k = present[row] as number;
        const { size: _, ...found } = movedItem(
          countSizes(present, widthOf(raw)),
          k,
          isMet ? k - 1 : k + 1,
          own,
        );
        const flipped = raw.map((cells, at) =>
          at === row ? cells.with(column, isMet ? 'TRUE' : 'FALSE') : cells,
        );
        expect({ item_uid: `i${row}`, ...found }).toEqual(compute(flipped, own).items[row]);
      }),
      PLAY,
    );
  });
});

it('rows are counted as a run counts them', () => {
  fc.assert(
    fc.property(matrix, (raw) => {
      const { present, problem, unavailable, unrecorded } = countRows(raw);
      const of = (wanted: CellState): number[] =>
        raw.map((row) => row.filter((cell) => cell === wanted).length);
      expect([[...present], [...problem], [...unavailable], [...unrecorded]]).toEqual([
        of('FALSE'),
        of('TRUE'),
        of('NA'),
        of(null),
      ]);
    }),
    PLAY,
  );
});
