import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResult as PgResult, QueryResultRow } from 'pg';
import { type Compilable, type CompiledQuery, type DatabaseConnection, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type QueryResult, type RawBuilder, sql } from 'kysely';
import { Pace, pause } from './pace.ts';
import type { Database } from './schema.ts';
import { conflictClause, type OnConflict, type Session } from './session.ts';

/** Array types of the columns that bulk inserts bind. */
const NUMBERS = 'bigint[]';
const REALS = 'double precision[]';
const ROWS_AT_ONCE = 5_000;
const REAL_COLUMNS = new Set(['position']);
const BYTE_COLUMNS = new Set(['packed']);

/** Statements that the server plans once a connection: nearly all of ours. Their texts are few, since none depends on a number of rows. */
const MOST_PREPARED = 1_000;
const prepared = new Map<string, string>();
let generation = 0;

function nameOf(text: string): string | undefined {
  const known = prepared.get(text);
  if (known !== undefined || prepared.size >= MOST_PREPARED) return known;
  const name = `s${generation}_${prepared.size}`;
  prepared.set(text, name);
  return name;
}

/** Which preparation of the statements is in use. */
export const preparation = (): number => generation;

/** Every connection prepares its statements anew, under other names, if those of `since` are still in use: a change of tables spoils them all. */
export function prepareAnew(since: number): void {
  if (since !== generation) return;
  generation += 1;
  prepared.clear();
}

function statement<T>(text: string, values: readonly unknown[], rest: T): { text: string; values: unknown[]; name?: string } & T {
  const name = nameOf(text);
  return { text, values: [...values], ...(name !== undefined && { name }), ...rest };
}

/** The one client of a transaction as Kysely's connection: the transaction itself is ours. */
class ClientConnection implements DatabaseConnection {
  readonly #send: PostgresSession['send'];

  constructor(send: PostgresSession['send']) {
    this.#send = send;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#send<object>(statement(text, parameters, {}));
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Rows are not streamed.');
  }
}

function kyselyOn(send: PostgresSession['send']): Kysely<Database> {
  const connection = new ClientConnection(send);
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

/** One a connection. */
const sessions = new WeakMap<PoolClient, PostgresSession>();

export class PostgresSession implements Session {
  readonly kind = 'postgres';
  readonly db: Kysely<Database>;
  /** Not of the key: rows that only refer to this one need not wait, and two that both do cannot wait for each other. */
  readonly lock = sql`for no key update`;
  readonly #client: PoolClient;
  readonly #socket: Writable;
  #corked = false;

  private constructor(client: PoolClient) {
    this.#client = client;
    this.#socket = (client as PoolClient & { connection: { stream: Writable } }).connection.stream;
    this.db = kyselyOn((query) => this.send(query));
  }

  static on(client: PoolClient): PostgresSession {
    let session = sessions.get(client);
    if (session === undefined) sessions.set(client, (session = new PostgresSession(client)));
    return session;
  }

  /** What is asked in one turn of the event loop goes to the socket in one piece: the system's calls are most of the cost of a short statement. */
  send<T extends QueryResultRow = object>(query: string | QueryConfig): Promise<PgResult<T>> {
    if (!this.#corked) {
      this.#corked = true;
      this.#socket.cork();
      setImmediate(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    return this.#client.query<T>(query as QueryConfig);
  }

  async rows<T extends unknown[]>(query: Compilable): Promise<T[]> {
    const { sql: text, parameters } = query.compile();
    const { rows } = await this.send<T>(statement(text, parameters, { rowMode: 'array' as const }));
    return rows;
  }

  /** One array a column: the text of the statement does not depend on the number of rows. */
  async insert(table: keyof Database, columns: readonly string[], rows: readonly (readonly unknown[])[], conflict?: OnConflict): Promise<void> {
    const suffix = conflict === undefined ? '' : conflictClause(table, conflict);
    const pace = new Pace();
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const part = rows.slice(start, start + ROWS_AT_ONCE);
      const types = columns.map((column, index) => (WHOLE.test(column) ? NUMBERS : arrayType(column, part, index)));
      const arrays = types.map((type, index) => `$${index + 1}::${type}`);
      await this.send(statement(`INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})${suffix}`, columns.map((_, index) => part.map((row) => row[index])), {}));
      if (pace.due(part.length)) await pause();
    }
  }

  async allocate(table: 'items', count: number): Promise<number[]> {
    const { rows } = await this.send<{ pk: number }>(statement(`SELECT nextval(pg_get_serial_sequence($1, 'item_pk')) AS pk FROM generate_series(1, $2)`, [table, count], {}));
    return rows.map((row) => row.pk);
  }

  list<T extends string | number>(values: readonly T[]): RawBuilder<T> {
    const type = typeof values[0] === 'number' ? sql.raw(NUMBERS) : sql.raw('text[]');
    return sql<T>`(SELECT unnest(${values}::${type}))`;
  }
}
