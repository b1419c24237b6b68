import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CellInput, OutcomeInput } from '../../../src/shared/contract/v1/evidence.ts';
import { isPlainCell, isPlainOutcome } from '../../../src/shared/contract/v1/plain-cells.ts';
import { NASTY } from '../../support/schema-arbitrary.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.constantFrom(...NASTY, 'x'.repeat(10_000), 'x'.repeat(10_001), '🧬'.repeat(6_000)),
);
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text, fc.constant(undefined));
const often = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: odd });
const rightText = fc.oneof(text, fc.constant(null));
const members = {
  rule_uid: often(fc.constantFrom('abc', 'rule_number_1', 'a'.repeat(64))),
  raw_outcome: often(fc.constantFrom('TRUE', 'FALSE', 'NA', null)),
  source_value: often(rightText),
  notes: often(rightText),
  provenance: often(fc.oneof(rightText, fc.constant({ from: ['a'] }))),
  if_revision: often(
    fc.oneof(
      fc.nat(),
      fc.constantFrom(-0, -1, 0.5, 9_007_199_254_740_991, 9_007_199_254_740_992),
      fc.double(),
    ),
  ),
};
const another = fc.constantFrom('Notes', 'evidence', 'constructor', 'toString', '', 'x');
const withMore = (cell: fc.Arbitrary<object>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 10, arbitrary: cell },
    {
      weight: 1,
      arbitrary: fc
        .tuple(cell, another, odd)
        .map(([value, name, more]) => ({ ...value, [name]: more })),
    },
    { weight: 1, arbitrary: cell.map((value) => [value]) },
    { weight: 1, arbitrary: odd },
  );
const cells = withMore(fc.record(members, { requiredKeys: ['rule_uid'] }));
const outcomes = withMore(
  fc.record(
    { item_uid: often(fc.oneof(fc.constant('item 1'), text)), ...members },
    { requiredKeys: ['rule_uid', 'item_uid'] },
  ),
);

/** The same schema without its shortcut. */
const whole = <S extends z.core.$ZodShape>(schema: z.ZodObject<S>) => z.strictObject(schema.shape);
/** What a schema makes of a value, where and why it refuses it. */
function made(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  return success ? { data } : { issues: error.issues.map(({ path, code }) => ({ path, code })) };
}

test.each([
  ['a cell', CellInput, isPlainCell, cells],
  ['an outcome', OutcomeInput, isPlainOutcome, outcomes],
])(
  'the shortcut of %s takes what its schema takes, and refuses it alike',
  (_, schema, isPlain, values) => {
    let taken = 0;
    fc.assert(
      fc.property(values, (value) => {
        const expected = made(whole(schema), value);
        expect(made(schema, value)).toEqual(expected);
        if (!isPlain(value)) return;
        taken += 1;
        expect(expected).toEqual({ data: value });
      }),
      { numRuns: 3_000 },
    );
    // Otherwise this would prove little.
    expect(taken).toBeGreaterThan(300);
  },
);

test('usual cells take the shortcut', () => {
  const cell = { rule_uid: 'rule_1', raw_outcome: 'NA', source_value: 'x', notes: null };
  expect(isPlainCell(cell)).toBe(true);
  expect(isPlainOutcome({ item_uid: 'item', ...cell })).toBe(true);
  expect(CellInput.parse(cell)).toBe(cell);
});
