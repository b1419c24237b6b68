import { chmodSync, closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { scalar } from './sqlite-settings.ts';

/** Tables that only grow: a copy holds at least what they held before it was made, and at most what they held after. */
const GROWING = ['changes', 'runs', 'profiles', 'projects', 'cases', 'items', 'cells'] as const;

export class BackupError extends Error {
  override name = 'BackupError';
}

function countRows(db: DatabaseSync): number[] {
  return GROWING.map((table) => Number(scalar(db, `SELECT count(*) FROM ${table}`)));
}

function flush(target: string): void {
  const handle = openSync(target, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function check(copy: string, before: readonly number[], after: readonly number[]): void {
  const db = new DatabaseSync(copy, { readOnly: true });
  try {
    if (scalar(db, 'PRAGMA integrity_check') !== 'ok') throw new BackupError('The backup did not pass the integrity check and was discarded.');
    for (const [index, count] of countRows(db).entries()) {
      if (count < (before[index] ?? 0) || count > (after[index] ?? 0)) throw new BackupError('The backup lacks rows and was discarded.');
    }
  } finally {
    db.close();
  }
}

/** Writes a consistent copy of `source` to `target`: made beside it, checked, on disk before it gets its name. */
export function writeBackup(source: string, target: string): void {
  const file = path.resolve(target);
  const copy = `${file}.part`;
  if (existsSync(copy)) rmSync(copy);
  const umask = process.umask(0o077);
  const db = new DatabaseSync(source, { readOnly: true });
  try {
    db.exec('PRAGMA busy_timeout=5000');
    const before = countRows(db);
    db.prepare('VACUUM INTO ?').run(copy);
    chmodSync(copy, 0o600);
    check(copy, before, countRows(db));
    flush(copy);
    renameSync(copy, file);
    // Windows cannot open a folder for this; its rename is journalled.
    if (process.platform !== 'win32') flush(path.dirname(file));
  } finally {
    process.umask(umask);
    db.close();
    if (existsSync(copy)) rmSync(copy);
  }
}
