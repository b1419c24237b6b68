import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunCheck } from '../../../src/server/instance/run-check.ts';
import { describeError } from '../../../src/server/instance/logger.ts';
import { converge, eventually, Studio, TRIO } from './world.ts';

let hosted: Studio;
let one: Studio;
let two: Studio;
let run_uid: string;
const NO_GUARDS = ['runs', 'run_contents', 'blobs'];
const WITHOUT_RUNS = [...NO_GUARDS, 'run_counts'].map((table) => `DELETE FROM ${table}`);

beforeEach(async () => {
  [hosted, one, two] = await Promise.all([Studio.hosted(), Studio.open('one'), Studio.open('two')]);
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
  await one.connect(hosted.server.url, (await hosted.makeKey('Ada', 'member')).key);
  await one.share(project);
  ({ run_uid } = (await one.ok('POST', '/api/v1/runs', {
    case_uid: 'case-1',
    profile_uid: TRIO,
  })) as { run_uid: string });
  await converge(['case-1'], hosted, one);
  await two.connect(hosted.server.url, (await hosted.makeKey('Ben', 'member')).key);
  await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
  await two.share(project);
  await converge(['case-1'], hosted, one, two);
  await eventually(async () =>
    expect((await two.call('GET', `/api/v1/runs/${run_uid}`)).status).toBe(200),
  );
  await eventually(async () =>
    expect(await linkOf(two)).toMatchObject({ state: 'equal', runs_waiting: 0, runs_lacking: 0 }),
  );
});
afterEach(async () => {
  await Promise.all([one, two, hosted].map((studio) => studio[Symbol.asyncDispose]()));
});

const linkOf = async (studio: Studio) =>
  (await studio.status()).links.find(({ stream }) => stream === 'case-1');
const wake = async (...studios: Studio[]): Promise<void> => {
  for (const studio of studios) await studio.ok('POST', '/api/v1/uplink/sync', {});
};
/**
 * What no statement of the server can do: PostgreSQL's role for it may not; in SQLite the guards of
 * the tables are taken away first.
 */
async function beside(studio: Studio, ...statements: string[]): Promise<void> {
  if (studio.composed.store.engine === 'sqlite')
    for (const table of NO_GUARDS)
      for (const name of ['no_update', 'no_delete'])
        await studio.sql(`DROP TRIGGER ${table}_${name}`);
  for (const statement of statements) await studio.sql(statement);
}
async function check(studio: Studio): Promise<void> {
  const { store } = studio.composed;
  const checking = createRunCheck({ store, logger: studio.composed.deps.logger });
  try {
    while (await checking.next());
  } catch (error) {
    throw new Error(JSON.stringify(describeError(error)), { cause: error });
  } finally {
    checking.close();
  }
}
const damage = (studio: Studio): string =>
  studio.composed.store.engine === 'postgres'
    ? 'UPDATE blobs SET packed = set_byte(packed, 20, get_byte(packed, 20) # 255)'
    : "UPDATE blobs SET packed = CAST(substr(packed, 1, 20) || x'00ff00' || substr(packed, 24) AS BLOB)";

describe('R13 the contents of runs', () => {
  test('that a restored hosted server lacks come back from whoever has them, though their announcements are there', async () => {
    // The one that made it is gone for now: the other has it too.
    await one.ok('DELETE', '/api/v1/uplink');
    await hosted.restart(async () => beside(hosted, ...WITHOUT_RUNS));
    expect((await hosted.call('GET', `/api/v1/runs/${run_uid}`)).status).toBe(404);
    await wake(two);
    await eventually(async () =>
      expect((await hosted.call('GET', `/api/v1/runs/${run_uid}`)).status).toBe(200),
    );
    await wake(two);
    await eventually(async () =>
      expect(await linkOf(two)).toMatchObject({ state: 'equal', runs_lacking: 0 }),
    );
  });

  test('are no equality while one side lacks one that nobody has', async () => {
    await Promise.all([one, two].map((studio) => studio.ok('DELETE', '/api/v1/uplink')));
    await hosted.restart(async () => beside(hosted, ...WITHOUT_RUNS));
    await two.restart(async () => beside(two, 'DELETE FROM blobs'));
    await check(two);
    await two.connect(hosted.server.url, (await hosted.makeKey('Ben', 'member')).key);
    await eventually(async () =>
      expect(await linkOf(two)).toMatchObject({
        state: 'waiting',
        runs_waiting: 1,
        runs_lacking: 1,
      }),
    );
    expect((await two.status()).damaged_runs).toMatchObject([{ run_uid, case_uid: 'case-1' }]);
  });

  test.each(['the hosted server', 'a studio'])(
    'F7 a flipped byte on %s is found by the check, reported, and mended from the other side',
    async (where) => {
      const [victim, healthy] = where === 'a studio' ? [two, hosted] : [hosted, two];
      await beside(victim, damage(victim));
      await check(victim);
      expect((await victim.ok('GET', '/api/v1/uplink')).damaged_runs).toMatchObject([{ run_uid }]);
      await wake(two);
      await eventually(async () => {
        await wake(two);
        expect((await victim.ok('GET', '/api/v1/uplink')).damaged_runs).toEqual([]);
      });
      // Who brought it is each side's own.
      const [stored, whole] = await Promise.all(
        [victim, healthy].map(async (studio) => ({
          ...(await studio.ok('GET', `/api/v1/runs/${run_uid}`)),
          sent_by: null,
          received_at: null,
        })),
      );
      expect(stored).toEqual(whole);
      await check(victim);
      expect((await victim.ok('GET', '/api/v1/uplink')).damaged_runs).toEqual([]);
      await eventually(async () => expect(await linkOf(two)).toMatchObject({ state: 'equal' }));
    },
  );

  test('F7 a content that is gone from the tables is found by the check, and comes again', async () => {
    await beside(two, 'DELETE FROM run_contents');
    await check(two);
    expect((await two.status()).damaged_runs).toMatchObject([{ run_uid, case_uid: 'case-1' }]);
    await eventually(async () => {
      await wake(two);
      expect((await two.status()).damaged_runs).toEqual([]);
    });
    expect((await two.ok('GET', `/api/v1/runs/${run_uid}`)).run_uid).toBe(run_uid);
  });

  test('F7 a damaged manifest is mended too, and the check continues where it stopped', async () => {
    const postgres = two.composed.store.engine === 'postgres';
    expect(postgres).toBe(false);
    await beside(
      two,
      "UPDATE run_contents SET packed = CAST(substr(packed, 1, 10) || x'00ff' || substr(packed, 13) AS BLOB)",
    );
    await check(two);
    expect((await two.status()).damaged_runs).toHaveLength(1);
    await eventually(async () => {
      await wake(two);
      expect((await two.status()).damaged_runs).toEqual([]);
    });
    expect((await two.ok('GET', `/api/v1/runs/${run_uid}`)).run_uid).toBe(run_uid);
    const checking = createRunCheck({
      store: two.composed.store,
      logger: two.composed.deps.logger,
    });
    expect(await checking.next()).toBe(true);
    checking.close();
    const again = createRunCheck({ store: two.composed.store, logger: two.composed.deps.logger });
    expect(await again.next()).toBe(false);
    again.close();
  });
});
