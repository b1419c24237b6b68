import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journal, missing } from '../../support/journal.ts';
import { type KillPoint, rigged } from '../../support/killing.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { serve } from '../../support/served.ts';
import { Station } from '../../support/station.ts';

const PROFILE = 'crispr_edit_evidence';
const folder = mkdtempSync(path.join(tmpdir(), 'kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function makeCase(station: Station): Promise<string> {
  const { project_id } = await station.send('POST', 'projects', { name: 'P' });
  await station.send('POST', 'cases', { project_id, case_uid: 'c', profile_uid: PROFILE });
  return (await station.send('GET', `profiles/${PROFILE}`)).rules[0].ruleUid;
}

/**
 * Around a write to a table. Each time the server that has come back dies next, once what it lost
 * has been written again.
 */
const pointsAround = (table: string): KillPoint[] => [
  { at: 'statement', table, nth: 1 },
  { at: 'commit', table, nth: 2 },
  { at: 'committed', table, nth: 2 },
];
const startTo = (station: Station, kill: KillPoint | undefined): Promise<void> =>
  station.start(kill === undefined ? {} : rigged({ kill }));

/** Does what leads to its death, and starts it again, to die at `next`. */
async function dieBy(
  station: Station,
  act: () => Promise<unknown>,
  next: KillPoint | undefined,
): Promise<unknown> {
  const outcome = await act().catch((error: unknown) => error);
  await expect.poll(() => station.served.child.signalCode, { timeout: 20_000 }).toBe('SIGKILL');
  await startTo(station, next);
  return outcome;
}

describe('SIGKILL at a labelled step', () => {
  it.each([1, 7])(
    'of a migration, at its statement %i: the next start finds the old store whole and takes it over',
    { timeout: 60_000 },
    async (nth) => {
      const data = path.join(folder, `migration-${nth}`);
      mkdirSync(data);
      const file = path.join(data, 'evidence.sqlite');
      writeFileSync(
        file,
        gunzipSync(
          readFileSync(path.resolve(import.meta.dirname, '../../fixtures/stores/first.sqlite.gz')),
        ),
      );
      await expect(
        serve(data, [], rigged({ kill: { at: 'migration', table: '', nth } })),
      ).rejects.toThrow('serve ended with null');
      const count = (): unknown => {
        const db = new DatabaseSync(file, { readOnly: true });
        const answer = [
          db.prepare('SELECT count(*) AS n FROM changes').get(),
          db.prepare('PRAGMA integrity_check').get(),
        ];
        db.close();
        return answer;
      };
      const before = count();
      const next = await serve(data);
      await next.kill('SIGTERM');
      expect(count()).toEqual(before);
    },
  );

  it(
    'before and after the commit of a run: it is there once, whole, or not at all',
    { timeout: 60_000 },
    async () => {
      const station = await Station.begin('freeze');
      const rule = await makeCase(station);
      await station.send('POST', 'evidence', {
        case_uid: 'c',
        profile_uid: PROFILE,
        items: [{ item_uid: 'i', evidence: [{ rule_uid: rule, raw_outcome: 'TRUE' }] }],
      });
      const points = pointsAround('runs');
      await station.kill();
      await startTo(station, points[0]);
      for (const [n, { at }] of points.entries()) {
        const freeze = () =>
          station.call('POST', 'runs', {
            case_uid: 'c',
            profile_uid: PROFILE,
            run_uid: `run-${at}`,
          });
        expect(await dieBy(station, freeze, points[n + 1])).toBeInstanceOf(Error);
        expect((await station.call('GET', `runs/run-${at}`)).status).toBe(
          at === 'committed' ? 200 : 404,
        );
        const again = await freeze();
        expect(again.status).toBe(at === 'committed' ? 200 : 201);
        const file = path.join(folder, 'run.json');
        writeFileSync(file, JSON.stringify((await station.call('GET', `runs/run-${at}`)).body));
        expect(JSON.parse(await station.command('verify', file, '--json'))).toBeTruthy();
      }
      await station.end();
    },
  );

  describe('on PostgreSQL', () => {
    let database: PlainDatabase;
    beforeAll(async () => {
      database = await makePlainDatabase(SHARED_POSTGRES);
    }, 60_000);
    afterAll(() => database.drop());

    it(
      'I2 I3 before and after the commit of a push: acknowledged is there, and what is sent again is there once',
      { timeout: 90_000 },
      async () => {
        const { foreignChange, set, wire } = await import('../../contract/world.ts');
        const station = await Station.begin('pg', { DATABASE_URL: database.url });
        await makeCase(station);
        const journal = new Journal(path.join(folder, 'pg'));
        const points = pointsAround('changes');
        await station.kill();
        await startTo(station, points[0]);
        for (const [n, { at }] of points.entries()) {
          const token = journal.token();
          const change = wire(foreignChange('c', [set('item/label/i', token)]));
          const push = () =>
            station.asStudio('POST', 'sync/cases/c/push', { protocol: 1, changes: [change] });
          expect(await dieBy(station, push, points[n + 1])).toBeInstanceOf(Error);
          const { results } = await push();
          expect(results).toMatchObject([{ status: at === 'committed' ? 'duplicate' : 'applied' }]);
          journal.acknowledged(token);
        }
        const { changes } = await station.send('GET', 'sync/cases/c/changes?after=0');
        expect(missing(journal.tokens(), changes)).toEqual([]);
        expect(changes).toHaveLength(4);
        await station.end();
      },
    );
  });
});
