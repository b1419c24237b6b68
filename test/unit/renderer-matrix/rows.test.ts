import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { editsOf, planItems } from '../../../src/renderer/features/matrix/rows/add-plan.ts';
import { readItemLines } from '../../../src/renderer/features/matrix/rows/item-lines.ts';
import {
  type MetadataMember,
  membersOf,
  readMembers,
  retype,
  withChanges,
} from '../../../src/renderer/features/matrix/rows/metadata.ts';
import { targetOf } from '../../../src/renderer/features/matrix/rows/MoveDialog.tsx';
import {
  isInCaseOrder,
  moveItems,
  nudgeItems,
  removalOf,
  removeItems,
  selectedItems,
} from '../../../src/renderer/features/matrix/rows/rows.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { createView } from '../../../src/renderer/features/matrix/model/view.ts';
import { cell, sessionOf } from './profile.ts';

const now = (): undefined => undefined;
const read = (text: string): unknown[] =>
  [...readItemLines(text)].map(({ kind, ...line }) =>
    'message' in line ? [kind, line.line, line.message] : [kind, ...Object.values(line)],
  );

function open(rows = 6) {
  const session = sessionOf(rows, 2);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  return {
    session,
    editor,
    order: () => session.items.map((item) => item.item_uid).join(' '),
    focus: () => editor.store.getState().selection?.focus.item,
  };
}

describe('members of an item', () => {
  it.each([
    ['none changed', { a: 1 }, { a: 1 }, { a: 2, b: 3 }, undefined],
    ['one changed', { a: 1, b: 1 }, { a: 5, b: 1 }, { a: 1, b: 2, c: 3 }, { a: 5, b: 2, c: 3 }],
    ['one added', {}, { n: null }, { b: 2 }, { b: 2, n: null }],
    ['one removed', { a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
    ['one that others removed', { a: 1 }, { a: 2 }, {}, { a: 2 }],
    ['in their order', { a: 1, b: 1 }, { a: 1, b: 2 }, { b: 1, a: 1 }, { b: 2, a: 1 }],
  ])('%s in a form: the others are as they are now', (_, begun, edited, others, expected) => {
    const found = withChanges(others, begun, edited);
    expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
  });
});

describe('pasted items', () => {
  it('are one a line, with label and type after tabs', () => {
    expect(read('a\r\n\n b \tLabel of b\tclone\rc\t\n')).toEqual([
      ['item', 1, 'a'],
      ['item', 3, 'b', 'Label of b', 'clone'],
      ['item', 4, 'c'],
    ]);
  });

  it('follow the columns that the first line names', () => {
    expect(read('Type\tUID\nclone\ta\n\tb')).toEqual([
      ['header'],
      ['item', 2, 'a', 'clone'],
      ['item', 3, 'b'],
    ]);
    expect(read('uid\nlabel')).toEqual([
      ['item', 1, 'uid'],
      ['item', 2, 'label'],
    ]);
    expect(read('uid\tconstructor')).toEqual([['item', 1, 'uid', 'constructor']]);
  });

  it('are refused by line when listed twice, without ID, or with more columns than are read', () => {
    expect(read('a\na\n\tlabel\nb\tl\tt\tx')).toEqual([
      ['item', 1, 'a'],
      ['refused', 2, 'Stands on line 1 already.'],
      ['refused', 3, 'Has a label but no ID.'],
      ['refused', 4, 'Has more than 3 columns: ID, label and type are read.'],
    ]);
  });

  it('keep separators that belong to a uid', () => {
    expect(read('7-117559592-CTT--_AR\nchr1:12345:A>G')).toEqual([
      ['item', 1, '7-117559592-CTT--_AR'],
      ['item', 2, 'chr1:12345:A>G'],
    ]);
  });

  it('are checked before they are added; what a spreadsheet may have changed waits for a word', async () => {
    const { session, order } = open(2);
    const plan = await planItems('x1\n2-Sep\ni1\nbad\u200b\nx2', session, now);
    expect(plan.refused.map(({ line }) => line)).toEqual([3, 4]);
    expect(plan.flagged.map(({ item_uid }) => item_uid)).toEqual(['2-Sep']);
    expect(editsOf(plan, true, undefined)).toHaveLength(3);
    await session.apply({ label: 'Add', items: editsOf(plan, false, 'i2') });
    expect(order()).toBe('i1 x1 x2 i2');
    await session.undo();
    expect(order()).toBe('i1 i2');
  });
});

describe('metadata', () => {
  const kept = {
    text: 'x',
    number: 0.1,
    yes: true,
    nothing: null,
    list: [1, { a: '2' }],
    '': 'nameless',
  };

  it('keeps each value and its type', () => {
    const { '': _, ...named } = kept;
    const read = readMembers(membersOf(named));
    expect(read).toEqual({ ok: true, metadata: named });
    expect(readMembers(membersOf({ constructor: 'own' }))).toEqual({
      ok: true,
      metadata: { constructor: 'own' },
    });
    expect(readMembers(membersOf({ ['__proto__']: 'own' }))).toMatchObject({
      ok: false,
      message: 'Fields: Must not hold a member called "__proto__".',
    });
  });

  it('tells what cannot be kept, member by member', () => {
    const member = (id: number, change: Partial<MetadataMember>): MetadataMember => ({
      id,
      name: `m${id}`,
      type: 'text',
      text: 'x',
      ...change,
    });
    const read = readMembers([
      member(0, { type: 'number', text: '1,5' }),
      member(1, { type: 'number', text: '12345678901234567890' }),
      member(2, { type: 'json', text: '{a}' }),
      member(3, { name: ' ' }),
      member(4, {}),
      member(5, { name: 'm4' }),
      member(6, { name: '', text: '' }),
    ]);
    expect(read.ok ? [] : [...read.problems.keys()]).toEqual([0, 1, 2, 3, 5]);
    expect(readMembers([member(0, { text: 'x'.repeat(70_000) })])).toMatchObject({
      ok: false,
      message: 'Fields: Must be at most 64 KiB.',
    });
  });

  it('changes the type of a value without losing what it says', () => {
    const text: MetadataMember = { id: 0, name: 'a', type: 'text', text: 'say "x"' };
    expect(retype(retype(text, 'json'), 'text')).toEqual(text);
    expect(readMembers([retype(text, 'json')])).toEqual({ ok: true, metadata: { a: 'say "x"' } });
    expect(readMembers([retype(text, 'null')])).toEqual({ ok: true, metadata: { a: null } });
    const date: MetadataMember = { ...text, type: 'date', text: '2024-02-29' };
    expect(retype(date, 'text')).toEqual({ ...date, type: 'text' });
    expect(retype(retype(date, 'json'), 'date')).toEqual(date);
  });

  it('shows a whole day as a date, and stores it as the same text', () => {
    const metadata = {
      day: '2024-02-29',
      month: '2024-02',
      none: '2023-02-29',
      time: '2024-02-29T10',
    };
    expect(membersOf(metadata).map(({ type }) => type)).toEqual(['date', 'text', 'text', 'text']);
    expect(readMembers(membersOf(metadata))).toEqual({ ok: true, metadata });
    const typed = (text: string): unknown =>
      readMembers([{ id: 0, name: 'day', type: 'date', text }]);
    expect(typed(' 2024-02-29 ')).toEqual({ ok: true, metadata: { day: '2024-02-29' } });
    for (const text of ['', '29.2.2024', '2023-02-29', '2024-02'])
      expect(typed(text)).toMatchObject({ ok: false });
  });
});

describe('moving items', () => {
  it('moves the selected ones by a row, several blocks together, each as one step', async () => {
    const { editor, session, order, focus } = open();
    editor.select({
      anchor: cell(2, 1),
      focus: cell(3, 1),
      extra: [{ anchor: cell(5, 1), focus: cell(5, 2) }],
    });
    expect(selectedItems(editor)).toEqual(['i2', 'i3', 'i5']);
    await nudgeItems(editor, false);
    expect(order()).toBe('i2 i3 i5 i1 i4 i6');
    expect(focus()).toBe('i3');
    await nudgeItems(editor, false);
    expect(order()).toBe('i2 i3 i5 i1 i4 i6');
    await nudgeItems(editor, true);
    expect(order()).toBe('i1 i2 i3 i5 i4 i6');
    await session.undo();
    await session.undo();
    expect(order()).toBe('i1 i2 i3 i4 i5 i6');
    await moveItems(editor, ['i2', 'i3'], null);
    expect(order()).toBe('i1 i4 i5 i6 i2 i3');
  });

  it('is offered in the order of the case alone, of as many rows as are shown', () => {
    const { session } = open();
    expect(isInCaseOrder(createView(session, () => true))).toBe(true);
    expect(isInCaseOrder(createView(session, (row) => row % 2 === 0))).toBe(true);
    expect(isInCaseOrder(createView(session, () => true, { rows: [1, 0, 2, 3, 4, 5] }))).toBe(
      false,
    );
  });

  it('stays within the filter: the row above is the one that is shown there', async () => {
    const { editor, order } = open();
    editor.setFilter({ ...editor.store.getState().filter, text: 'i' });
    editor.select(single(cell(6, 1)));
    await nudgeItems(editor, true);
    expect(order()).toBe('i1 i2 i3 i4 i5 i6');
  });

  it('leads to a number or a uid', () => {
    const items = ['a', 'b', 'c', '2'].map((item_uid) => ({ item_uid }));
    const rowOf = (uid: string): number => items.findIndex((item) => item.item_uid === uid);
    const to = (text: string, ...moved: string[]) => targetOf(text, items, rowOf, new Set(moved));
    expect([
      to('1', 'c'),
      to('3', 'a'),
      to('99', 'a'),
      to('b'),
      to('2', 'a'),
      to('x'),
      to('0'),
      to('-1'),
    ]).toEqual(['a', '2', null, 'b', '2', undefined, undefined, undefined]);
  });
});

describe('removing items', () => {
  it('says how many cells go out of sight, keeps them, and brings them back', async () => {
    const { editor, session, order, focus } = open(4);
    await session.write('', [cell(2, 1)], { raw_outcome: 'TRUE', notes: 'kept' });
    await session.write('', [cell(3, 2)], { notes: 'only a note' });
    editor.select({ anchor: cell(2, 1), focus: cell(3, 2), extra: [] });
    const removal = removalOf(editor, selectedItems(editor));
    expect(removal).toEqual({ uids: ['i2', 'i3'], cells: 2 });
    await removeItems(editor, removal);
    expect(order()).toBe('i1 i4');
    expect(focus()).toBe('i4');
    expect(session.removedItems().map((item) => item.item_uid)).toEqual(['i2', 'i3']);
    expect(editor.store.getState().notice?.text).toContain('2 items removed with 2 cells');
    await session.apply({ label: 'Restore', items: [{ do: 'add', item_uid: 'i3' }] });
    expect(order()).toBe('i1 i4 i3');
    expect(session.detail(2, 1).notes).toBe('only a note');
    expect(session.items[2]?.label).toBe('Label 3');
    await session.undo();
    await session.undo();
    expect(order()).toBe('i1 i2 i3 i4');
  });
});
