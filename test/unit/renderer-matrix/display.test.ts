import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import type { Editor } from '../../../src/renderer/features/matrix/editor/editor.ts';
import { NO_FILTER, withState } from '../../../src/renderer/features/matrix/model/filter.ts';
import {
  hide,
  PLAIN_COLUMNS,
  place,
} from '../../../src/renderer/features/matrix/model/column-plan.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import type { MemorySession } from '../../support/memory-session.ts';
import { cell, sessionOf } from './profile.ts';
import { addItems } from '../../support/add-items.ts';

function open(): {
  session: MemorySession;
  editor: Editor;
  rows: () => string;
  rules: () => string;
} {
  const session = sessionOf(4, 3, [
    { ...cell(2, 1), raw_outcome: 'TRUE' },
    { ...cell(4, 1), raw_outcome: 'FALSE' },
  ]);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  editor.select(single(cell(1, 1)));
  const view = () => editor.store.getState().view;
  return {
    session,
    editor,
    rows: () => Array.from({ length: view().rowCount }, (_, row) => view().itemAt(row)).join(' '),
    rules: () =>
      Array.from({ length: view().columnCount }, (_, column) => view().ruleAt(column)).join(' '),
  };
}

describe('sorted rows', () => {
  it('stand still while they are worked on, and move when the sort is applied again', async () => {
    const { editor, rows } = open();
    editor.setSort({ by: 'rule', rule: 'r1', first: 'TRUE' });
    expect(rows()).toBe('i2 i4 i1 i3');
    editor.select(single(cell(3, 1)));
    await editor.record('TRUE');
    expect(rows()).toBe('i2 i4 i1 i3');
    expect(editor.store.getState().stale).toBe(true);
    editor.applyAgain();
    expect(rows()).toBe('i2 i3 i4 i1');
    expect(editor.store.getState()).toMatchObject({
      stale: false,
      selection: { focus: cell(3, 1) },
    });
  });

  it('are not out of order by what another rule records', async () => {
    const { editor } = open();
    editor.setSort({ by: 'rule', rule: 'r1', first: 'TRUE' });
    editor.select(single(cell(3, 2)));
    await editor.record('TRUE');
    expect(editor.store.getState().stale).toBe(false);
  });

  it('stand still when items come in, which follow them', async () => {
    const { session, editor, rows } = open();
    editor.setSort({ by: 'uid', descending: true });
    await addItems(session, [{ item_uid: 'i0' }, { item_uid: 'i9' }]);
    expect(rows()).toBe('i4 i3 i2 i1 i0 i9');
    editor.applyAgain();
    expect(rows()).toBe('i9 i4 i3 i2 i1 i0');
  });
});

describe('filtered rows', () => {
  it('stay when items come in, even where they no longer pass', async () => {
    const { session, editor, rows } = open();
    editor.setFilter(withState(NO_FILTER, 'r1', 'unrecorded'));
    expect(rows()).toBe('i1 i3');
    await editor.record('FALSE');
    await addItems(session, [{ item_uid: 'i9' }]);
    expect(rows()).toBe('i1 i3 i9');
    editor.applyAgain();
    expect(rows()).toBe('i3 i9');
  });

  it('stay when everything is touched at once', async () => {
    const { session, editor, rows } = open();
    editor.setFilter(withState(NO_FILTER, 'r1', 'unrecorded'));
    session.fill(() => 'NA');
    expect(rows()).toBe('i1 i3');
  });
});

describe('columns', () => {
  it('are hidden and moved without a change of the rows, and the focus goes to a rule that is shown', () => {
    const { editor, rows, rules } = open();
    editor.setSort({ by: 'rule', rule: 'r1', first: 'TRUE' });
    editor.arrange({
      columns: hide(
        place(PLAIN_COLUMNS, ['r1', 'r2', 'r3'], 'r3', 'r1'),
        ['r1', 'r2', 'r3'],
        ['r1'],
      ),
    });
    expect(rules()).toBe('r3 r2');
    expect(rows()).toBe('i2 i4 i1 i3');
    expect(editor.store.getState().selection?.focus.item).toBe('i1');
    expect(['r2', 'r3']).toContain(editor.store.getState().selection?.focus.rule);
  });

  it('that are hidden keep what they hold: a block over the others changes only those', async () => {
    const { session, editor } = open();
    editor.arrange({ columns: hide(PLAIN_COLUMNS, ['r1', 'r2', 'r3'], ['r2']) });
    editor.selectAll();
    await editor.record('NA');
    expect(session.columnCounts(0)).toEqual([0, 0, 4, 0]);
    expect(session.columnCounts(1)).toEqual([0, 0, 0, 4]);
    expect(session.columnCounts(2)).toEqual([0, 0, 4, 0]);
  });
});
