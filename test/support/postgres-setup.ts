/**
 * Runs once before the suites of the projects that name it, and only if one of them runs:
 * EVIDENCE_TEST_POSTGRES_URL is the server's address there.
 */
import { makeTemplate } from './plain-database.ts';
import { startPostgres } from './postgres.ts';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.EVIDENCE_TEST_POSTGRES_URL !== undefined) return undefined;
  const { url, stop } = await startPostgres();
  await makeTemplate(url);
  process.env.EVIDENCE_TEST_POSTGRES_URL = url;
  return stop;
}
