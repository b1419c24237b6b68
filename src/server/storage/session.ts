import type { Compilable, Kysely, RawBuilder } from 'kysely';
import { sqlState } from './errors.ts';
import type { Database } from './schema.ts';

/** What a bulk insert does with a row that is there: keep it, or replace these columns, and add to those. */
export interface OnConflict {
  target: readonly string[];
  update: readonly string[];
  add?: readonly string[];
}

/**
 * Questions that do not wait for each other: they travel to PostgreSQL together, and it answers them in this order. Where one fails the others are waited
 * for all the same, since a statement that came after the transaction's end would be in another one.
 */
export async function together<T extends readonly unknown[]>(...questions: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const answers = await Promise.allSettled(questions);
  const failures = answers.filter((answer) => answer.status === 'rejected').map((answer) => answer.reason as unknown);
  // What PostgreSQL refuses after a failure only because of it says nothing.
  if (failures.length > 0) throw failures.find((failure) => sqlState(failure) !== '25P02') ?? failures[0];
  return answers.map((answer) => (answer as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/** The end of a bulk insert's statement. */
export function conflictClause(table: string, { target, update, add = [] }: OnConflict): string {
  const set = [...update.map((column) => `${column} = excluded.${column}`), ...add.map((column) => `${column} = ${table}.${column} + excluded.${column}`)];
  return ` ON CONFLICT (${target.join(', ')}) DO ${set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`}`;
}

/** One connection inside one transaction. The little that is engine-specific beside Kysely's queries. */
export interface Session {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Database>;
  /** Rows as arrays in the order of the select list: about twice as fast as objects where there are thousands. */
  rows<T extends unknown[]>(query: Compilable): Promise<T[]>;
  /** Many rows of equal shape. Lets other work run in between. */
  insert(table: keyof Database, columns: readonly string[], rows: readonly (readonly unknown[])[], conflict?: OnConflict): Promise<void>;
  /** A change that answers nothing. As a short `insert`, it goes to PostgreSQL with what is asked next, or with the commit: if it fails, that does. */
  change(query: Compilable): Promise<void>;
  /** `count` unused primary keys, ascending. */
  allocate(table: 'items', count: number): Promise<number[]>;
  /** A list for `where(column, 'in', ...)`, of any length, as one parameter. */
  list<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /** That a column is among these values, as a condition that an index answers whatever is known of the table: a list may be joined with all that the rest selects. */
  among<T extends string | number>(column: string, values: readonly T[]): RawBuilder<boolean>;
  /** Appends a row lock where several writers exist. */
  readonly lock: RawBuilder<unknown>;
}

export interface PoolState extends Readonly<Record<string, number>> {
  busy: number;
  idle: number;
  waiting: number;
}

export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Large changes are stored compressed (PostgreSQL does so by itself). */
  readonly packs: boolean;
  /** One snapshot for all reads of `fn`. The account is that of `Store.read`. */
  read<T>(fn: (session: Session) => Promise<T>, account?: string): Promise<T>;
  /** A read of one statement, which needs no transaction. */
  ask<T>(fn: (session: Session) => Promise<T>): Promise<T>;
  /** One transaction, committed to disk when this resolves. `fn` may run again after a serialisation failure. */
  write<T>(fn: (session: Session) => Promise<T>, account?: string): Promise<T>;
  readOnlyReason(): string | null;
  /** Whether row-level security does not hold for the role that the database is used with. */
  readonly unguarded?: boolean;
  /** Connections to the database, and transactions that wait for one. */
  pool?(): PoolState;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
