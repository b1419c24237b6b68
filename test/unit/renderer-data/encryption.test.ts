import { asCase } from '../../support/ids.ts';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import Dexie from 'dexie';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { pack, unpack } from '../../../src/renderer/data/encryption/pack.ts';
import { createRowCipher } from '../../../src/renderer/data/encryption/cipher.ts';
import {
  type Database,
  defineDatabase,
  type StoreEngine,
  rowsOf,
} from '../../../src/renderer/data/store/db.ts';
import { openDatabase } from '../../../src/renderer/data/store/open-database.ts';
import { nextBatch, outboxStates, unsentRows } from '../../../src/renderer/data/sync/outbox.ts';
import { at, Computer } from './support/windows.ts';
import { lengthOf } from '../../support/length.ts';

const RUNS = lengthOf(10, 600);
const bytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
const cipher = createRowCipher(new Uint8Array(32).fill(7), bytes);
const CANARY = 'canary-marmot';

/** Anything that a row may hold, with what JSON has no word for. */
const anything = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.uint8Array(),
    fc.uint16Array(),
    fc.uint32Array(),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('$', '__proto__', '0', '10', '9')),
      tie('any'),
      { maxKeys: 4 },
    ),
  ),
})).any;

describe('a row as bytes', () => {
  it('comes back as it was, whatever it holds', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(unpack(pack({ value }))).toStrictEqual(structuredClone({ value }));
      }),
      { numRuns: RUNS * 10 },
    );
  });

  it('keeps half of a surrogate pair, and refuses what it could not bring back', () => {
    expect(unpack(pack({ text: 'a\ud800b' }))).toEqual({ text: 'a\ud800b' });
    for (const value of [new Date(0), new Map(), 1n, new Float64Array(1), Symbol('x'), () => 1])
      expect(() => pack({ value })).toThrow(TypeError);
  });
});

describe('names that are found again', () => {
  it('are hidden in one way each, and shown as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(cipher.show(cipher.hide(a))).toBe(a);
        expect(cipher.hide(a) === cipher.hide(b)).toBe(a === b);
        // By another process, whose memory knows nothing.
        expect(createRowCipher(new Uint8Array(32).fill(7), bytes).show(cipher.hide(a))).toBe(a);
        expect(
          createRowCipher(new Uint8Array(32).fill(8), bytes).show(cipher.hide(a)),
        ).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
    expect(cipher.show('no name')).toBeUndefined();
  });
});

let factory: IDBFactory;
let engine: StoreEngine;
beforeEach(() => {
  factory = new IDBFactory();
  engine = {
    factory,
    keyRange: IDBKeyRange,
    encryption: { cipher: cipher, record: { of: 'test' } },
  };
});
const open = async (of: StoreEngine = engine): Promise<Database> =>
  (await openDatabase(of, 'copy')).db;
const outboxRow = (id: string, more: object = {}) => ({
  id,
  case_uid: asCase(CANARY),
  user: `${CANARY}@acc`,
  text: `{"${CANARY}":1}`,
  bytes: 9,
  created: 5,
  state: 'waiting' as const,
  reason: null,
  ...more,
});

/**
 * Every row of every table as it is stored, by a reader that knows neither Dexie's layers nor the
 * key.
 */
async function stored(): Promise<Record<string, Record<string, unknown>[]>> {
  const raw = new Dexie('copy', { indexedDB: factory, IDBKeyRange });
  await raw.open();
  const rows = Object.fromEntries(
    await Promise.all(
      raw.tables.map(async (table) => [table.name, await table.toArray()] as const),
    ),
  );
  raw.close();
  return rows as Record<string, Record<string, unknown>[]>;
}
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member instanceof Uint8Array ? new TextDecoder('latin1').decode(member) : member,
  );

describe('a encrypted store', () => {
  const key = fc.string({ minLength: 1, maxLength: 8 });
  const number = fc.integer({ min: 0, max: 50 });
  /** Rows of each table: its key and indexed fields as they may be, and anything besides. */
  const tables = {
    matrices: fc.record({ id: key, case_uid: key, rest: anything }),
    items: fc.record({ matrix: key, block: number, items: anything }),
    blocks: fc.record({
      matrix: key,
      block: number,
      raw: fc.uint8Array(),
      ref: fc.uint32Array(),
      index: fc.uint16Array(),
    }),
    details: fc.record({ matrix: key, slot: number, cells: anything }),
    names: fc.record({ matrix: key, chunk: number, text: fc.string() }),
    contested: fc.record({ matrix: key, register: key, others: anything }),
    gestures: fc.record({
      matrix: key,
      id: key,
      stack: fc.constantFrom('undo', 'redo', 'past'),
      rest: anything,
    }),
    quarantined: fc.record({ id: key, case_uid: key, user: key, rest: anything }),
    lists: fc.record({ key, data: anything }),
    ui: fc.record({ key, value: anything }),
    meta: fc.record({ key: key.filter((name) => name !== 'seal'), value: anything }),
  };

  for (const [name, arbitrary] of Object.entries(tables)) {
    it(`answers for ${name} what an unencrypted one answers`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(arbitrary as fc.Arbitrary<Record<string, unknown>>, { maxLength: 12 }),
          async (rows) => {
            factory = new IDBFactory();
            const [encrypted, plain] = await Promise.all([
              open({ ...engine, factory }),
              open({ factory: new IDBFactory(), keyRange: IDBKeyRange }),
            ]);
            for (const db of [encrypted, plain])
              await db.table(name).bulkPut(structuredClone(rows));
            const keyPath = encrypted.table(name).core.schema.primaryKey.keyPath as
              | string
              | string[];
            const keyOf = (row: Record<string, unknown>): string | string[] =>
              Array.isArray(keyPath)
                ? keyPath.map((field) => String(row[field]))
                : String(row[keyPath]);
            const sorted = (all: unknown[]): unknown[] => all.map((row) => textOf(row)).toSorted();
            const each = async <T>(ask: (db: Database) => PromiseLike<T>): Promise<[T, T]> => [
              await ask(encrypted),
              await ask(plain),
            ];
            const [a, b] = await each(async (db) =>
              (await db.table<Record<string, unknown>>(name).toArray()).filter(
                (row) => row['key'] !== 'seal',
              ),
            );
            expect(sorted(a)).toEqual(sorted(b));
            for (const row of rows) {
              const [one, other] = await each((db) => db.table(name).get(keyOf(row)));
              expect(one).toStrictEqual(other);
            }
            if ('matrix' in (rows[0] ?? {})) {
              for (const row of rows) {
                const [some, same] = await each((db) =>
                  db
                    .table(name)
                    .where(':id')
                    .between(...rowsOf(String(row['matrix'])))
                    .toArray(),
                );
                expect(sorted(some)).toEqual(sorted(same));
              }
              const gone = String(rows[0]?.['matrix']);
              await each((db) =>
                db
                  .table(name)
                  .where(':id')
                  .between(...rowsOf(gone))
                  .delete(),
              );
            } else if (rows[0] !== undefined) {
              const first = keyOf(rows[0]);
              await each((db) => db.table(name).update(first, { added: 'x' }));
              await each((db) => db.table(name).bulkDelete(rows.slice(1, 2).map(keyOf)));
            }
            const [left, same] = await each(async (db) =>
              (await db.table<Record<string, unknown>>(name).toArray()).filter(
                (row) => row['key'] !== 'seal',
              ),
            );
            expect(sorted(left)).toEqual(sorted(same));
            encrypted.close();
            plain.close();
          },
        ),
        { numRuns: Math.ceil(RUNS / 6) },
      );
    });
  }

  it('finds unsent changes by the indexes that the outbox uses, in their order', async () => {
    const db = await open();
    for (const at of [1, 2, 3, 4])
      await db.outbox.add(
        outboxRow(`id${at}`, {
          case_uid: asCase(at === 4 ? 'other' : CANARY),
          state: at === 2 ? 'damaged' : 'waiting',
          created: 10 - at,
        }),
      );
    expect(
      (await nextBatch(db, { case_uid: asCase(CANARY), user: `${CANARY}@acc` }, 10)).batch.map(
        ({ id, n }) => [id, n],
      ),
    ).toEqual([
      ['id1', 1],
      ['id3', 3],
    ]);
    expect(
      (await unsentRows(db, { case_uid: asCase(CANARY), user: `${CANARY}@acc` })).map(
        ({ id }) => id,
      ),
    ).toEqual(['id1', 'id2', 'id3']);
    expect((await outboxStates(db)).toSorted((a, b) => a.waiting - b.waiting)).toMatchObject([
      { case_uid: 'other', waiting: 1, damaged: 0 },
      { case_uid: CANARY, waiting: 2, damaged: 1, oldest: 7 },
    ]);
    expect(await db.outbox.orderBy('id').uniqueKeys()).toEqual(['id1', 'id2', 'id3', 'id4']);
    await db.outbox.where('id').equals('id1').modify({ state: 'damaged' });
    expect(
      await db.outbox
        .where('[case_uid+user+state]')
        .equals([CANARY, `${CANARY}@acc`, 'damaged'])
        .count(),
    ).toBe(2);
    await db.sent.bulkAdd(
      [1, 2].map((at) => ({
        id: `s${at}`,
        case_uid: asCase(CANARY),
        user: 'u',
        text: 't',
        bytes: at,
        created: at,
      })),
    );
    const seen: number[] = [];
    await db.sent
      .where('[case_uid+user]')
      .equals([CANARY, 'u'])
      .reverse()
      .each((row) => void seen.push(row.bytes));
    expect(seen).toEqual([2, 1]);
    db.close();
  });

  it('refuses a question that hidden names cannot answer', async () => {
    const db = await open();
    await expect(db.meta.where('key').startsWith('user/').toArray()).rejects.toThrow('no order');
    await expect(db.matrices.where('case_uid').between('a', 'b').toArray()).rejects.toThrow(
      'no order',
    );
    db.close();
  });

  it('holds no word of what was stored, in keys, indexes or values', async () => {
    const db = await open();
    await db.matrices.put({ id: `u/${CANARY}/p@1`, case_uid: CANARY, user: 'u' } as never);
    await db.items.put({
      matrix: `u/${CANARY}/p@1`,
      block: 0,
      items: [{ item_uid: CANARY, label: CANARY }],
    } as never);
    await db.contested.put({ matrix: 'm', register: `a/${CANARY}`, others: [], cited: [] });
    await db.lists.put({ key: `runs/${CANARY}`, at: 1, data: CANARY });
    await db.lists.put({ key: `case/${CANARY}`, kind: 'case', at: 1, data: CANARY });
    await db.outbox.add(outboxRow('id1'));
    db.close();
    const rows = await stored();
    expect(Object.values(rows).reduce((sum, all) => sum + all.length, 0)).toBeGreaterThan(5);
    expect(textOf(rows)).not.toContain(CANARY);
    expect(rows['meta']?.find((row) => row['key'] === 'seal')).toEqual({
      key: 'seal',
      value: { of: 'test' },
    });
  });
});

describe('a row that was changed in the store', () => {
  async function tamper(
    table: string,
    change: (row: Record<string, unknown>) => void,
  ): Promise<void> {
    const raw = new Dexie('copy', { indexedDB: factory, IDBKeyRange });
    await raw.open();
    await raw.table<Record<string, unknown>>(table).toCollection().modify(change);
    raw.close();
  }
  const flip = (row: Record<string, unknown>): void => {
    const encrypted = row['sealed'] as Uint8Array;
    encrypted[30] = (encrypted[30] ?? 0) ^ 1;
    row['sealed'] = encrypted;
  };

  it('does not open: its content, its place, or one in the place of another', async () => {
    for (const change of [
      flip,
      (row: Record<string, unknown>) => void (row['case_uid'] = cipher.hide('another')),
      (row: Record<string, unknown>) => void delete row['sealed'],
    ]) {
      factory = new IDBFactory();
      engine = { ...engine, factory };
      const db = await open();
      await db.matrices.put({ id: 'm', case_uid: CANARY, user: 'u' } as never);
      db.close();
      await tamper('matrices', change);
      const again = await open();
      expect(await again.matrices.get('m')).not.toHaveProperty('user');
      again.close();
    }
  });

  it('is said to be damaged where it was never sent, keeps its bytes, and is still counted', async () => {
    const db = await open();
    await db.outbox.bulkAdd([outboxRow('id1'), outboxRow('id2')]);
    db.close();
    await tamper('outbox', (row) => {
      if (row['id'] === 'id1') flip(row);
    });
    const again = await open();
    const rows = await unsentRows(again, { case_uid: asCase(CANARY), user: `${CANARY}@acc` });
    expect(rows).toMatchObject([
      {
        id: 'id1',
        state: 'damaged',
        reason: expect.stringContaining('damaged'),
        text: expect.stringMatching(/^sealed:./),
      },
      { id: 'id2', state: 'waiting' },
    ]);
    expect(await outboxStates(again)).toMatchObject([{ waiting: 2, damaged: 0 }]);
    await again.outbox
      .where('id')
      .equals('id1')
      .modify((row) => void Object.assign(row, { reason: 'kept' }));
    expect(
      await unsentRows(again, { case_uid: asCase(CANARY), user: `${CANARY}@acc` }),
    ).toMatchObject([{ id: 'id1', state: 'damaged', reason: 'kept', text: rows[0]?.text }, {}]);
    again.close();
  });

  it('is carried over with the others when the store itself has to be made again', async () => {
    const db = await open();
    await db.outbox.bulkAdd([outboxRow('id1'), outboxRow('id2')]);
    db.close();
    // A store of a newer version: this one must not write to it.
    const newer = new Dexie('copy', { indexedDB: factory, IDBKeyRange });
    newer.version(99).stores({ meta: 'key', outbox: '++n, &id' });
    await newer.open();
    newer.close();
    const { db: again, rebuilt } = await openDatabase(engine, 'copy');
    expect(rebuilt).toMatchObject({ rescued: 2 });
    expect(
      (await unsentRows(again, { case_uid: asCase(CANARY), user: `${CANARY}@acc` })).map(
        ({ id, state }) => [id, state],
      ),
    ).toEqual([
      ['id1', 'waiting'],
      ['id2', 'waiting'],
    ]);
    expect((await again.meta.get('seal'))?.value).toEqual({ of: 'test' });
    again.close();
    expect(textOf(await stored())).not.toContain(CANARY);
    expect((await factory.databases()).map(({ name }) => name)).toEqual(['copy']);
  });

  it('defines the same tables with encryption as without', () => {
    const names = (of: StoreEngine): string[] =>
      defineDatabase('x', of).tables.map(({ name }) => name);
    expect(names(engine)).toEqual(names({ factory, keyRange: IDBKeyRange }));
  });
});

describe('a window with a encrypted copy', () => {
  it('edits, sends, undoes and opens again without the server as one with a plain copy does', async () => {
    const computer = new Computer();
    computer.isEncrypted = true;
    const first = await computer.open();
    await first.session.write('Set', [at('a', 0), at('b', 1)], {
      raw_outcome: 'TRUE',
      notes: CANARY,
    });
    await computer.synced(first.session);
    computer.upstream.fault = () => 'offline';
    await first.session.write('Set', [at('a', 0)], { raw_outcome: 'NA' });
    await first.layer.closeSettled();
    const second = await computer.open();
    expect([
      second.session.state(0, 0),
      second.session.detail(1, 1).notes,
      second.layer.overview.totals.waiting,
    ]).toEqual(['NA', CANARY, 1]);
    expect(await second.session.undo()).toMatchObject({ count: 1 });
    expect(second.session.state(0, 0)).toBe('TRUE');
    computer.upstream.fault = () => null;
    await computer.synced(second.session);
    expect(computer.upstream.outcome('a', 'rule_000')).toBe('TRUE');
    await second.layer.closeSettled();
    const raw = new Dexie('evidence-studio', { indexedDB: computer.factory, IDBKeyRange });
    await raw.open();
    const rows = await Promise.all(raw.tables.map((table) => table.toArray()));
    raw.close();
    expect(rows.flat().length).toBeGreaterThan(8);
    expect(textOf(rows)).not.toMatch(new RegExp(`${CANARY}|case-1|rule_000|test_profile`));
  });

  it('reads the matrix from the server again where a row of it was changed', async () => {
    const computer = new Computer();
    computer.isEncrypted = true;
    const first = await computer.open();
    await first.session.write('Set', [at('a', 0)], { raw_outcome: 'TRUE' });
    await computer.synced(first.session);
    await first.layer.closeSettled();
    const raw = new Dexie('evidence-studio', { indexedDB: computer.factory, IDBKeyRange });
    await raw.open();
    await raw
      .table<Record<string, unknown>>('blocks')
      .toCollection()
      .modify((row) => void (row['sealed'] = new Uint8Array(60)));
    raw.close();
    const { session } = await computer.open();
    await computer.synced(session);
    expect(session.state(0, 0)).toBe('TRUE');
  });
});
