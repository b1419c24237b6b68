import Dexie from 'dexie';
import { type StoreEngine, defineDatabase, DATABASE_NAME } from '../store/db.ts';
import { addMissing, readOutbox } from '../store/open-database.ts';
import { userIdOf } from '../api/who.ts';
import { KeyRecord } from './copy-keys.ts';
import { KEY_RECORD } from '../encryption/encrypted-tables.ts';

/** Databases of IndexedDB that hold copies, seen from outside: without a key to any of them. */

/** A copy whose key is in the memory of one window. */
export const WINDOW_COPY = `${DATABASE_NAME}-window-`;
const rescueOf = (name: string): string => `${name}-rescue`;

const rawOf = (name: string, { factory, keyRange }: StoreEngine): Dexie =>
  new Dexie(name, { indexedDB: factory, IDBKeyRange: keyRange, cache: 'disabled' });

/** Works on a database as it is stored; undefined where there is none. */
async function look<T>(
  name: string,
  engine: StoreEngine,
  work: (raw: Dexie) => Promise<T>,
): Promise<T | undefined> {
  const raw = rawOf(name, engine);
  try {
    await raw.open();
    return await work(raw);
  } catch (error) {
    if (error instanceof Dexie.NoSuchDatabaseError) return undefined;
    throw error;
  } finally {
    raw.close();
  }
}

/** How a stored copy is encrypted; null where it does not say, undefined where there is no copy. */
export function recordOf(name: string, engine: StoreEngine): Promise<KeyRecord | null | undefined> {
  return look(name, engine, async (raw) => {
    const row: unknown = raw.tables.some((table) => table.name === 'meta')
      ? await raw.table('meta').get(KEY_RECORD)
      : undefined;
    return KeyRecord.safeParse((row as { value?: unknown } | undefined)?.value).data ?? null;
  });
}

/**
 * Ids of the unsent changes in a copy, and in what may be left of its last repair: they can be
 * counted without a key.
 */
export async function unsentIn(name: string, engine: StoreEngine): Promise<string[]> {
  const ids = async (raw: Dexie): Promise<string[]> =>
    raw.tables.some((table) => table.name === 'outbox')
      ? ((await raw.table('outbox').orderBy('id').uniqueKeys()) as string[])
      : [];
  return [
    ...new Set([
      ...((await look(name, engine, ids)) ?? []),
      ...((await look(rescueOf(name), engine, ids)) ?? []),
    ]),
  ];
}

export async function removeCopy(name: string, engine: StoreEngine): Promise<void> {
  for (const one of [name, rescueOf(name)])
    await rawOf(one, engine).delete({ disableAutoOpen: true });
}

/** Copies of windows that are gone: nobody has the key. */
export async function sweepWindowCopies(
  engine: StoreEngine,
  isHeld: (name: string) => boolean,
): Promise<void> {
  for (const { name = '' } of await engine.factory.databases())
    if (name.startsWith(WINDOW_COPY) && !name.endsWith('-rescue') && !isHeld(name))
      await removeCopy(name, engine);
}

/** Makes a copy, so that every window that looks from now on finds by which key. */
export async function makeCopy(name: string, engine: StoreEngine): Promise<void> {
  const copy = defineDatabase(name, engine);
  await copy.open();
  copy.close();
}

/**
 * How many unsent changes of a person are in the copy that earlier versions kept for everybody,
 * unencrypted.
 */
export async function plainUnsent(engine: StoreEngine, person: string): Promise<number> {
  return (await readOutbox(DATABASE_NAME, { ...engine, encryption: undefined })).filter(
    ({ user }) => userIdOf(user) === person,
  ).length;
}

/**
 * Ends the copy that earlier versions kept for everybody, unencrypted: this person's unsent changes
 * go into their own copy, those of others wait for them, and all else can be read from the server
 * again.
 */
export async function endPlainCopy(
  engine: StoreEngine,
  person: string,
  encrypted: { name: string; engine: StoreEngine } | undefined,
): Promise<void> {
  const plain = { ...engine, encryption: undefined };
  const rows = await readOutbox(DATABASE_NAME, plain);
  const mine = rows.filter(({ user }) => userIdOf(user) === person);
  if (mine.length > 0) {
    if (encrypted === undefined) return;
    const copy = defineDatabase(encrypted.name, encrypted.engine);
    await copy.open();
    await addMissing(copy, mine);
    copy.close();
  }
  const left = await look(DATABASE_NAME, plain, async (raw) => {
    const outbox = raw.tables.find((table) => table.name === 'outbox');
    await outbox
      ?.where('id')
      .anyOf(mine.map(({ id }) => id))
      .delete();
    for (const table of raw.tables) if (table !== outbox) await table.clear();
    return (await outbox?.count()) ?? 0;
  });
  if (left === 0) await removeCopy(DATABASE_NAME, plain);
}
