import { IDBFactory } from 'fake-indexeddb';
import { afterEach, describe, expect, it } from 'vitest';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { RowOrder } from '../../../src/renderer/data/store/row-order.ts';
import { at, Computer, rest } from './support/windows.ts';
import { addItems } from '../../support/add-items.ts';

let computer: Computer;
afterEach(() => computer.end());
const uids = (session: MatrixSession): string[] => session.items.map(({ item_uid }) => item_uid);
const item = (uid: string, field: 'x' | 'label' | 'position' | 'metadata') => ({
  kind: 'item' as const,
  item: uid,
  field,
});

describe('rows in gestures', () => {
  it('V2 a removed row keeps its cells and their history, and comes back with them at its place', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('Set', [at('b', 1)], { raw_outcome: 'TRUE', notes: 'n' });
    expect(
      await session.apply({ label: 'Remove b', items: [{ do: 'remove', item_uid: 'b' }] }),
    ).toEqual({ items: 1, cells: 0 });
    expect([uids(session), session.totals()]).toEqual([
      ['a', 'c'],
      [0, 0, 0, 8],
    ]);
    await computer.synced(session);
    expect(computer.upstream.heads(item('b', 'x'))[0]?.value).toMatchObject({ deleted: true });
    expect(computer.upstream.outcome('b', 'rule_001')).toBe('TRUE');
    expect(await session.undo()).toMatchObject({
      label: 'Remove b',
      items: ['b'],
      skippedItems: [],
      count: 0,
    });
    expect([uids(session), session.state(1, 1), session.detail(1, 1).notes]).toEqual([
      ['a', 'b', 'c'],
      'TRUE',
      'n',
    ]);
  });

  it('N5 a removed row comes back whole in a window that never saw it', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('Set', [at('b', 1)], { raw_outcome: 'TRUE', notes: 'n' });
    await session.apply({ label: 'Remove', items: [{ do: 'remove', item_uid: 'b' }] });
    await computer.synced(session);
    computer.factory = new IDBFactory();
    const { session: other } = await computer.open();
    expect(uids(other)).toEqual(['a', 'c']);
    await addItems(other, [{ item_uid: 'b' }]);
    expect([uids(other), other.state(2, 1), other.detail(2, 1).notes]).toEqual([
      ['a', 'c', 'b'],
      'TRUE',
      'n',
    ]);
  });

  it('adding is a step: its undo leaves a tombstone, its redo the same row', async () => {
    computer = new Computer();
    const { session, layer } = await computer.open();
    await session.apply({
      label: 'Add',
      items: [
        { do: 'add', item_uid: 'd', label: 'D', before: 'b' },
        { do: 'add', item_uid: 'e', before: 'b' },
      ],
      cells: [{ ...at('d', 0), patch: { raw_outcome: 'NA' } }],
    });
    expect([uids(session), session.state(1, 0)]).toEqual([['a', 'd', 'e', 'b', 'c'], 'NA']);
    layer.close();
    await rest();
    const again = (await computer.open()).session;
    expect(await again.undo()).toMatchObject({ items: ['d', 'e'], count: 1 });
    expect([uids(again), again.totals()]).toEqual([
      ['a', 'b', 'c'],
      [0, 0, 0, 12],
    ]);
    await again.redo();
    expect([uids(again), again.items[1], again.state(1, 0)]).toMatchObject([
      ['a', 'd', 'e', 'b', 'c'],
      { item_uid: 'd', label: 'D', position: 1 + 1 / 3 },
      'NA',
    ]);
    await computer.synced(again);
    expect(computer.upstream.heads(item('d', 'x'))).toHaveLength(1);
  });

  it("another's later change of a field is left alone and told; the other fields go back", async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.apply({
      label: 'Edit',
      items: [
        { do: 'set', item_uid: 'a', label: 'mine', metadata: { k: 1 } },
        { do: 'set', item_uid: 'b', label: 'mine' },
      ],
    });
    await computer.synced(session);
    computer.upstream.write([{ register: item('a', 'label'), value: 'theirs' }]);
    await computer.synced(session);
    expect(await session.undo()).toMatchObject({ items: ['a', 'b'], skippedItems: ['a'] });
    expect(session.items).toMatchObject([{ label: 'theirs', metadata: {} }, { label: '' }, {}]);
  });

  it('a row that somebody else has worked in is not taken away by undoing its adding', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await addItems(session, [{ item_uid: 'd' }, { item_uid: 'e' }]);
    await computer.synced(session);
    computer.upstream.writeCell('d', 'rule_002', 'TRUE');
    await computer.synced(session);
    expect(await session.undo()).toMatchObject({ items: ['e'], skippedItems: ['d'] });
    expect(uids(session)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('moved rows keep their order and stand between their new neighbours on the server too', async () => {
    computer = new Computer(1, ['a', 'b', 'c', 'd']);
    const { session } = await computer.open();
    await session.apply({
      label: 'Move',
      items: [{ do: 'move', item_uids: ['d', 'a'], before: 'c' }],
    });
    expect(uids(session)).toEqual(['b', 'a', 'd', 'c']);
    await session.apply({ label: 'Move', items: [{ do: 'move', item_uids: ['b'], before: null }] });
    await computer.synced(session);
    const place = (uid: string): number =>
      computer.upstream.heads(item(uid, 'position'))[0]?.value as number;
    expect(['a', 'b', 'c', 'd'].toSorted((x, y) => place(x) - place(y))).toEqual([
      'a',
      'd',
      'c',
      'b',
    ]);
    await session.undo();
    await session.undo();
    expect(session.items.map((row) => row.position)).toEqual([1, 2, 3, 4]);
  });

  it('refuses what cannot be applied, whole, and says where', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    expect(
      session.check([
        { do: 'add', item_uid: 'a' },
        { do: 'add', item_uid: 'x', label: '\u0001' },
        { do: 'remove', item_uid: 'c' },
        { do: 'set', item_uid: 'c' },
        { do: 'move', item_uids: ['a'], before: 'nowhere' },
      ]),
    ).toEqual([
      { index: 0, message: 'Is in the matrix already.' },
      { index: 1, message: 'Label: Must not hold control characters.' },
      { index: 3, message: 'Is not in the matrix.' },
      { index: 4, message: 'The row to move before is not in the matrix.' },
    ]);
    await expect(
      session.apply({
        label: '',
        items: [{ do: 'add', item_uid: 'd' }],
        blocks: [{ items: ['d', 'q'], rules: session.rules, states: 'NA' }],
      }),
    ).rejects.toMatchObject({
      name: 'InvalidEditError',
      part: 'blocks',
      index: 0,
      message: 'The item q is not in the matrix.',
    });
    await expect(
      session.apply({ label: '', cells: [{ ...at('a', 0), patch: { notes: '\ud800' } }] }),
    ).rejects.toMatchObject({ part: 'cells', index: 0 });
    const many = Array.from({ length: 500_000 }, () => 'a');
    await expect(
      session.apply({ label: '', blocks: [{ items: many, rules: session.rules, states: 'NA' }] }),
    ).rejects.toThrow('One step changes at most 1,000,000 cells; this would be 2,000,000.');
    expect([uids(session), session.canUndo, session.saveStatus.waiting]).toEqual([
      ['a', 'b', 'c'],
      false,
      0,
    ]);
  });
});

describe('places', () => {
  it('are found again and again between the same two, and a run of rows shares the room', () => {
    computer = new Computer();
    let rows = [
      { item_uid: 'first', position: 1 },
      { item_uid: 'last', position: 2 },
    ];
    for (let k = 0; k < 400; k += 1) {
      const order = new RowOrder(rows);
      order.place(`r${k}`, 'last');
      const placed = order.positions();
      expect(placed.size).toBeLessThan(200);
      const expected = [...rows.slice(0, -1).map((row) => row.item_uid), `r${k}`, 'last'];
      const before = new Map(rows.map((row) => [row.item_uid, row.position]));
      rows = expected.map((item_uid) => ({
        item_uid,
        position: placed.get(item_uid) ?? before.get(item_uid) ?? NaN,
      }));
      expect(rows.every((row, k) => k === 0 || row.position > rows[k - 1]!.position)).toBe(true);
    }
    const order = new RowOrder([
      { item_uid: 'a', position: 0 },
      { item_uid: 'b', position: 0 },
      { item_uid: 'c', position: Number.MAX_SAFE_INTEGER },
    ]);
    order.place('x', 'b');
    order.place('y', null);
    const at = order.positions();
    const places = ['a', 'x', 'b', 'c', 'y'].map(
      (uid) => at.get(uid) ?? (uid === 'c' ? Number.MAX_SAFE_INTEGER : 0),
    );
    expect(places.every((place, k) => k === 0 || place > places[k - 1]!)).toBe(true);
  });
});
