import { afterEach, describe, expect, it } from 'vitest';
import { at, Computer, rest } from './support/windows.ts';
import { addItems } from '../../support/add-items.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';

let computer: Computer;
afterEach(() => computer.end());

describe('an open matrix', () => {
  it('is read from the server once, and from this window after that', async () => {
    computer = new Computer();
    computer.upstream.writeCell('b', 'rule_001', 'TRUE');
    const first = await computer.open();
    expect(first.session.items.map((item) => item.item_uid)).toEqual(['a', 'b', 'c']);
    expect(first.session.state(1, 1)).toBe('TRUE');
    expect(first.session.totals()).toEqual([0, 1, 0, 11]);
    first.layer.close();
    await rest();
    computer.upstream.fault = () => 'offline';
    const second = await computer.open();
    expect(second.session.state(1, 1)).toBe('TRUE');
    await computer.pass(10_000);
    expect(second.session.saveStatus.connection).toBe('offline');
  });

  it('is read and written through an object that has it as its prototype, too', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const above: MatrixSession = Object.create(session);
    const { subscribe, rowOf } = above;
    let told = 0;
    const stop = subscribe(() => (told += 1));
    const version = above.cellVersion(0, 0);
    await above.write('Set TRUE', [at('a', 0)], { raw_outcome: 'TRUE' });
    expect([above.state(rowOf('a'), 0), above.totals(), told]).toEqual(['TRUE', [0, 1, 0, 11], 1]);
    expect(above.cellVersion(0, 0)).not.toBe(version);
    expect(above.cellVersion(1, 0)).toBe(session.cellVersion(1, 0));
    expect(above.items).toBe(session.items);
    expect([above.canUndo, (await above.undo())?.count, session.state(0, 0)]).toEqual([
      true,
      1,
      null,
    ]);
    stop();
  });

  it('shows a command at once, stores it, and says saved only after the server has it', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const heard: unknown[] = [];
    session.subscribe((touched) => heard.push(touched));
    const writing = session.write('Set FALSE', [at('a', 0), at('b', 0)], { raw_outcome: 'FALSE' });
    expect(session.state(0, 0)).toBe('FALSE');
    expect(session.columnCounts(0)).toEqual([2, 0, 0, 1]);
    expect(heard).toEqual([
      [
        { row: 0, column: 0 },
        { row: 1, column: 0 },
      ],
    ]);
    expect(session.saveStatus.waiting).toBe(1);
    expect(await writing).toEqual({ written: 2 });
    await computer.synced(session);
    expect(computer.upstream.outcome('b', 'rule_000')).toBe('FALSE');
    expect(session.saveStatus).toMatchObject({
      waiting: 0,
      oldest: null,
      connection: 'online',
      problem: null,
    });
    expect(session.saveStatus.savedAt).not.toBeNull();
  });

  it('leaves out cells that would not change, and writes nothing where none would', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    expect(
      await session.write('x', [at('a', 0), at('b', 0), at('b', 0), at('nobody', 0)], {
        raw_outcome: 'NA',
      }),
    ).toEqual({ written: 1 });
    expect(await session.write('x', [at('a', 0)], { raw_outcome: 'NA' })).toEqual({ written: 0 });
  });

  it('keeps source and provenance only while the outcome stays, notes always, and sends only what is there', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write(
      'Read',
      [at('a', 0)],
      { raw_outcome: 'TRUE', source_value: '1.37', provenance: { page: 14 }, notes: 'look again' },
      'checked by hand',
    );
    await session.write('Same', [at('a', 0)], { raw_outcome: 'TRUE', notes: 'seen' });
    expect(session.detail(0, 0)).toMatchObject({
      source_value: '1.37',
      provenance: { page: 14 },
      notes: 'seen',
    });
    await session.write('Set', [at('a', 0)], { raw_outcome: 'FALSE' });
    await session.write('Type', [at('b', 0)], { raw_outcome: 'NA' });
    expect(session.detail(0, 0)).toMatchObject({
      source_value: null,
      provenance: null,
      notes: 'seen',
    });
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000').map((head) => head.value)).toEqual([
      { raw_outcome: 'FALSE' },
    ]);
    expect(computer.upstream.cell('a', 'rule_000', 'notes').map((head) => head.value)).toEqual([
      'seen',
    ]);
    expect(computer.upstream.cell('b', 'rule_000').map((head) => head.value)).toEqual([
      { raw_outcome: 'NA' },
    ]);
    await session.write('Clear', [at('a', 0)], {
      source_value: null,
      provenance: null,
      notes: null,
      raw_outcome: null,
    });
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000').map((head) => head.value)).toEqual([
      { raw_outcome: null },
    ]);
    expect(session.detail(0, 0)).toMatchObject({
      source_value: null,
      provenance: null,
      notes: null,
    });
  });

  it('refuses a value that no server would apply, before anything is shown', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await expect(
      session.write('x', [at('a', 0)], { raw_outcome: 'TRUE', source_value: 'x'.repeat(10_001) }),
    ).rejects.toThrow('10000');
    expect(session.state(0, 0)).toBeNull();
    expect(session.saveStatus.waiting).toBe(0);
  });

  it('adds rows at the end and says which it refuses', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    const refused = await addItems(session, [
      { item_uid: 'd', label: 'Fourth', item_type: 'clone' },
      { item_uid: 'a' },
      { item_uid: ' x' },
      { item_uid: 'd' },
      { item_uid: 'e' },
    ]);
    expect(refused.map((one) => one.item_uid)).toEqual(['a', ' x', 'd']);
    expect(session.items).toHaveLength(5);
    expect(session.items.slice(3)).toMatchObject([
      { item_uid: 'd', label: 'Fourth', item_type: 'clone', position: 4 },
      { item_uid: 'e', item_type: 'item', position: 5 },
    ]);
    await session.write('x', [at('e', 2)], { raw_outcome: 'TRUE' });
    await computer.synced(session);
    expect(
      computer.upstream
        .heads({ kind: 'item', field: 'label', item: 'd' })
        .map((head) => head.value),
    ).toEqual(['Fourth']);
    expect(session.rowOf('e')).toBe(4);
    expect(session.rowCounts(4)).toEqual([0, 1, 0, 3]);
  });

  it('joins what is unsent to the history, and says when the server could not be asked', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    await computer.synced(session);
    computer.upstream.fault = (method) => (method === 'POST' ? 'offline' : null);
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' }, 'second look');
    const both = await session.history(at('a', 0));
    expect(both.complete).toBe(true);
    expect(
      both.steps.map((step) => [step.by, step.old, step.new, step.reason, step.current]),
    ).toEqual([
      ['Me', { raw_outcome: 'NA' }, { raw_outcome: 'TRUE' }, 'second look', true],
      ['u_agent', null, { raw_outcome: 'NA' }, null, false],
    ]);
    computer.upstream.fault = () => 'offline';
    const local = await session.history(at('a', 0));
    expect(local.complete).toBe(false);
    expect(local.steps).toHaveLength(1);
  });

  it('tells at once that something is unsaved, and what follows together', async () => {
    computer = new Computer();
    const { session, layer } = await computer.open();
    await computer.synced(session);
    const told: string[] = [];
    session.subscribeSaveStatus(() => told.push(`case ${session.saveStatus.waiting}`));
    layer.overview.subscribe(() => told.push(`window ${layer.overview.totals.waiting}`));
    const stored = session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    expect(told.sort()).toEqual(['case 1', 'window 1']);
    told.length = 0;
    await stored;
    await computer.pass(2_500);
    expect(told.length).toBeLessThan(6);
    expect(told.at(-1)).toMatch(/ 0$/);
  });

  it('resolves flush when nothing waits, and rejects when its time is up', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    await session.write('x', [at('a', 0)], { raw_outcome: 'TRUE' });
    const flushed = session.flush(5_000);
    await computer.pass(100);
    await flushed;
    computer.upstream.fault = () => 'offline';
    await session.write('x', [at('a', 0)], { raw_outcome: 'FALSE' });
    const late = session.flush(1_000).catch((error: unknown) => error);
    await computer.pass(1_500);
    expect(await late).toMatchObject({ message: expect.stringContaining('server') });
  });
});
