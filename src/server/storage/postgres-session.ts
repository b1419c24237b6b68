import type { PoolClient } from 'pg';
import { type Compilable, type CompiledQuery, type DatabaseConnection, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type QueryResult, type RawBuilder, sql } from 'kysely';
import { Pace, pause } from './pace.ts';
import type { Database } from './schema.ts';
import type { OnConflict, Session } from './session.ts';

/** Array types of the columns that bulk inserts bind. */
const NUMBERS = 'bigint[]';
const REALS = 'double precision[]';
const ROWS_AT_ONCE = 5_000;
const REAL_COLUMNS = new Set(['position']);
const BYTE_COLUMNS = new Set(['packed']);

/** The one client of a transaction as Kysely's connection: the transaction itself is ours. */
class ClientConnection implements DatabaseConnection {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#client.query(text, [...parameters]);
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Rows are not streamed.');
  }
}

function kyselyOn(client: PoolClient): Kysely<Database> {
  const connection = new ClientConnection(client);
  const nothing = async (): Promise<void> => {};
  const driver = {
    init: nothing, acquireConnection: async () => connection, beginTransaction: nothing, commitTransaction: nothing, rollbackTransaction: nothing, releaseConnection: nothing, destroy: nothing,
  };
  return new Kysely<Database>({
    dialect: { createDriver: () => driver, createQueryCompiler: () => new PostgresQueryCompiler(), createAdapter: () => new PostgresAdapter(), createIntrospector: (db) => new PostgresIntrospector(db) },
  });
}

function arrayType(column: string, rows: readonly (readonly unknown[])[], index: number): string {
  if (REAL_COLUMNS.has(column)) return REALS;
  if (BYTE_COLUMNS.has(column)) return 'bytea[]';
  const sample = rows.find((row) => row[index] !== null)?.[index];
  return typeof sample === 'number' ? NUMBERS : 'text[]';
}

/** Names of whole-number columns, whose arrays may hold nothing but nulls. */
const WHOLE = /(_seq|_index|_pk|^seq|^idx)$/;

export class PostgresSession implements Session {
  readonly kind = 'postgres';
  readonly db: Kysely<Database>;
  /** Not of the key: rows that only refer to this one need not wait, and two that both do cannot wait for each other. */
  readonly lock = sql`for no key update`;
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
    this.db = kyselyOn(client);
  }

  async rows<T extends unknown[]>(query: Compilable): Promise<T[]> {
    const { sql: text, parameters } = query.compile();
    const { rows } = await this.#client.query<T>({ text, values: [...parameters], rowMode: 'array' });
    return rows;
  }

  /** One array a column: the text of the statement does not depend on the number of rows. */
  async insert(table: keyof Database, columns: readonly string[], rows: readonly (readonly unknown[])[], conflict?: OnConflict): Promise<void> {
    const action = conflict === undefined ? '' : conflict.update.length === 0 ? ' DO NOTHING' : ` DO UPDATE SET ${conflict.update.map((column) => `${column} = excluded.${column}`).join(', ')}`;
    const suffix = conflict === undefined ? '' : ` ON CONFLICT (${conflict.target.join(', ')})${action}`;
    const pace = new Pace();
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const part = rows.slice(start, start + ROWS_AT_ONCE);
      const types = columns.map((column, index) => (WHOLE.test(column) ? NUMBERS : arrayType(column, part, index)));
      const arrays = types.map((type, index) => `$${index + 1}::${type}`);
      await this.#client.query(`INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})${suffix}`, columns.map((_, index) => part.map((row) => row[index])));
      if (pace.due(part.length)) await pause();
    }
  }

  async allocate(table: 'items', count: number): Promise<number[]> {
    const { rows } = await this.#client.query<{ pk: number }>(`SELECT nextval(pg_get_serial_sequence($1, 'item_pk')) AS pk FROM generate_series(1, $2)`, [table, count]);
    return rows.map((row) => row.pk);
  }

  list<T extends string | number>(values: readonly T[]): RawBuilder<T> {
    const type = typeof values[0] === 'number' ? sql.raw(NUMBERS) : sql.raw('text[]');
    return sql<T>`(SELECT unnest(${values}::${type}))`;
  }
}
