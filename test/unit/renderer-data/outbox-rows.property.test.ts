import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRowCipher } from '../../../src/renderer/data/encryption/cipher.ts';
import type { Database, OutboxRow } from '../../../src/renderer/data/store/db.ts';
import { openDatabase } from '../../../src/renderer/data/store/open-database.ts';
import { deleteOutboxRows, outboxRowsAt } from '../../../src/renderer/data/store/outbox-rows.ts';
import {
  EMPTY_OUTBOX,
  nextBatch,
  outboxStateOf,
  outboxStates,
} from '../../../src/renderer/data/sync/outbox.ts';
import { asCase } from '../../support/ids.ts';
import { lengthOf } from '../../support/length.ts';

const CASES = ['a', 'b'].map(asCase);
const USERS = ['anna', 'ben'];
const OWNERS = CASES.flatMap((case_uid) => USERS.map((user) => ({ case_uid, user })));
const cipher = createRowCipher(new Uint8Array(32).fill(7), (length) =>
  crypto.getRandomValues(new Uint8Array(length)),
);

/** Work of several people in several cases: long runs of one of them, and mixtures. */
const rows = fc
  .array(
    fc.record({
      owner: fc.constantFrom(...OWNERS),
      states: fc.array(
        fc.constantFrom('waiting' as const, 'waiting' as const, 'damaged' as const),
        {
          minLength: 1,
          maxLength: 30,
        },
      ),
      created: fc.integer({ min: 0, max: 50 }),
    }),
    { maxLength: 6 },
  )
  .map((parts) =>
    parts.flatMap(({ owner, states, created }, part) =>
      states.map((state, at): OutboxRow => ({
        ...owner,
        id: `${part}/${at}`,
        text: '{}',
        bytes: 2,
        created: created + at,
        state,
        reason: null,
      })),
    ),
  );

const keysOf = (all: readonly OutboxRow[]): number[] => all.flatMap(({ n }) => n ?? []);

async function filled(all: readonly OutboxRow[], encrypted: boolean): Promise<Database> {
  const engine = {
    factory: new IDBFactory(),
    keyRange: IDBKeyRange,
    ...(encrypted && { encryption: { cipher, record: { of: 'test' } } }),
  };
  const { db } = await openDatabase(engine, 'copy');
  await db.outbox.bulkAdd([...all]);
  return db;
}

it('reads, counts and deletes what is one user’s in one case, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), fc.integer(), async (all, encrypted, seed) => {
      const db = await filled(all, encrypted);
      const stored = await db.outbox.toArray();
      const states = await outboxStates(db);
      for (const owner of OWNERS) {
        const own = stored.filter(
          ({ case_uid, user }) => case_uid === owner.case_uid && user === owner.user,
        );
        const waiting = own.filter(({ state }) => state === 'waiting');
        const counts = {
          ...EMPTY_OUTBOX,
          waiting: waiting.length,
          damaged: own.length - waiting.length,
          oldest: waiting.length === 0 ? null : Math.min(...waiting.map((row) => row.created)),
        };
        expect(await outboxStateOf(db, owner)).toEqual(counts);
        const listed = states.find(
          ({ case_uid, user }) => case_uid === owner.case_uid && user === owner.user,
        );
        expect(listed).toEqual(own.length === 0 ? undefined : { ...owner, ...counts });
        expect((await nextBatch(db, owner, 1_000)).batch).toEqual(waiting);
        const keys = keysOf(waiting);
        expect(await outboxRowsAt(db, keys)).toEqual(waiting);
        // One of them is gone, another was never there.
        const some = [...keys, stored.length + 1];
        await deleteOutboxRows(db, keys.slice(0, 1));
        expect(await outboxRowsAt(db, some)).toEqual([
          ...waiting.map((row, at) => (at === 0 ? undefined : row)),
          undefined,
        ]);
        const gone = new Set(keys.filter((key) => (key * 31 + seed) % 3 !== 0));
        const before = await db.outbox.toArray();
        await deleteOutboxRows(db, [...gone]);
        expect(await db.outbox.toArray()).toEqual(before.filter(({ n }) => !gone.has(n ?? 0)));
      }
      db.close();
    }),
    { numRuns: lengthOf(25, 500) },
  );
});
