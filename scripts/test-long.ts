/**
 * `npm run test:long [suite …]`: the suites in their long form, from fresh seeds that they print
 * (docs/testing.md). A suite is a part of its file's path, `--project=NAME`, `electron` (the
 * desktop, where there are a display and a runtime), or `package` (the installed deb); without one
 * all are run.
 */
import { spawnSync } from 'node:child_process';
import { buildIfNeeded, ROOT } from './build.ts';

const asked = process.argv.slice(2);
const inBrowser = asked.filter((name) => name.includes('.spec') || name.includes('browser'));
/** The desktop (test/e2e/electron) and the installed package (test/package). */
const [DESKTOP, PACKAGE] = ['electron', 'package'];
const inNode = asked.filter(
  (name) => !inBrowser.includes(name) && name !== DESKTOP && name !== PACKAGE,
);

function run(args: readonly string[]): boolean {
  const env = { ...process.env, EVIDENCE_TEST_LONG: '1' };
  return spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

let passed = true;
if (inNode.length > 0 || asked.length === 0)
  passed = run(['node_modules/vitest/vitest.mjs', 'run', ...inNode]) && passed;
if (inBrowser.length > 0 || asked.length === 0) {
  await buildIfNeeded();
  const suites = inBrowser.filter((name) => !name.startsWith('--'));
  passed =
    run(['node_modules/@playwright/test/cli.js', 'test', '--project=browser', ...suites]) && passed;
}
const hasDisplay = process.platform !== 'linux' || process.env.DISPLAY !== undefined;
if (asked.includes(DESKTOP) || (asked.length === 0 && hasDisplay))
  passed = run(['scripts/tasks.ts', DESKTOP]) && passed;
else if (asked.length === 0) console.log('The desktop is left out: there is no display.');
const required = asked.includes(PACKAGE);
if (required || asked.length === 0)
  passed = run(['test/package/prove.ts', ...(required ? ['--required'] : [])]) && passed;
process.exitCode = passed ? 0 : 1;
