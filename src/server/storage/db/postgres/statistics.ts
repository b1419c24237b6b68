import type { ClientBase, Pool } from 'pg';

/** How often tables that have grown are looked for while something is written. */
const LOOK_MS = 5_000;
/** Up to this size growth is looked for here; PostgreSQL's own look comes once a minute. */
const MOST_PAGES = 8_192;
const FEW_PAGES = 4;

const GROWN = `SELECT quote_ident(pg_class.relname) AS name FROM pg_class
  JOIN pg_stat_user_tables AS known ON known.relid = pg_class.oid,
  LATERAL (SELECT pg_relation_size(pg_class.oid) / current_setting('block_size')::bigint AS now) AS pages
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
  AND pg_get_userbyid(relowner) = current_user AND now > ${FEW_PAGES}
  AND (coalesce(last_analyze, last_autoanalyze) IS NULL
    OR (now > 2 * relpages + ${FEW_PAGES} AND now < ${MOST_PAGES}))`;

/**
 * Has PostgreSQL learn anew what is in tables that have doubled, and answers their names. A plan
 * that was made while a table was empty takes any index that begins with the account, and is kept
 * until the table is analysed: the first thousand cases would each cost more than the one before.
 */
export async function analyzeGrown(client: Pick<ClientBase, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(GROWN);
  for (const { name } of rows) await client.query(`ANALYZE ${name}`);
  return rows.map(({ name }) => name);
}

/** Looks for tables that have grown, as long as something is written. */
export class Growth {
  readonly #pool: Pool;
  readonly #timer: NodeJS.Timeout;
  #hasWritten = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  written(): void {
    this.#hasWritten = true;
  }

  async #look(): Promise<void> {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    try {
      const client = await this.#pool.connect();
      await analyzeGrown(client).finally(() => client.release());
    } catch {
      // It only makes plans better, and comes again.
      this.#hasWritten = true;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
