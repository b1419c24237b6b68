import { MIGRATIONS } from '../schema/migrations.ts';
import { POSTGRES_WORDS } from '../schema/sql-words.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import type { AskSql, UpgradeConnection } from './connection.ts';
import { TO } from './stage.ts';

/** Holds the tables of a new database for as long as a transaction takes. */
const MODEL = 'evidence_studio_model';

async function makeModel(ask: AskSql): Promise<void> {
  await ask(`CREATE SCHEMA ${MODEL}`);
  await ask(`SET LOCAL search_path = ${MODEL}`);
  for (const migration of MIGRATIONS.slice(0, TO))
    for (const statement of migration(POSTGRES_WORDS)) await ask(statement);
}

/**
 * What a new database would have. It is made by the migrations themselves, in a schema of its own
 * that nobody sees and that is gone afterwards: no second description could be wrong.
 */
export async function readModel({ ask }: UpgradeConnection): Promise<Catalogue> {
  await ask('BEGIN');
  try {
    await makeModel(ask);
    return await readCatalogue({ ask });
  } finally {
    await ask('ROLLBACK');
  }
}

/**
 * Tables that the database has not yet, as a new one has them, but for their foreign keys, which
 * follow with those of all tables.
 */
export async function makeMissing(
  { ask }: UpgradeConnection,
  tables: readonly string[],
  model: Catalogue,
): Promise<void> {
  const [here] = await ask<{ name: string }>('SELECT quote_ident(current_schema()) AS name');
  await makeModel(ask);
  for (const table of tables)
    for (const { kind, name } of model.get(table)?.constraints ?? [])
      if (kind === 'f') await ask(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const table of tables) await ask(`ALTER TABLE ${table} SET SCHEMA ${here?.name}`);
  await ask(`SET LOCAL search_path = ${here?.name}`);
  await ask("SET LOCAL client_min_messages = 'warning'");
  await ask(`DROP SCHEMA ${MODEL} CASCADE`);
}
