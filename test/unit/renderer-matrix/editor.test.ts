import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { fillSelection } from '../../../src/renderer/features/matrix/editor/fill.ts';
import {
  selectCell,
  selectItem,
  selectRule,
} from '../../../src/renderer/features/matrix/editor/selecting.ts';
import type { Editor } from '../../../src/renderer/features/matrix/editor/editor.ts';
import { NO_FILTER } from '../../../src/renderer/features/matrix/model/filter.ts';
import { rectOf, single, sizeOf } from '../../../src/renderer/features/matrix/model/selection.ts';
import type { MemorySession } from '../../support/memory-session.ts';
import { cell, sessionOf } from './profile.ts';
import { addItems } from '../../support/add-items.ts';

function open(
  rows = 4,
  rules = 3,
): { session: MemorySession; editor: Editor; size: () => number; focus: () => unknown } {
  const session = sessionOf(rows, rules);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  editor.select(single(cell(1, 1)));
  return {
    session,
    editor,
    size: () => sizeOf(rectOf(editor.store.getState().selection, editor.store.getState().view)),
    focus: () => editor.store.getState().selection?.focus,
  };
}

describe('moving', () => {
  it('asks the grid where it stands before anything is drawn, and draws once a key', () => {
    const { editor } = open();
    const asked: string[] = [];
    const note = (what: string) => () => void asked.push(what);
    editor.attach({
      reveal: note('reveal'),
      focus: note('focus'),
      paint: note('paint'),
      setRows: note('setRows'),
      setColumns: note('setColumns'),
      hasFocus: () => true,
      watchFocus: () => () => false,
      pageRows: () => 10,
      openMenu: () => false,
      goToPage: note('goToPage'),
      columnWidth: () => undefined,
      editField: () => false,
    });
    editor.move('down', false);
    expect(asked).toEqual(['reveal', 'paint', 'focus']);
  });
});

describe('a block', () => {
  it('keeps the active cell where it began, by keys and by pointer', () => {
    const { editor, size, focus } = open();
    editor.move('down', true);
    editor.move('right', true);
    expect(size()).toBe(4);
    expect(focus()).toEqual(cell(1, 1));
    editor.select(single(cell(3, 3)));
    selectCell(editor, cell(1, 1), 'extend');
    expect(size()).toBe(9);
    expect(focus()).toEqual(cell(3, 3));
    editor.move('up', true);
    editor.move('down', true);
    expect(size()).toBe(6);
    expect(focus()).toEqual(cell(3, 3));
  });

  it('gets the value of the cell where it began', async () => {
    const { session, editor } = open();
    await editor.record('TRUE');
    editor.move('down', true);
    editor.move('right', true);
    await fillSelection(editor);
    expect(session.totals()).toEqual([0, 4, 0, 8]);
  });

  it('of whole items or rules begins at the first that was chosen', () => {
    const { editor, size, focus } = open();
    selectItem(editor, 'i2', 'only', true);
    selectItem(editor, 'i4', 'extend', true);
    expect(size()).toBe(9);
    expect(focus()).toEqual(cell(2, 1));
    selectRule(editor, 'r3', 'only');
    selectRule(editor, 'r2', 'extend');
    expect(size()).toBe(8);
    expect(focus()).toEqual(cell(1, 3));
  });
});

describe('what was copied', () => {
  it('is outlined until Escape, the next edit, or another arrangement', async () => {
    const { editor, size } = open();
    const copied = { from: cell(1, 1), to: cell(2, 2), rows: 2, columns: 2 };
    const put = (): void => editor.store.setState({ copied });
    editor.move('down', true);
    put();
    editor.collapse();
    expect(editor.store.getState().copied).toBeNull();
    expect(size()).toBe(2);
    editor.collapse();
    expect(size()).toBe(1);
    put();
    await editor.record('TRUE');
    expect(editor.store.getState().copied).toBeNull();
    put();
    await editor.undo();
    expect(editor.store.getState().copied).toBeNull();
    put();
    editor.setSort({ by: 'label', descending: true });
    expect(editor.store.getState().copied).toBeNull();
  });
});

describe('recording', () => {
  it('sets the whole block as one gesture', async () => {
    const { session, editor, size } = open();
    editor.move('down', true);
    editor.move('right', true);
    expect(size()).toBe(4);
    await editor.record('TRUE');
    expect(session.totals()).toEqual([0, 4, 0, 8]);
    await editor.undo();
    expect(session.totals()).toEqual([0, 0, 0, 12]);
    expect(session.canUndo).toBe(false);
    await editor.redo();
    expect(session.totals()).toEqual([0, 4, 0, 8]);
  });

  it('clears to unrecorded and keeps notes; with everything it clears them too', async () => {
    const { session, editor } = open();
    await session.write('', [cell(1, 1)], { raw_outcome: 'NA', notes: 'kept' });
    await editor.clear(false);
    expect(session.state(0, 0)).toBeNull();
    expect(session.detail(0, 0).notes).toBe('kept');
    await editor.clear(true);
    expect(session.detail(0, 0).notes).toBeNull();
  });

  it.each([
    ['off', cell(1, 1)],
    ['down', cell(2, 1)],
    ['right', cell(1, 2)],
  ] as const)('advances: %s', async (advance, to) => {
    const { editor, focus } = open();
    editor.prefer({ advance });
    await editor.record('FALSE');
    expect(focus()).toEqual(to);
  });

  it('does not advance from a block', async () => {
    const { editor, size } = open();
    editor.prefer({ advance: 'down' });
    editor.move('right', true);
    await editor.record('FALSE');
    expect(size()).toBe(2);
  });

  it('says in words that a write failed, and takes it back after the next success', async () => {
    const { session, editor } = open();
    session.failNextWrite('the disk is full');
    await editor.record('FALSE');
    expect(editor.store.getState().notice).toEqual({
      text: 'Not saved: the disk is full',
      tone: 'problem',
    });
    expect(editor.store.getState().announcement.text).toBe('Not saved: the disk is full');
    await editor.record('FALSE');
    expect(editor.store.getState().notice).toBeNull();
  });

  it('is announced with item, rule, value and meaning, or with a count', async () => {
    const { editor } = open();
    await editor.record('TRUE');
    expect(editor.store.getState().announcement.text).toBe('Label 1, Rule 1: TRUE, problem found');
    editor.selectAll();
    await editor.record('NA');
    expect(editor.store.getState().announcement.text).toBe('12 cells: NA, not available');
    await editor.record('NA');
    expect(editor.store.getState().announcement.text).toBe(
      'No change: 12 cells already NA, not available',
    );
  });
});

describe('undo', () => {
  it('tells what it left alone because someone else changed it since', async () => {
    const { session, editor } = open();
    editor.move('down', true);
    await editor.record('TRUE');
    session.receive([{ ...cell(1, 1), raw_outcome: 'FALSE' }]);
    await editor.undo();
    expect(session.state(0, 0)).toBe('FALSE');
    expect(editor.store.getState().notice?.text).toBe(
      'Undone: Set 2 cells to TRUE, problem found. 1 cell was left alone: changed by someone else since.',
    );
  });

  it('goes to what it changed', async () => {
    const { editor, focus } = open();
    await editor.record('TRUE');
    editor.move('last', false);
    await editor.undo();
    expect(focus()).toEqual(cell(1, 1));
  });
});

describe('the filter', () => {
  it('keeps rows in sight while they are worked on, and tells that it is stale', async () => {
    const { session, editor } = open(2, 1);
    editor.setFilter({ ...NO_FILTER, traits: ['unrecorded'] });
    await editor.record('FALSE');
    expect(editor.store.getState()).toMatchObject({ stale: true, view: { rowCount: 2 } });
    editor.applyAgain();
    expect(editor.store.getState()).toMatchObject({ stale: false, view: { rowCount: 1 } });
    expect(editor.store.getState().selection).toEqual(single(cell(2, 1)));
    expect(session.items).toHaveLength(2);
  });

  it('never lets a block reach hidden rows', async () => {
    const { session, editor } = open();
    await session.write('', [cell(2, 1)], { raw_outcome: 'TRUE' });
    editor.setFilter({ ...NO_FILTER, traits: ['problem'] });
    editor.selectAll();
    await editor.record('NA');
    expect(session.totals()).toEqual([0, 0, 3, 9]);
  });
});

describe('items that come in', () => {
  it('are shown, and the selection stays on its item', async () => {
    const { session, editor, focus } = open();
    await addItems(session, [{ item_uid: 'new' }]);
    expect(editor.store.getState().view.rowCount).toBe(5);
    expect(focus()).toEqual(cell(1, 1));
  });
});

describe('the next unrecorded cell', () => {
  it('is sought among the items shown', async () => {
    const { session, editor, focus } = open(3, 2);
    await session.write('', [cell(1, 2), cell(2, 1), cell(2, 2)], { raw_outcome: 'FALSE' });
    editor.moveToUnrecorded(false);
    expect(focus()).toEqual(cell(3, 1));
    editor.moveToUnrecorded(true);
    expect(focus()).toEqual(cell(1, 1));
  });
});
