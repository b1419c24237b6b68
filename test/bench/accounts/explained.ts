import pg from 'pg';
import type { RunningPostgres } from '../../support/postgres.ts';
import type { PlainDatabase } from '../../support/plain-database.ts';
import { astray, type Plan } from '../../support/plans.ts';

interface Explained {
  'Query Text': string;
  Plan: Plan;
}
/** What an instance writes of its own accord, once a second. */
const OF_NO_REQUEST = /usage_events|usage_months|spending/;
const SETTINGS = [
  'session_preload_libraries = auto_explain',
  'auto_explain.log_min_duration = 0',
  'auto_explain.log_analyze = on',
  'auto_explain.log_timing = off',
  'auto_explain.log_buffers = on',
  'auto_explain.log_format = json',
  'auto_explain.log_nested_statements = on',
];

/**
 * What PostgreSQL says of each statement that it was really given: its EXPLAIN (ANALYZE, BUFFERS),
 * checks of foreign keys included.
 */
export class ExplainedLog {
  #text = '';
  #marks = 0;
  #heard = (): void => {};

  take(text: string): void {
    this.#text += text;
    this.#heard();
  }

  /** For connections made from now on. */
  async during(database: PlainDatabase, work: () => Promise<void>): Promise<void> {
    const [row] = await database.sql('SELECT quote_ident(current_database()) AS name');
    const alter = `ALTER DATABASE ${String(row?.['name'])}`;
    for (const setting of SETTINGS) await database.sql(`${alter} SET ${setting}`);
    try {
      await work();
    } finally {
      await database.sql(`${alter} RESET ALL`);
    }
  }

  /** Plans of all that was asked since the last time. */
  async since({ url }: RunningPostgres): Promise<Explained[]> {
    const mark = `mark ${(this.#marks += 1)} of the log`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const marked = new Promise<void>(
      (resolve) => (this.#heard = () => this.#text.includes(mark) && resolve()),
    );
    await client.query(`DO $$ BEGIN RAISE LOG '${mark}'; END $$`);
    await client.end();
    await marked;
    const text = this.#text;
    this.#text = '';
    return [...text.matchAll(/ plan:\n((?:\t.*\n)+)/g)]
      .map(([, plan = '']) => JSON.parse(plan.replaceAll(/^\t/gm, '')) as Explained)
      .filter((found) => !OF_NO_REQUEST.test(found['Query Text']));
  }
}

export const pagesOf = (plans: readonly Explained[]): number =>
  plans.reduce(
    (sum, { Plan: plan }) =>
      sum + (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    0,
  );

export const strayed = (plans: readonly Explained[]): string[] =>
  plans.flatMap((found) => astray(found.Plan).map((what) => `${what}  <-  ${found['Query Text']}`));
