import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * Written by every request, refused ones too: what was asked how often, and once a minute what was
 * refused.
 */
const USAGE = new Set([
  'usage_events',
  'usage_months',
  'sqlite_sequence',
  'audit_events',
  'audit_heads',
]);
/**
 * When a key, a session and a member were last seen: noted every so often, of refused requests too.
 */
const SEEN = ['last_used_at', 'last_seen_at'];
/**
 * How far the check of stored runs has come: it moves by the clock, whatever is asked. What the
 * check finds is in tables of its own.
 */
const PROGRESS = 'run_check';

/**
 * A digest of each table of a store's file, but of usage, the audit trail, when somebody was last
 * seen, and how far the check of stored runs is.
 */
export function databaseHash(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true });
  return hashOf(database);
}

function hashOf(database: DatabaseSync): string {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all() as { name: string }[];
  const seen = Object.fromEntries(SEEN.map((column) => [column, null]));
  const digests = tables
    .filter(({ name }) => !USAGE.has(name))
    .map(({ name }) => {
      const hash = createHash('sha256');
      for (const row of database.prepare(`SELECT * FROM "${name}"`).all())
        if (name !== 'meta' || row['key'] !== PROGRESS)
          hash.update(JSON.stringify({ ...row, ...seen }));
      return { name, digest: hash.digest('hex') };
    });
  return JSON.stringify(digests, undefined, 1);
}

/** The same of a file again and again, computed only where somebody has written to it since. */
export class SqliteWatcher {
  readonly #file: string;
  #database: DatabaseSync | undefined;
  #version: unknown;
  #hash = '';

  constructor(file: string) {
    this.#file = file;
  }

  hash(): string {
    this.#database ??= new DatabaseSync(this.#file, { readOnly: true });
    const version = this.#database.prepare('PRAGMA data_version').get()?.['data_version'];
    if (version !== this.#version) this.#hash = hashOf(this.#database);
    this.#version = version;
    return this.#hash;
  }
  close(): void {
    this.#database?.close();
  }
}

const watchers = new Map<string, Promise<pg.Client>>();
async function watch(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The database goes before it.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The same of a PostgreSQL database, for a user who sees every row. */
export async function postgresHash(url: string): Promise<string> {
  const watcher = watchers.get(url) ?? watch(url);
  watchers.set(url, watcher);
  const client = await watcher;
  const { rows: tables } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const digests = tables
    .filter(({ name }) => !USAGE.has(name))
    .map(({ name }) => {
      const rows = `SELECT (to_jsonb(t) - ARRAY['${SEEN.join("', '")}'])::text AS row
        FROM "${name}" t${name === 'meta' ? ` WHERE key <> '${PROGRESS}'` : ''}`;
      return `SELECT '${name}' AS name, md5(string_agg(row, '' ORDER BY row)) AS digest FROM (${rows}) r`;
    });
  const { rows } = await client.query(`${digests.join(' UNION ALL ')} ORDER BY name`);
  return JSON.stringify(rows, undefined, 1);
}
