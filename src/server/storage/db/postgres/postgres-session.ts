import type { AccountId } from '../../../../shared/contract/ids.ts';
import pg, { type PoolClient } from 'pg';
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely';
import { WorkCounter, yieldToEventLoop } from '../event-loop.ts';
import {
  type StatementResult,
  type PendingStatement,
  Preparations,
  PipelineBatch,
} from './pipeline-batch.ts';
import type { Placeholder } from '../placeholder.ts';
import { accountNumber } from './account-number.ts';
import type { Pulse } from './postgres-watch.ts';
import { ACCOUNT_SETTING, isNumbered, NUMBER_SETTING } from '../schema/row-security.ts';
import type { StoreTables } from '../schema/schema.ts';
import {
  accountOf,
  type AccountScope,
  type Allocated,
  conflictClause,
  EVERY_ACCOUNT,
  mayTurnTo,
  NUMBERING,
  oneRowForEachKey,
  type OnConflict,
  type DatabaseSession,
  pipelined,
} from '../session.ts';

/** Array types of the columns that bulk inserts bind. */
const NUMBERS = 'bigint[]';
const REALS = 'double precision[]';
const ROWS_AT_ONCE = 5_000;
/**
 * A bulk insert of up to this many rows may wait for the next query; larger ones would fill the
 * memory.
 */
const FEW_ROWS = 250;
const REAL_COLUMNS = new Set(['position']);
const BYTE_COLUMNS = new Set(['packed']);

/**
 * The client of one transaction in the form that Kysely expects. Transactions are begun and ended
 * here, not by Kysely.
 */
class ClientConnection implements DatabaseConnection {
  readonly #ask: PostgresSession['ask'];

  constructor(ask: PostgresSession['ask']) {
    this.#ask = ask;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, count } = await this.#ask(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(count) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Rows are not streamed.');
  }
}

function kyselyOn(ask: PostgresSession['ask']): Kysely<StoreTables> {
  const connection = new ClientConnection(ask);
  const nothing = async (): Promise<void> => {};
  const driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return new Kysely<StoreTables>({
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  });
}

function arrayType(column: string, rows: readonly (readonly unknown[])[], index: number): string {
  if (REAL_COLUMNS.has(column)) return REALS;
  if (BYTE_COLUMNS.has(column)) return 'bytea[]';
  const sample = rows.find((row) => row[index] !== null)?.[index];
  return typeof sample === 'number' ? NUMBERS : 'text[]';
}

/**
 * Names of whole-number columns, for inserts whose values are all null and so do not show the type.
 */
const WHOLE = /(_seq|_index|_pk|^seq|^idx)$/;

/**
 * PostgreSQL computes the hash: reading the token here first would keep the account's mark locked
 * for another round trip.
 */
const ADVANCE_CHANGE_TOKEN = `UPDATE account_marks AS marks
  SET moved = translate(encode(sha256(convert_to(marks.moved || $2, 'UTF8')), 'base64'), '+/=', '-_')
  FROM (SELECT moved FROM account_marks WHERE account = $1 FOR NO KEY UPDATE) AS previous
  WHERE marks.account = $1
  RETURNING previous.moved AS "from", marks.moved AS "to"`;

/** One session for each connection. */
const sessions = new WeakMap<PoolClient, PostgresSession>();

export class PostgresSession implements DatabaseSession {
  readonly kind = 'postgres';
  readonly db: Kysely<StoreTables>;
  /**
   * `NO KEY UPDATE` does not block rows that only refer to this one by foreign key, and so avoids
   * deadlocks between two such transactions.
   */
  readonly lock = sql`for no key update`;
  readonly pulse: Pulse = { awaited: 0, heard: 0 };
  #scope: AccountScope | undefined;
  /** The number of the account that the transaction is about or has turned to. */
  #number: number | undefined;
  readonly #client: PoolClient;
  readonly #preparations = new Preparations();
  #waiting: PendingStatement[] = [];
  #isDue = false;
  /** Index in `#waiting` of the BEGIN of a transaction of which nothing has been sent yet. */
  #begun: number | undefined;
  /**
   * The first error of a statement that nobody awaits. PostgreSQL says of later statements only
   * that the transaction has failed, so this one is reported instead.
   */
  #unheard: { error: unknown } | undefined;

  private constructor(client: PoolClient) {
    this.#client = client;
    this.db = kyselyOn((text, values) => this.ask(text, values));
  }

  static on(client: PoolClient): PostgresSession {
    let session = sessions.get(client);
    if (session === undefined) sessions.set(client, (session = new PostgresSession(client)));
    return session;
  }

  /**
   * Queries made in one tick of the event loop are sent in one message: for a short statement,
   * system calls on both sides cost more than the work itself.
   */
  ask(text: string, values: readonly unknown[], asArrays = false): Promise<StatementResult> {
    this.#soon();
    return new Promise((answered, reject) => {
      const failed = (error: unknown): void =>
        reject(this.#unheard === undefined ? error : this.#unheard.error);
      this.#waiting.push({ text, values, asArrays, answered, failed });
    });
  }

  /**
   * A statement whose answer nobody needs: it is sent with the next query or with the commit, which
   * also report its failure.
   */
  note(text: string, values: readonly unknown[] = []): void {
    this.#waiting.push({
      text,
      values,
      asArrays: true,
      answered: () => {},
      failed: (error) => (this.#unheard ??= { error }),
    });
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    this.#isDue = false;
    if (this.#waiting.length === 0) return;
    const batch = new PipelineBatch(this.#waiting, this.#preparations, this.pulse);
    this.#waiting = [];
    this.#begun = undefined;
    this.#client.query(batch);
  }

  /** The scope holds to the end of the transaction. */
  begin(mode: string, scope: AccountScope | undefined): void {
    this.#begun = this.#waiting.length;
    this.#scope = scope;
    this.#number = undefined;
    this.note(`BEGIN ${mode}`);
    if (scope === undefined) return;
    this.note(`SET LOCAL ${ACCOUNT_SETTING} = ${pg.escapeLiteral(scope)}`);
    if (scope === '' || scope === EVERY_ACCOUNT) return;
    this.turnTo(scope);
  }

  get account(): number {
    return this.#number ?? accountNumber(accountOf(this.#scope));
  }

  turnTo(account: AccountId): void {
    mayTurnTo(this.#scope, account);
    const number = accountNumber(account);
    if (number === this.#number) return;
    this.#number = number;
    this.note(`SET LOCAL ${NUMBER_SETTING} = '${number}'`);
  }

  numberOf(account: AccountId): number {
    return account === this.#scope && this.#number !== undefined
      ? this.#number
      : accountNumber(account);
  }

  /**
   * Ends a transaction that has changed nothing, together with the next query on this connection or
   * by itself.
   */
  end(): void {
    if (this.#dropUnsent()) return;
    this.note('COMMIT');
    this.#soon();
  }

  async commit(last?: (session: DatabaseSession) => Promise<void>): Promise<void> {
    const before = last?.(this);
    const committed = this.ask('COMMIT', []);
    this.#send();
    const [{ command }] = await pipelined(committed, before ?? Promise.resolve());
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error.
    if (command !== 'COMMIT')
      throw this.#unheard?.error ?? new Error('A transaction that had failed was to be stored.');
  }

  async rollBack(): Promise<void> {
    if (this.#dropUnsent()) return;
    this.#waiting = [];
    const undone = this.ask('ROLLBACK', []);
    this.#send();
    await undone;
    this.#unheard = undefined;
  }

  /**
   * Drops a transaction of which nothing was sent; false where the server has already seen a part
   * of it.
   */
  #dropUnsent(): boolean {
    if (this.#begun === undefined) return false;
    this.#waiting.length = this.#begun;
    this.#begun = undefined;
    return true;
  }

  async rows<T extends unknown[]>(query: Compilable): Promise<T[]> {
    const { sql: text, parameters } = query.compile();
    return (await this.ask(text, parameters, true)).rows as T[];
  }

  /**
   * Binds one array for each column, so that the statement's text does not depend on the number of
   * rows.
   */
  async insert(
    table: keyof StoreTables,
    columns: readonly string[],
    given: readonly (readonly unknown[])[],
    conflict?: OnConflict,
  ): Promise<void> {
    const rows = conflict === undefined ? given : oneRowForEachKey(columns, given, conflict);
    const suffix = conflict === undefined ? '' : conflictClause(table, conflict);
    const work = new WorkCounter();
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const part = rows.slice(start, start + ROWS_AT_ONCE);
      const types = columns.map((column, index) =>
        WHOLE.test(column) ? NUMBERS : arrayType(column, part, index),
      );
      const arrays = types.map((type, index) => `$${index + 1}::${type}`);
      const [name, value] = isNumbered(table)
        ? ['account, ', `$${columns.length + 1}::bigint, `]
        : ['', ''];
      const text = `INSERT INTO ${table} (${name}${columns.join(', ')}) SELECT ${value}* FROM unnest(${arrays.join(', ')})${suffix}`;
      const values: unknown[] = columns.map((_, index) => part.map((row) => row[index]));
      if (isNumbered(table)) values.push(this.account);
      if (rows.length <= FEW_ROWS) this.note(text, values);
      else await this.ask(text, values);
      if (work.due(part.length)) await yieldToEventLoop();
    }
  }

  async change(query: Compilable): Promise<void> {
    const { sql: text, parameters } = query.compile();
    this.note(text, parameters);
  }

  async advanceChangeToken(
    account: AccountId,
    what: string,
  ): Promise<{ from: string; to: string }> {
    const { rows } = await this.ask(ADVANCE_CHANGE_TOKEN, [this.numberOf(account), what]);
    if (rows[0] === undefined) throw new Error('There is no such account.');
    return rows[0] as { from: string; to: string };
  }

  nextNumber(): RawBuilder<number> {
    return sql<number>`DEFAULT`;
  }

  async allocate(table: Allocated, count: number): Promise<number[]> {
    const { rows } = await this.ask(
      `SELECT nextval(pg_get_serial_sequence($1, $2)) FROM generate_series(1, $3)`,
      [table, NUMBERING[table], count],
      true,
    );
    return (rows as [number][]).map(([pk]) => pk);
  }

  inList<T extends string | number>(column: string, values: readonly T[]): RawBuilder<boolean> {
    const some = storable(values);
    if (some.length === 0) return sql<boolean>`false`;
    // As a parameter that is an array, so that one plan serves lists of every length; a literal
    // list would be planned for each length.
    return sql<boolean>`${sql.ref(column)} = ANY(ARRAY${listOf(some)})`;
  }

  inPlaceholder<T extends string | number>(
    column: string,
    values: Placeholder<readonly T[]>,
    type: 'text' | 'number',
  ): RawBuilder<boolean> {
    const list = unnested(values.encodedBy(storable), type);
    return sql<boolean>`${sql.ref(column)} = ANY(ARRAY${list})`;
  }

  inQuery(column: string, query: Expression<unknown>): RawBuilder<boolean> {
    return sql<boolean>`${sql.ref(column)} = ANY(ARRAY${query})`;
  }

  list<T extends string | number>(values: readonly T[]): RawBuilder<T> {
    const some = storable(values);
    // An empty list has no type; a bare NULL takes the column's type and equals nothing.
    return some.length === 0 ? sql<T>`(NULL)` : listOf(some);
  }
}

/**
 * PostgreSQL stores no text with NUL and takes none as a parameter, so such a value is equal to
 * nothing.
 */
function storable<T extends string | number>(values: readonly T[]): readonly T[] {
  return values.filter((value) => typeof value === 'number' || !value.includes('\0'));
}

function listOf<T extends string | number>(values: readonly T[]): RawBuilder<T> {
  return unnested(values, typeof values[0] === 'number' ? 'number' : 'text');
}

function unnested<T>(values: unknown, type: 'text' | 'number'): RawBuilder<T> {
  return sql<T>`(SELECT unnest(${values}::${sql.raw(type === 'number' ? NUMBERS : 'text[]')}))`;
}
