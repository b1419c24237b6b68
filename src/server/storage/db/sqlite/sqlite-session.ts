import type { AccountId } from '../../../../shared/contract/ids.ts';
import type { SQLInputValue } from 'node:sqlite';
import {
  type Compilable,
  type Expression,
  Kysely,
  type RawBuilder,
  sql,
  SqliteDialect,
} from 'kysely';
import type { Placeholder } from '../placeholder.ts';
import { WorkCounter, yieldToEventLoop } from '../event-loop.ts';
import { type StoreTables, DEFAULTS } from '../schema/schema.ts';
import { isNumbered } from '../schema/row-security.ts';
import {
  accountOf,
  type AccountScope,
  type Allocated,
  conflictClause,
  type DatabaseSession,
  mayTurnTo,
  NUMBERING,
  type OnConflict,
} from '../session.ts';
import type { SqliteConnection } from './sqlite-driver.ts';

/**
 * Values bound in one INSERT: several rows in a statement save a third of the cost of the calls,
 * and more rows save nothing more.
 */
const BINDINGS = 300;

/**
 * Columns that are not at their default in every row: binding the others would cost more than
 * storing them.
 */
function boundColumns(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): number[] {
  const defaults = DEFAULTS[table] ?? {};
  const isBound = (index: number): boolean => {
    const column = columns[index] as string;
    if (!(column in defaults)) return true;
    const value = defaults[column];
    for (let row = 0; row < rows.length; row += 1)
      if ((rows[row] as readonly unknown[])[index] !== value) return true;
    return false;
  };
  return columns.map((_, index) => index).filter(isBound);
}

export class SqliteSession implements DatabaseSession {
  readonly kind = 'sqlite';
  readonly db: Kysely<StoreTables>;
  readonly lock = sql``;
  readonly #connection: SqliteConnection;
  readonly #numbers = new Map<AccountId, number>();
  /** The last number that this transaction has given out, used or not. */
  readonly #allocated = new Map<Allocated, number>();
  #scope: AccountScope | undefined;
  /** The account that the transaction has turned to. */
  #account: AccountId | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.db = new Kysely<StoreTables>({ dialect: new SqliteDialect({ database: connection }) });
  }

  /** The next transaction is about this account. */
  begin(scope: AccountScope | undefined): void {
    this.#scope = scope;
    this.#account = undefined;
    this.#allocated.clear();
  }

  get account(): number {
    return this.numberOf(this.#account ?? accountOf(this.#scope));
  }

  turnTo(account: AccountId): void {
    mayTurnTo(this.#scope, account);
    if (account !== this.#account) this.#allocated.clear();
    this.#account = account;
  }

  numberOf(account: AccountId): number {
    const known = this.#numbers.get(account);
    if (known !== undefined) return known;
    const [row] = this.#connection
      .prepareArrays('SELECT account FROM accounts WHERE account_id = ?')
      .all(account) as unknown as [number][];
    // One that is not there yet has no rows, and no number that could be kept.
    if (row === undefined) return 0;
    this.#numbers.set(account, row[0]);
    return row[0];
  }

  async rows<T extends unknown[]>(query: Compilable): Promise<T[]> {
    const { sql: text, parameters } = query.compile();
    const rows: unknown[] = this.#connection
      .prepareArrays(text)
      .all(...(parameters as SQLInputValue[]));
    return rows as T[];
  }

  async insert(
    table: keyof StoreTables,
    columns: readonly string[],
    rows: readonly (readonly unknown[])[],
    conflict?: OnConflict,
  ): Promise<void> {
    if (rows.length === 0) return;
    const bound = boundColumns(table, columns, rows);
    const [name, value] = isNumbered(table) ? ['account,', `${this.account},`] : ['', ''];
    const tuple = `(${value}${bound.map(() => '?').join(',')})`;
    const suffix = conflict === undefined ? '' : conflictClause(table, conflict);
    const prefix = `INSERT INTO ${table} (${name}${bound.map((index) => columns[index]).join(',')}) VALUES `;
    const most = Math.max(1, Math.floor(BINDINGS / bound.length));
    const work = new WorkCounter();
    const insertEach = async (from: number, to: number, atOnce: number): Promise<void> => {
      const tuples = Array<string>(atOnce).fill(tuple).join(',');
      const statement = this.#connection.prepareArrays(prefix + tuples + suffix);
      const values = Array<SQLInputValue>(atOnce * bound.length).fill(null);
      for (let start = from; start < to; start += atOnce) {
        let place = 0;
        for (let row = start; row < start + atOnce; row += 1)
          for (let column = 0; column < bound.length; column += 1)
            values[place++] = (rows[row] as readonly SQLInputValue[])[
              bound[column] as number
            ] as SQLInputValue;
        statement.run(...values);
        if (work.due(atOnce)) await yieldToEventLoop();
      }
    };
    const batched = rows.length - (rows.length % most);
    if (batched > 0) await insertEach(0, batched, most);
    if (batched < rows.length) await insertEach(batched, rows.length, 1);
  }

  async change(query: Compilable): Promise<void> {
    const { sql: text, parameters } = query.compile();
    this.#connection.prepareArrays(text).run(...(parameters as SQLInputValue[]));
  }

  async advanceChangeToken(
    account: AccountId,
    what: string,
    sha256Base64url: (text: string) => string,
  ): Promise<{ from: string; to: string }> {
    const [[from] = []] = await this.rows<[string]>(
      this.db
        .selectFrom('account_marks')
        .select('moved')
        .where('account', '=', this.numberOf(account)),
    );
    if (from === undefined) throw new Error('There is no such account.');
    const to = sha256Base64url(from + what);
    await this.change(
      this.db
        .updateTable('account_marks')
        .set({ moved: to })
        .where('account', '=', this.numberOf(account)),
    );
    return { from, to };
  }

  nextNumber(table: Allocated, account: number): RawBuilder<number> {
    const column = sql.ref(NUMBERING[table]);
    return sql<number>`(SELECT coalesce(max(${column}), 0) + 1 FROM ${sql.table(table)} WHERE account = ${account})`;
  }

  async allocate(table: Allocated, count: number): Promise<number[]> {
    const [row] = this.#connection
      .prepareArrays(`SELECT coalesce(max(${NUMBERING[table]}), 0) FROM ${table} WHERE account = ?`)
      .all(this.account) as unknown as [number][];
    const last = Math.max(row?.[0] ?? 0, this.#allocated.get(table) ?? 0);
    this.#allocated.set(table, last + count);
    return Array.from({ length: count }, (_, index) => last + 1 + index);
  }

  inList<T extends string | number>(column: string, values: readonly T[]): RawBuilder<boolean> {
    return sql<boolean>`${sql.ref(column)} IN ${this.list(values)}`;
  }

  inPlaceholder<T extends string | number>(
    column: string,
    values: Placeholder<readonly T[]>,
  ): RawBuilder<boolean> {
    return sql<boolean>`${sql.ref(column)} IN ${eachOf(values.encodedBy(JSON.stringify))}`;
  }

  inQuery(column: string, query: Expression<unknown>): RawBuilder<boolean> {
    return sql<boolean>`${sql.ref(column)} IN ${query}`;
  }

  list<T extends string | number>(values: readonly T[]): RawBuilder<T> {
    return eachOf(JSON.stringify(values));
  }
}

/** The values of a JSON array. */
function eachOf<T>(array: unknown): RawBuilder<T> {
  return sql<T>`(SELECT value FROM json_each(${array}))`;
}
