import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journal } from '../../support/journal.ts';
import { lengthOf } from '../../support/length.ts';
import { makePlainDatabase } from '../../support/plain-database.ts';
import { freePort, type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { type RoundRobin, startRoundRobin } from '../../support/round-robin.ts';
import { call, cli, type Served, serve } from '../../support/served.ts';

const PROFILE = 'general_claim_evidence';
const RAWS = ['TRUE', 'FALSE', 'NA'] as const;
const WRITERS = 8;
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

/**
 * Agents that write and read what they wrote, each its own item, until told to stop. What is not
 * answered is sent again under the same key.
 */
class Load {
  readonly wrong: string[] = [];
  /** Between what a writer does, ms. */
  pause = 0;
  acknowledged = 0;
  again = 0;
  #stopped = false;
  readonly #waiting: { at: number; go: () => void }[] = [];
  readonly #writers: Promise<void>[];

  constructor(name: string) {
    this.#writers = Array.from({ length: WRITERS }, (_, n) => this.#write(`${name}-${n}`));
  }

  async #ask(method: string, address: string, body?: unknown): Promise<any> {
    const idempotency = randomUUID();
    for (;;) {
      try {
        const response = await fetch(proxy.url + address, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'idempotency-key': idempotency }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer: any = await response.json();
        if (response.status === 200) return answer;
        // An instance that stops, or the same request still at work in the other one.
        if (response.status !== 503 && answer.error !== 'idempotency_in_progress')
          this.wrong.push(`${method} ${address}: ${response.status} ${JSON.stringify(answer)}`);
      } catch {
        // Cut off: nobody knows whether it was done.
      }
      this.again += 1;
      // One that is told to come later does not ask as fast as it can.
      await delay(Math.max(50, this.pause));
    }
  }

  async #write(item: string): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const token = journal.token();
      const [rule_uid, raw_outcome] = [rules[n % rules.length]!, RAWS[n % 3]!];
      const written = await this.#ask('POST', '/api/v1/cases/load/evidence', {
        profile_uid: PROFILE,
        items: [{ item_uid: item }],
        outcomes: [{ item_uid: item, rule_uid, raw_outcome, source_value: token }],
      });
      journal.acknowledged(token);
      if (written.outcomes_written !== 1) this.wrong.push(`${token}: ${JSON.stringify(written)}`);
      // Whichever instance answers, it has what was acknowledged.
      const page = await this.#ask(
        'GET',
        `/api/v1/cases/load/evidence?profile_uid=${PROFILE}&limit=${2 * WRITERS}`,
      );
      const cell = page.items
        .find((one: any) => one.item_uid === item)
        ?.evidence.find((one: any) => one.rule_uid === rule_uid);
      if (cell?.raw_outcome !== raw_outcome || cell.source_value !== token)
        this.wrong.push(`${token} reads ${JSON.stringify(cell)}`);
      this.acknowledged += 1;
      for (const { at, go } of this.#waiting) if (this.acknowledged >= at) go();
      await delay(this.pause);
    }
  }

  /** Resolves when so many more writes were acknowledged. */
  more(writes = MEANWHILE): Promise<void> {
    return new Promise((go) => this.#waiting.push({ at: this.acknowledged + writes, go }));
  }
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#writers);
  }
}

/** How often each token stands in the log, read through both instances by turns. */
async function tokensOfLog(): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let after = 0, more = true; more;) {
    const page = await call(
      proxy.url,
      key,
      'GET',
      `/api/v1/sync/cases/load/changes?after=${after}`,
    );
    expect(page.status).toBe(200);
    for (const { change } of page.body.changes)
      for (const [token] of String(change).matchAll(/w\d+\./g))
        times.set(token, (times.get(token) ?? 0) + 1);
    ({ to: after, more } = page.body);
  }
  return times;
}

describe('two hosted instances on one database', () => {
  it(
    'lose no acknowledged write and give no wrong answer while one is killed and both are replaced under load',
    { timeout: 240_000 },
    async () => {
      const [killed, second] = await Promise.all([begin(), begin()]);
      const profile = await call(proxy.url, key, 'GET', `/api/v1/profiles/${PROFILE}`);
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

      const load = new Load('killed');
      await load.more();
      await end(killed, 'SIGKILL');
      await load.more();
      // The kill met a request. What follows takes none of them, and a start no more than its time.
      load.pause = PAUSE_MS;
      const first = await begin();
      await load.more();
      // A rolling restart: the new one is there before the old one goes.
      for (const old of [second, first]) {
        await begin();
        await load.more(MEANWHILE / 2);
        await end(old, 'SIGTERM');
        expect(old.child.exitCode).toBe(0);
        await load.more(MEANWHILE / 2);
      }
      await load.stop();

      expect(load.wrong).toEqual([]);
      // The load was real, all instances bore it, and the kill met it.
      expect(load.acknowledged).toBeGreaterThan(5 * MEANWHILE);
      expect(load.again).toBeGreaterThan(0);
      expect(
        [...proxy.answered.values()].filter((answers) => answers > MEANWHILE / 2),
      ).toHaveLength(5);
      const times = await tokensOfLog();
      for (const token of journal.tokens()) expect(times.get(token), token).toBe(1);
    },
  );

  it(
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
      const load = new Load('frozen');
      load.pause = PAUSE_MS;
      await load.more();
      for (let n = 0; n < lengthOf(1, 2); n += 1) {
        const again = load.again;
        postgres.freeze();
        await expect.poll(ready, { timeout: 20_000 }).toEqual([...running].map(() => 503));
        // Those that were under way, and those that came later.
        await expect
          .poll(() => load.again, { timeout: 20_000 })
          .toBeGreaterThan(again + 2 * WRITERS);
        postgres.thaw();
        await load.more();
      }
      await load.stop();
      expect(load.wrong).toEqual([]);
      const times = await tokensOfLog();
      for (const token of journal.tokens()) expect(times.get(token), token).toBe(1);
      await expect.poll(ready).toEqual([...running].map(() => 200));
    },
  );
});
