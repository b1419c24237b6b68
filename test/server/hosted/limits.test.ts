import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { readConfig } from '../../../src/server/config.ts';
import type { Deps } from '../../../src/server/deps.ts';
import { nodeHasher } from '../../../src/server/hasher.ts';
import { createLogger } from '../../../src/server/logger.ts';
import { NO_METRICS } from '../../../src/server/metrics/port.ts';
import { createEvidenceServer, type EvidenceServer } from '../../../src/server/server.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { makeCase, TRIO } from '../../support/evidence.ts';
import { otherAccount } from '../../support/other-account.ts';
import { exchange, rawRequest } from '../../support/raw-http.ts';
import { bootServer } from '../../support/server.ts';

const get = (url: string, key: string): Promise<Response> => fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${key}` } });

describe('instances on one PostgreSQL', () => {
  const LIMIT = 40;
  let postgres: RunningPostgres;
  const instances: { server: EvidenceServer; store: Deps['store'] }[] = [];
  const pepper = new Uint8Array(32);
  const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };

  async function boot(): Promise<void> {
    const clock = { now: () => Date.now() };
    const store = await openStore({ kind: 'postgres', url: postgres.url, connections: 4 }, { clock, random, hasher: nodeHasher, version: '0.0.0-test' });
    const deps: Deps = {
      store, clock, random, hasher: nodeHasher, pepper, logger: createLogger({ level: 'silent', destination: { write: () => {} } }), home: 'local', version: '0.0.0-test', instanceId: `instance ${instances.length}`,
      rendererRoot: undefined, backups: () => [], uplink: undefined, metrics: NO_METRICS, rateLimit: { perSecond: LIMIT, writesPerSecond: LIMIT, account: { perSecond: 3 * LIMIT, writesPerSecond: 3 * LIMIT } },
    };
    instances.push({ store, server: await createEvidenceServer(deps, { port: 0, validateAnswers: true }) });
  }
  async function makeKey(): Promise<string> {
    const { store } = instances[0]!;
    const { key, key_id, prefix } = mintKey(random);
    await store.transact((writer) => writer.keyWrites.create({ key_id, prefix, ...store.local, name: 'test', scopes: ['read', 'write'], expires_at: null, mac: keyMac(key, pepper) }));
    return key;
  }
  beforeAll(async () => {
    postgres = await startPostgres();
    await boot();
    await boot();
    await boot();
  }, 60_000);
  afterAll(async () => {
    for (const { server, store } of instances) {
      await server.close();
      await store.close();
    }
    await postgres.stop();
  });

  /** Asks all instances in turn as fast as they answer; how many requests of each were let in. */
  async function hammer(keys: readonly string[], ms: number): Promise<Map<string, number>> {
    const taken = new Map(keys.map((key) => [key, 0]));
    const until = performance.now() + ms;
    await Promise.all(
      keys.flatMap((key) =>
        instances.map(async ({ server }) => {
          while (performance.now() < until) {
            const answer = await get(server.url, key);
            await answer.arrayBuffer();
            if (answer.status === 200) taken.set(key, taken.get(key)! + 1);
            else {
              expect(answer.status).toBe(429);
              expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
          }
        }),
      ),
    );
    return taken;
  }

  it('give a key together what one of them would, after a first burst', async () => {
    const key = await makeKey();
    const seconds = 5;
    const taken = (await hammer([key], seconds * 1_000)).get(key)!;
    // Alone, each would give its burst and the rate: 3 x (40 + 5 x 40) = 720. What was given before the others heard of it is a second's at most.
    const bursts = instances.length * LIMIT;
    expect(taken).toBeLessThanOrEqual(bursts + (seconds + instances.length) * LIMIT);
    expect(taken).toBeGreaterThan(bursts);
  });

  it('write nothing for a key that asks now and then', async () => {
    const key = await makeKey();
    await new Promise((resolve) => setTimeout(resolve, 700));
    const rows = (): Promise<number> => instances[1]!.store.transact(async (writer) => (await writer.spending.hear('nobody', new Map())).flatMap(({ spent }) => [...spent.keys()]).filter((name) => name.includes(key.slice(4, 14))).length, '*');
    expect((await get(instances[0]!.server.url, key)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await rows()).toBe(0);
  });
});

describe('one instance', () => {
  it('limits an account in all, whichever of its keys asks, and no other', async () => {
    await using server = await bootServer({ deps: { rateLimit: { perSecond: 100, writesPerSecond: 100, account: { perSecond: 5, writesPerSecond: 2 } } } });
    const stranger = await otherAccount(server);
    const statuses: number[] = [];
    for (const key of [server.key, server.readKey, server.key, server.readKey, server.key, server.readKey]) statuses.push((await server.call('GET', '/api/v1/projects', { key })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await server.call('GET', '/api/v1/projects');
    expect([refused.body.error, refused.body.message]).toEqual(['rate_limited', 'This account asks too often; wait and try again.']);
    expect((await server.call('GET', '/api/v1/projects', { key: stranger })).status).toBe(200);
    server.advance(1_000);
    for (const status of [201, 200, 429]) expect((await server.call('POST', '/api/v1/projects', { body: { name: 'x' } })).status).toBe(status);
    // A write that is refused has cost no reading.
    for (const status of [200, 200, 200, 429]) expect((await server.call('GET', '/api/v1/projects')).status).toBe(status);
  });

  it('limits the requests of keys in a month, from one flush of usage on, and persons not', async () => {
    await using server = await bootServer({ deps: { requestQuota: 3 } });
    const stranger = await otherAccount(server);
    for (const _ of [1, 2, 3]) expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
    await server.call('GET', '/api/v1/usage');
    const refused = await server.call('GET', '/api/v1/projects');
    expect([refused.status, refused.body.error, refused.body.message]).toEqual([403, 'quota_exceeded', 'This account may make 3 requests with keys in a month, and has made them.']);
    expect((await server.call('GET', '/api/v1/projects', { key: stranger })).status).toBe(200);
    const answer = await exchange(server.server.connectInProcess(), 'GET /api/v1/projects HTTP/1.1\r\nHost: studio\r\n\r\n');
    expect(answer.status).toBe(200);
    server.advance(32 * 24 * 3_600_000);
    expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
  });

  it('takes its limits from the environment', () => {
    expect(readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: 'off' }).rateLimit).toBeUndefined();
    expect(readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: '1/2/3/4' }).rateLimit).toEqual({ perSecond: 1, writesPerSecond: 2, account: { perSecond: 3, writesPerSecond: 4 } });
    for (const bad of ['60', '0/0/0/0', '-1/2/3/4', 'on']) expect(() => readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: bad })).toThrow(/RATE_LIMIT/);
  });

  it('has room for a newcomer while all places are held by connections that ask nothing', async () => {
    await using server = await bootServer({ server: { connections: 10 } });
    const idle = await Promise.all(
      Array.from({ length: 10 }, () => new Promise<net.Socket>((resolve) => {
        const socket = net.connect(server.server.port, '127.0.0.1', () => resolve(socket));
      })),
    );
    const first = new Promise<number>((resolve) => idle.forEach((socket, index) => socket.once('close', () => resolve(index))));
    const host = new URL(server.url).host;
    expect((await rawRequest(server.url, `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status).toBe(200);
    expect(await first).toBe(0);
    expect(idle.filter((socket) => !socket.destroyed)).toHaveLength(9);
    for (const socket of idle) socket.destroy();
  });

  it('gives the places for bodies to all who send some: whoever holds most gives one up', async () => {
    await using server = await bootServer();
    const stranger = await otherAccount(server);
    const slow = Array.from({ length: 32 }, () => net.connect(server.server.port, '127.0.0.1'));
    const head = `POST /api/v1/projects HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{`;
    const answers = slow.map((socket) => exchange(socket, head));
    // Their own account waits for its own.
    await expect.poll(async () => (await server.call('POST', '/api/v1/projects', { body: { name: 'mine' } })).status).toBe(429);
    expect((await server.call('POST', '/api/v1/projects', { key: stranger, body: { name: 'x' } })).status).toBe(201);
    const ended = await Promise.race(answers);
    expect([ended.status, JSON.parse(ended.body).error]).toEqual([408, 'request_timeout']);
    for (const socket of slow) socket.destroy();
  });
});

describe('a hosted server', () => {
  it('works on so many requests of one account at a time, and on those of others beside them', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let blocked = false;
    const publicUrl = new URL('https://studio.example');
    await using server = await bootServer({
      deps: { home: 'hosted' }, server: { publicUrl, connections: 32 },
      wrapStore: (store) => ({
        ...store,
        async transact(work, account) {
          if (blocked && account === store.local.account_id) await gate;
          return store.transact(work, account);
        },
      }),
    });
    const stranger = await otherAccount(server);
    const write = (key: string) => {
      const body = '{"name":"x"}';
      const head = `POST /api/v1/projects HTTP/1.1\r\nHost: studio.example\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      return exchange(net.connect(server.server.port, '127.0.0.1'), head);
    };
    blocked = true;
    const slow = Array.from({ length: 4 }, () => write(server.key));
    await expect.poll(async () => (await write(server.readKey)).status === 429).toBe(true);
    expect((await write(stranger)).status).toBe(201);
    open();
    expect((await Promise.all(slow)).filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    expect((await write(server.key)).status).toBe(200);
  });
});

describe('a reader', () => {
  it('costs no write of its own: what is counted is written together', async () => {
    let writes = 0;
    await using server = await bootServer({
      wrapStore: (store) => ({
        ...store,
        transact: (work, account) => {
          writes += 1;
          return store.transact(work, account);
        },
      }),
    });
    const started = performance.now();
    for (let n = 0; n < 200; n += 1) expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
    expect(writes).toBeLessThanOrEqual(Math.ceil((performance.now() - started) / 1_000));
    const usage = await server.call('GET', '/api/v1/usage');
    expect(usage.body.monthly_totals[0].requests).toBe(200);
  });

  it('who reads nothing of the answer is cut off', async () => {
    await using server = await bootServer({ server: { limits: { silenceTimeout: 400 } } });
    await makeCase(server, 'large');
    const items = Array.from({ length: 100 }, (_, n) => ({ item_uid: `i${n}`, evidence: [{ rule_uid: 'parent_gt_unavailable', raw_outcome: 'NA', notes: 'x'.repeat(9_000) }] }));
    expect((await server.call('POST', '/api/v1/evidence', { body: { case_uid: 'large', profile_uid: TRIO, items } })).status).toBe(200);
    const request = `GET /api/v1/cases/large/evidence?profile_uid=${TRIO}&limit=200 HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`;
    const accepted = once(server.server.httpServer, 'connection') as Promise<[net.Socket]>;
    const socket = net.connect(server.server.port, '127.0.0.1');
    const [held] = await accepted;
    // More than the system keeps for both ends.
    socket.write(request.repeat(40));
    await expect.poll(() => held.destroyed, { timeout: 15_000 }).toBe(true);
    socket.destroy();
  });
});

describe('leaving', () => {
  it('says so first, and goes on answering until others had time to turn away', async () => {
    await using server = await bootServer({ server: { leaveMs: 600 } });
    const host = new URL(server.url).host;
    const ask = (path: string) => rawRequest(server.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`);
    const stream = await fetch(`${server.url}/api/v1/sync/events`, { headers: { authorization: `Bearer ${server.key}` } });
    const closing = server.server.close();
    expect(await stream.text()).toBe('retry: 2000\n\n');
    const ready = await ask('/readyz');
    expect([ready.status, JSON.parse(ready.body).message]).toEqual([503, 'The server is stopping.']);
    expect((await ask('/healthz')).status).toBe(200);
    const answer = await ask('/api/v1/projects');
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/^connection: close$/im);
    expect((await ask('/api/v1/sync/events')).status).toBe(503);
    await closing;
    expect((await ask('/healthz')).status).toBe(0);
  });
});
