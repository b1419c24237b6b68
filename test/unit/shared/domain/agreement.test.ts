import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agreementOf } from '../../../../src/shared/domain/agreement.ts';
import { RawOutcome } from '../../../../src/shared/domain/outcome.ts';
import { studentT975 } from '../../../../src/shared/domain/student-t.ts';

const figure = z.union([z.number(), z.literal('NaN').transform(() => null)]);
const State = z.union([RawOutcome, z.literal('-').transform(() => null)]);
const Vectors = z.array(
  z.strictObject({
    name: z.string(),
    recorders: z.int(),
    cells: z.array(z.array(State)),
    expected: z.strictObject({
      units: z.int(),
      units_with_one: z.int(),
      units_with_two: z.int(),
      percent: figure,
      ac1: figure,
      ac1_se: figure,
      ac1_low: figure,
      ac1_high: figure,
      alpha: figure,
      pairs: z.array(
        z.strictObject({
          a: z.int(),
          b: z.int(),
          n: z.int(),
          percent: figure,
          kappa: figure,
          kappa_ase: figure,
          kappa_low: figure,
          kappa_high: figure,
        }),
      ),
    }),
  }),
);
const vectors = Vectors.parse(
  JSON.parse(
    readFileSync(new URL('../../../fixtures/reference/agreement.json', import.meta.url), 'utf8'),
  ),
);

/** How far a figure is off the reference; Infinity where only one of them is defined. */
function distance(ours: number | null | undefined, reference: number | null): number {
  if (ours === null || ours === undefined || reference === null)
    return ours === reference ? 0 : Infinity;
  return Math.abs(ours - reference) / Math.max(1e-3, Math.abs(reference));
}

const TOLERANCE = 1e-12;
const state = fc.constantFrom('TRUE', 'FALSE', 'NA', null);
const table = fc
  .integer({ min: 2, max: 4 })
  .chain((recorders) =>
    fc.tuple(
      fc.constant(recorders),
      fc.array(fc.array(state, { minLength: recorders, maxLength: recorders }), { maxLength: 20 }),
    ),
  );

describe('agreement of independent recordings', () => {
  test('there are ten reference sets', () => expect(vectors.length).toBe(10));

  test.each(vectors)('$name: every figure is the reference to 1e-12', (vector) => {
    const { cells, recorders, expected } = vector;
    const { pairs, ...ours } = agreementOf(cells, recorders);
    const { pairs: expectedPairs, ...figures } = expected;
    for (const [name, reference] of Object.entries(figures))
      expect(distance(ours[name as keyof typeof ours], reference), name).toBeLessThan(TOLERANCE);
    expect(pairs.length).toBe(expectedPairs.length);
    for (const [place, { a, b, ...reference }] of expectedPairs.entries()) {
      const pair = pairs[place];
      expect([pair?.a, pair?.b]).toEqual([a - 1, b - 1]);
      for (const [name, value] of Object.entries(reference) as [keyof typeof reference, number][])
        expect(distance(pair?.[name], value), `${a}-${b} ${name}`).toBeLessThan(TOLERANCE);
      expect(pair?.confusion.flat().reduce((total, count) => total + count)).toBe(reference.n);
    }
  });

  test('Y10 the order of the cells does not show in the last digit of a figure', () => {
    fc.assert(
      fc.property(table, ([recorders, units]) => {
        const figures = agreementOf(units, recorders);
        expect(agreementOf(units.toReversed(), recorders)).toEqual(figures);
        expect(agreementOf(units.toSorted(), recorders)).toEqual(figures);
      }),
    );
  });

  test('a figure is a finite number or undefined, and never above 1', () => {
    fc.assert(
      fc.property(table, ([recorders, units]) => {
        const { pairs, percent, ac1, ac1_high, alpha } = agreementOf(units, recorders);
        for (const value of [percent, ac1, ac1_high, alpha, ...pairs.map(({ kappa }) => kappa)])
          if (value !== null) expect(value).toBeLessThanOrEqual(1);
      }),
    );
  });

  // From mpmath with 30 digits.
  test.each([
    [1, 12.706204736174705],
    [2, 4.302652729749464],
    [9, 2.2621571627982053],
    [299, 1.96792966906567],
    [50_000, 1.96001143109368],
    [50_001, 1.9600114301447453],
  ])("Student's t with %i degrees, by either form", (df, reference) =>
    expect(distance(studentT975(df), reference)).toBeLessThan(TOLERANCE),
  );
});
