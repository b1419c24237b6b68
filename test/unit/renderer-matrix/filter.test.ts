import { describe, expect, it } from 'vitest';
import {
  authorCounts,
  createPredicate,
  Filter,
  isActive,
  NO_FILTER,
  statesOf,
  typeCounts,
  withAuthor,
  withState,
  withStates,
  withTrait,
  withType,
} from '../../../src/renderer/features/matrix/model/filter.ts';
import { cell, sessionOf } from './profile.ts';

const full = (row: number): { item: string; rule: string; raw_outcome: 'FALSE' }[] =>
  [1, 2].map((column) => ({ ...cell(row, column), raw_outcome: 'FALSE' }));
const session = sessionOf(4, 2, [
  ...full(1),
  { ...cell(2, 1), raw_outcome: 'TRUE', notes: 'Repeat the Assay' },
  { ...cell(3, 2), raw_outcome: 'NA', source_value: '16 of 16 loci', contested: true },
  ...full(4),
]);
/** As the whole is filtered, and as few rows are looked at: both must say the same. */
const shown = (filter: Partial<Filter>): number[] => {
  const [whole, few] = [false, true].map((single) =>
    session.items
      .map((_, row) => row)
      .filter(createPredicate({ ...NO_FILTER, ...filter }, session, single))
      .map((row) => row + 1),
  );
  expect(few).toEqual(whole);
  return whole ?? [];
};

describe('the filter', () => {
  it('shows by state', () => {
    expect(shown({})).toEqual([1, 2, 3, 4]);
    expect(shown({ traits: ['unrecorded'] })).toEqual([2, 3]);
    expect(shown({ traits: ['problem'] })).toEqual([2]);
    expect(shown({ traits: ['contested'] })).toEqual([3]);
  });

  it('looks for a text in uid, label, notes and source value, whatever the case', () => {
    expect(shown({ text: 'I3' })).toEqual([3]);
    expect(shown({ text: 'label 4' })).toEqual([4]);
    expect(shown({ text: ' assay ' })).toEqual([2]);
    expect(shown({ text: '16 of' })).toEqual([3]);
    expect(shown({ text: 'nowhere' })).toEqual([]);
  });

  it('asks for both together', () => {
    expect(shown({ traits: ['unrecorded'], text: 'loci' })).toEqual([3]);
    expect(shown({ traits: ['problem'], text: 'loci' })).toEqual([]);
  });

  it('shows by notes, by type and by the outcome of rules, all of them together', () => {
    expect(shown({ traits: ['noted'] })).toEqual([2]);
    expect(shown({ types: ['item'] })).toEqual([1, 2, 3, 4]);
    expect(shown({ types: ['other'] })).toEqual([]);
    expect(shown({ rules: [{ rule: 'r1', states: ['TRUE', 'unrecorded'] }] })).toEqual([2, 3]);
    expect(
      shown({
        rules: [
          { rule: 'r1', states: ['TRUE', 'unrecorded'] },
          { rule: 'r2', states: ['NA'] },
        ],
      }),
    ).toEqual([3]);
    expect(shown({ rules: [{ rule: 'gone', states: ['TRUE'] }] })).toEqual([1, 2, 3, 4]);
  });

  it('is built part by part and taken apart again', () => {
    const one = withState(withType(withTrait(NO_FILTER, 'problem'), 'clone'), 'r1', 'NA');
    expect(one).toEqual({
      text: '',
      traits: ['problem'],
      types: ['clone'],
      rules: [{ rule: 'r1', states: ['NA'] }],
      authors: [],
      fields: [],
    });
    expect(statesOf(withState(one, 'r1', 'FALSE'), 'r1')).toEqual(['FALSE', 'NA']);
    expect(withState(withType(withTrait(one, 'problem'), 'clone'), 'r1', 'NA')).toEqual(NO_FILTER);
    expect(withStates(NO_FILTER, 'r1', ['FALSE', 'TRUE', 'NA', 'unrecorded'])).toEqual(NO_FILTER);
    expect(typeCounts(session)).toEqual([['item', 4]]);
  });

  it('shows by who recorded, any of them, and counts whose the outcomes are', async () => {
    const mixed = sessionOf(3, 2, [
      { ...cell(1, 1), raw_outcome: 'TRUE' },
      { ...cell(2, 1), raw_outcome: 'NA' },
    ]);
    const rowsOf = (filter: Filter): number[] =>
      mixed.items
        .map((_, row) => row)
        .filter(createPredicate(filter, mixed))
        .map((row) => row + 1);
    await mixed.write('Set', [cell(2, 2), cell(3, 1)], { raw_outcome: 'FALSE' });
    const [you, somebody] = [mixed.recordedBy(2, 0)!, mixed.recordedBy(0, 0)!];
    expect(authorCounts(mixed).map(([, count]) => count)).toEqual([2, 2]);
    const yours = withAuthor(NO_FILTER, you);
    expect([
      rowsOf(yours),
      rowsOf(withAuthor(NO_FILTER, somebody)),
      rowsOf(withAuthor(yours, somebody)),
    ]).toEqual([
      [2, 3],
      [1, 2],
      [1, 2, 3],
    ]);
    expect([
      isActive(yours),
      withAuthor(yours, you),
      rowsOf(withAuthor(NO_FILTER, { ...you, kind: 'agent' })),
    ]).toEqual([true, NO_FILTER, []]);
    // A view that an earlier version has kept.
    expect(Filter.parse({ text: '', traits: [], types: [], rules: [] })).toEqual(NO_FILTER);
  });

  it('is active only where it can hide something', () => {
    expect(isActive(NO_FILTER)).toBe(false);
    expect(isActive({ ...NO_FILTER, text: '  ' })).toBe(false);
    expect(isActive({ ...NO_FILTER, text: 'a' })).toBe(true);
  });
});
