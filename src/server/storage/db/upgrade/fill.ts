import { setTimeout as delay } from 'node:timers/promises';
import { sqlState } from '../errors.ts';
import { numberOf } from '../schema/number-of.ts';
import { numbered, parentOf } from './both-versions.ts';
import type { Catalogue } from './catalogue.ts';
import type { UpgradeConnection } from './connection.ts';

/** How long a batch is to take: as long its rows may be locked. */
const BATCH_MS = 250;
const FIRST_BLOCKS = 32;
const MOST_BLOCKS = 4_096;
/**
 * A row that somebody else has locked is waited for so long: less than until a deadlock is looked
 * for.
 */
const ROW_LOCK_MS = 300;
const AGAIN = new Set(['55P03', '40P01', '40001']);
/** Statements of others that run at one time where the database has enough to do. */
const BUSY = 6;
const PAUSE_MS = 250;
const MOST_PAUSES = 40;
const TELL_MS = 5_000;
/** After so many blocks the room of the rows that were replaced is given back to the table. */
const VACUUM_LEAST = 20_000;

const LOAD = `SELECT count(*)::int AS active FROM pg_stat_activity
  WHERE state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend'`;

interface Place {
  next: number;
  blocks: number;
  filled: number;
}

/**
 * Fills the account's number, block by block of each table, with the place noted in the same
 * transaction. What is written meanwhile has its number (`fillOnWrite`).
 */
export async function fill(
  connection: UpgradeConnection,
  is: Catalogue,
  model: Catalogue,
): Promise<void> {
  for (const table of numbered(model, is)) {
    const place = await placeIn(connection, table);
    if (place.next < place.blocks) await fillTable(connection, table, is, place);
  }
}

async function placeIn({ ask }: UpgradeConnection, table: string): Promise<Place> {
  await ask(
    `INSERT INTO schema_upgrade_fill (name, next_block, blocks, filled)
      SELECT $1::text, 0, pg_relation_size(to_regclass($1::text)) / current_setting('block_size')::bigint, 0
      ON CONFLICT DO NOTHING`,
    [table],
  );
  const [place] = await ask<Place>(
    'SELECT next_block AS next, blocks, filled FROM schema_upgrade_fill WHERE name = $1',
    [table],
  );
  return place ?? { next: 0, blocks: 0, filled: 0 };
}

async function fillTable(
  connection: UpgradeConnection,
  table: string,
  is: Catalogue,
  place: Place,
): Promise<void> {
  const progress = new Progress(connection, table, place);
  const each = Math.max(VACUUM_LEAST, Math.ceil(place.blocks / 5));
  let [blocks, vacuumed] = [FIRST_BLOCKS, place.next];
  while (place.next < place.blocks) {
    await connection.step(`fill ${table}`);
    await untilQuiet(connection);
    const before = performance.now();
    const end = Math.min(place.next + blocks, place.blocks);
    const filled = await fillBlocks(connection, table, is, place.next, end);
    if (filled === undefined) {
      await delay(PAUSE_MS);
      continue;
    }
    place.next = end;
    place.filled += filled;
    const took = Math.max(performance.now() - before, 1);
    blocks = Math.round(Math.min(MOST_BLOCKS, Math.max(8, blocks * Math.min(2, BATCH_MS / took))));
    progress.tell(place);
    if (place.next - vacuumed >= each) {
      await connection.long(`${table}: giving back room`, `VACUUM (TRUNCATE FALSE) ${table}`);
      vacuumed = place.next;
    }
  }
  progress.done(place);
}

/** How many rows were filled; nothing where somebody else held one of them for too long. */
async function fillBlocks(
  { ask }: UpgradeConnection,
  table: string,
  is: Catalogue,
  from: number,
  to: number,
): Promise<number | undefined> {
  try {
    await ask('BEGIN');
    await ask(`SET LOCAL lock_timeout = ${ROW_LOCK_MS}`);
    const [row] = await ask<{ filled: number }>(fillStatement(table, is, from, to));
    await ask(
      `UPDATE schema_upgrade_fill SET next_block = $2, filled = filled + $3 WHERE name = $1`,
      [table, to, row?.filled ?? 0],
    );
    await ask('COMMIT');
    return row?.filled ?? 0;
  } catch (error) {
    await ask('ROLLBACK');
    if (AGAIN.has(sqlState(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * The parent is looked up for each row: joined, PostgreSQL would go through all parents for each,
 * since it expects few rows of a range of blocks.
 */
function fillStatement(table: string, is: Catalogue, from: number, to: number): string {
  const parent = parentOf(table, is);
  const account =
    parent === undefined
      ? numberOf('t.account_id')
      : `(SELECT p.account FROM ${parent.of} p WHERE p.${parent.by} = t.${parent.by})`;
  const hasRules = is.get(table)?.columns.has('rule_pk') ?? false;
  return `WITH done AS (UPDATE ${table} t SET account = ${account}
      WHERE t.ctid >= '(${from},0)' AND t.ctid < '(${to},0)' AND t.account IS NULL
      RETURNING t.account${hasRules ? ', t.rule_pk' : ''})
    ${hasRules ? NAMED : ''} SELECT count(*)::int AS filled FROM done`;
}

/** Accounts that use a rule have its name. */
const NAMED = `, named AS (INSERT INTO rules (account, rule_pk, rule_uid)
    SELECT used.account, n.rule_pk, n.rule_uid
    FROM (SELECT DISTINCT account, rule_pk FROM done) used JOIN rule_names n USING (rule_pk)
    WHERE NOT EXISTS (SELECT FROM rules r WHERE r.account = used.account
      AND r.rule_pk = used.rule_pk) ON CONFLICT DO NOTHING)`;

async function untilQuiet(connection: UpgradeConnection): Promise<void> {
  for (let pauses = 0; pauses < MOST_PAUSES && !connection.stopped; pauses += 1) {
    const [row] = await connection.ask<{ active: number }>(LOAD);
    if ((row?.active ?? 0) < BUSY) return;
    await delay(PAUSE_MS);
  }
}

class Progress {
  readonly #connection: UpgradeConnection;
  readonly #table: string;
  readonly #began = performance.now();
  readonly #first: Place;
  #shownAt = performance.now();

  constructor(connection: UpgradeConnection, table: string, place: Place) {
    this.#connection = connection;
    this.#table = table;
    this.#first = { ...place };
  }

  tell({ next, blocks, filled }: Place): void {
    const now = performance.now();
    if (now - this.#shownAt < TELL_MS) return;
    this.#shownAt = now;
    const seconds = (now - this.#began) / 1_000;
    const perSecond = Math.round((filled - this.#first.filled) / seconds);
    const left = ((blocks - next) * seconds) / Math.max(next - this.#first.next, 1);
    const about = Math.round((filled * blocks) / Math.max(next, 1));
    this.#connection.tell(
      `${this.#table}: ${count(filled)} of about ${count(about)} rows, ` +
        `${count(perSecond)} a second, ${duration(left)} left`,
    );
  }

  done({ filled }: Place): void {
    this.#connection.tell(`${this.#table}: ${count(filled)} rows filled`);
  }
}

const count = (value: number): string => value.toLocaleString('en');
const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
