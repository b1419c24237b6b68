import type { DatabaseSync } from 'node:sqlite';
import { StoreOpenError } from '../errors.ts';

/** "EVST": marks a file as ours. */
export const APPLICATION_ID = 0x45565354;

/**
 * First SQLite version without the race between writer and checkpointer that could corrupt a file
 * in WAL mode (3.7.0 to 3.51.2).
 */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** Value of the first column of a PRAGMA or query with one row. */
export function scalar(db: DatabaseSync, sql: string): unknown {
  const row = db.prepare(sql).get();
  return row === undefined ? undefined : Object.values(row)[0];
}

export function refuseOldSqlite(db: DatabaseSync, allowOld: boolean): void {
  const version = String(scalar(db, 'SELECT sqlite_version()'));
  const parts = version.split('.').map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > oldest) return;
    if (part < oldest && !allowOld)
      throw new StoreOpenError(
        'sqlite_too_old',
        `This runtime has SQLite ${version}; 3.51.3 or newer is needed to store evidence safely.`,
      );
    if (part < oldest) return;
  }
}

/** Settings of a connection, each with the value that it must report afterwards. */
const EVERY: readonly [string, string | number, unknown][] = [
  ['busy_timeout', 5_000, 5_000],
  ['foreign_keys', 'ON', 1],
  ['trusted_schema', 'OFF', 0],
  ['cell_size_check', 'ON', 1],
  ['mmap_size', 0, 0],
  ['temp_store', 'MEMORY', 2],
  ['cache_size', -4_000, -4_000],
];
const WRITER: readonly [string, string | number, unknown][] = [
  ['journal_mode', 'WAL', 'wal'],
  ['synchronous', 'FULL', 2],
  // On macOS an fsync does not flush the drive's own cache; these two settings do.
  ['fullfsync', 1, 1],
  ['checkpoint_fullfsync', 1, 1],
  ['secure_delete', 'ON', 1],
  ['journal_size_limit', 67_108_864, 67_108_864],
];

/**
 * Applies the settings and checks each of them, because SQLite silently ignores an unknown or
 * impossible one.
 */
export function applySettings(db: DatabaseSync, role: 'writer' | 'reader'): void {
  for (const [name, value, expected] of role === 'writer' ? [...EVERY, ...WRITER] : EVERY) {
    db.exec(`PRAGMA ${name}=${value}`);
    const found = scalar(db, `PRAGMA ${name}`);
    // mmap_size answers nothing where memory mapping was compiled out.
    if (found !== expected && !(name === 'mmap_size' && found === undefined))
      throw new StoreOpenError('setting_refused', `SQLite did not accept the setting ${name}.`);
  }
}
