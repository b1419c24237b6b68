/**
 * `npm run test:instances`: what `npm test` asks of two hosted instances behind one address, and
 * the exchange cut at many places, which takes longer.
 */
import { spawnSync } from 'node:child_process';
import { ROOT } from './build.ts';

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project=instances', ...process.argv.slice(2)],
  { cwd: ROOT, env: { ...process.env, EVIDENCE_TEST_LONG: '1' }, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
