import { asCase } from '../../support/ids.ts';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, it } from 'vitest';
import { defineDatabase, type OutboxRow } from '../../../src/renderer/data/store/db.ts';
import { ChangeIds } from '../../../src/renderer/data/store/change-ids.ts';
import { ReplicaWriter } from '../../../src/renderer/data/replica/writer.ts';
import { testHasher } from '../../support/hasher.ts';

const MIB = 1_048_576;

it('of acknowledged changes the last 32 MiB are kept, and those that would be pushed out at once are not even written', async () => {
  const db = defineDatabase('kept', { factory: new IDBFactory(), keyRange: IDBKeyRange });
  const writer = new ReplicaWriter({
    db,
    matrix: 'm',
    caseUid: asCase('c'),
    user: 'u',
    boot: 'b',
    now: () => 0,
    ports: { hasher: testHasher, randomHex: () => '', replica: 'r', version: 'v' },
    changeIds: () => new ChangeIds(),
    gen: () => 0,
    hlc: () => '',
    onFailure: (error) => {
      throw error;
    },
    onStored: () => undefined,
    onSettled: () => undefined,
  });
  const rows = Array.from({ length: 80 }, (_, k): OutboxRow => ({
    n: k + 1,
    id: `c1_${k}`,
    case_uid: asCase('c'),
    user: 'u',
    text: `${k}`,
    bytes: MIB,
    created: k,
    state: 'waiting',
    reason: null,
  }));
  await db.outbox.bulkAdd(rows);
  await writer.enqueue({ acknowledged: rows.slice(0, 10) });
  expect([await db.sent.count(), await db.outbox.count()]).toEqual([0, 70]);
  for (let at = 10; at < 80; at += 5)
    await writer.enqueue({ acknowledged: rows.slice(at, at + 5) });
  const kept = await db.sent.orderBy('n').toArray();
  expect(await db.outbox.count()).toBe(0);
  expect(kept.at(-1)?.id).toBe('c1_79');
  expect(kept.length).toBeGreaterThanOrEqual(30);
  expect(kept.length).toBeLessThanOrEqual(40);
  db.close();
});
