import Dexie from 'dexie';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { DATABASE_NAME } from '../../../src/renderer/data/store/db.ts';
import { readUndoStep } from '../../../src/renderer/data/store/undo-step-row.ts';
import { openDatabase } from '../../../src/renderer/data/store/open-database.ts';
import { at, Computer, rest } from './support/windows.ts';

const FIRST = {
  matrices: 'id, case_uid',
  items: '[matrix+block]',
  blocks: '[matrix+block]',
  details: '[matrix+slot]',
  names: '[matrix+chunk]',
  contested: '[matrix+register]',
  outbox: '++n, &id, [case_uid+state], [case_uid+created]',
  sent: '++n, &id, case_uid',
  gestures: '[matrix+id], [matrix+stack]',
  lists: 'key',
  ui: 'key',
  meta: 'key',
};
const USER = 'u_me';

/**
 * Every row of the window's store, as the first version kept them: nothing named its user but the
 * changes themselves.
 */
async function asFirstVersion(factory: IDBFactory): Promise<IDBFactory> {
  const { db } = await openDatabase({ factory, keyRange: IDBKeyRange });
  const rows = await Promise.all(
    Object.keys(FIRST).map(
      async (name) => [name, await db.table<Record<string, unknown>>(name).toArray()] as const,
    ),
  );
  db.close();
  const older = new IDBFactory();
  const first = new Dexie(DATABASE_NAME, { indexedDB: older, IDBKeyRange });
  first.version(1).stores(FIRST);
  const former = (text: unknown): unknown =>
    typeof text === 'string' ? text.replace(`${USER}/`, '') : text;
  for (const [name, all] of rows) {
    await first.table(name).bulkPut(
      all.map(({ user: _, review: __, ...row }) => {
        if (name === 'gestures') for (const later of ['rows', 'turns']) delete row[later];
        if (name === 'matrices') return { ...row, id: former(row['id']) };
        return 'matrix' in row ? { ...row, matrix: former(row['matrix']) } : row;
      }),
    );
  }
  first.close();
  return older;
}

it('a store of the first version keeps its cells, unsent changes and steps, and takes rows into steps from now on', async () => {
  const computer = new Computer();
  const first = await computer.open();
  await first.session.write('Mine', [at('a', 0)], { raw_outcome: 'TRUE', notes: 'n' });
  await computer.synced(first.session);
  computer.upstream.fault = (_, path) => (path.endsWith('/session') ? null : 'offline');
  await first.session.write('Unsent', [at('b', 1)], { raw_outcome: 'NA' });
  first.layer.close();
  await rest();

  computer.factory = await asFirstVersion(computer.factory);
  const { session, layer } = await computer.open();
  expect([
    session.state(0, 0),
    session.detail(0, 0).notes,
    session.state(1, 1),
    session.saveStatus.waiting,
  ]).toEqual(['TRUE', 'n', 'NA', 1]);
  await session.apply({ label: 'Remove', items: [{ do: 'remove', item_uid: 'c' }] });
  expect(await session.undo()).toMatchObject({ label: 'Remove', items: ['c'] });
  expect(await session.undo()).toMatchObject({ label: 'Unsent', count: 1 });
  expect(await session.undo()).toMatchObject({ label: 'Mine', count: 1, skippedCount: 0 });
  expect(session.totals()).toEqual([0, 0, 0, 12]);
  layer.close();
  await rest();
});

it('a step whose parts do not fit each other is passed over, and the ones below can be undone', async () => {
  const computer = new Computer();
  const first = await computer.open();
  await first.session.write('Below', [at('a', 0)], { raw_outcome: 'TRUE' });
  computer.time += 5;
  await first.session.write('Damaged', [at('b', 0)], { raw_outcome: 'TRUE' });
  first.layer.close();
  await rest();
  const { db } = await openDatabase({ factory: computer.factory, keyRange: IDBKeyRange });
  const [below, damaged] = await db.gestures.orderBy(':id').toArray();
  expect([
    readUndoStep(below)?.label,
    readUndoStep({ ...below, rows: [{ item: 'a', field: 'colour' }] }),
    readUndoStep({ ...below, item: Uint32Array.of(9) }),
    readUndoStep(null),
  ]).toEqual(['Below', undefined, undefined, undefined]);
  await db.gestures.put({ ...damaged!, wrote: new Uint8Array(7) });
  db.close();
  const { session, layer } = await computer.open();
  expect(await session.undo()).toMatchObject({ label: 'Below', count: 1 });
  expect(session.state(1, 0)).toBe('TRUE');
  layer.close();
  await rest();
});
