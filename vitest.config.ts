import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { lengthOf } from './test/support/length.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { memoryFolder } from './test/support/memory-folder.ts';

const project = (name: string, extra: object = {}): object => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.{ts,tsx}`], ...extra },
});

/**
 * Loaded by Node itself, as the program is, and from its cache of compiled code: where no file has
 * JSX.
 */
const BY_NODE = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const IN_MEMORY = { env: memoryFolder() };
const ON_POSTGRES = { globalSetup: ['test/support/postgres-setup.ts'] };
/**
 * What is asked over HTTP of two hosted instances at once (`test/support/server.ts`): in CI where
 * what one has done must show at the other, in the long form all that may be asked of any server.
 */
const OF_INSTANCES = [
  'credentials',
  'delivered-once',
  'events',
  'idempotency',
  'sync-endpoints',
  'uplink/converge',
  ...lengthOf(
    [],
    [
      'access',
      'audit',
      'case-export',
      'codes',
      'event-streams',
      'fuzz',
      'hostile',
      'json',
      'openapi',
      'pages',
      'request-parts',
      'run-transfer',
      'sample',
      'sync-user',
      'uplink/access',
      'uplink/consent',
      'uplink/contents',
      'uplink/cuts',
      'uplink/recovery',
      'uplink/refused',
      'workflow',
    ],
  ),
];

/**
 * Unit tests with a database, a server, a process or a file on disk, and long properties: seconds
 * in place of milliseconds.
 */
const COMPONENTS = [
  'main/**/*.test.ts',
  'renderer-data/**/*.test.{ts,tsx}',
  'renderer-transfer/**/*.test.{ts,tsx}',
  '**/*.property.test.ts',
  'server/sign-in.test.ts',
  'files/xlsx.test.ts',
].map((files) => `test/unit/${files}`);

/**
 * Suites of `server` that start processes, kill them, or change what a process has once: signals,
 * the environment, a prototype.
 */
const PROCESSES = [
  'commands/**/*.test.ts',
  'docs/**/*.test.ts',
  'faults/**/*.test.ts',
  'hosted/**/*.test.ts',
  'storage/**/*.test.ts',
  'authorship.test.ts',
  'event-streams.test.ts',
  'kill.test.ts',
  'large-calls.test.ts',
  'run-transfer.test.ts',
  'thread.test.ts',
].map((files) => `test/server/${files}`);

/**
 * Suites of the long form alone: minutes of kills, of machines that fail and of programs that npm
 * fetches. docs/testing.md says what plays their claims in CI.
 */
const IN_LONG_FORM = [
  'faults/chaos',
  'faults/disk',
  'faults/failing-change',
  'faults/kills',
  'faults/many-cases',
  'faults/notices',
  'faults/random',
  'generated-python',
  'hosted/backup',
  'hosted/failover',
  'hosted/restore-in-time',
  'mcp/conformance',
  'storage/outside-blobs-killed',
].map((name) => `test/server/${name}.test.ts`);
const NOT_IN_CI = lengthOf(IN_LONG_FORM, []);

export default defineConfig({
  test: {
    // Processes rather than threads, for node:sqlite and signals: one a file in the projects that
    // isolate their files, a few for all files in the others.
    pool: 'forks',
    // A third of the time these suites wait for sockets, disks and processes that they started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Long enough for a machine that does much else: a limit here finds what hangs, not what is slow.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 10_000,
    restoreMocks: true,
    // Transformed modules are kept between runs.
    experimental: { fsModuleCache: true },
    setupFiles: [
      'test/support/compile-cache.ts',
      'test/support/fixed-seed.ts',
      'test/support/umask.ts',
    ],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Many short files: one process after another would cost more than the tests.
      project('unit', { isolate: false, exclude: COMPONENTS }),
      project('components', { ...BY_NODE, ...IN_MEMORY, isolate: false, include: COMPONENTS }),
      project('contract', {
        ...BY_NODE,
        ...ON_POSTGRES,
        ...IN_MEMORY,
        isolate: lengthOf(false, true),
      }),
      project('server', {
        ...BY_NODE,
        ...ON_POSTGRES,
        ...IN_MEMORY,
        isolate: false,
        // In CI two instances play them.
        exclude: [
          ...PROCESSES,
          ...NOT_IN_CI,
          'test/server/delivered-once.test.ts',
          ...lengthOf(['test/server/uplink/converge.test.ts'], []),
        ],
      }),
      project('processes', {
        ...BY_NODE,
        ...ON_POSTGRES,
        env: lengthOf(memoryFolder(), {}),
        isolate: lengthOf(false, true),
        include: PROCESSES,
        exclude: NOT_IN_CI,
      }),
      project('sync', { ...BY_NODE, ...IN_MEMORY, isolate: false }),
      project('instances', {
        ...BY_NODE,
        ...ON_POSTGRES,
        isolate: lengthOf(false, true),
        include: OF_INSTANCES.map((name) => `test/server/${name}.test.ts`),
        env: { ...IN_MEMORY.env, EVIDENCE_TEST_INSTANCES: '2' },
      }),
    ],
  },
});
