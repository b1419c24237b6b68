import { expect, it } from 'vitest';
import { valueWords } from '../../../src/renderer/features/sync/entry-words.ts';
import type { UnsentEntry } from '../../../src/renderer/data/store/unsent.ts';

const entry = (field: string): UnsentEntry => ({
  item: 'item_001',
  rule: 'rule_a',
  field,
  old: undefined,
  new: undefined,
});

it('an outcome carries its meaning, and only an outcome does', () => {
  expect(['TRUE', 'FALSE', 'NA', null].map((value) => valueWords(entry('outcome'), value))).toEqual(
    ['TRUE, problem found', 'FALSE, evidence present', 'NA, not available', 'unrecorded'],
  );
  expect(valueWords(entry('notes'), 'TRUE')).toBe('TRUE');
  expect(valueWords(entry('outcome'), undefined)).toBe('unknown');
});
