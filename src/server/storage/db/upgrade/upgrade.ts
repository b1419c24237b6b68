/**
 * Upgrades a database of many rows while servers work: `prepare` gives the tables what the new
 * version needs beside what the one before needs; `finish` takes the latter away. Either may be cut
 * off at any moment and is run again. What is to be done is what the database lacks of a new one.
 */
import { StoreOpenError } from '../errors.ts';
import { differences, readCatalogue } from './catalogue.ts';
import { UpgradeConnection, type UpgradeOptions } from './connection.ts';
import { expand } from './expand.ts';
import { fill } from './fill.ts';
import { contract } from './finish.ts';
import { addKeys } from './keys.ts';
import { readModel } from './model.ts';
import {
  BESIDE_MODEL,
  FORGET,
  FROM,
  NOTE_BEGIN,
  noteStage,
  noteVersion,
  readStage,
  readVersion,
  type UpgradeStage,
  TO,
} from './stage.ts';
import { serversBefore, type ServersBefore } from './servers-before.ts';

export interface UpgradeStatus {
  version: number;
  /** Null where no upgrade is under way. */
  stage: UpgradeStage | null;
  /** Of each table that is being filled, how much of it is. */
  tables: { table: string; filled: number; percent: number }[];
  before: ServersBefore;
}

export async function upgradeStatus(options: UpgradeOptions): Promise<UpgradeStatus> {
  await using connection = await UpgradeConnection.open(options);
  const { ask } = connection;
  const stage = (await readStage(ask)) ?? null;
  return {
    version: await readVersion(ask),
    stage,
    tables:
      stage === null
        ? []
        : await ask(`SELECT name AS table, filled,
            (100 * next_block / greatest(blocks, 1))::int AS percent
            FROM schema_upgrade_fill ORDER BY name`),
    before: await serversBefore(ask),
  };
}

/** False where there is nothing to do. */
export async function prepareUpgrade(options: UpgradeOptions): Promise<boolean> {
  await using connection = await UpgradeConnection.open(options);
  const { ask } = connection;
  await connection.alone();
  const [version, stage] = [await readVersion(ask), await readStage(ask)];
  if (stage === 'ready' || stage === 'finishing' || version >= TO || version === 0) return false;
  if (version !== FROM)
    throw new StoreOpenError(
      'upgrade_needed',
      `The database is of schema ${version}, and is upgraded in steps from ${FROM} alone: start a server of version 0.2 on it first.`,
    );
  await connection.short(NOTE_BEGIN);
  const model = await readModel(connection);
  await expand(connection, model);
  await fill(connection, await readCatalogue(connection, BESIDE_MODEL), model);
  await addKeys(connection, model);
  await connection.step('ready');
  await connection.short([noteStage('ready')]);
  return true;
}

/** False where there is nothing to do. */
export async function finishUpgrade(options: UpgradeOptions): Promise<boolean> {
  await using connection = await UpgradeConnection.open(options);
  const { ask } = connection;
  await connection.alone();
  const stage = await readStage(ask);
  if (stage === undefined) return false;
  if (stage === 'preparing')
    throw new StoreOpenError(
      'upgrade_under_way',
      'The database is not prepared: run `evidence-studio database prepare` to its end first.',
    );
  await refuseServersBefore(connection);
  if (stage === 'ready') {
    // From here on a server of the version before starts for reading alone, if at all.
    await connection.short([noteStage('finishing'), noteVersion(TO)]);
    try {
      await refuseServersBefore(connection);
    } catch (error) {
      await connection.short([noteStage('ready'), noteVersion(FROM)]);
      throw error;
    }
  }
  const model = await readModel(connection);
  await contract(connection, model);
  const left = differences(await readCatalogue(connection, BESIDE_MODEL), model);
  if (left.length > 0)
    throw new Error(`The tables are not those of a new database: ${left.join('; ')}`);
  await connection.short(FORGET);
  return true;
}

async function refuseServersBefore({ ask }: UpgradeConnection): Promise<void> {
  const { connections, addresses } = await serversBefore(ask);
  if (connections > 0)
    throw new StoreOpenError(
      'upgrade_under_way',
      `Servers of the version before are connected still (${connections} connections from ${addresses.join(', ')}): replace them first.`,
    );
}
