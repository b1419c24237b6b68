import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Placeholder } from './placeholder.ts';
import type { Compilable, Expression, Kysely, RawBuilder } from 'kysely';
import { sqlState } from './errors.ts';
import type { TrailOwner } from './schema/account-tables.ts';
import { isNumbered } from './schema/row-security.ts';
import type { StoreTables } from './schema/schema.ts';

/**
 * What a bulk insert does with a row whose key already exists: nothing where both lists are empty,
 * else it overwrites the columns in `update` and adds to those in `add`.
 */
export interface OnConflict {
  target: readonly string[];
  update: readonly string[];
  add?: readonly string[];
}

/**
 * Runs queries that do not depend on each other. PostgreSQL receives them in one message and
 * answers them in this order. If one fails, the others are still awaited: a query that is still on
 * its way when the transaction ends would run outside it.
 */
export async function pipelined<T extends readonly unknown[]>(
  ...questions: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const answers = await Promise.allSettled(questions);
  const failures = answers
    .filter((answer) => answer.status === 'rejected')
    .map((answer) => answer.reason as unknown);
  // After a failure PostgreSQL answers every later statement with 25P02 ("transaction is aborted");
  // the first failure is the one to report.
  if (failures.length > 0)
    throw failures.find((failure) => sqlState(failure) !== '25P02') ?? failures[0];
  return answers.map(
    (answer) => (answer as PromiseFulfilledResult<unknown>).value,
  ) as readonly unknown[] as T;
}

/** The ON CONFLICT clause of a bulk insert. */
export function conflictClause(
  table: keyof StoreTables,
  { target, update, add = [] }: OnConflict,
): string {
  const set = [
    ...update.map((column) => `${column} = excluded.${column}`),
    ...add.map((column) => `${column} = ${table}.${column} + excluded.${column}`),
  ];
  const key = isNumbered(table) ? ['account', ...target] : target;
  return ` ON CONFLICT (${key.join(', ')}) DO ${set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`}`;
}

/**
 * Rows of one key made one, with what inserting them one after the other would have left:
 * PostgreSQL refuses a statement that would update a row twice. `rows` itself where no key is
 * repeated.
 */
export function oneRowForEachKey(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  { target, update, add = [] }: OnConflict,
): readonly (readonly unknown[])[] {
  const placesOf = (names: readonly string[]): number[] =>
    names.map((name) => columns.indexOf(name));
  const [keys, overwritten, added] = [placesOf(target), placesOf(update), placesOf(add)];
  const merged = new Map<string, unknown[]>();
  for (const row of rows) {
    const key = keys.map((place) => row[place]).join('\0');
    const first = merged.get(key);
    if (first === undefined) merged.set(key, [...row]);
    else {
      for (const place of overwritten) first[place] = row[place];
      for (const place of added) first[place] = (first[place] as number) + (row[place] as number);
    }
  }
  return merged.size === rows.length ? rows : [...merged.values()];
}

/** The column that numbers the rows of a table. */
export const NUMBERING = {
  streams: 'stream_pk',
  projects: 'project_pk',
  cases: 'case_pk',
  items: 'item_pk',
  matrices: 'matrix_pk',
  rules: 'rule_pk',
  runs: 'run_pk',
  usage_events: 'event_pk',
} as const satisfies Partial<Record<keyof StoreTables, string>>;
export type Allocated = keyof typeof NUMBERING;

/**
 * One connection inside one transaction: Kysely's queries, and the few things that the two engines
 * do differently.
 */
export interface DatabaseSession {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<StoreTables>;
  /**
   * The number of the account that the transaction is about: it leads the keys of the account's
   * tables. Throws in a transaction that is about none or every one, and has turned to none.
   */
  readonly account: number;
  /**
   * Lets a transaction about every account, or about none yet, go on with this one's rows: those of
   * one account after another. Throws in a transaction that is about another account.
   */
  turnTo(account: AccountId): void;
  /** The number of an account, whatever the transaction is about; 0 for one that is not there. */
  numberOf(account: AccountId): number;
  /**
   * Rows as arrays in the order of the select list: about twice as fast as objects where there are
   * thousands.
   */
  rows<T extends unknown[]>(query: Compilable): Promise<T[]>;
  /**
   * Inserts many rows of equal shape, with pauses in which other work can run. With `conflict`, a
   * key may be repeated: its rows count one after the other. A table of numbered accounts
   * (`isNumbered`) gets the account of the transaction in each row, and in the target of
   * `conflict`.
   */
  insert(
    table: keyof StoreTables,
    columns: readonly string[],
    rows: readonly (readonly unknown[])[],
    conflict?: OnConflict,
  ): Promise<void>;
  /**
   * A write whose result nobody needs. On PostgreSQL it is sent together with the next query or
   * with the commit, as a short `insert` is; if it fails, the error is thrown there.
   */
  change(query: Compilable): Promise<void>;
  /** The number of a row that is inserted into an account's rows of a table. */
  nextNumber(table: Allocated, account: number): RawBuilder<number>;
  /** `count` unused numbers of a table's rows, ascending, for bulk inserts. */
  allocate(table: Allocated, count: number): Promise<number[]>;
  /**
   * A list for `where(column, 'in', ...)`, of any length, none included, as one parameter. Not for
   * `not in`.
   */
  list<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /**
   * Condition that a column is one of these values. Unlike a subquery it always uses the column's
   * index, whatever the planner knows of the table.
   */
  inList<T extends string | number>(column: string, values: readonly T[]): RawBuilder<boolean>;
  /** The same where the query is compiled once, and the values come later. */
  inPlaceholder<T extends string | number>(
    column: string,
    values: Placeholder<readonly T[]>,
    type: T extends string ? 'text' : 'number',
  ): RawBuilder<boolean>;
  /**
   * Condition that a column is among what a query of one column finds, which is asked once: where
   * little is known of the tables, PostgreSQL would ask a subquery again for each row.
   */
  inQuery(column: string, query: Expression<unknown>): RawBuilder<boolean>;
  /**
   * Moves an account's change token on, to the hash of what it was and of what has changed; answers
   * both.
   * Asks before it first waits.
   */
  advanceChangeToken(
    account: AccountId,
    what: string,
    sha256Base64url: (text: string) => string,
  ): Promise<{ from: string; to: string }>;
  /** Adds a row lock to a query, on the engine with several concurrent writers. */
  readonly lock: RawBuilder<unknown>;
}

export interface PoolState extends Readonly<Record<string, number>> {
  busy: number;
  idle: number;
  waiting: number;
}

/**
 * Of transactions that nobody looks at while they are made. `together`: where commits wait for a
 * disk of this computer, those of several such are one. `behind`: where connections are few, others
 * go first as long as such have their share.
 */
export type Patience = 'together' | 'behind';

export interface StorageEngine {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * Whether the store compresses large changes itself (PostgreSQL compresses large values anyway).
   */
  readonly packs: boolean;
  /** All reads of `fn` see one snapshot. `account` is that of `Store.read`. */
  read<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account?: AccountScope,
    patience?: Patience,
  ): Promise<T>;
  /** A read of one statement, which needs no transaction. */
  ask<T>(fn: (session: DatabaseSession) => Promise<T>): Promise<T>;
  /**
   * One transaction, committed to disk when this resolves. `fn` may run again after a serialisation
   * failure. What `last` asks, all of it before it first waits, goes to PostgreSQL in one message
   * with the commit, so that what it locks is locked for no longer than the commit takes.
   */
  write<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account?: AccountScope,
    last?: (session: DatabaseSession) => Promise<void>,
    patience?: Patience,
  ): Promise<T>;
  /**
   * How often transactions failed that others had read from before: what these remembered of them
   * is to be forgotten.
   */
  readonly lost?: number;
  readOnlyReason(): string | null;
  /** True where the database role bypasses row-level security. */
  readonly unguarded?: boolean;
  /** True where servers of the version before may work on the same database. */
  readonly isShared?: boolean;
  /**
   * Whether the database answers, asked beside everything else; nothing where there is no other
   * process to ask.
   */
  answers?(): Promise<boolean>;
  /** How many connections are busy and idle, and how many transactions wait for one. */
  pool?(): PoolState;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Given in place of an account for work that belongs to none: upkeep, and the operator's commands.
 */
export const EVERY_ACCOUNT = '*';
/** Whose rows a transaction is about: an account's, every account's, or the server's own trail. */
export type AccountScope = TrailOwner | typeof EVERY_ACCOUNT;

/** Throws where a transaction of the scope must not see the account's rows. */
export function mayTurnTo(scope: AccountScope | undefined, account: AccountId): void {
  if (scope !== undefined && scope !== '' && scope !== EVERY_ACCOUNT && scope !== account)
    throw new Error('A transaction about an account asks for rows of another.');
}

/** The account of a scope. Throws where the scope is none or every one. */
export function accountOf(scope: AccountScope | undefined): AccountId {
  if (scope === undefined || scope === '' || scope === EVERY_ACCOUNT)
    throw new Error('A transaction that is about no account asks for rows of one.');
  return scope;
}
