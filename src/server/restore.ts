import { closeSync, copyFileSync, constants, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { stampOf } from './backups.ts';
import { databaseFile } from './data-folder.ts';
import { forgetRestore, noteRestore } from './restored.ts';
import { scalar } from './storage/sqlite-settings.ts';

/** Of the file header: SQLite's name for itself, and the number this application writes into its databases. */
const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID = 0x45565354;

export class RestoreError extends Error {
  override name = 'RestoreError';
  readonly code = 'not_a_backup';
}

function refuseForeign(file: string): void {
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header, 0, header.length, 0);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1', 0, 16) !== MAGIC || header.readUInt32BE(68) !== APPLICATION_ID) throw new RestoreError('The file is not a backup of Evidence Studio.');
}

/** Read as a file that nobody changes: no log is made beside it. */
function refuseDamaged(file: string): void {
  let whole: boolean;
  try {
    const copy = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    try {
      whole = scalar(copy, 'PRAGMA integrity_check(1)') === 'ok';
    } finally {
      copy.close();
    }
  } catch {
    whole = false;
  }
  if (!whole) throw new RestoreError('The backup is damaged itself, so nothing was changed. Choose another one.');
}

function flush(target: string): void {
  // Windows opens no folder for this and no read-only file either; its rename is journalled.
  if (process.platform === 'win32') return;
  const handle = openSync(target, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function incomingFile(folder: string): string {
  return `${databaseFile(folder)}.incoming`;
}

/**
 * Puts a backup in the database's place. What stood there is kept, whole, in `set-aside/`; resolves with that folder. The store must be closed
 * and the folder locked. A crash in between is finished by `finishRestore` at the next start.
 */
export function restoreBackup(folder: string, backup: string, now: number): string {
  refuseForeign(backup);
  const arriving = `${incomingFile(folder)}.part`;
  rmSync(arriving, { force: true });
  copyFileSync(backup, arriving, constants.COPYFILE_EXCL);
  try {
    refuseDamaged(arriving);
  } catch (error) {
    rmSync(arriving, { force: true });
    throw error;
  }
  flush(arriving);
  renameSync(arriving, incomingFile(folder));
  const aside = newAside(folder, now);
  noteRestore(folder, { at: new Date(now).toISOString(), backup: path.basename(backup), set_aside: path.basename(aside) });
  return moveAside(folder, aside);
}

/** A folder of this restore's own: two in one second, or a clock set back, must not put one database over another. */
function newAside(folder: string, now: number): string {
  const stamped = path.join(folder, 'set-aside', stampOf(now));
  let aside = stamped;
  for (let nth = 2; existsSync(aside); nth += 1) aside = `${stamped}-${nth}`;
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  return aside;
}

/** Database first, log second: until the log is gone as well, the backup does not get the name, since SQLite would read it into the backup. */
function moveAside(folder: string, aside: string): string {
  const database = databaseFile(folder);
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(database + suffix)) renameSync(database + suffix, path.join(aside, path.basename(database) + suffix));
  renameSync(incomingFile(folder), database);
  flush(folder);
  return aside;
}

/** Completes a restore that was cut off after the old database was taken away; forgets one that was cut off before. */
export function finishRestore(folder: string): void {
  if (!existsSync(incomingFile(folder))) return;
  if (existsSync(databaseFile(folder))) {
    rmSync(incomingFile(folder));
    forgetRestore(folder);
  }
  else moveAside(folder, path.join(folder, 'set-aside', readdirSync(path.join(folder, 'set-aside')).toSorted().at(-1) ?? ''));
}
