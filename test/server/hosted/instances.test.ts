import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agents, AGENTS_PROFILE, tokensOfLog } from '../../support/agents.ts';
import { Journal } from '../../support/journal.ts';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { makePlainDatabase } from '../../support/plain-database.ts';
import { freePort, type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { type RoundRobin, startRoundRobin } from '../../support/round-robin.ts';
import { call, cli, type Served, serve } from '../../support/served.ts';

const WRITERS = lengthOf(4, 8);
/** Writes acknowledged between two things that happen to the instances. */
const MEANWHILE = lengthOf(20, 40);

/** Between what a writer does, where the load need not be the most that there can be. */
const PAUSE_MS = lengthOf(400, 40);

let postgres: RunningPostgres;
let databaseUrl: string;
let folder: string;
let proxy: RoundRobin;
let key: string;
let rules: string[];
let journal: Journal;
/** Each with its address behind the proxy, whose own all of them tell. */
const running = new Map<Served, string>();

beforeAll(async () => {
  [postgres, folder] = [
    await startPostgres(),
    await mkdtemp(path.join(tmpdir(), 'evidence-instances-')),
  ];
  databaseUrl = (await makePlainDatabase(postgres.url)).url;
  journal = new Journal(path.join(folder, 'journal'));
  proxy = await startRoundRobin([]);
  await writeFile(path.join(folder, 'secret'), Buffer.alloc(32, 7).toString('base64'));
  key = (
    JSON.parse(
      await cli(
        [
          'key',
          'create',
          '--name',
          'load',
          '--scopes',
          'read,write',
          '--json',
          '--data',
          path.join(folder, 'commands'),
        ],
        environment(),
      ),
    ) as { key: string }
  ).key;
}, 60_000);
afterAll(async () => {
  await proxy.close();
  await Promise.all([...running.keys()].map((server) => server.kill('SIGKILL')));
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Nothing is shared but the database and the secret. One key stands for many agents here: it has no
 * limit.
 */
const environment = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: databaseUrl,
  EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
  EVIDENCE_STUDIO_PUBLIC_URL: proxy.url,
  EVIDENCE_STUDIO_RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
});

async function begin(): Promise<Served> {
  const port = await freePort();
  const server = await serve(
    path.join(folder, randomUUID()),
    ['--port', String(port)],
    environment(),
  );
  expect(server.url).toBe(proxy.url);
  running.set(server, `http://127.0.0.1:${port}`);
  proxy.targets = [...running.values()];
  return server;
}
/** As one leaves behind a load balancer that does not know yet. */
async function end(server: Served, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await server.kill(signal);
  running.delete(server);
  proxy.targets = [...running.values()];
}

/** As they come, with a name for what they write to. */
const load = (name: string, pause = 0): Agents =>
  new Agents(name, { url: proxy.url, key, caseUid: 'load', rules, journal, count: WRITERS }, pause);

async function expectEachOnce(): Promise<void> {
  const times = await tokensOfLog({ url: proxy.url, key, caseUid: 'load' });
  for (const token of journal.tokens()) expect(times.get(token), token).toBe(1);
}

describe('two hosted instances on one database', () => {
  it(
    'lose no acknowledged write and give no wrong answer while one is killed and others are replaced under load',
    { timeout: 240_000 },
    async () => {
      const [killed, second] = await Promise.all([begin(), begin()]);
      const profile = await call(proxy.url, key, 'GET', `/api/v1/profiles/${AGENTS_PROFILE}`);
      rules = profile.body.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
      const project = await call(proxy.url, key, 'POST', '/api/v1/projects', { name: 'Load' });
      expect(
        (
          await call(proxy.url, key, 'POST', '/api/v1/cases', {
            project_id: project.body.project_id,
            case_uid: 'load',
          })
        ).status,
      ).toBe(201);

      const agents = load('killed');
      await agents.more(MEANWHILE);
      await proxy.handed(running.get(killed)!);
      await end(killed, 'SIGKILL');
      await agents.more(MEANWHILE);
      // The kill met a request. What follows takes none of them, and a start no more than its time.
      agents.pause = PAUSE_MS;
      const first = await begin();
      await agents.more(MEANWHILE);
      // A rolling restart: the new one is there before the old one goes.
      for (const old of lengthOf([second], [second, first])) {
        await begin();
        await agents.more(MEANWHILE / 2);
        await end(old, 'SIGTERM');
        expect(old.child.exitCode).toBe(0);
        await agents.more(MEANWHILE / 2);
      }
      await agents.stop();

      expect(agents.wrong).toEqual([]);
      // The load was real, all instances bore it, and the kill met it.
      expect(agents.acknowledged).toBeGreaterThan(lengthOf(4, 5) * MEANWHILE);
      expect(agents.again).toBeGreaterThan(0);
      expect(
        [...proxy.answered.values()].filter((answers) => answers > MEANWHILE / 2),
      ).toHaveLength(lengthOf(4, 5));
      await expectEachOnce();
    },
  );

  it.runIf(IS_LONG)(
    'lose nothing and tell nobody wrong when the database stops answering under load, ' +
      'say that they are not ready, and come back by themselves',
    { timeout: 120_000 },
    async () => {
      const ready = async (): Promise<number[]> =>
        Promise.all(
          [...running.values()].map(
            async (address) =>
              (
                await rawRequest(
                  address,
                  `GET /readyz HTTP/1.1\r\nHost: ${new URL(proxy.url).host}\r\nConnection: close\r\n\r\n`,
                )
              ).status,
          ),
        );
      await expect.poll(ready).toEqual([...running].map(() => 200));
      const agents = load('frozen', PAUSE_MS);
      await agents.more(MEANWHILE);
      for (let n = 0; n < 2; n += 1) {
        const again = agents.again;
        postgres.freeze();
        await expect.poll(ready, { timeout: 20_000 }).toEqual([...running].map(() => 503));
        // Those that were under way, and those that came later.
        await expect
          .poll(() => agents.again, { timeout: 20_000 })
          .toBeGreaterThan(again + 2 * WRITERS);
        postgres.thaw();
        await agents.more(MEANWHILE);
      }
      await agents.stop();
      expect(agents.wrong).toEqual([]);
      await expectEachOnce();
      await expect.poll(ready).toEqual([...running].map(() => 200));
    },
  );
});
