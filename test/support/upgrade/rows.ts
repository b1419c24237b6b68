/** The rows of a PostgreSQL database as JSON, and back into tables of the same version. */
import pg from 'pg';
import type { PlainDatabase } from '../plain-database.ts';

export interface Rows {
  /** How many migrations have been applied. */
  version: number;
  tables: Record<string, unknown[]>;
}

const SCHEMA = `
  SELECT line FROM (
    SELECT format('%s.%s %s%s %s', table_name, column_name, data_type,
        CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END,
        coalesce(column_default, '')) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT tgisinternal
    UNION ALL SELECT format('%s %s %s %s %s', tablename, policyname, cmd, qual, with_check)
      FROM pg_policies WHERE schemaname = 'public'
  ) s ORDER BY line COLLATE "C"`;

/** Columns, constraints, indexes, triggers and policies, a line each. */
export async function schemaOf(database: PlainDatabase): Promise<string[]> {
  return (await database.sql(SCHEMA)).map(({ line }) => String(line));
}

export async function readRows(database: PlainDatabase): Promise<Rows> {
  const tables: Record<string, unknown[]> = {};
  for (const { name } of await database.sql(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )) {
    const [row] = await database.sql(
      `SELECT coalesce(json_agg(t), '[]') AS rows FROM (SELECT * FROM "${String(name)}" t ORDER BY t::text COLLATE "C") t`,
    );
    tables[String(name)] = row?.['rows'] as unknown[];
  }
  const [{ version } = { version: 0 }] = await database.sql('SELECT version FROM schema_version');
  return { version: Number(version), tables };
}

/** The tables that these migrations make, under the role that the server has. */
export async function makeTables(
  url: string,
  migrations: readonly (readonly string[])[],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statements of migrations) {
    await client.query('BEGIN');
    for (const statement of statements) await client.query(statement);
    await client.query('COMMIT');
  }
  await client.query('CREATE TABLE schema_version (version BIGINT NOT NULL)');
  await client.end();
}

export async function writeRows(database: PlainDatabase, { tables }: Rows): Promise<void> {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  await client.query('SET session_replication_role = replica');
  for (const [table, values] of Object.entries(tables)) {
    await client.query(`DELETE FROM "${table}"`);
    await client.query(
      `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`,
      [JSON.stringify(values)],
    );
  }
  await continueNumbers(client);
  await client.end();
}

async function continueNumbers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'",
  );
  for (const { table_name: table, column_name: column } of rows)
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), (SELECT coalesce(max(${column}), 0) + 1 FROM "${table}"))`,
    );
}
