import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_STATES, type CellState } from '../../../../src/shared/domain/outcome.ts';
import {
  computeResult,
  DEFAULT_SETTINGS,
  ResultError,
  RunResult,
  RunSettings,
} from '../../../../src/shared/domain/result.ts';

interface Expected {
  settings: { a: number; b: number; ci_level: number };
  global: Record<string, number>;
  items: (Record<string, number> & { item_id: string })[];
}

function read(name: string): string {
  return readFileSync(new URL(`../../../fixtures/reference/${name}`, import.meta.url), 'utf8');
}

function readMatrix(name: string) {
  const [head = [], ...lines] = read(`${name}_raw.csv`)
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return {
    items: lines.map(([item = '']) => item),
    rules: head.slice(1),
    raw: lines.map((line) => line.slice(1) as CellState[]),
  };
}

const sets = ['m12x5', 'm1x1', 'm4x1_ties'].flatMap((name) =>
  (JSON.parse(read(`${name}_expected.json`)) as Expected[]).map((expected) => ({ name, expected })),
);

/** The reference is printed with 15 digits, so 5e-15 of its error is its own. */
function expectClose(
  actual: Record<string, unknown>,
  expected: Record<string, unknown>,
  tolerances: Record<string, number>,
): void {
  for (const [member, value] of Object.entries(expected)) {
    const tolerance = tolerances[member];
    if (tolerance === undefined) expect(actual[member], member).toBe(value);
    else
      expect(Math.abs(Number(actual[member]) - Number(value)), member).toBeLessThanOrEqual(
        tolerance * Math.abs(Number(value)),
      );
  }
}

describe('computeResult', () => {
  it('has all six settings of each reference set', () => {
    expect(sets.map((set) => set.name)).toEqual([
      ...Array(6).fill('m12x5'),
      ...Array(6).fill('m1x1'),
      ...Array(6).fill('m4x1_ties'),
    ]);
  });

  it.each(sets)('reproduces $name under $expected.settings', ({ name, expected }) => {
    const { a, b, ci_level } = expected.settings;
    const result = computeResult(readMatrix(name), { prior_alpha: a, prior_beta: b, ci_level });
    const { n_variants, ...global } = expected.global;
    expectClose(
      result.global,
      { ...global, n_items: n_variants },
      { mean_theta: 1e-14, median_theta: 1e-14, lower_theta: 1e-14, upper_theta: 1e-14 },
    );
    expect(result.items.length).toBe(expected.items.length);
    for (const [index, { item_id, ...item }] of expected.items.entries()) {
      const own = result.items[index] as (typeof result.items)[number];
      expectClose(
        { ...own },
        { ...item, item_uid: item_id },
        {
          p_hat: 1e-14,
          theta_mean: 1e-14,
          theta_lower: 1e-12,
          theta_upper: 1e-12,
          percentile: 1e-14,
        },
      );
    }
    expect(RunResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it('counts unrecorded as NA in the result and apart from it in the rules', () => {
    const matrix = (state: CellState) =>
      computeResult({ items: ['i'], rules: ['r', 's'], raw: [['FALSE', state]] }, DEFAULT_SETTINGS);
    expect(matrix(null).items).toEqual(matrix('NA').items);
    expect(matrix(null).rules[1]).toEqual({
      rule_uid: 's',
      evidence_present: 0,
      problem_found: 0,
      not_available: 0,
      unrecorded: 1,
    });
    expect(matrix('NA').rules[1]).toEqual({
      rule_uid: 's',
      evidence_present: 0,
      problem_found: 0,
      not_available: 1,
      unrecorded: 0,
    });
  });

  it('states its boundary', () => {
    const { interpretation_boundary } = computeResult(
      { items: ['i'], rules: ['r'], raw: [['TRUE']] },
      DEFAULT_SETTINGS,
    );
    for (const word of [
      'evidence sufficiency',
      'truth',
      'pathogenicity',
      'safety',
      'regulatory acceptability',
      'clinical actionability',
    ])
      expect(interpretation_boundary).toContain(word);
  });

  it.each<[string, string[], string[], CellState[][], string]>([
    ['no items', [], ['r'], [], 'empty_matrix'],
    ['no rules', ['i'], [], [[]], 'empty_matrix'],
    ['a missing row', ['i', 'j'], ['r'], [['NA']], 'shape_mismatch'],
    ['a short row', ['i'], ['r', 's'], [['NA']], 'shape_mismatch'],
  ])('refuses %s', (_, items, rules, raw, code) => {
    expect(() => computeResult({ items, rules, raw }, DEFAULT_SETTINGS)).toThrow(
      expect.objectContaining({ constructor: ResultError, code }),
    );
  });

  it('agrees with the formulas taken item by item', () => {
    const input = fc.integer({ min: 1, max: 8 }).chain((m) =>
      fc.array(fc.array(fc.constantFrom(...CELL_STATES), { minLength: m, maxLength: m }), {
        minLength: 1,
        maxLength: 30,
      }),
    );
    const settings = fc.record({
      prior_alpha: fc.double({ min: 0.25, max: 10, noNaN: true }),
      prior_beta: fc.double({ min: 0.25, max: 10, noNaN: true }),
      ci_level: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(input, settings, (raw, chosen) => {
        const m = raw[0]?.length ?? 0;
        const items = raw.map((_, index) => `i${index}`);
        const { global, items: results } = computeResult(
          { items, rules: Array.from({ length: m }, (_, index) => `r${index}`), raw },
          chosen,
        );
        const k = raw.map((row) => row.filter((state) => state === 'FALSE').length);
        const means = k.map(
          (own) => (chosen.prior_alpha + own) / (chosen.prior_alpha + chosen.prior_beta + m),
        );
        for (const [index, item] of results.entries()) {
          const own = k[index] as number;
          const below = k.filter((other) => other < own).length;
          const equal = k.filter((other) => other === own).length;
          expect(item).toMatchObject({
            item_uid: `i${index}`,
            k: own,
            m,
            alpha: chosen.prior_alpha + own,
            beta: chosen.prior_beta + (m - own),
          });
          expect(item.percentile).toBeCloseTo((100 * (below + (equal + 1) / 2)) / k.length, 10);
          expect(item.theta_mean).toBeCloseTo(means[index] as number, 14);
          expect(item.theta_lower).toBeGreaterThan(0);
          expect(item.theta_lower).toBeLessThan(item.theta_upper);
          expect(item.theta_upper).toBeLessThanOrEqual(1);
        }
        const sorted = means.toSorted((x, y) => x - y);
        const middle =
          ((sorted[Math.floor((sorted.length - 1) / 2)] as number) +
            (sorted[Math.ceil((sorted.length - 1) / 2)] as number)) /
          2;
        expect(global.median_theta).toBeCloseTo(middle, 14);
        expect(global.mean_theta).toBeCloseTo(means.reduce((x, y) => x + y, 0) / means.length, 14);
        expect(global.lower_theta).toBeLessThanOrEqual(global.median_theta + 1e-15);
        expect(global.upper_theta).toBeGreaterThanOrEqual(global.median_theta - 1e-15);
      }),
    );
  });

  it('does not depend on the order of items', () => {
    const matrix = readMatrix('m12x5');
    const reversed = computeResult(
      { ...matrix, items: matrix.items.toReversed(), raw: matrix.raw.toReversed() },
      DEFAULT_SETTINGS,
    );
    const straight = computeResult(matrix, DEFAULT_SETTINGS);
    expect(reversed).toEqual({ ...straight, items: straight.items.toReversed() });
  });
});

describe('RunSettings', () => {
  it.each([
    [{ prior_alpha: 0.25, prior_beta: 10, ci_level: 0.5 }, true],
    [{ prior_alpha: 10, prior_beta: 0.25, ci_level: 0.999 }, true],
    [DEFAULT_SETTINGS, true],
    [{ ...DEFAULT_SETTINGS, prior_alpha: 0.24 }, false],
    [{ ...DEFAULT_SETTINGS, prior_beta: 10.1 }, false],
    [{ ...DEFAULT_SETTINGS, ci_level: 0.9991 }, false],
    [{ ...DEFAULT_SETTINGS, ci_level: 0.49 }, false],
    [{ ...DEFAULT_SETTINGS, prior_alpha: '1' }, false],
    [{ ...DEFAULT_SETTINGS, ci_level: Number.NaN }, false],
    [{ ...DEFAULT_SETTINGS, seed: 1 }, false],
    [{ prior_alpha: 1, prior_beta: 1 }, false],
  ])('judges %j: %s', (settings, ok) => {
    expect(RunSettings.safeParse(settings).success).toBe(ok);
  });
});
