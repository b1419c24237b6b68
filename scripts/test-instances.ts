/** `npm run test:instances`: the API and sync suites with two servers on one PostgreSQL, each call to the next one. */
import { spawnSync } from 'node:child_process';
import { ROOT } from './build.ts';

const SUITES = ['access', 'credentials', 'events', 'idempotency', 'json', 'openapi', 'request-parts', 'run-transfer', 'sample', 'sync-endpoints', 'workflow', 'hosted/instances'];
/** Tests that look into SQLite's file, count on its one writer at a time, or ask one instance what the other has not written yet (usage, for a second). */
const BUT = ['nothing is changed', 'lands nothing of a push that was under way when it', 'that fail too often are slowed down', 'tells of bytes that were flipped on disk', 'sends again what the receiver holds damaged', 'counts it all in usage'];

const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...SUITES.map((name) => `test/server/${name}.test.ts`), '--testNamePattern', `^(?!.*(?:${BUT.join('|')})).*`], {
  cwd: ROOT, env: { ...process.env, EVIDENCE_TEST_INSTANCES: '2' }, stdio: 'inherit',
});
process.exitCode = status ?? 1;
