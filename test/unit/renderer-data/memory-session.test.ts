import { describe, expect, it } from 'vitest';
import { CELL_STATES } from '../../../src/shared/domain/outcome.ts';
import { InvalidEditError, LEAVE, MAX_EDIT_CELLS } from '../../../src/renderer/data/store/port.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { at, profileOf } from './support/windows.ts';
import { addItems } from '../../support/add-items.ts';

const open = () =>
  createMemorySession(
    profileOf(2),
    ['a', 'b', 'c'].map((item_uid) => ({ item_uid, item_type: 'item', label: '', metadata: {} })),
  );
const uids = (session: { items: readonly { item_uid: string }[] }): string[] =>
  session.items.map(({ item_uid }) => item_uid);

describe('the session in memory', () => {
  it('takes rows, blocks and cells in one step, back and again', async () => {
    const session = open();
    const rules = [...session.rules];
    const result = await session.apply({
      label: 'All',
      items: [
        { do: 'add', item_uid: 'd', label: 'D', before: 'b' },
        { do: 'remove', item_uid: 'a' },
        { do: 'move', item_uids: ['b'], before: null },
        { do: 'set', item_uid: 'c', label: 'C' },
      ],
      blocks: [{ items: ['d', 'c'], rules, states: Uint8Array.of(1, LEAVE, 0, 2) }],
      cells: [{ ...at('b', 0), patch: { notes: 'n' } }],
    });
    expect(result).toEqual({ items: 4, cells: 4 });
    expect(uids(session)).toEqual(['d', 'c', 'b']);
    expect(
      ['d', 'c', 'b'].map((uid) =>
        rules.map((_, column) => session.state(session.rowOf(uid), column)),
      ),
    ).toEqual([
      ['TRUE', null],
      ['FALSE', 'NA'],
      [null, null],
    ]);
    const undone = await session.undo();
    expect(undone).toMatchObject({ count: 4, skippedCount: 0, skippedItems: [] });
    expect([undone?.includes(at('c', 1)), undone?.includes(at('c', 7))]).toEqual([true, false]);
    expect([uids(session), session.totals(), session.items[2]?.label]).toEqual([
      ['a', 'b', 'c'],
      [0, 0, 0, 6],
      '',
    ]);
    await session.redo();
    expect([uids(session), session.detail(2, 0).notes]).toEqual([['d', 'c', 'b'], 'n']);
    expect(CELL_STATES.map((_, code) => session.totals()[code])).toEqual([1, 1, 1, 3]);
  });

  it('changes nothing where a part cannot be applied, and names it', async () => {
    const session = open();
    const refused = (edit: Parameters<typeof session.apply>[0]) =>
      session.apply(edit).then(
        () => null,
        (error: unknown) => (error instanceof InvalidEditError ? [error.part, error.index] : error),
      );
    expect(
      await refused({
        label: '',
        items: [
          { do: 'remove', item_uid: 'a' },
          { do: 'remove', item_uid: 'a' },
        ],
      }),
    ).toEqual(['items', 1]);
    expect(
      await refused({
        label: '',
        items: [{ do: 'remove', item_uid: 'a' }],
        cells: [
          { ...at('b', 0), patch: { raw_outcome: 'NA' } },
          { ...at('a', 0), patch: { raw_outcome: 'NA' } },
        ],
      }),
    ).toEqual(['cells', 1]);
    expect(
      await refused({
        label: '',
        blocks: [
          {
            items: Array.from({ length: MAX_EDIT_CELLS }, () => 'a'),
            rules: session.rules,
            states: 'NA',
          },
        ],
      }),
    ).toEqual(['blocks', 0]);
    expect([uids(session), session.totals(), session.canUndo]).toEqual([
      ['a', 'b', 'c'],
      [0, 0, 0, 6],
      false,
    ]);
  });

  it('does not hide a row in which somebody else has recorded since', async () => {
    const session = open();
    await addItems(session, [{ item_uid: 'd' }]);
    session.receive([{ ...at('d', 0), raw_outcome: 'NA' }]);
    expect(await session.undo()).toMatchObject({ items: [], skippedItems: ['d'] });
    expect(session.rowOf('d')).toBe(3);
  });
});
