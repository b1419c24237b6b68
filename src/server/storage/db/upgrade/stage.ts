import type { AskSql } from './connection.ts';

/**
 * The versions of the schema between which a database is upgraded in steps. The latter is the
 * newest one of a release: a later release must not take what this one has prepared for its own.
 */
export const FROM = 15;
export const TO = 25;

/**
 * `preparing`: servers of the version before work. `ready`: those of both. `finishing`: those of
 * the new one.
 */
export type UpgradeStage = 'preparing' | 'ready' | 'finishing';

/** What notes how far an upgrade is; gone when it is done. */
export const STATE_TABLES: ReadonlySet<string> = new Set(['schema_upgrade', 'schema_upgrade_fill']);
/** Of no migration. */
export const BESIDE_MODEL: ReadonlySet<string> = new Set(['schema_version', ...STATE_TABLES]);

export async function readVersion(ask: AskSql): Promise<number> {
  const [found] = await ask<{ there: boolean }>(
    `SELECT to_regclass('schema_version') IS NOT NULL AS there`,
  );
  if (found?.there !== true) return 0;
  const [row] = await ask<{ version: number }>('SELECT version FROM schema_version');
  return row?.version ?? 0;
}

export async function readStage(ask: AskSql): Promise<UpgradeStage | undefined> {
  const [found] = await ask<{ there: boolean }>(
    `SELECT to_regclass('schema_upgrade') IS NOT NULL AS there`,
  );
  if (found?.there !== true) return undefined;
  return (await ask<{ stage: UpgradeStage }>('SELECT stage FROM schema_upgrade'))[0]?.stage;
}

export const NOTE_BEGIN = [
  `CREATE TABLE IF NOT EXISTS schema_upgrade (one BIGINT PRIMARY KEY CHECK (one = 1),
    stage TEXT NOT NULL CHECK (stage IN ('preparing', 'ready', 'finishing')))`,
  `CREATE TABLE IF NOT EXISTS schema_upgrade_fill (name TEXT PRIMARY KEY,
    next_block BIGINT NOT NULL, blocks BIGINT NOT NULL, filled BIGINT NOT NULL)`,
  `INSERT INTO schema_upgrade (one, stage) VALUES (1, 'preparing') ON CONFLICT DO NOTHING`,
];

export const noteStage = (stage: UpgradeStage): string =>
  `UPDATE schema_upgrade SET stage = '${stage}'`;
export const noteVersion = (version: number): string =>
  `UPDATE schema_version SET version = ${version}`;
export const FORGET = [...STATE_TABLES].map((table) => `DROP TABLE IF EXISTS ${table}`);

/** More rows than this are not copied in one transaction while everybody waits. */
const MOST_AT_ONCE = 300_000;

/**
 * About how many rows the largest tables have: what PostgreSQL last counted, or what its size says
 * where it has not counted yet.
 */
export async function isLarge(ask: AskSql): Promise<boolean> {
  const [row] = await ask<{ rows: number }>(
    `SELECT coalesce(sum(CASE WHEN reltuples >= 0 THEN reltuples
      ELSE pg_relation_size(oid) / 100 END), 0)::bigint AS rows FROM pg_class
      WHERE oid IN (to_regclass('cells'), to_regclass('changes'), to_regclass('items'))`,
  );
  return (row?.rows ?? 0) > MOST_AT_ONCE;
}
