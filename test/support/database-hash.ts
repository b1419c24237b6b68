import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

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
