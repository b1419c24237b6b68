/** Databases as version 0.2 left them (schema 15), for upgrades in steps. */
import pg from 'pg';
import { MIGRATIONS } from '../../../src/server/storage/db/schema/migrations.ts';
import { POSTGRES_WORDS } from '../../../src/server/storage/db/schema/sql-words.ts';
import { makePlainDatabase, type PlainDatabase } from '../plain-database.ts';
import { KeptStores } from './kept.ts';

const BEFORE = 15;

/** The kept database of 0.1 as 0.2 opened it, or an empty one. */
export async function makeFifteen(server: string, kept = true): Promise<PlainDatabase> {
  const database = await makePlainDatabase(server, 'empty');
  let from = 0;
  if (kept) {
    const stores = new KeptStores('0.1');
    await stores.unpackDatabase(database);
    from = stores.rows.version;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query("SET LOCAL evidence_studio.account = '*'");
  await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
  for (const migration of MIGRATIONS.slice(from, BEFORE))
    for (const statement of migration(POSTGRES_WORDS)) await client.query(statement);
  await client.query('DELETE FROM schema_version');
  await client.query('INSERT INTO schema_version (version) VALUES ($1)', [BEFORE]);
  await client.query('COMMIT');
  await client.end();
  return database;
}

export interface Amount {
  accounts: number;
  /** In each account. */
  cases: number;
  items: number;
  rules: number;
}

/** Statements that fill a database of schema 15: a matrix a case, each cell recorded once. */
export function filling({ accounts, cases, items, rules }: Amount): string[] {
  const at = "'2026-01-01T00:00:00.000Z'";
  const zeros = `'${'0'.repeat(64)}'`;
  return [
    `INSERT INTO accounts (account_id, name, created_at)
      SELECT 'acc_full_' || a, 'Full ' || a, ${at} FROM generate_series(1, ${accounts}) a`,
    `INSERT INTO rule_names (rule_uid) SELECT 'rule_' || r FROM generate_series(1, ${rules}) r`,
    `INSERT INTO streams (account_id, name, seq, chain, count, sum, hlc)
      SELECT 'acc_full_' || a, 'case_' || c, 1, ${zeros}, 1, ${zeros}, '0'
      FROM generate_series(1, ${accounts}) a, generate_series(1, ${cases}) c`,
    `INSERT INTO cases (account_id, case_uid, stream_pk, project_id, title, description, case_type,
      metadata, profile_uid, profile_version, item_rows, item_count, created_at, updated_at)
      SELECT account_id, name, stream_pk, 'prj', name, '', 'sample', '{}', 'crispr', '1',
      ${items}, ${items}, ${at}, ${at} FROM streams WHERE name LIKE 'case\\_%'
      AND account_id LIKE 'acc\\_full\\_%'`,
    `INSERT INTO changes (stream_pk, seq, change_id, text, chain, hlc, wall, received_at, actor,
      author, author_kind)
      SELECT stream_pk, 1, rpad('c', 46, 'x'), repeat('{"a":1}', 300), ${zeros}, '0', ${at}, ${at},
      'usr', 'Ada', 'human' FROM streams WHERE account_id LIKE 'acc\\_full\\_%'`,
    `INSERT INTO items (case_pk, item_uid, position, heads, created_at, updated_at)
      SELECT case_pk, 'item_' || i, i, '{"position":[1,0]}', ${at}, ${at}
      FROM cases, generate_series(1, ${items}) i WHERE account_id LIKE 'acc\\_full\\_%'`,
    `INSERT INTO matrices (case_pk, profile_uid, profile_version)
      SELECT case_pk, 'crispr', '1' FROM cases WHERE account_id LIKE 'acc\\_full\\_%'`,
    `INSERT INTO tallies (matrix_pk, rule_pk, n_false, n_true, n_na)
      SELECT matrix_pk, rule_pk, ${items}, 0, 0 FROM matrices JOIN cases USING (case_pk), rule_names
      WHERE account_id LIKE 'acc\\_full\\_%' AND rule_uid LIKE 'rule\\_%'`,
    `INSERT INTO cells (matrix_pk, item_pk, rule_pk, raw, head_seq, head_index)
      SELECT matrix_pk, item_pk, rule_pk, 1, 1, 0 FROM cases JOIN matrices USING (case_pk)
      JOIN items USING (case_pk), rule_names
      WHERE account_id LIKE 'acc\\_full\\_%' AND rule_uid LIKE 'rule\\_%'`,
    `INSERT INTO registers (stream_pk, reg, head_seq, head_index)
      SELECT stream_pk, 'a/crispr@1/rule_' || r || '/item_' || i, 1, 0 FROM streams,
      generate_series(1, ${rules}) r, generate_series(1, ${items}) i
      WHERE account_id LIKE 'acc\\_full\\_%'`,
  ];
}
