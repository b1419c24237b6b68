import Dexie from 'dexie';
import { OtherKeyError, encryptTables } from '../encryption/encrypted-tables.ts';
import {
  type Database,
  DATABASE_NAME,
  defineDatabase,
  type StoreEngine,
  type OutboxRow,
} from './db.ts';
import { rescueOutboxRows } from './stored-rows.ts';

class NewerStoreError extends Error {
  override name = 'NewerStoreError';
}

export interface OpenedDatabase {
  db: Database;
  /**
   * The stored copy could not be opened and was created again; `rescued` unsent changes were
   * carried over.
   */
  rebuilt: { rescued: number; cause: string } | null;
}

/** Rows of the outbox of a database of any version, read without its schema. */
export async function readOutbox(
  name: string,
  engine: StoreEngine,
): Promise<Omit<OutboxRow, 'n'>[]> {
  const raw = new Dexie(name, { indexedDB: engine.factory, IDBKeyRange: engine.keyRange });
  if (engine.encryption !== undefined) encryptTables(raw, engine.encryption.cipher);
  try {
    await raw.open();
    if (!raw.tables.some((table) => table.name === 'outbox')) return [];
    return rescueOutboxRows(await raw.table<unknown>('outbox').toArray());
  } catch {
    return [];
  } finally {
    raw.close();
  }
}

export async function addMissing(
  db: Database,
  rows: readonly Omit<OutboxRow, 'n'>[],
): Promise<void> {
  await db.transaction('rw', db.outbox, async () => {
    const known = new Set(await db.outbox.orderBy('id').uniqueKeys());
    await db.outbox.bulkAdd(rows.filter((row) => !known.has(row.id)));
  });
}

async function exists(name: string, engine: StoreEngine): Promise<boolean> {
  if (typeof engine.factory.databases !== 'function') return true;
  return (await engine.factory.databases()).some((entry) => entry.name === name);
}

/** Dexie passes on what kept a database from opening in an error of its own. */
const isOtherKey = (error: unknown): boolean =>
  error instanceof OtherKeyError ||
  (error instanceof Dexie.DexieError && error.inner instanceof OtherKeyError);

/**
 * Opens the window's copy. One that cannot be opened can be fetched again, except for its outbox:
 * its readable changes are first saved in a second database, then the copy is created again, then
 * the changes are put back. If this is interrupted, the next start continues.
 */
export async function openDatabase(
  engine: StoreEngine,
  name: string = DATABASE_NAME,
): Promise<OpenedDatabase> {
  const rescueName = `${name}-rescue`;
  let rebuilt: OpenedDatabase['rebuilt'] = null;
  let db = defineDatabase(name, engine);
  try {
    await db.open();
    // Dexie opens a store of a newer version without complaint, but this version must not write to
    // it.
    if (Math.floor(db.backendDB().version / 10) > db.verno)
      throw new NewerStoreError('The stored copy is of a newer version.');
    await db.matrices.toCollection().first();
  } catch (error) {
    db.close();
    if (isOtherKey(error)) throw error;
    const rows = await readOutbox(name, engine);
    if (rows.length > 0) {
      const rescue = defineDatabase(rescueName, engine);
      await rescue.open();
      await addMissing(rescue, rows);
      rescue.close();
    }
    await defineDatabase(name, engine).delete({ disableAutoOpen: true });
    db = defineDatabase(name, engine);
    await db.open();
    rebuilt = { rescued: rows.length, cause: error instanceof Error ? error.name : 'unknown' };
  }
  if (await exists(rescueName, engine)) {
    const rescue = defineDatabase(rescueName, engine);
    await rescue.open();
    const rows = await rescue.outbox.toArray();
    await addMissing(
      db,
      rows.map(({ n: _, ...row }) => row),
    );
    await rescue.delete();
  }
  return { db, rebuilt };
}
