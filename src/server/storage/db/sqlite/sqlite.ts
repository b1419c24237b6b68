import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SQLITE, sqliteCode, StoreError } from '../errors.ts';
import { Mutex } from '../mutex.ts';
import type { AccountScope, DatabaseSession, Patience, StorageEngine } from '../session.ts';
import { writeBackup } from './sqlite-backup.ts';
import { SqliteConnection } from './sqlite-driver.ts';
import {
  checkDatabase,
  DAMAGED,
  openSqliteFile,
  reopenWriter,
  type SqliteOptions,
  withPrivateFiles,
} from './sqlite-file.ts';
export type { SqliteOptions } from './sqlite-file.ts';
import { SqliteSession } from './sqlite-session.ts';
import { inThread } from './sqlite-thread.ts';

/** How long transactions join those that are committed together, ms. */
const JOINING_MS = 20;
/** After these nothing of the transaction is stored, whoever caused them. */
const FATAL: ReadonlySet<number | undefined> = new Set([
  SQLITE.FULL,
  SQLITE.IOERR,
  SQLITE.CORRUPT,
  SQLITE.NOTADB,
  SQLITE.READONLY,
  SQLITE.CANTOPEN,
]);

/** A transaction that may be committed with others. `run` answers how to say that it was stored. */
interface JoiningWrite {
  run(session: SqliteSession): Promise<() => void>;
  refuse(error: unknown): void;
}

const FULL = 'The disk is full. Nothing was stored; free some space and try again.';
const FAILED =
  'Writing to the database file failed. Nothing more is written until the application has been restarted and the file checked.';

/**
 * Two connections to one file: a writer, used by one transaction at a time, and a reader that
 * cannot write and sees the last commit. After the first input/output error or sign of damage
 * nothing is written any more: a failed fsync may have lost pages that look as if they were
 * written.
 */
class SqliteEngine implements StorageEngine {
  readonly kind = 'sqlite';
  readonly packs = true;
  readonly #file: string;
  readonly #reader: DatabaseSync;
  readonly #readSession: SqliteSession;
  readonly #readLock = new Mutex();
  readonly #writeLock = new Mutex();
  readonly #backupLock = new Mutex();
  #writer: DatabaseSync | undefined;
  #writeSession: SqliteSession | undefined;
  #readOnly: string | null;
  #full = false;
  readonly #joining: JoiningWrite[] = [];
  lost = 0;
  /** A large file is checked while the first requests are served. */
  readonly #checked: Promise<void>;

  constructor(options: SqliteOptions) {
    const opened = openSqliteFile(options);
    this.#file = path.resolve(options.file);
    this.#reader = opened.reader;
    this.#readSession = new SqliteSession(new SqliteConnection(opened.reader));
    this.#readOnly = opened.readOnly;
    this.#useWriter(opened.writer);
    this.#checked = opened.unchecked ? this.#check() : Promise.resolve();
  }

  async #check(): Promise<void> {
    const verdict = await inThread(checkDatabase, this.#file).catch((error: unknown) =>
      sqliteCode(error) === SQLITE.CORRUPT ? 'damaged' : 'unknown',
    );
    if (verdict === 'damaged') this.#readOnly ??= DAMAGED;
  }

  #useWriter(writer: DatabaseSync | undefined): void {
    this.#writer = writer;
    this.#writeSession =
      writer === undefined ? undefined : new SqliteSession(new SqliteConnection(writer));
  }

  readOnlyReason(): string | null {
    return this.#readOnly;
  }

  ask<T>(fn: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return this.read(fn);
  }

  read<T>(fn: (session: DatabaseSession) => Promise<T>, account?: AccountScope): Promise<T> {
    return this.#readLock.run(async () => {
      this.#readSession.begin(account);
      this.#reader.exec('BEGIN');
      try {
        return await fn(this.#readSession);
      } catch (error) {
        this.#note(error);
        throw error;
      } finally {
        if (this.#reader.isTransaction !== false) this.#reader.exec('COMMIT');
      }
    });
  }

  write<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account?: AccountScope,
    last?: (session: DatabaseSession) => Promise<void>,
    patience?: Patience,
  ): Promise<T> {
    if (patience === 'together') return this.#join(fn, account, last);
    return this.#writeLock.run(async () => {
      const { db, session } = this.#writable();
      session.begin(account);
      try {
        db.exec('BEGIN IMMEDIATE');
        const result = await fn(session);
        await last?.(session);
        db.exec('COMMIT');
        this.#full = false;
        return result;
      } catch (error) {
        this.#rollBack(db);
        throw this.#note(error);
      }
    });
  }

  #join<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account: AccountScope | undefined,
    last?: (session: DatabaseSession) => Promise<void>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#joining.push({
        run: async (session) => {
          session.begin(account);
          const result = await fn(session);
          await last?.(session);
          return () => resolve(result);
        },
        refuse: reject,
      });
      if (this.#joining.length === 1) void this.#writeLock.run(() => this.#commitTogether());
    });
  }

  /**
   * Runs the transactions that wait to be committed together, each in a savepoint of its own, so
   * that one that fails takes nothing of the others back. None is said to be stored before all are.
   */
  async #commitTogether(): Promise<void> {
    if (this.#joining.length === 0) return;
    const begun: JoiningWrite[] = [];
    const ends: (() => void)[] = [];
    let writer: DatabaseSync | undefined;
    try {
      const { db, session } = this.#writable();
      writer = db;
      db.exec('BEGIN IMMEDIATE');
      const end = performance.now() + JOINING_MS;
      for (let next = this.#joining.shift(); next !== undefined; next = this.#joining.shift()) {
        begun.push(next);
        ends.push(await this.#runInSavepoint(db, session, next));
        if (performance.now() >= end) break;
      }
      db.exec('COMMIT');
      this.#full = false;
    } catch (error) {
      if (writer !== undefined) this.#rollBack(writer);
      this.lost += 1;
      const noted = this.#note(error);
      for (const one of begun.length === 0 ? this.#joining.splice(0) : begun) one.refuse(noted);
      ends.length = 0;
    }
    for (const end of ends) end();
    if (this.#joining.length > 0) void this.#writeLock.run(() => this.#commitTogether());
  }

  /** Answers how to say what became of it, once all that is committed with it is stored. */
  async #runInSavepoint(
    db: DatabaseSync,
    session: SqliteSession,
    one: JoiningWrite,
  ): Promise<() => void> {
    db.exec('SAVEPOINT one');
    try {
      const stored = await one.run(session);
      db.exec('RELEASE one');
      return stored;
    } catch (error) {
      if (FATAL.has(sqliteCode(error)) || !db.isTransaction) throw error;
      db.exec('ROLLBACK TO one');
      db.exec('RELEASE one');
      return () => one.refuse(this.#note(error));
    }
  }

  /** The writer. It is opened again after a full disk, since space may have been freed. */
  #writable(): { db: DatabaseSync; session: SqliteSession } {
    if (this.#readOnly !== null) throw new StoreError('read_only', this.#readOnly);
    if (this.#full) {
      try {
        this.#writer?.close();
      } catch {
        // An earlier attempt has closed it.
      }
      try {
        this.#useWriter(reopenWriter(this.#file));
      } catch (error) {
        throw this.#note(error);
      }
    }
    const db = this.#writer;
    const session = this.#writeSession;
    if (db === undefined || session === undefined) throw new StoreError('read_only', FAILED);
    return { db, session };
  }

  #rollBack(db: DatabaseSync): void {
    try {
      db.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as after a full disk or an input/output error.
    }
  }

  /** Decides what an error means for further writes; returns the error to throw. */
  #note(error: unknown): unknown {
    switch (sqliteCode(error)) {
      case SQLITE.FULL:
        this.#full = true;
        return new StoreError('storage_full', FULL);
      case SQLITE.IOERR:
      case SQLITE.CORRUPT:
      case SQLITE.NOTADB:
        this.#readOnly = FAILED;
        return new StoreError('read_only', FAILED);
      case SQLITE.READONLY:
      case SQLITE.CANTOPEN:
        return new StoreError('read_only', 'The database file cannot be written.');
      case SQLITE.BUSY:
      case SQLITE.LOCKED:
        return new StoreError(
          'unavailable',
          'Another process is writing to the database. Try again.',
        );
      default:
        return error;
    }
  }

  backup(file: string): Promise<void> {
    return this.#backupLock.run(() => writeBackup(this.#file, file));
  }

  async close(): Promise<void> {
    await this.#checked;
    // A backup in progress would keep SQLite from emptying its log.
    await this.#backupLock.run(async () => {});
    await this.#readLock.run(async () => this.#reader.close());
    await this.#writeLock.run(async () => {
      if (this.#writer === undefined) return;
      try {
        if (this.#readOnly === null) this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // On a full disk, for example: what was stored is in the log, which the next start reads.
      } finally {
        this.#writer.close();
        this.#useWriter(undefined);
      }
    });
  }
}

export function openSqlite(options: SqliteOptions): StorageEngine {
  return withPrivateFiles(() => new SqliteEngine(options));
}
