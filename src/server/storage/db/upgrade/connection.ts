import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { sqlState, StoreOpenError } from '../errors.ts';
import { types } from '../postgres/pipeline-batch.ts';
import { whyNoConnection } from '../postgres/postgres-refusal.ts';
import { ACCOUNT_SETTING } from '../schema/row-security.ts';
import { EVERY_ACCOUNT } from '../session.ts';

/** A statement, and its values. */
export type AskSql = <T>(statement: string, values?: readonly unknown[]) => Promise<T[]>;

export interface Asks {
  ask: AskSql;
}

/** How long a lock is waited for: as long as that, others may wait behind us. */
const LOCK_MS = 500;
/** How long statements may hold locks that others wait for. */
const HOLD_MS = 3_000;
/** A statement that takes longer than that takes as long the next time. */
const MOST_TOO_LONG = 5;
const TOO_LONG = '57014';
const PAUSE_MS = 500;
const TELL_EACH = 10;
/** No lock within the time, a deadlock. */
const BUSY = new Set(['55P03', '40P01']);
/** Key of the advisory lock under which one process at a time changes the tables: "EVUP". */
const UPGRADE_LOCK = 0x45565550;
/** How often something long is asked how far it is. */
const LOOK_MS = 5_000;

const PROGRESS = `SELECT coalesce(i.phase, v.phase) AS phase,
    coalesce(i.blocks_done, v.heap_blks_scanned) AS done,
    coalesce(i.blocks_total, v.heap_blks_total) AS total
  FROM (SELECT $1::int AS pid) p LEFT JOIN pg_stat_progress_create_index i USING (pid)
  LEFT JOIN pg_stat_progress_vacuum v USING (pid)`;

export interface UpgradeOptions {
  url: string;
  /** Stops between two steps, and within a long one. What was done stays done. */
  signal?: AbortSignal;
  /** A line for the person who looks on. */
  tell?: (line: string) => void;
  /** Called before each step; tests end the process there. */
  step?: (name: string) => void | Promise<void>;
}

/** One connection that changes the tables, and one that looks on. */
export class UpgradeConnection implements Asks, AsyncDisposable {
  readonly #client: pg.Client;
  readonly #beside: pg.Client;
  readonly #options: UpgradeOptions;
  #pid = 0;

  private constructor(options: UpgradeOptions) {
    this.#options = options;
    const connection = {
      connectionString: options.url,
      application_name: 'evidence-studio-upgrade',
      types,
    };
    this.#client = new pg.Client(connection);
    this.#beside = new pg.Client(connection);
    for (const client of [this.#client, this.#beside]) client.on('error', () => {});
  }

  static async open(options: UpgradeOptions): Promise<UpgradeConnection> {
    const opened = new UpgradeConnection(options);
    try {
      await opened.#client.connect();
      await opened.#beside.connect();
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw new StoreOpenError('unreachable', whyNoConnection(error), { cause: error });
    }
    await opened.ask('SET statement_timeout = 0');
    // Where the system can tell, a long statement ends soon after a process that was killed.
    await opened.ask(`SET client_connection_check_interval = '2s'`).catch(() => {});
    await opened.ask(`SET ${ACCOUNT_SETTING} = '${EVERY_ACCOUNT}'`);
    const [row] = await opened.ask<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    opened.#pid = row?.pid ?? 0;
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#client.end(), this.#beside.end()]);
  }

  readonly ask: AskSql = async <T>(statement: string, values: readonly unknown[] = []) =>
    (await this.#client.query(statement, [...values])).rows as T[];

  readonly tell = (line: string): void => this.#options.tell?.(line);

  get stopped(): boolean {
    return this.#options.signal?.aborted ?? false;
  }

  /** Throws where it was asked to stop. */
  async step(name: string): Promise<void> {
    if (this.stopped) throw new Stopped();
    await this.#options.step?.(name);
  }

  async alone(): Promise<void> {
    const [row] = await this.ask<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [
      UPGRADE_LOCK,
    ]);
    if (row?.got !== true)
      throw new StoreOpenError(
        'upgrade_under_way',
        'Another process is upgrading this database: see `evidence-studio database status`.',
      );
  }

  /**
   * Statements that lock a table for a moment, in one transaction, again until nobody is in the
   * way.
   */
  async short(work: readonly string[] | (() => Promise<void>)): Promise<void> {
    let tooLong = 0;
    for (let attempt = 1; ; attempt += 1) {
      if (this.stopped) throw new Stopped();
      try {
        await this.ask('BEGIN');
        await this.ask(`SET LOCAL lock_timeout = ${LOCK_MS}`);
        await this.ask(`SET LOCAL statement_timeout = ${HOLD_MS}`);
        if (typeof work === 'function') await work();
        else for (const statement of work) await this.ask(statement);
        await this.ask('COMMIT');
        return;
      } catch (error) {
        await this.ask('ROLLBACK');
        const state = sqlState(error) ?? '';
        if (state === TOO_LONG) tooLong += 1;
        if (tooLong === MOST_TOO_LONG || (state !== TOO_LONG && !BUSY.has(state))) throw error;
        if (attempt % TELL_EACH === 0)
          this.tell(
            'Waiting for a moment in which no long transaction (a backup?) holds the table.',
          );
        await delay(PAUSE_MS * (1 + Math.random()));
      }
    }
  }

  /**
   * A statement that takes long and blocks no writer. It has no time-out: it waits for transactions
   * of before, and nobody waits behind it.
   */
  async long(what: string, statement: string): Promise<void> {
    const stop = (): void =>
      void this.#beside.query('SELECT pg_cancel_backend($1)', [this.#pid]).catch(() => {});
    this.#options.signal?.addEventListener('abort', stop, { once: true });
    const looking = setInterval(() => void this.#look(what), LOOK_MS);
    try {
      await this.ask('SET lock_timeout = 0');
      await this.ask(statement);
    } catch (error) {
      throw this.stopped ? new Stopped() : error;
    } finally {
      clearInterval(looking);
      this.#options.signal?.removeEventListener('abort', stop);
    }
  }

  async #look(what: string): Promise<void> {
    const { rows } = await this.#beside
      .query<{ phase: string | null; done: number; total: number }>(PROGRESS, [this.#pid])
      .catch(() => ({ rows: [] }));
    const [now] = rows;
    const part =
      now === undefined || now.phase === null || now.total === 0
        ? ''
        : `: ${now.phase}, ${Math.floor((100 * now.done) / now.total)} %`;
    this.tell(`${what}${part}`);
  }
}

/** Asked to stop: what was done stays, and the next run goes on from there. */
export class Stopped extends Error {
  override name = 'Stopped';
  constructor() {
    super('Stopped. Run the same command again to go on.');
  }
}
