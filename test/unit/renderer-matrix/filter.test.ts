import { describe, expect, it } from 'vitest';
import { createPredicate, type Filter, isActive, NO_FILTER } from '../../../src/renderer/features/matrix/filter.ts';
import { cell, sessionOf } from './profile.ts';

const full = (row: number): { item: string; rule: string; raw_outcome: 'FALSE' }[] => [1, 2].map((column) => ({ ...cell(row, column), raw_outcome: 'FALSE' }));
const session = sessionOf(4, 2, [
  ...full(1),
  { ...cell(2, 1), raw_outcome: 'TRUE', notes: 'Repeat the Assay' },
  { ...cell(3, 2), raw_outcome: 'NA', source_value: '16 of 16 loci', contested: true },
  ...full(4),
]);
const shown = (filter: Partial<Filter>): number[] => session.items.map((_, row) => row).filter(createPredicate({ ...NO_FILTER, ...filter }, session)).map((row) => row + 1);

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

  it('is active only where it can hide something', () => {
    expect(isActive(NO_FILTER)).toBe(false);
    expect(isActive({ ...NO_FILTER, text: '  ' })).toBe(false);
    expect(isActive({ ...NO_FILTER, text: 'a' })).toBe(true);
  });
});
