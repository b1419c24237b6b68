import { describe, expect, it } from 'vitest';
import {
  CASE_ORDER,
  dependsOn,
  type Sort,
  sortedRows,
  sortWords,
} from '../../../src/renderer/features/matrix/model/sort.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { cell, profileOf, sessionOf } from './profile.ts';

const session = sessionOf(6, 2, [
  { ...cell(1, 1), raw_outcome: 'FALSE' },
  { ...cell(2, 1), raw_outcome: 'TRUE' },
  { ...cell(4, 1), raw_outcome: 'NA' },
  { ...cell(5, 1), raw_outcome: 'TRUE' },
  { ...cell(6, 1), raw_outcome: 'FALSE' },
  { ...cell(5, 2), raw_outcome: 'NA' },
]);
const named = (
  ...items: [uid: string, label: string, type?: string][]
): ReturnType<typeof createMemorySession> =>
  createMemorySession(
    profileOf(1),
    items.map(([item_uid, label, item_type = 'item']) => ({
      item_uid,
      label,
      item_type,
      metadata: {},
    })),
  );
const order = (sort: Sort, of = session): number[] =>
  [...(sortedRows(sort, of) ?? [])].map((row) => row + 1);

describe('the order of the items', () => {
  it.each([
    ['TRUE', [2, 5, 1, 6, 4, 3]],
    ['FALSE', [1, 6, 2, 5, 4, 3]],
    ['unrecorded', [3, 2, 5, 1, 6, 4]],
  ] as const)('by a rule, %s first, equals as in the case', (first, rows) => {
    expect(order({ by: 'rule', rule: 'r1', first })).toEqual(rows);
  });

  it('by the share recorded, either way, equals as in the case', () => {
    expect(order({ by: 'progress', descending: false })).toEqual([3, 1, 2, 4, 6, 5]);
    expect(order({ by: 'progress', descending: true })).toEqual([5, 1, 2, 4, 6, 3]);
  });

  it('by label, number by value, whatever the case, and by the uid where there is no label', () => {
    const items = named(
      ['x1', 'Clone 10'],
      ['x2', 'clone 9'],
      ['b', ''],
      ['x4', 'Élan'],
      ['x5', 'Zeta'],
    );
    expect(order({ by: 'label', descending: false }, items)).toEqual([3, 2, 1, 4, 5]);
    expect(order({ by: 'label', descending: true }, items)).toEqual([5, 4, 1, 2, 3]);
  });

  it('by uid and by type; equals stay as in the case both ways', () => {
    const items = named(['i10', '', 'pool'], ['i9', '', 'clone'], ['i1', '', 'pool']);
    expect(order({ by: 'uid', descending: false }, items)).toEqual([3, 2, 1]);
    expect(order({ by: 'type', descending: false }, items)).toEqual([2, 1, 3]);
    expect(order({ by: 'type', descending: true }, items)).toEqual([1, 3, 2]);
  });

  it("is the case's own without a sort, and by a rule that the profile has not", () => {
    expect(sortedRows(CASE_ORDER, session)).toBeUndefined();
    expect(sortedRows({ by: 'rule', rule: 'gone', first: 'TRUE' }, session)).toBeUndefined();
  });

  it('knows what it depends on, and says so', () => {
    expect(dependsOn({ by: 'rule', rule: 'r1', first: 'TRUE' }, 'r2')).toBe(false);
    expect(dependsOn({ by: 'progress', descending: true }, 'r2')).toBe(true);
    expect(sortWords({ by: 'rule', rule: 'r1', first: 'unrecorded' }, () => 'Rule 1')).toBe(
      'Rule 1, unrecorded first',
    );
    expect(sortWords({ by: 'uid', descending: true }, String)).toBe('By ID, Z to A');
  });
});
