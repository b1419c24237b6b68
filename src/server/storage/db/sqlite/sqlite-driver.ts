import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/**
 * Prepared statements kept for each connection; beyond that the oldest is dropped. Texts differ
 * only with the shape of a query.
 */
const MAX_STATEMENTS = 300;

/**
 * A connection with its prepared statements by SQL text, once for rows as objects and once for rows
 * as arrays.
 */
export class SqliteConnection implements SqliteDatabase {
  readonly raw: DatabaseSync;
  readonly #objects = new Map<string, KyselyStatement>();
  readonly #arrays = new Map<string, StatementSync>();

  constructor(raw: DatabaseSync) {
    this.raw = raw;
  }

  prepare(sql: string): KyselyStatement {
    const known = this.#objects.get(sql);
    if (known !== undefined) return known;
    const statement = new KyselyStatement(this.raw.prepare(sql));
    remember(this.#objects, sql, statement);
    return statement;
  }

  prepareArrays(sql: string): StatementSync {
    const known = this.#arrays.get(sql);
    if (known !== undefined) return known;
    const statement = this.raw.prepare(sql);
    // A statement without columns returns nothing, and some bindings refuse this setting for it.
    if (statement.columns().length > 0) statement.setReturnArrays(true);
    remember(this.#arrays, sql, statement);
    return statement;
  }

  /** Kysely closes a connection through `destroy`; here the engine closes it itself. */
  close(): void {}
}

function remember<T>(cache: Map<string, T>, sql: string, statement: T): void {
  if (cache.size >= MAX_STATEMENTS) cache.delete(cache.keys().next().value as string);
  cache.set(sql, statement);
}

/** A statement as Kysely's SQLite dialect expects it: parameters come as one array. */
export class KyselyStatement implements SqliteStatement {
  readonly #statement: StatementSync;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]));
  }

  run(parameters: readonly unknown[]): {
    changes: number | bigint;
    lastInsertRowid: number | bigint;
  } {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]));
  }
}
