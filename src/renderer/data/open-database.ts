import Dexie from 'dexie';
import { type Database, DATABASE_NAME, defineDatabase, type Engine, type OutboxRow } from './db.ts';
import { rescueOutboxRows } from './stored-rows.ts';

class NewerStoreError extends Error {
  override name = 'NewerStoreError';
}

export interface Opened {
  db: Database;
  /** The stored copy could not be opened and was made anew; `rescued` unsent changes were carried over. */
  rebuilt: { rescued: number; cause: string } | null;
}

/** Rows of an outbox in a database of whatever version, read without its schema. */
async function readOutbox(name: string, engine: Engine): Promise<Omit<OutboxRow, 'n'>[]> {
  const raw = new Dexie(name, { indexedDB: engine.factory, IDBKeyRange: engine.keyRange });
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

async function addMissing(db: Database, rows: readonly Omit<OutboxRow, 'n'>[]): Promise<void> {
  await db.transaction('rw', db.outbox, async () => {
    const known = new Set(await db.outbox.orderBy('id').uniqueKeys());
    await db.outbox.bulkAdd(rows.filter((row) => !known.has(row.id)));
  });
}

async function exists(name: string, engine: Engine): Promise<boolean> {
  if (typeof engine.factory.databases !== 'function') return true;
  return (await engine.factory.databases()).some((entry) => entry.name === name);
}

/**
 * Opens the window's copy. One that cannot be opened is disposable, but for its outbox: what can be read of that is first kept in a second
 * database, then the copy is made anew, then the changes go back into it; stopped anywhere between, the next start goes on.
 */
export async function openDatabase(engine: Engine, name: string = DATABASE_NAME): Promise<Opened> {
  const rescueName = `${name}-rescue`;
  let rebuilt: Opened['rebuilt'] = null;
  let db = defineDatabase(name, engine);
  try {
    await db.open();
    // Dexie opens a store of a newer version as it is; its rows are not ours to write.
    if (Math.floor(db.backendDB().version / 10) > db.verno) throw new NewerStoreError('The stored copy is of a newer version.');
    await db.matrices.toCollection().first();
  } catch (error) {
    db.close();
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
    await addMissing(db, rows.map(({ n: _, ...row }) => row));
    await rescue.delete();
  }
  return { db, rebuilt };
}
