import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlainDatabase } from '../../support/plain-database.ts';
import { findPostgresHome } from '../../support/postgres-home.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { runToEnd } from '../../support/served.ts';
import { CASE, PROFILE, Studios } from '../../support/studios.ts';

const home = findPostgresHome();

describe.skipIf(home === undefined)('a hosted server restored to a point in time', () => {
  let folder: string;
  const running: RunningPostgres[] = [];
  let studios: Studios | undefined;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-in-time-'));
    // PostgreSQL runs as another user where the tests are root's.
    chmodSync(folder, 0o755);
  });
  afterAll(async () => {
    await studios?.end();
    await Promise.all(running.map((postgres) => postgres.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function begin(options: Parameters<typeof startPostgres>[0]): Promise<RunningPostgres> {
    const postgres = await startPostgres({ home: home!, ...options });
    running.push(postgres);
    return postgres;
  }

  it(
    'is as it was between two writes, and gets back from the studios what came later (R6)',
    { timeout: 300_000 },
    async () => {
      const [archive, backup] = [path.join(folder, 'archive'), path.join(folder, 'backup')];
      mkdirSync(archive);
      chmodSync(archive, 0o777);
      const first = await begin({
        settings: [
          'wal_level=replica',
          'archive_mode=on',
          `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
        ],
      });
      const database = await makePlainDatabase(first.url);
      studios = await Studios.begin(2, { DATABASE_URL: database.url });
      const [one, two] = studios.hubs.map(({ station }) => station);
      const { host } = new URL(first.url);
      const [hostname = '', port = ''] = host.split(':');
      const taken = await runToEnd(path.join(home!, 'bin/pg_basebackup'), [
        '-h',
        hostname,
        '-p',
        port,
        '-U',
        'tests',
        '-D',
        backup,
        '-c',
        'fast',
        '-X',
        'none',
      ]);
      expect(taken, taken.stderr).toMatchObject({ code: 0 });

      await studios.write(one!, 'a', 0, 'TRUE');
      await studios.write(studios.hosted, 'b', 1, 'FALSE');
      await studios.quiet();
      const before = await database.sql('SELECT count(*) FROM changes');
      const [moment] = await database.sql('SELECT now()::text AS at');
      // Desktops, an agent at the hosted server itself, and a run: after the moment.
      await studios.write(one!, 'a', 0, 'NA');
      await studios.write(two!, 'c', 2, 'TRUE');
      await studios.write(studios.hosted, 'late', 1, 'TRUE');
      const frozen = await two!.send('POST', 'runs', {
        case_uid: CASE,
        profile_uid: PROFILE,
        accept_contested: true,
        reason: 'As it stands.',
      });
      await studios.quiet();
      const after = await database.sql('SELECT count(*) FROM changes');
      expect(Number(after[0]!['count'])).toBeGreaterThan(Number(before[0]!['count']));
      await expect
        .poll(async () => (await studios!.hosted.call('GET', `runs/${frozen.run_uid}`)).status)
        .toBe(200);
      const [last] = await database.sql('SELECT pg_walfile_name(pg_switch_wal()) AS file');
      await expect
        .poll(() => existsSync(path.join(archive, String(last!['file']))), { timeout: 30_000 })
        .toBe(true);
      await studios.hosted.kill();
      await first.stop();

      writeFileSync(path.join(backup, 'recovery.signal'), '');
      const second = await begin({
        from: backup,
        settings: [
          `restore_command=cp ${archive}/%f %p`,
          `recovery_target_time=${String(moment!['at'])}`,
          'recovery_target_action=promote',
        ],
      });
      const url = new URL(database.url);
      url.port = new URL(second.url).port;
      const restored = await runToEnd(path.join(home!, 'bin/psql'), [
        '-At',
        '-c',
        'SELECT count(*) FROM changes',
        Object.assign(new URL(url), { username: 'tests' }).href,
      ]);
      expect(restored.stdout.trim()).toBe(String(before[0]!['count']));

      await studios.hosted.startAgain({ DATABASE_URL: url.href });
      // Before anybody has noticed, or not: the studios find out either way.
      expect(await studios.write(studios.hosted, 'since', 0, 'FALSE')).toBe(true);
      await studios.expectNothingLost();
      await expect
        .poll(
          async () =>
            (await studios!.hosted.call('GET', `runs/${frozen.run_uid}`)).body.content_hash,
        )
        .toBe(frozen.content_hash);
    },
  );
});
