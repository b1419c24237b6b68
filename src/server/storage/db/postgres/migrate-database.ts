import pg, { type PoolClient } from 'pg';
import { refuseLarge, versionFound } from '../upgrade/at-start.ts';
import type { AskSql } from '../upgrade/connection.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import { ACCOUNT_SETTING } from '../schema/row-security.ts';
import { POSTGRES_WORDS } from '../schema/sql-words.ts';
import { EVERY_ACCOUNT } from '../session.ts';

/** Key of the advisory lock under which one process at a time migrates: "EVST". */
const MIGRATION_LOCK = 0x45565354;

async function migrateOnce(client: PoolClient, step: number): Promise<void> {
  await client.query(`BEGIN; SET LOCAL ${ACCOUNT_SETTING} = ${pg.escapeLiteral(EVERY_ACCOUNT)}`);
  try {
    for (const statement of MIGRATIONS[step]?.(POSTGRES_WORDS) ?? []) await client.query(statement);
    await client.query('DELETE FROM schema_version');
    await client.query('INSERT INTO schema_version (version) VALUES ($1)', [step + 1]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Brings the database up to date; answers what was found of it. Leaves a lock and settings to the
 * connection, which is to be ended.
 */
export async function migrateDatabase(
  client: PoolClient,
): Promise<{ version: number; isShared: boolean; unguarded: boolean }> {
  // Another instance may be migrating, for as long as it takes.
  for (const setting of ['statement_timeout', 'lock_timeout'])
    await client.query(`SET ${setting} = 0`);
  const role = await client.query<{ free: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user',
  );
  await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await client.query('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)');
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
  const ask: AskSql = async <T>(statement: string) => (await client.query(statement)).rows as T[];
  const found = await versionFound(ask, rows[0]?.version ?? 0, MIGRATIONS.length);
  for (let step = found.version; step < MIGRATIONS.length; step += 1) {
    await refuseLarge(ask, step);
    await migrateOnce(client, step);
  }
  return { ...found, unguarded: role.rows[0]?.free ?? false };
}
