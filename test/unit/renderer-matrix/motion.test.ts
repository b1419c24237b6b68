import { describe, expect, it } from 'vitest';
import {
  type GridExtent,
  move,
  nextUnrecorded,
} from '../../../src/renderer/features/matrix/model/motion.ts';

const ROWS = ['xx.x', '....', 'x..x', 'x...', '...x'];
const field: GridExtent = {
  rows: 5,
  columns: 4,
  page: 3,
  recorded: (row, column) => ROWS[row]?.[column] === 'x',
};
const open = (row: number): number => [...(ROWS[row] ?? '')].filter((sign) => sign === '.').length;
const at = (row: number, column: number): { row: number; column: number } => ({ row, column });

describe('motions', () => {
  it.each([
    ['down', at(0, 0), at(1, 0)],
    ['down', at(4, 0), at(4, 0)],
    ['left', at(1, 0), at(1, 0)],
    ['right', at(1, 0), at(1, 1)],
    ['right', at(1, 3), at(1, 3)],
    ['rowStart', at(2, 2), at(2, 0)],
    ['rowEnd', at(2, 2), at(2, 3)],
    ['first', at(2, 2), at(0, 0)],
    ['last', at(2, 2), at(4, 3)],
    ['pageDown', at(0, 1), at(3, 1)],
    ['pageDown', at(3, 1), at(4, 1)],
    ['pageUp', at(1, 1), at(0, 1)],
  ] as const)('%s from %o', (motion, from, to) => {
    expect(move(motion, from, field)).toEqual(to);
  });

  it('up leaves the matrix for its headings at the first row', () => {
    expect(move('up', at(1, 1), field)).toEqual(at(0, 1));
    expect(move('up', at(0, 1), field)).toBeNull();
  });

  it('next and former wrap to the neighbouring row and leave at either end: no trap', () => {
    expect(move('next', at(0, 3), field)).toEqual(at(1, 0));
    expect(move('previous', at(1, 0), field)).toEqual(at(0, 3));
    expect(move('next', at(4, 3), field)).toBeNull();
    expect(move('previous', at(0, 0), field)).toBeNull();
  });

  it('edge: end of a run, else next recorded cell, else border', () => {
    expect(move('edgeRight', at(0, 0), field)).toEqual(at(0, 1));
    expect(move('edgeRight', at(0, 1), field)).toEqual(at(0, 3));
    expect(move('edgeRight', at(1, 0), field)).toEqual(at(1, 3));
    expect(move('edgeDown', at(0, 0), field)).toEqual(at(2, 0));
    expect(move('edgeDown', at(2, 0), field)).toEqual(at(3, 0));
    expect(move('edgeDown', at(3, 0), field)).toEqual(at(4, 0));
    expect(move('edgeUp', at(0, 0), field)).toEqual(at(0, 0));
  });
});

describe('the next unrecorded cell', () => {
  it('is found in reading order, and backwards', () => {
    expect(nextUnrecorded(at(0, 0), false, field, open)).toEqual(at(0, 2));
    expect(nextUnrecorded(at(2, 2), false, field, open)).toEqual(at(3, 1));
    expect(nextUnrecorded(at(1, 0), true, field, open)).toEqual(at(0, 2));
  });

  it('wraps round both ends', () => {
    expect(nextUnrecorded(at(4, 3), false, field, open)).toEqual(at(0, 2));
    expect(nextUnrecorded(at(0, 1), true, field, open)).toEqual(at(4, 2));
  });

  it('comes back into the same row last', () => {
    const one: GridExtent = {
      rows: 2,
      columns: 2,
      page: 1,
      recorded: (row, column) => !(row === 0 && column === 0),
    };
    expect(nextUnrecorded(at(0, 1), false, one, (row) => (row === 0 ? 1 : 0))).toEqual(at(0, 0));
    expect(nextUnrecorded(at(0, 0), false, one, (row) => (row === 0 ? 1 : 0))).toEqual(at(0, 0));
  });

  it('is null when everything is recorded', () => {
    expect(nextUnrecorded(at(0, 0), false, { ...field, recorded: () => true }, () => 0)).toBeNull();
  });
});
