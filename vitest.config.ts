import { defineConfig } from 'vitest/config';

const project = (name: string, extra: object = {}): object => ({
  extends: true,
  test: { name, include: [`test/${name}/**/*.test.{ts,tsx}`], ...extra },
});

export default defineConfig({
  test: {
    // A process a file: node:sqlite, signals and killed children stay its own.
    pool: 'forks',
    maxWorkers: '100%',
    passWithNoTests: true,
    testTimeout: 10_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    projects: [
      project('unit'),
      project('contract', { globalSetup: ['test/support/postgres-setup.ts'], testTimeout: 30_000 }),
      project('server', { testTimeout: 30_000 }),
      project('sync', { testTimeout: 60_000 }),
    ],
  },
});
