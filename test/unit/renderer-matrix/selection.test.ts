import { describe, expect, it } from 'vitest';
import { carryOver, cellsIn, contains, countIn, rectOf, single, sizeOf } from '../../../src/renderer/features/matrix/selection.ts';
import { createView } from '../../../src/renderer/features/matrix/view.ts';
import { cell, sessionOf } from './profile.ts';

const session = sessionOf(6, 4, [{ ...cell(2, 2), raw_outcome: 'FALSE' }, { ...cell(3, 3), raw_outcome: 'TRUE' }, { ...cell(5, 1), raw_outcome: 'NA' }]);
const all = createView(session, () => true);
const odd = createView(session, (row) => row % 2 === 0);

describe('a selection', () => {
  it('is the same rectangle from whichever corner it was drawn', () => {
    const rect = { top: 1, left: 1, bottom: 3, right: 2 };
    expect(rectOf({ anchor: cell(2, 2), focus: cell(4, 3) }, all)).toEqual(rect);
    expect(rectOf({ anchor: cell(4, 2), focus: cell(2, 3) }, all)).toEqual(rect);
    expect(sizeOf(rect)).toBe(6);
    expect(contains(rect, 1, 1)).toBe(true);
    expect(contains(rect, 4, 1)).toBe(false);
  });

  it('names its cells row by row in display order', () => {
    expect(cellsIn({ top: 0, left: 0, bottom: 1, right: 1 }, odd)).toEqual([cell(1, 1), cell(1, 2), cell(3, 1), cell(3, 2)]);
  });

  it('is no rectangle while a corner is hidden', () => {
    expect(rectOf({ anchor: cell(1, 1), focus: cell(2, 1) }, odd)).toBeNull();
    expect(rectOf(null, all)).toBeNull();
  });

  it('shrinks to its focus when other rows are shown, so that it never covers rows silently', () => {
    expect(carryOver({ anchor: cell(1, 1), focus: cell(3, 2) }, all, odd)).toEqual(single(cell(3, 2)));
    expect(carryOver({ anchor: cell(1, 1), focus: cell(3, 2) }, odd, all)).toEqual(single(cell(3, 2)));
  });

  it('goes to the row in the place of a hidden focus, and away with the last row', () => {
    expect(carryOver(single(cell(2, 2)), all, odd)).toEqual(single(cell(3, 2)));
    expect(carryOver(single(cell(6, 2)), all, odd)).toEqual(single(cell(5, 2)));
    expect(carryOver(single(cell(6, 2)), all, createView(session, () => false))).toBeNull();
  });

  it('stays when the same rows are shown', () => {
    const selection = { anchor: cell(1, 1), focus: cell(1, 4) };
    expect(carryOver(selection, all, odd)).toBe(selection);
    expect(carryOver({ anchor: cell(1, 1), focus: cell(6, 2) }, all, createView(session, () => true, { rows: [5, 4, 3, 2, 1, 0] }))).toEqual({ anchor: cell(1, 1), focus: cell(6, 2) });
  });

  it('shrinks where another order would put other items or rules between its corners', () => {
    const block = { anchor: cell(1, 1), focus: cell(2, 2) };
    expect(carryOver(block, all, createView(session, () => true, { rows: [0, 2, 1, 3, 4, 5] }))).toEqual(single(cell(2, 2)));
    expect(carryOver({ anchor: cell(1, 1), focus: cell(3, 1) }, all, createView(session, () => true, { rows: [0, 3, 2, 1, 4, 5] }))).toEqual(single(cell(3, 1)));
    expect(carryOver(block, all, createView(session, () => true, { columns: [0, 2, 1, 3] }))).toEqual(single(cell(2, 2)));
    expect(carryOver(block, all, createView(session, () => true, { columns: [0, 2, 3] }))).toEqual(single(cell(2, 3)));
  });
});

describe('the counts of a rectangle', () => {
  const byCell = (rect: { top: number; left: number; bottom: number; right: number }): number[] => {
    const counts = [0, 0, 0, 0];
    for (const { item, rule } of cellsIn(rect, all)) counts[['FALSE', 'TRUE', 'NA', null].indexOf(session.state(session.rowOf(item), session.columnOf(rule)))]! += 1;
    return counts;
  };

  it.each([
    ['a block', { top: 1, left: 1, bottom: 2, right: 2 }],
    ['whole rows', { top: 1, left: 0, bottom: 4, right: 3 }],
    ['whole columns', { top: 0, left: 1, bottom: 5, right: 2 }],
    ['everything', { top: 0, left: 0, bottom: 5, right: 3 }],
  ])('are those of its cells: %s', (_, rect) => {
    expect(countIn(rect, all, session)).toEqual(byCell(rect));
  });

  it('are those of the rules shown, in whatever order', () => {
    const turned = createView(session, () => true, { columns: [2, 0] });
    expect(countIn({ top: 0, left: 0, bottom: 5, right: 0 }, turned, session)).toEqual([0, 1, 0, 5]);
    expect(countIn({ top: 4, left: 0, bottom: 4, right: 1 }, turned, session)).toEqual([0, 0, 1, 1]);
    expect(countIn({ top: 0, left: 0, bottom: 5, right: 1 }, turned, session)).toEqual([0, 1, 1, 10]);
  });

  it('leave out hidden rows', () => {
    expect(countIn({ top: 0, left: 0, bottom: 2, right: 3 }, odd, session)).toEqual([0, 1, 1, 10]);
  });
});
