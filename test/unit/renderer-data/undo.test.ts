import { afterEach, describe, expect, it } from 'vitest';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { defineDatabase } from '../../../src/renderer/data/store/db.ts';
import { Journal } from '../../../src/renderer/data/undo/journal.ts';
import { ChangeIds } from '../../../src/renderer/data/store/change-ids.ts';
import { ReplicaState } from '../../../src/renderer/data/replica/replica-state.ts';
import { newStep } from '../../../src/renderer/data/replica/undo-steps.ts';
import { at, Computer, rest } from './support/windows.ts';
import { asProfile } from '../../support/ids.ts';

let computer: Computer;
afterEach(() => computer.end());

describe('undo and redo', () => {
  it('take one gesture back and bring it again, as new changes', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('First', [at('a', 0)], { raw_outcome: 'TRUE' });
    await session.write('Block', [at('a', 0), at('b', 0)], { raw_outcome: 'NA' });
    expect([session.canUndo, session.canRedo]).toEqual([true, false]);
    expect(await session.undo()).toMatchObject({
      label: 'Block',
      cells: [at('a', 0), at('b', 0)],
      skipped: [],
    });
    expect([session.state(0, 0), session.state(1, 0)]).toEqual(['TRUE', null]);
    expect(await session.redo()).toMatchObject({
      label: 'Block',
      cells: [at('a', 0), at('b', 0)],
      skipped: [],
    });
    expect([session.state(0, 0), session.state(1, 0)]).toEqual(['NA', 'NA']);
    await session.undo();
    await session.undo();
    expect(await session.undo()).toBeNull();
    expect(session.totals()).toEqual([0, 0, 0, 12]);
    await computer.synced(session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBeNull();
    expect(computer.upstream.log.filter(({ change }) => change.by.user === 'u_me')).toHaveLength(6);
    expect(computer.upstream.cell('a', 'rule_000')).toHaveLength(1);
  });

  it('is held down faster than the disk follows', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    const all = [
      session.write('1', [at('a', 0)], { raw_outcome: 'TRUE' }),
      session.write('2', [at('a', 0)], { raw_outcome: 'NA' }),
      session.write('3', [at('a', 0)], { raw_outcome: 'FALSE' }),
    ];
    const undone = [session.undo(), session.undo()];
    await Promise.all([...all, ...undone]);
    expect((await Promise.all(undone)).map((one) => one?.label)).toEqual(['3', '2']);
    expect(session.state(0, 0)).toBe('TRUE');
  });

  it('outlives the window', async () => {
    computer = new Computer();
    const first = await computer.open();
    await first.session.write('Note', [at('a', 0)], {
      raw_outcome: 'TRUE',
      notes: 'n',
      source_value: 's',
    });
    await first.session.write('Other', [at('b', 1)], { raw_outcome: 'NA' });
    await first.session.undo();
    first.layer.close();
    await rest();
    const { session } = await computer.open();
    expect([session.canUndo, session.canRedo]).toEqual([true, true]);
    expect((await session.redo())?.label).toBe('Other');
    await session.undo();
    expect((await session.undo())?.cells).toEqual([at('a', 0)]);
    expect(session.state(0, 0)).toBeNull();
    expect(session.detail(0, 0)).toMatchObject({ notes: null, source_value: null });
    await session.redo();
    expect(session.detail(0, 0)).toMatchObject({ notes: 'n', source_value: 's' });
  });

  it('reaches the steps below one that was redone before a reload', async () => {
    computer = new Computer(3, ['a']);
    const first = await computer.open();
    await first.session.write('B', [at('a', 0)], { raw_outcome: 'FALSE' });
    computer.time += 5;
    await first.session.write('A', [at('a', 0)], { raw_outcome: 'TRUE' });
    computer.time += 5;
    await first.session.undo();
    computer.time += 5;
    await first.session.redo();
    first.layer.close();
    await rest();

    const { session, layer } = await computer.open();
    expect(await session.undo()).toMatchObject({ label: 'A', skipped: [] });
    expect(session.state(0, 0)).toBe('FALSE');
    expect(await session.undo()).toMatchObject({ label: 'B', skipped: [] });
    expect(session.state(0, 0)).toBeNull();
    layer.close();
  });

  it('outlives the loss and rebuilding of the replica', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('Mine', [at('b', 1)], { raw_outcome: 'NA' });
    await computer.synced(session);
    computer.upstream.epoch = 'e2';
    computer.upstream.addItems(['0']);
    await computer.synced(session);
    expect((await session.undo())?.cells).toEqual([at('b', 1)]);
    expect(session.state(session.rowOf('b'), 1)).toBeNull();
  });

  it('leaves alone what somebody else has changed since, and says so', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('Block', [at('a', 0), at('b', 0)], { raw_outcome: 'NA' });
    await computer.synced(session);
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    await computer.synced(session);
    expect(await session.undo()).toMatchObject({
      label: 'Block',
      cells: [at('b', 0)],
      skipped: [at('a', 0)],
    });
    expect([session.state(0, 0), session.state(1, 0)]).toEqual(['TRUE', null]);
    expect(await session.redo()).toMatchObject({
      label: 'Block',
      cells: [at('b', 0)],
      skipped: [],
    });
  });

  it('a new gesture ends what could be redone', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('1', [at('a', 0)], { raw_outcome: 'NA' });
    await session.undo();
    await session.write('2', [at('a', 1)], { raw_outcome: 'NA' });
    expect(session.canRedo).toBe(false);
    expect(await session.redo()).toBeNull();
  });

  it('keeps the last two thousand steps', () => {
    const names = new ChangeIds();
    const db = defineDatabase('journal', { factory: new IDBFactory(), keyRange: IDBKeyRange });
    const journal = new Journal(db, 'm', () => names);
    const state = new ReplicaState({
      id: 'm',
      profile_uid: asProfile('p'),
      profile_version: '1.0',
      rules: ['r'],
    });
    const gone: string[] = [];
    for (let k = 0; k < 2_005; k += 1)
      gone.push(
        ...journal.add(
          newStep(state, [], { id: `${k}`, stack: 'undo', label: '', why: null, at: 0 }),
          true,
        ).gone,
      );
    expect(gone).toEqual(['0', '1', '2', '3', '4']);
    expect(journal.undo).toHaveLength(2_000);
    expect(journal.undo.at(-1)).toBe('2004');
  });
});
