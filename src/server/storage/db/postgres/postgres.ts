import { setTimeout as delay } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { CONNECTIONS } from '../connections.ts';
import { sqlState, StoreOpenError, StoreError } from '../errors.ts';
import { FairPlaces } from './fair-places.ts';
import { migrateDatabase } from './migrate-database.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { analyzeGrown, Growth } from './statistics.ts';
import { Probe } from './postgres-probe.ts';
import { whyNoConnection } from './postgres-refusal.ts';
import { PostgresSession } from './postgres-session.ts';
import { preparation, reprepare, types } from './pipeline-batch.ts';
import { NO_ANSWER, Wait, WAITS, Watch } from './postgres-watch.ts';
import {
  type AccountScope,
  type StorageEngine,
  type PoolState,
  type DatabaseSession,
  type Patience,
  EVERY_ACCOUNT,
} from '../session.ts';
import { AGAIN, SPOILT, LostConnection, translate } from './postgres-errors.ts';
import { APPLICATION_NAME } from '../upgrade/servers-before.ts';

export interface PostgresOptions {
  url: string;
  /** Most connections; `CONNECTIONS` by default. */
  connections?: number | undefined;
  /** Other time-outs than the built-in ones, ms; for tests. */
  timeOuts?: Partial<typeof TIME_OUTS>;
}
const ATTEMPTS = 5;
/** Wait before the second attempt, ms; each further attempt waits three times as long. */
const FIRST_WAIT_MS = 5;
/**
 * Nothing takes this long unless something is wrong, except a migration. PostgreSQL itself then
 * ends the transactions of an instance that has frozen or lost its network.
 */
const TIME_OUTS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
};
/** How long making a connection may take. */
const CONNECT_MS = 8_000;
/**
 * Silence after which an idle connection is asked by the operating system whether its other end is
 * there.
 */
const KEEP_ALIVE_MS = 10_000;
/** How long a store that is closed waits for what is still under way. */
const CLOSE_MS = 5_000;
/**
 * Connections are replaced after a while, so that after a failover they spread over the database's
 * machines again.
 */
const CONNECTION_SECONDS = 1_800;
/**
 * Closes a connection without telling the server, which may not answer. Whatever waits on it fails.
 */
function cut(client: pg.Client): void {
  client.connection.stream.destroy();
}

interface TransactionCall<T> {
  /** Without one, each statement is its own transaction. */
  mode?: string;
  account?: AccountScope | undefined;
  fn(session: DatabaseSession): Promise<T>;
  writes: boolean;
  patience?: Patience | undefined;
  /** As of `StorageEngine.write`. */
  last?: ((session: DatabaseSession) => Promise<void>) | undefined;
}

class PostgresEngine implements StorageEngine {
  readonly kind = 'postgres';
  readonly packs = false;
  readonly #pool: pg.Pool;
  /**
   * As many as connections, so that nobody waits in the pool's own queue, which knows no accounts.
   */
  readonly #places: FairPlaces;
  readonly #clients = new Set<PoolClient>();
  /**
   * Connections from before a time in which the database did not answer: they may have died with
   * it.
   */
  readonly #doubtful = new WeakSet<PoolClient>();
  readonly #probe: Probe;
  readonly #watch: Watch;
  readonly #growth: Growth;
  #closed: Promise<void> | undefined;
  #tooNew = false;
  unguarded = false;
  isShared = false;

  constructor(options: PostgresOptions) {
    const connection = {
      connectionString: options.url,
      application_name: APPLICATION_NAME,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...TIME_OUTS,
      ...options.timeOuts,
    };
    const max = options.connections ?? CONNECTIONS;
    this.#places = new FairPlaces(max, () => performance.now());
    this.#pool = new pg.Pool({
      ...connection,
      max,
      types,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 30_000,
      maxLifetimeSeconds: CONNECTION_SECONDS,
      pipeline: true,
    });
    // A connection that breaks while idle is replaced when it is next needed.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      client.once('end', () => this.#clients.delete(client));
    });
    this.#probe = new Probe(connection);
    this.#watch = new Watch(WAITS, () => this.answers());
    this.#growth = new Growth(() => this.ask(analyzeGrown));
  }

  async answers(): Promise<boolean> {
    const answers = await this.#probe.answers();
    if (!answers) for (const client of this.#clients) this.#doubtful.add(client);
    this.#watch.note(answers);
    return answers;
  }

  readOnlyReason(): string | null {
    return this.#tooNew
      ? 'The database was written by a newer version of this application. It can be read; update the application to change it.'
      : null;
  }

  pool(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      busy: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount + this.#places.waiting,
    };
  }

  /**
   * A connection from the pool, unless `ended` rejects first: a connection that comes later is
   * returned.
   */
  async #connect(ended: Promise<never>): Promise<PoolClient> {
    for (;;) {
      const coming = this.#pool.connect();
      let client: PoolClient;
      try {
        client = await Promise.race([coming, ended]);
      } catch (error) {
        coming.then(
          (late) => late.release(),
          () => {},
        );
        throw error instanceof StoreError ? error : new StoreError('unavailable', NO_ANSWER);
      }
      if (!this.#doubtful.has(client)) return client;
      cut(client);
      client.release(true);
    }
  }

  async #within<T>(transaction: TransactionCall<T>): Promise<T> {
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    const wait = new Wait(ended.reject, transaction.account === EVERY_ACCOUNT);
    this.#watch.begin(wait);
    let giveBack = (): void => {};
    try {
      giveBack = await this.#places.take(
        transaction.account === EVERY_ACCOUNT ? undefined : transaction.account,
        ended.promise,
        transaction.patience === 'behind',
      );
      return await this.#on(await this.#connect(ended.promise), wait, transaction);
    } finally {
      giveBack();
      this.#watch.done(wait);
    }
  }

  async #on<T>(
    client: PoolClient,
    wait: Wait,
    { mode, account, fn, writes, last }: TransactionCall<T>,
  ): Promise<T> {
    let broken: Error | undefined;
    let committing = false;
    const onError = (error: Error): void => {
      broken ??= error;
    };
    client.on('error', onError);
    const session = PostgresSession.on(client);
    wait.on(session.pulse, (error) => {
      broken ??= error;
      cut(client);
    });
    try {
      if (mode !== undefined) session.begin(mode, account);
      const result = await fn(session);
      if (broken !== undefined) throw broken;
      committing = writes;
      if (writes) await session.commit(last);
      else if (mode !== undefined) session.end();
      return result;
    } catch (error) {
      if (mode !== undefined && broken === undefined)
        await session.rollBack().catch((lost: Error) => (broken ??= lost));
      if (wait.ended !== undefined && !committing) throw wait.ended;
      if (broken === undefined || (error instanceof StoreError && error !== broken)) throw error;
      throw new LostConnection(committing, { cause: error });
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /**
   * Runs the transaction again after errors that another attempt may cure. If the connection was
   * lost during the commit, the transaction may have been stored and is not run again.
   */
  async #again<T>(transaction: TransactionCall<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const prepared = preparation();
      try {
        return await this.#within(transaction);
      } catch (error) {
        const state = sqlState(error) ?? '';
        if (SPOILT.has(state)) reprepare(prepared);
        const cured =
          error instanceof LostConnection
            ? !error.committing
            : AGAIN.has(state) || SPOILT.has(state);
        if (!cured || attempt === ATTEMPTS) throw translate(error);
        await delay(FIRST_WAIT_MS * 3 ** (attempt - 1));
      }
    }
  }

  /** All reads of `fn` see one snapshot. */
  read<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account?: AccountScope,
    patience?: Patience,
  ): Promise<T> {
    return this.#again({
      mode: 'ISOLATION LEVEL REPEATABLE READ READ ONLY',
      account,
      fn,
      writes: false,
      patience,
    });
  }

  ask<T>(fn: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return this.#again({ fn, writes: false });
  }

  /**
   * Row locks put the writers of one log in order; the rest of a transaction then reads what the
   * previous writer has committed.
   */
  async write<T>(
    fn: (session: DatabaseSession) => Promise<T>,
    account?: AccountScope,
    last?: (session: DatabaseSession) => Promise<void>,
    patience?: Patience,
  ): Promise<T> {
    const reason = this.readOnlyReason();
    if (reason !== null) throw new StoreError('read_only', reason);
    this.#growth.written();
    return this.#again({
      mode: 'ISOLATION LEVEL READ COMMITTED',
      account,
      fn,
      writes: true,
      patience,
      last,
    });
  }

  async migrate(): Promise<void> {
    if (!(await this.#probe.answers()))
      throw new StoreOpenError('unreachable', whyNoConnection(this.#probe.failure), {
        cause: this.#probe.failure,
      });
    const client = await this.#pool.connect();
    try {
      const found = await migrateDatabase(client);
      this.unguarded = found.unguarded;
      this.isShared = found.isShared;
      this.#tooNew = found.version > MIGRATIONS.length;
    } finally {
      // Ending the connection releases its lock and its settings.
      client.release(true);
    }
  }

  async backup(): Promise<void> {
    throw new StoreError(
      'unavailable',
      "A PostgreSQL database is backed up with PostgreSQL's own tools, such as pg_dump.",
    );
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#growth.close();
    const late = setTimeout(() => {
      this.#watch.close();
      for (const client of this.#clients) cut(client);
    }, CLOSE_MS);
    await this.#pool.end();
    clearTimeout(late);
    this.#watch.close();
    this.#probe.close();
  }
}

export async function openPostgres(options: PostgresOptions): Promise<StorageEngine> {
  const engine = new PostgresEngine(options);
  try {
    await engine.migrate();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
