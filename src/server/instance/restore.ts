import {
  closeSync,
  copyFileSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { stampOf } from './backups.ts';
import { databaseFile } from './data-folder.ts';
import { forgetRestore, notedRestore, noteRestore } from './restored.ts';
import { scalar } from '../storage/db/sqlite/sqlite-settings.ts';

/**
 * From the file header: SQLite's magic text, and the application id that this program writes into
 * its databases.
 */
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
  if (header.toString('latin1', 0, 16) !== MAGIC || header.readUInt32BE(68) !== APPLICATION_ID)
    throw new RestoreError('The file is not a backup of Evidence Studio.');
}

/** Opened as immutable, so that SQLite creates no log beside it. */
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
  if (!whole)
    throw new RestoreError(
      'The backup is damaged itself, so nothing was changed. Choose another one.',
    );
}

function flush(target: string): void {
  // Windows can flush neither a folder nor a read-only file; its renames are journalled.
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
 * Replaces the database by a backup. The old files are kept in `set-aside/`; resolves with that
 * folder. The store must be closed and the folder locked. A crash in between is completed by
 * `finishRestore` at the next start.
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
  noteRestore(folder, {
    at: new Date(now).toISOString(),
    backup: path.basename(backup),
    set_aside: path.basename(aside),
  });
  return moveAside(folder, aside);
}

/**
 * A new folder for each restore: two in one second, or a clock that was set back, must not
 * overwrite what an earlier one kept.
 */
function newAside(folder: string, now: number): string {
  const stamped = path.join(folder, 'set-aside', stampOf(now));
  let aside = stamped;
  for (let nth = 2; existsSync(aside); nth += 1) aside = `${stamped}-${nth}`;
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  return aside;
}

/**
 * Moves the database first and its log second. Until the log is gone too, the backup does not get
 * the name, since SQLite would replay the old log into it.
 */
function moveAside(folder: string, aside: string): string {
  const database = databaseFile(folder);
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(database + suffix))
      renameSync(database + suffix, path.join(aside, path.basename(database) + suffix));
  renameSync(incomingFile(folder), database);
  flush(folder);
  return aside;
}

/**
 * Completes a restore that was interrupted after the old database had been moved away; drops one
 * that was interrupted while the old database was still in place.
 */
export function finishRestore(folder: string, now: number): void {
  if (!existsSync(incomingFile(folder))) return;
  if (existsSync(databaseFile(folder))) {
    rmSync(incomingFile(folder));
    forgetRestore(folder);
  } else {
    const noted = notedRestore(folder);
    moveAside(
      folder,
      noted === undefined
        ? newAside(folder, now)
        : path.join(folder, 'set-aside', path.basename(noted.set_aside)),
    );
  }
}
