import { sql } from 'kysely';
import type { DatabaseSession } from '../session.ts';

/** How often tables that have grown are looked for while something is written. */
const LOOK_MS = 5_000;
/** Up to this size growth is looked for here; PostgreSQL's own look comes once a minute. */
const MOST_PAGES = 8_192;
const FEW_PAGES = 4;

const GROWN = `SELECT quote_ident(pg_class.relname) AS name FROM pg_class
  JOIN pg_stat_user_tables AS known ON known.relid = pg_class.oid,
  LATERAL (SELECT pg_relation_size(pg_class.oid) / current_setting('block_size')::bigint AS now) AS pages
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
  AND pg_get_userbyid(relowner) = current_user AND now BETWEEN ${FEW_PAGES} AND ${MOST_PAGES}
  AND (coalesce(last_analyze, last_autoanalyze) IS NULL OR now > 2 * relpages + ${FEW_PAGES})`;

/**
 * Has PostgreSQL count what is in tables that have doubled, and answers their names. A plan that
 * was made while a table was empty takes any index that begins with the account, and is kept until
 * the table is analysed: for one row it reads all of the account.
 */
export async function analyzeGrown({ db }: Pick<DatabaseSession, 'db'>): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(GROWN).execute(db);
  for (const { name } of rows) await sql.raw(`ANALYZE ${name}`).execute(db);
  return rows.map(({ name }) => name);
}

/** Looks for tables that have grown, as long as something is written. */
export class Growth {
  readonly #timer: NodeJS.Timeout;
  #hasWritten = false;

  constructor(look: () => Promise<unknown>) {
    this.#timer = setInterval(() => {
      if (!this.#hasWritten) return;
      this.#hasWritten = false;
      // It only makes plans better: where it fails, it comes again.
      look().catch(() => this.written());
    }, LOOK_MS).unref();
  }

  written(): void {
    this.#hasWritten = true;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
