import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { NO_FILTER } from '../../../src/renderer/features/matrix/model/filter.ts';
import { createFindIndex, excerpt } from '../../../src/renderer/features/matrix/find/find-index.ts';
import { finderOf } from '../../../src/renderer/features/matrix/find/finder.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { cell, sessionOf } from './profile.ts';

const CELLS = [
  { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' as const, notes: 'Sanger reads failed' },
  { item: 'i3', rule: 'r2', raw_outcome: 'NA' as const, source_value: 'SANGER' },
  {
    item: 'i4',
    rule: 'r3',
    raw_outcome: null,
    provenance: { source: 'LIMS', locator: 'plate sanger-7', method: { kind: 'x' } },
  },
];
const found = (hits: readonly { row: number; column: number; in: string }[]) =>
  hits.map(({ row, column, in: place }) => [row, column, place]);

describe('the texts of the matrix', () => {
  it('finds in uids, labels, notes, sources and provenance, one place a cell', () => {
    const index = createFindIndex(sessionOf(4, 3, CELLS));
    expect(found(index.find({ text: 'sanger', matchCase: false }))).toEqual([
      [1, 0, 'notes'],
      [2, 1, 'reported value'],
      [3, 2, 'provenance'],
    ]);
    expect(found(index.find({ text: 'sanger', matchCase: true }))).toEqual([[3, 2, 'provenance']]);
    expect(found(index.find({ text: 'I3', matchCase: false }))).toEqual([[2, -1, 'ID']]);
    expect(found(index.find({ text: 'label 4', matchCase: false }))).toEqual([[3, -1, 'label']]);
    expect(index.find({ text: '', matchCase: false })).toEqual([]);
    expect(index.textOf({ row: 3, column: 2, in: 'provenance' })).toBe('LIMS plate sanger-7 x');
  });

  it('shows the words round a match', () => {
    expect(excerpt('short note', { text: 'NOTE', matchCase: false })).toBe('short note');
    expect(
      excerpt(`${'a'.repeat(60)} note\n${'b'.repeat(60)}`, { text: 'note', matchCase: true }, 4),
    ).toBe('…aaa note bbb…');
  });
});

describe('finding', () => {
  const open = () => {
    const session = sessionOf(4, 3, CELLS);
    const editor = createEditor(session, vi.fn());
    editor.connect();
    editor.select(single(cell(3, 1)));
    const finder = finderOf(editor);
    finder.open();
    return {
      session,
      editor,
      finder,
      state: finder.store.getState,
      focus: () => editor.store.getState().selection?.focus,
    };
  };

  it('begins at the focus, goes on and comes round', () => {
    const { finder, state, focus, editor } = open();
    finder.set({ text: 'sanger' });
    expect([state().at, state().hits.length, focus()]).toEqual([1, 3, cell(3, 2)]);
    expect(editor.store.getState().announcement.text).toBe(
      '2 of 3: Label 3, Rule 2, reported value',
    );
    finder.step(false);
    finder.step(false);
    expect([state().at, focus()]).toEqual([0, cell(2, 1)]);
    finder.step(true);
    expect(focus()).toEqual(cell(4, 3));
  });

  it('counts what the filter hides, and finds it once it is shown', () => {
    const { finder, state, editor } = open();
    editor.setFilter({ ...NO_FILTER, text: 'failed' });
    finder.set({ text: 'sanger' });
    expect([state().hits.length, state().hidden]).toEqual([1, 2]);
    expect(editor.store.getState().announcement.text).toContain('2 more in hidden items or rules');
    editor.setFilter(NO_FILTER);
    expect([state().hits.length, state().hidden]).toEqual([3, 0]);
  });

  it('keeps to a rule or to the cells that were selected when it was opened', () => {
    const { finder, state, editor } = open();
    finder.set({ text: 'sanger', scope: 'rule' });
    expect(found(state().hits)).toEqual([[1, 0, 'notes']]);
    finder.close();
    editor.select({ anchor: cell(3, 1), focus: cell(4, 3), extra: [] });
    finder.open();
    finder.set({ scope: 'selection' });
    expect(found(state().hits)).toEqual([
      [2, 1, 'reported value'],
      [3, 2, 'provenance'],
    ]);
  });

  it('follows the evidence, and stays at its place', async () => {
    vi.useFakeTimers();
    const { finder, state, session } = open();
    finder.set({ text: 'sanger' });
    await session.write('', [cell(1, 2)], { notes: 'one more Sanger' });
    vi.advanceTimersByTime(1_000);
    expect([state().hits.length, state().at]).toEqual([4, 2]);
    vi.useRealTimers();
  });

  it('goes from hit to hit at once where others add and move rows', () => {
    const { finder, state, session, focus } = open();
    finder.set({ text: 'sanger' });
    expect(focus()).toEqual(cell(3, 2));
    session.receiveItems([
      { do: 'add', item_uid: 'new', before: 'i1' },
      { do: 'move', item_uids: ['i2'], before: null },
    ]);
    expect([state().hits.length, state().at]).toEqual([3, 0]);
    const places = [1, 2, 3].map(() => {
      finder.step(false);
      return focus();
    });
    expect(places).toEqual([cell(4, 3), cell(2, 1), cell(3, 2)]);
  });

  it('forgets on closing, but for the text', () => {
    const { finder, state } = open();
    finder.set({ text: 'sanger' });
    finder.close();
    expect(state()).toMatchObject({ open: false, hits: [], at: -1, text: 'sanger' });
    finder.step(false);
    expect(state()).toMatchObject({ open: true });
    expect(state().hits).toHaveLength(3);
  });
});
