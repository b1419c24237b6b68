import { describe, expect, it } from 'vitest';
import { createView } from '../../../src/renderer/features/matrix/model/view.ts';
import { sessionOf } from './profile.ts';
import { addItems } from '../../support/add-items.ts';

describe('a view', () => {
  const session = sessionOf(4, 3, []);

  it('shows every item and rule in the order of case and profile', () => {
    const view = createView(session, () => true);
    expect([view.rowCount, view.columnCount]).toEqual([4, 3]);
    expect([0, 1, 2].map((column) => view.ruleAt(column))).toEqual([...session.rules]);
  });

  it('leads from display to session and back, through hidden, moved and sorted ones', () => {
    const view = createView(session, (row) => row !== 2, { rows: [3, 2, 1, 0], columns: [2, 0] });
    expect([0, 1, 2].map((row) => view.itemAt(row))).toEqual(['i4', 'i2', 'i1']);
    expect([0, 1, 2].map((row) => view.storeRow(row))).toEqual([3, 1, 0]);
    expect([0, 1, 2, 3].map((row) => view.displayRow(row))).toEqual([2, 1, -1, 0]);
    expect([0, 1].map((column) => view.storeColumn(column))).toEqual([2, 0]);
    expect([0, 1, 2].map((column) => view.displayColumn(column))).toEqual([1, -1, 0]);
    expect([view.rowOf('i2'), view.rowOf('i3'), view.rowOf('i9')]).toEqual([1, -1, -1]);
    expect(session.rules.map((rule) => view.columnOf(rule))).toEqual([1, -1, 0]);
  });

  it('has nothing beyond its borders', () => {
    const view = createView(session, (row) => row === 1, { columns: [1] });
    expect([
      view.itemAt(1),
      view.storeRow(1),
      view.storeRow(-1),
      view.ruleAt(1),
      view.storeColumn(1),
    ]).toEqual(['', -1, -1, '', -1]);
  });

  it('still tells where its items stood after the session has other items', async () => {
    const view = createView(session, () => true, { rows: [3, 2, 1, 0] });
    await addItems(session, [{ item_uid: 'i5' }]);
    expect([view.rowOf('i4'), view.rowOf('i1'), view.rowOf('i5')]).toEqual([0, 3, -1]);
  });
});
