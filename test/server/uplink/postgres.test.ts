/** The same exchanges with a hosted server on PostgreSQL. Amounts and hours of idling are of the studio's side, and are played on SQLite alone. */
import { afterAll, beforeAll, describe } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { hostOn } from './world.ts';

describe('hosted on PostgreSQL', async () => {
  let postgres: RunningPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    hostOn(postgres.url);
  });
  afterAll(async () => {
    hostOn(undefined);
    await postgres.stop();
  });
  await import('./converge.test.ts');
  await import('./refused.test.ts');
  await import('./recovery.test.ts');
  // The rest is mostly about the studio's side: a long run plays it too.
  if (process.env.FAULT_MINUTES !== undefined) await import('./access.test.ts');
});
