/**
 * Measures an upgrade in steps of a filled database of schema 15, with somebody who writes all the
 * time:
 *
 *     node test/bench/upgrade/steps.ts MILLIONS_OF_CELLS [ACCOUNTS] [--postgres URL]
 */
import { parseArgs } from 'node:util';
import { finishUpgrade, prepareUpgrade } from '../../../src/server/storage/db/upgrade/upgrade.ts';
import { startPostgres } from '../../support/postgres.ts';
import { filling, makeFifteen } from '../../support/upgrade/fifteen.ts';
import { WriterOfBefore } from '../../support/upgrade/writers.ts';

const { values, positionals } = parseArgs({
  options: { postgres: { type: 'string' } },
  allowPositionals: true,
});
const [millions = 1, accounts = 4] = positionals.map(Number);
const [items, rules] = [1_000, 20];

const running = values.postgres === undefined ? await startPostgres() : undefined;
const database = await makeFifteen(values.postgres ?? running?.url ?? '', false);
const since = (before: number): string => `${((performance.now() - before) / 1_000).toFixed(1)} s`;
const wal = async (): Promise<number> =>
  Number(
    (await database.sql(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS at`))[0]?.['at'],
  );
const size = async (): Promise<string> => {
  const [row] = await database.sql('SELECT pg_database_size(current_database()) AS bytes');
  return `${(Number(row?.['bytes']) / 1e9).toFixed(2)} GB`;
};

async function writing(work: () => Promise<unknown>): Promise<string> {
  const writer = await new WriterOfBefore(database.url, 'acc_full_1').open();
  await writer.recordWhile('case_1', 'rule', work);
  await writer.end();
  return `${writer.written} writes, the slowest ${Math.round(writer.slowest)} ms`;
}

try {
  const cases = Math.ceil((millions * 1e6) / (items * rules * accounts));
  let before = performance.now();
  for (const statement of filling({ accounts, cases, items, rules })) await database.sql(statement);
  await database.sql('VACUUM (ANALYZE)');
  console.log(
    `${millions} million cells of ${accounts} accounts: ${await size()}, made in ${since(before)}`,
  );
  before = performance.now();
  const tell = (line: string): void => console.log(`  ${since(before)} ${line}`);
  const walBefore = await wal();
  const said = await writing(() => prepareUpgrade({ url: database.url, tell }));
  const logged = (((await wal()) - walBefore) / 1e9).toFixed(2);
  console.log(`prepared in ${since(before)}; ${said}; ${await size()}, ${logged} GB of WAL`);
  before = performance.now();
  await finishUpgrade({ url: database.url, tell });
  console.log(`finished in ${since(before)}; ${await size()}`);
} finally {
  await database.drop();
  await running?.stop();
}
