import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Written by every request, refused ones too: what was asked how often, and once a minute what was refused. */
const USAGE = new Set(['usage_events', 'usage_months', 'sqlite_sequence', 'audit_events', 'audit_heads']);

/** Digest over every row of every table of a store's file but usage, the audit trail and the keys' last use. */
export function databaseHash(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const hash = createHash('sha256');
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as { name: string }[];
    for (const { name } of tables) {
      if (USAGE.has(name)) continue;
      hash.update(`\n${name}\n`);
      for (const row of database.prepare(`SELECT * FROM "${name}"`).all()) hash.update(JSON.stringify({ ...row, last_used_at: null }));
    }
    return hash.digest('hex');
  } finally {
    database.close();
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
  const { rows: tables } = await client.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
  const digests = tables.filter(({ name }) => !USAGE.has(name)).map(({ name }) => `SELECT '${name}' AS name, md5(string_agg(row, '' ORDER BY row)) AS digest FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM "${name}" t) r`);
  const { rows } = await client.query(digests.join(' UNION ALL '));
  return JSON.stringify(rows);
}
