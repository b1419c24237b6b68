import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Assertion,
  contentKey,
  sameAssertion,
  sameContent,
} from '../../src/sync/assertion.ts';
import { parseRegister, type Register } from '../../src/sync/register.ts';

const registerOf = (reg: string): Register => parseRegister(reg) as Register;
const CELL = registerOf('a/p@1/r/i');

const assertions: fc.Arbitrary<Assertion> = fc.record(
  {
    raw_outcome: fc.constantFrom('TRUE', 'FALSE', 'NA', null),
    source_value: fc.constantFrom('', '1.37 mg/L', 'null'),
    provenance: fc.constantFrom('p. 14', { page: '14' }),
  },
  { requiredKeys: ['raw_outcome'] },
);

describe('what a head says', () => {
  test('V3 outcome and source make an assertion, its provenance does not', () => {
    const said: Assertion = { raw_outcome: 'TRUE', source_value: '1', provenance: 'p. 14' };
    expect(sameAssertion(said, { raw_outcome: 'TRUE', source_value: '1' })).toBe(true);
    expect(sameAssertion(said, { raw_outcome: 'TRUE' })).toBe(false);
    expect(sameAssertion(said, { ...said, raw_outcome: 'NA' })).toBe(false);
    expect(sameAssertion({ raw_outcome: null }, { raw_outcome: 'NA' })).toBe(false);
  });

  test('V3 the comparison with and without a text is the same one', () => {
    fc.assert(
      fc.property(assertions, assertions, (a, b) => {
        const expected = contentKey(CELL, a) === contentKey(CELL, b);
        expect(sameAssertion(a, b)).toBe(expected);
        expect(sameContent(CELL, a, b)).toBe(expected);
      }),
    );
  });

  test.each([
    ['item/x/i', { deleted: true, covers: ['a'] }, { deleted: true, covers: [] }, true],
    ['case/x', { deleted: true, reason: 'spam' }, { deleted: true }, true],
    ['project/x', { deleted: true }, { deleted: false }, false],
    ['item/metadata/i', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['item/label/i', 'x', 'X', false],
    ['n/p@1/r/i', null, '', false],
    ['document/p@1', { digest: 'd' }, { digest: 'd' }, true],
  ])('V3 %s: %j and %j say the same: %s', (reg, a, b, expected) => {
    expect(sameContent(registerOf(reg), a, b)).toBe(expected);
    expect(contentKey(registerOf(reg), a) === contentKey(registerOf(reg), b)).toBe(expected);
  });
});
