import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const project = (name: string, extra: object = {}): object => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.{ts,tsx}`], ...extra },
});

const ON_POSTGRES = { globalSetup: ['test/support/postgres-setup.ts'] };
/** What is asked over HTTP, of two hosted instances at once (`test/support/server.ts`). */
const OF_INSTANCES = [
  'access',
  'audit',
  'case-export',
  'codes',
  'credentials',
  'event-streams',
  'events',
  'fuzz',
  'hostile',
  'idempotency',
  'json',
  'openapi',
  'pages',
  'request-parts',
  'run-transfer',
  'sample',
  'sync-endpoints',
  'sync-user',
  'uplink/access',
  'uplink/consent',
  'uplink/contents',
  'uplink/converge',
  'uplink/recovery',
  'uplink/refused',
  'workflow',
  ...(process.env.EVIDENCE_TEST_LONG === undefined ? [] : ['uplink/cuts']),
];

export default defineConfig({
  test: {
    // A process a file: node:sqlite, signals and killed children stay its own.
    pool: 'forks',
    // A third of the time these suites wait for sockets, disks and processes that they started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    passWithNoTests: true,
    // Long enough for a machine that does much else: a limit here finds what hangs, not what is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    setupFiles: ['test/support/compile-cache.ts'],
    projects: [
      project('unit'),
      project('contract', { ...ON_POSTGRES }),
      project('server'),
      project('sync'),
      project('instances', {
        ...ON_POSTGRES,
        include: OF_INSTANCES.map((name) => `test/server/${name}.test.ts`),
        env: { EVIDENCE_TEST_INSTANCES: '2' },
      }),
    ],
  },
});
