import { describe, expect, it, vi } from 'vitest';
import { cutOf } from '../../../src/renderer/features/matrix/clipboard/commands.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import type { Editor } from '../../../src/renderer/features/matrix/editor/editor.ts';
import { fillBlock, fillSelection } from '../../../src/renderer/features/matrix/editor/fill.ts';
import { type Selection, single } from '../../../src/renderer/features/matrix/model/selection.ts';
import type { MemorySession } from '../../support/memory-session.ts';
import { cell, sessionOf } from './profile.ts';

function open(
  rows: number,
  rules: number,
): { session: MemorySession; editor: Editor; select: (selection: Selection) => Selection } {
  const session = sessionOf(rows, rules);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  return {
    session,
    editor,
    select: (selection) => {
      editor.select(selection);
      return selection;
    },
  };
}
const news = (editor: Editor): string | undefined => editor.store.getState().notice?.text;
const present = (editor: Editor): Selection | null => editor.store.getState().selection;

describe('one letter over a whole rule whose heading has the focus', () => {
  it('says in sight how many cells it has recorded, with the way back beside it', async () => {
    const { editor, select } = open(30, 2);
    select({ anchor: cell(30, 1), focus: cell(1, 1), extra: [] });
    vi.stubGlobal('document', { activeElement: { closest: () => ({}) } });
    try {
      await editor.record('FALSE');
    } finally {
      vi.unstubAllGlobals();
    }
    expect(editor.store.getState().notice).toEqual({
      text: '30 cells: FALSE, evidence present',
      tone: 'plain',
      undo: true,
    });
  });
});

describe('recording over several blocks', () => {
  it('sets each cell once, as one step, and leaves the selection as it was', async () => {
    const { session, editor, select } = open(6, 4);
    const blocks = select({
      ...single(cell(1, 1)),
      extra: [
        { anchor: cell(2, 2), focus: cell(4, 3) },
        { anchor: cell(3, 1), focus: cell(4, 2) },
      ],
    });
    await editor.record('NA');
    expect(session.totals()).toEqual([0, 0, 9, 15]);
    expect(editor.store.getState().announcement.text).toBe('9 cells: NA, not available');
    await editor.undo();
    expect(session.totals()).toEqual([0, 0, 0, 24]);
    expect(session.canUndo).toBe(false);
    expect(present(editor)).toEqual(blocks);
  });

  it('clears details only where it is asked to, and then all of them', async () => {
    const { session, editor, select } = open(3, 2);
    await session.write('', [cell(1, 1), cell(2, 2)], {
      raw_outcome: 'TRUE',
      notes: 'seen',
      source_value: '1',
    });
    select({ anchor: cell(1, 1), focus: cell(3, 2), extra: [] });
    await editor.clear(false);
    expect([session.totals(), session.detail(1, 1).notes]).toEqual([[0, 0, 0, 6], 'seen']);
    await editor.record('FALSE');
    await editor.clear(true);
    expect([session.totals(), session.detail(0, 0), session.detail(1, 1)]).toEqual([
      [0, 0, 0, 6],
      { source_value: null, notes: null, provenance: null },
      { source_value: null, notes: null, provenance: null },
    ]);
    await editor.undo();
    expect([session.totals(), session.detail(1, 1).notes]).toEqual([[6, 0, 0, 0], 'seen']);
  });

  it('never reaches an item or a rule that is hidden', async () => {
    const { session, editor } = open(4, 3);
    await session.write('', [cell(2, 1)], { raw_outcome: 'TRUE' });
    editor.selectAll();
    editor.arrange({
      columns: { ...editor.store.getState().columns, hidden: ['r2'] },
      filter: { ...editor.store.getState().filter, traits: ['problem'] },
    });
    await editor.record('NA');
    expect(session.totals()).toEqual([0, 0, 2, 10]);
    expect([session.state(1, 0), session.state(1, 1), session.state(1, 2)]).toEqual([
      'NA',
      null,
      'NA',
    ]);
  });

  it('sets very many cells, and says in words what is too much for one step', async () => {
    const { session, editor } = open(1_000, 100);
    editor.selectAll();
    await editor.record('FALSE');
    expect(session.totals()).toEqual([100_000, 0, 0, 0]);
    const large = open(1_000, 1_001);
    large.editor.selectAll();
    await large.editor.record('FALSE');
    expect(large.session.totals()).toEqual([0, 0, 0, 1_001_000]);
    expect(news(large.editor)).toMatch(/^Not saved: .*1,000,000 cells/);
  });
});

describe('undo', () => {
  it('leaves the selection alone where it covers what was taken back, and goes there where it does not', async () => {
    const { editor, select } = open(6, 4);
    select(single(cell(2, 2)));
    await editor.record('TRUE');
    const wide = select({ anchor: cell(1, 1), focus: cell(4, 3), extra: [] });
    await editor.undo();
    expect(present(editor)).toEqual(wide);
    select(single(cell(6, 4)));
    await editor.redo();
    expect(present(editor)).toEqual(single(cell(2, 2)));
  });

  it('names the items that it took back, and those that it left alone', async () => {
    const { session, editor, select } = open(3, 2);
    select(single(cell(3, 2)));
    await session.apply({ label: 'Remove an item', items: [{ do: 'remove', item_uid: 'i2' }] });
    await editor.undo();
    expect(news(editor)).toBe('Undone: Remove an item (Label 2).');
    expect(present(editor)).toEqual(single(cell(2, 2)));
    await session.apply({ label: 'Rename', items: [{ do: 'set', item_uid: 'i1', label: 'mine' }] });
    session.receiveItems([{ do: 'set', item_uid: 'i1', label: 'theirs' }]);
    await editor.undo();
    expect(news(editor)).toBe(
      'Undone: Rename. Item theirs was left alone: changed by someone else since.',
    );
    expect(session.items[0]?.label).toBe('theirs');
  });
});

describe('one key over many recorded cells', () => {
  const full = (rows: number) =>
    Array.from({ length: rows }, (_, row) => ({
      ...cell(row + 1, 1),
      raw_outcome: 'TRUE' as const,
    }));
  const filled = (rows: number) => {
    const session = sessionOf(rows, 2, full(rows));
    const editor = createEditor(session, vi.fn());
    editor.connect();
    editor.select({ anchor: cell(rows, 1), focus: cell(1, 1), extra: [] });
    return { session, editor };
  };

  it('is done quietly up to 20, said in sight with an undo from 21 on, and asked about from 200 on', async () => {
    const few = filled(20);
    await few.editor.record('NA');
    expect(few.editor.store.getState().notice).toBeNull();
    const some = filled(36);
    await some.editor.record('NA');
    expect(some.editor.store.getState().notice).toMatchObject({
      text: '36 recorded cells replaced. 36 cells: NA, not available.',
      undo: true,
    });
    await some.editor.record('NA');
    expect(some.editor.store.getState().notice).toBeNull();
  });

  it('is taken back beside the news only as long as nothing else was begun', async () => {
    const { session, editor } = filled(36);
    const notice = () => editor.store.getState().notice;
    const gates: PromiseWithResolvers<void>[] = [];
    const apply = session.apply.bind(session);
    session.apply = async (edit) => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return apply(edit);
    };
    const record = async (): Promise<() => Promise<unknown>> => {
      const stored = editor.record(editor.store.getState().notice === null ? 'NA' : 'FALSE');
      await vi.waitFor(() => expect(gates.length).toBeGreaterThan(0));
      const gate = gates.shift()!;
      return () => (gate.resolve(), stored);
    };
    const first = await record();
    await first();
    expect(notice()).toMatchObject({ undo: true });
    const second = await record();
    expect(notice()).toBeNull();
    const third = await record();
    await second();
    expect(notice()).not.toHaveProperty('undo');
    await third();
  });

  it.each([
    ['a letter', (editor: Editor) => editor.record('NA')],
    ['Delete', (editor: Editor) => editor.clear(false)],
    ['Shift+Delete', (editor: Editor) => editor.clear(true)],
    ['Ctrl+Enter', (editor: Editor) => fillSelection(editor)],
    ['Ctrl+D', (editor: Editor) => fillBlock(editor, 'down', false)],
    ['Ctrl+X', (editor: Editor) => cutOf(editor)()],
  ])('%s asks before 200 are replaced, and changes nothing without a yes', async (_, press) => {
    for (const answer of [false, true]) {
      const { session, editor } = filled(202);
      await session.write('', [cell(1, 1)], { raw_outcome: 'FALSE' });
      const before = session.totals();
      const done = press(editor);
      const question = editor.store.getState().replacing!;
      expect([session.totals(), question.replaced]).toEqual([before, expect.any(Number)]);
      editor.store.setState({ replacing: null });
      question.answer(answer);
      await done;
      expect(session.totals()[1] < 200).toBe(answer);
    }
  });

  it('asks again where others have recorded more meanwhile', async () => {
    const { session, editor } = filled(202);
    editor.select({ anchor: cell(202, 2), focus: cell(1, 1), extra: [] });
    const done = editor.record('NA');
    const first = editor.store.getState().replacing!;
    await session.write('', [cell(1, 2)], { raw_outcome: 'FALSE' });
    first.answer(true);
    await expect.poll(() => editor.store.getState().replacing).not.toBe(first);
    const second = editor.store.getState().replacing!;
    expect(second.replaced).toBe(first.replaced + 1);
    second.answer(true);
    await done;
    expect(session.totals()).toEqual([0, 0, 404, 0]);
  });
});
