import { readConfig } from '../config/config.ts';
import type { UpgradeOptions } from '../storage/db/upgrade/connection.ts';
import type { UpgradeStatus } from '../storage/db/upgrade/upgrade.ts';
import { type CliCommand, CommandError } from './command.ts';

function databaseUrl(): string {
  const { databaseUrl: url } = readConfig(process.env);
  if (url === undefined)
    throw new CommandError('This is for data in PostgreSQL: DATABASE_URL is not set.');
  return url;
}

const loadUpgrade = () => import('../storage/db/upgrade/upgrade.ts');

/** Progress goes to standard error, so that --json stays one line of JSON. */
const optionsFor = (signal: AbortSignal): UpgradeOptions => ({
  url: databaseUrl(),
  signal,
  tell: (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`),
});

const STAGES = {
  preparing:
    'It is being prepared for this version; servers of the version before work. If no process ' +
    'does it, run `evidence-studio database prepare` again.',
  ready:
    'It is ready for servers of this version and of the one before. When the last one of before ' +
    'is replaced: `evidence-studio database finish`.',
  finishing:
    'Servers of this version alone work. Run `evidence-studio database finish` to its end.',
} as const;

function wordsOf({ version, stage, tables, before }: UpgradeStatus): string {
  return [
    `The database is of schema ${version}.`,
    ...(stage === null ? ['No upgrade is under way.'] : [STAGES[stage]]),
    ...tables.map(
      ({ table, filled, percent }) =>
        `  ${table}: ${percent} %${filled > 0 ? `, ${filled.toLocaleString('en')} rows filled` : ''}`,
    ),
    ...(before.connections === 0
      ? []
      : [
          `Servers of the version before: ${before.connections} connections from ${before.addresses.join(', ')}.`,
        ]),
  ].join('\n');
}

export const databaseStatus: CliCommand = {
  name: 'database status',
  summary: 'Show which schema a PostgreSQL database has, and how far its upgrade is',
  arguments: [],
  options: {},
  help: {},
  async run({ print, signal }) {
    const status = await (await loadUpgrade()).upgradeStatus(optionsFor(signal));
    print(wordsOf(status), status);
    return 0;
  },
};

export const databasePrepare: CliCommand = {
  name: 'database prepare',
  summary:
    'Prepare a large PostgreSQL database for this version, while servers of the version before work',
  arguments: [],
  options: {},
  help: {},
  async run({ print, signal }) {
    const { prepareUpgrade } = await loadUpgrade();
    const done = await prepareUpgrade(optionsFor(signal));
    print(done ? `Done. ${STAGES.ready}` : 'There is nothing to prepare.', { prepared: done });
    return 0;
  },
};

export const databaseFinish: CliCommand = {
  name: 'database finish',
  summary:
    'Take away what only the version before needs of a prepared database, once no server of it runs',
  arguments: [],
  options: {},
  help: {},
  async run({ print, signal }) {
    const { finishUpgrade } = await loadUpgrade();
    const done = await finishUpgrade(optionsFor(signal));
    print(done ? 'Done. The database is that of this version.' : 'There is nothing to finish.', {
      finished: done,
    });
    return 0;
  },
};
