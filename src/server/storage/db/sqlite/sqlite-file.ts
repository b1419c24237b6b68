import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';
import { SQLITE, sqliteCode, StoreOpenError } from '../errors.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { SQLITE_WORDS } from '../schema/sql-words.ts';
import { writeBackupNow } from './sqlite-backup.ts';
import { APPLICATION_ID, applySettings, refuseOldSqlite, scalar } from './sqlite-settings.ts';
import { setStatistics } from './sqlite-statistics.ts';

export interface SqliteOptions {
  file: string;
  /** Accept an SQLite before 3.51.3 (for a runtime used in checks only). */
  allowOldSqlite?: boolean;
}

/** An opened file: with a writer, or for reading only, with the reason. */
export interface OpenedFile {
  writer: DatabaseSync | undefined;
  reader: DatabaseSync;
  readOnly: string | null;
  /** The file is too large to be checked before it is used. */
  unchecked: boolean;
}

/**
 * Files up to this size are checked before the server answers requests; checking larger ones would
 * delay the start too long. Bytes.
 */
const CHECKED_FIRST = 16 * 1024 * 1024;

export const DAMAGED =
  'The database file is damaged. It can be read as far as it goes; restore a backup to go on working.';
const TOO_NEW =
  'The database was written by a newer version of this application. It can be read; update the application to change it.';
const NO_PERMISSION =
  'The database file or its folder is write-protected. It can be read; nothing can be changed.';

/**
 * Runs `fn`; files that it creates are readable by their owner alone. A thread cannot set this for
 * the process: there SQLite gives its own files the mode of the database file, which is made
 * private beforehand.
 */
export function withPrivateFiles<T>(fn: () => T): T {
  if (!isMainThread) return fn();
  const before = process.umask(0o077);
  try {
    return fn();
  } finally {
    process.umask(before);
  }
}

function isWritable(target: string): boolean {
  try {
    accessSync(target, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens or creates the file, checks it, and migrates it to the newest schema. Never deletes or
 * replaces what it finds.
 */
export function openSqliteFile(options: SqliteOptions): OpenedFile {
  const file = path.resolve(options.file);
  return withPrivateFiles(() => {
    const folder = path.dirname(file);
    const exists = existsSync(file);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (!exists) closeSync(openSync(file, 'a', 0o600));
    } catch (error) {
      throw new StoreOpenError(
        'no_permission',
        'The data folder cannot be written, and there is no database in it yet.',
        { cause: error },
      );
    }
    if (!isWritable(file) || !isWritable(folder))
      return openForReading(file, NO_PERMISSION, options);
    chmodSync(file, 0o600);
    return openWriter(file, options);
  });
}

/** The file's schema version. Throws StoreOpenError where the file belongs to another program. */
function versionOf(db: DatabaseSync): number {
  const application = scalar(db, 'PRAGMA application_id');
  const version = Number(scalar(db, 'PRAGMA user_version'));
  const empty = version === 0 && scalar(db, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (application !== APPLICATION_ID && !empty)
    throw new StoreOpenError('foreign_file', 'The file is a database of another application.');
  return version;
}

function isDamaged(db: DatabaseSync): boolean {
  try {
    return scalar(db, 'PRAGMA quick_check(1)') !== 'ok';
  } catch (error) {
    if (sqliteCode(error) === SQLITE.CORRUPT) return true;
    throw error;
  }
}

/**
 * Checks a file. The function is run in a thread from its own text, so it may use nothing but its
 * parameters.
 */
export function checkDatabase(Database: typeof DatabaseSync, file: string): 'whole' | 'damaged' {
  const db = new Database(file, { readOnly: true });
  try {
    db.exec('PRAGMA busy_timeout=5000');
    return db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok'
      ? 'whole'
      : 'damaged';
  } finally {
    db.close();
  }
}

function openWriter(file: string, options: SqliteOptions): OpenedFile {
  const writer = new DatabaseSync(file);
  try {
    refuseOldSqlite(writer, options.allowOldSqlite === true);
    writer.exec('PRAGMA busy_timeout=5000');
    const { size } = statSync(file);
    const isNew = size === 0;
    const unchecked = size > CHECKED_FIRST;
    let reason: string | null = null;
    if (isNew) writer.exec(`PRAGMA application_id=${APPLICATION_ID}`);
    // Damage may show as early as here, since the version is read from the first pages.
    const version = readVersion(writer);
    if (version === 'damaged' || (!isNew && !unchecked && isDamaged(writer))) reason = DAMAGED;
    else if (version > MIGRATIONS.length) reason = TOO_NEW;
    if (reason !== null) {
      writer.close();
      return openForReading(file, reason, options);
    }
    applySettings(writer, 'writer');
    migrate(writer, file);
    setStatistics(writer);
    return { writer, reader: openReader(file), readOnly: null, unchecked };
  } catch (error) {
    if (writer.isOpen !== false) tryClose(writer);
    throw asOpenError(error);
  }
}

function readVersion(db: DatabaseSync): number | 'damaged' {
  try {
    return versionOf(db);
  } catch (error) {
    if (sqliteCode(error) === SQLITE.CORRUPT) return 'damaged';
    throw error;
  }
}

function tryClose(db: DatabaseSync): void {
  try {
    db.close();
  } catch {
    // It is closed already.
  }
}

function asOpenError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === SQLITE.NOTADB)
    return new StoreOpenError(
      'not_a_database',
      'The file is not a database, or its beginning is destroyed. It was left as it is; restore a backup.',
      { cause: error },
    );
  if (code === SQLITE.CORRUPT)
    return new StoreOpenError(
      'not_a_database',
      'The database file is damaged beyond reading. It was left as it is; restore a backup.',
      { cause: error },
    );
  if (code === SQLITE.CANTOPEN || code === SQLITE.READONLY)
    return new StoreOpenError('no_permission', 'The database file cannot be opened.', {
      cause: error,
    });
  return error;
}

/** Opens another writer connection to the same file, after the first one met a full disk. */
export function reopenWriter(file: string): DatabaseSync {
  return withPrivateFiles(() => {
    const writer = new DatabaseSync(file);
    applySettings(writer, 'writer');
    return writer;
  });
}

function openReader(target: string): DatabaseSync {
  const reader = new DatabaseSync(target, { readOnly: true });
  try {
    applySettings(reader, 'reader');
    scalar(reader, 'SELECT count(*) FROM sqlite_schema');
    return reader;
  } catch (error) {
    tryClose(reader);
    throw error;
  }
}

/**
 * In a folder in which SQLite cannot create its -shm file, a file in WAL mode opens only as
 * immutable; it is then read without its log.
 */
function openForReading(file: string, reason: string, options: SqliteOptions): OpenedFile {
  let reader: DatabaseSync;
  try {
    reader = openReader(file);
  } catch (error) {
    try {
      if (sqliteCode(error) !== SQLITE.CANTOPEN && sqliteCode(error) !== SQLITE.READONLY)
        throw error;
      reader = openReader(`${pathToFileURL(file).href}?immutable=1`);
    } catch (second) {
      throw asOpenError(second);
    }
  }
  try {
    refuseOldSqlite(reader, options.allowOldSqlite === true);
    versionOf(reader);
  } catch (error) {
    tryClose(reader);
    throw error;
  }
  return { writer: undefined, reader, readOnly: reason, unchecked: false };
}

/** Migrates the file to the newest schema, each step in one transaction, after a backup. */
export function migrate(db: DatabaseSync, file: string, migrations = MIGRATIONS): void {
  const from = Number(scalar(db, 'PRAGMA user_version'));
  if (from > 0 && from < migrations.length) writeBackupNow(file, `${file}.v${from}.backup`);
  for (let step = from; step < migrations.length; step += 1) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Another process may have migrated it meanwhile.
      if (Number(scalar(db, 'PRAGMA user_version')) === step) {
        for (const statement of migrations[step]?.(SQLITE_WORDS) ?? []) db.exec(statement);
        db.exec(`PRAGMA user_version=${step + 1}`);
      }
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }
}
