import type { Compilable, Kysely, RawBuilder } from 'kysely';
import type { Database } from './schema.ts';

/** What a bulk insert does with a row that is there: keep it, or replace these columns. */
export type OnConflict = { target: readonly string[]; update: readonly string[] };

/** One connection inside one transaction. The little that is engine-specific beside Kysely's queries. */
export interface Session {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Database>;
  /** Rows as arrays in the order of the select list: about twice as fast as objects where there are thousands. */
  rows<T extends unknown[]>(query: Compilable): Promise<T[]>;
  /** Many rows of equal shape. Lets other work run in between. */
  insert(table: keyof Database, columns: readonly string[], rows: readonly (readonly unknown[])[], conflict?: OnConflict): Promise<void>;
  /** `count` unused primary keys, ascending. */
  allocate(table: 'items', count: number): Promise<number[]>;
  /** A list for `where(column, 'in', ...)`, of any length, as one parameter. */
  list<T extends string | number>(values: readonly T[]): RawBuilder<T>;
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
  /** One transaction, committed to disk when this resolves. `fn` may run again after a serialisation failure. */
  write<T>(fn: (session: Session) => Promise<T>, account?: string): Promise<T>;
  readOnlyReason(): string | null;
  /** Connections to the database, and transactions that wait for one. */
  pool?(): PoolState;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
