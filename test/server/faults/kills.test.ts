import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journal, missing } from '../../support/journal.ts';
import { type KillPoint, rigged } from '../../support/killing.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
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

/** Starts it so that it dies at `kill`, does what leads there, and starts it again as it is. */
async function dieAt(
  station: Station,
  kill: KillPoint,
  act: () => Promise<unknown>,
): Promise<unknown> {
  await station.kill();
  await station.start(rigged({ kill }));
  const outcome = await act().catch((error: unknown) => error);
  await expect.poll(() => station.served.child.signalCode, { timeout: 20_000 }).toBe('SIGKILL');
  await station.start();
  return outcome;
}

describe('SIGKILL at a labelled step', () => {
  it.each([1, 7])(
    'of a migration, at its statement %i: the next start finds the old store whole and takes it over',
    { timeout: 60_000 },
    async (nth) => {
      const data = path.join(folder, `migration-${nth}`);
      const first = await Station.begin('old', {}, data);
      await first.kill('SIGTERM');
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
      await first.start();
      await first.kill('SIGTERM');
      expect(count()).toEqual(before);
      await first.end();
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
      for (const at of ['statement', 'commit', 'committed'] as const) {
        const freeze = () =>
          station.call('POST', 'runs', {
            case_uid: 'c',
            profile_uid: PROFILE,
            run_uid: `run-${at}`,
          });
        expect(await dieAt(station, { at, table: 'runs', nth: 1 }, freeze)).toBeInstanceOf(Error);
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
    let postgres: RunningPostgres;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 60_000);
    afterAll(() => postgres.stop());

    it(
      'I2 I3 before and after the commit of a push: acknowledged is there, and what is sent again is there once',
      { timeout: 90_000 },
      async () => {
        const { foreignChange, set, wire } = await import('../../contract/world.ts');
        const station = await Station.begin('pg', { DATABASE_URL: postgres.url });
        await makeCase(station);
        const journal = new Journal(path.join(folder, 'pg'));
        for (const at of ['statement', 'commit', 'committed'] as const) {
          const token = journal.token();
          const change = wire(foreignChange('c', [set('item/label/i', token)]));
          const push = () =>
            station.asStudio('POST', 'sync/cases/c/push', { protocol: 1, changes: [change] });
          expect(await dieAt(station, { at, table: 'changes', nth: 1 }, push)).toBeInstanceOf(
            Error,
          );
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
