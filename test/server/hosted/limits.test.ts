import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyMac, mintKey, parseKey } from '../../../src/server/auth/keys.ts';
import { shardOf } from '../../../src/server/auth/shard.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import type { Deps } from '../../../src/server/context/deps.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { createLogger } from '../../../src/server/instance/logger.ts';
import { NO_METRICS } from '../../../src/server/context/metrics.ts';
import { createEvidenceServer, type EvidenceServer } from '../../../src/server/server.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import { makeCase, TRIO } from '../../support/evidence.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { otherAccount } from '../../support/other-account.ts';
import { exchange, rawRequest } from '../../support/raw-http.ts';
import { bootServer } from '../../support/server.ts';
import { withParts } from '../../support/with-parts.ts';

const get = (url: string, key: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/api/v1/projects`, { headers: { authorization: `Bearer ${key}`, ...headers } });

let database: PlainDatabase;
beforeAll(async () => {
  database = await makePlainDatabase(SHARED_POSTGRES);
}, 60_000);
afterAll(() => database.drop());

describe('instances on one PostgreSQL', () => {
  const LIMIT = 40;
  /**
   * `heard`: by its turns, how many rows of others each brought. `shared`: how much it has shared, by
   * limit and subject.
   */
  interface Instance {
    server: EvidenceServer;
    store: Deps['store'];
    heard: number[];
    shared: Map<string, number>;
  }
  const instances: Instance[] = [];
  let now = Date.now();
  const hmacSecret = new Uint8Array(32);
  const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };

  async function boot(areSticky = false): Promise<void> {
    const clock = { now: () => now };
    const opened = await openStore(
      { kind: 'postgres', url: database.url, connections: 4 },
      { clock, random, hasher: nodeHasher, version: '0.0.0-test' },
    );
    const heard: number[] = [];
    const shared = new Map<string, number>();
    const store: Deps['store'] = {
      ...opened,
      async transact(work, account) {
        let received: number | undefined;
        let published: ReadonlyMap<string, number> = new Map();
        const result = await opened.transact((writer) => {
          const receive: typeof writer.rateLimitUsage.receive = async (...given) => {
            const rows = await writer.rateLimitUsage.receive(...given);
            received = rows.length;
            return rows;
          };
          const publish: typeof writer.rateLimitUsage.publish = (...given) => {
            [, , published] = given;
            return writer.rateLimitUsage.publish(...given);
          };
          return work(withParts(writer, { rateLimitUsage: { publish, receive } }));
        }, account);
        // From its commit on others can read what it told.
        for (const [name, count] of published) shared.set(name, count + (shared.get(name) ?? 0));
        if (received !== undefined) heard.push(received);
        return result;
      },
    };
    const deps: Deps = {
      store,
      clock,
      random,
      hasher: nodeHasher,
      hmacSecret,
      logger: createLogger({ level: 'silent', destination: { write: () => {} } }),
      home: 'local',
      version: '0.0.0-test',
      instanceId: `instance ${instances.length}`,
      copies: { keep: 'yes', offlineMs: 0 },
      operatorOnly: { accounts: false, publishing: false },
      rendererRoot: undefined,
      backups: () => [],
      uplink: undefined,
      metrics: NO_METRICS,
      areSticky,
      rateLimit: {
        perSecond: LIMIT,
        writesPerSecond: LIMIT,
        account: { perSecond: 10 * LIMIT, writesPerSecond: 10 * LIMIT },
      },
    };
    instances.push({
      heard,
      shared,
      store,
      server: await createEvidenceServer(deps, {
        port: 0,
        validateAnswers: true,
        ...(areSticky && { trustedProxies: ['127.0.0.1'] }),
      }),
    });
  }
  async function makeKey(): Promise<string> {
    const { store } = instances[0]!;
    const { key, key_id, prefix } = mintKey(random);
    await store.transact((writer) =>
      writer.keyWrites.create({
        key_id,
        prefix,
        ...store.local,
        name: 'test',
        scopes: ['read', 'write'],
        expires_at: null,
        mac: keyMac(key, hmacSecret),
      }),
    );
    return key;
  }
  beforeAll(async () => {
    await boot();
    await boot();
  });
  afterAll(async () => {
    for (const { server, store } of instances) {
      await server.close();
      await store.close();
    }
  });

  /** The allowance of a key, by its name among instances. */
  const nameOf = (key: string): string => `caller ${parseKey(key)}`;

  /** Asks an instance for one key, then as often as it takes for its next turn to tell and hear. */
  async function untilTurn({ server, heard }: Instance, key: string): Promise<void> {
    const turns = heard.length;
    expect((await get(server.url, key)).status).toBe(200);
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(turns);
  }

  /**
   * Until one instance has heard of so many requests of a key at another. A rest below a twentieth
   * of the allowance is never shared: answers what was.
   */
  async function untilHeard(
    key: string,
    count: number,
    from: Instance,
    at: Instance,
  ): Promise<number> {
    const timer = await makeKey();
    const shared = (): number => from.shared.get(nameOf(key)) ?? 0;
    while (shared() <= count - LIMIT / 20) await untilTurn(from, timer);
    // A turn that is under way may have read before.
    for (const each of [at, at]) await untilTurn(each, timer);
    return shared();
  }

  /** Asks so often with a key, and once more, which is refused. */
  async function useUp({ server }: Instance, key: string, count: number): Promise<void> {
    const answers = [];
    for (let n = 0; n <= count; n += 1) answers.push(await get(server.url, key));
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: count }, () => 200),
      429,
    ]);
    expect(Number(answers.at(-1)!.headers.get('retry-after'))).toBeGreaterThan(0);
  }

  /** What of this key's requests instances have told each other. */
  async function toldOf({ store }: Instance, key: string): Promise<string[]> {
    const told = await store.transact(
      async (writer) =>
        (await writer.rateLimitUsage.receive('nobody', new Map())).flatMap(({ spent }) => [
          ...spent.keys(),
        ]),
      '*',
    );
    return told.filter((name) => name === nameOf(key));
  }

  it('hear of what others have given: an allowance that was used up at one is used up at the other, and grows back', async () => {
    const [one, two] = instances as [Instance, Instance];
    const [key, other] = [await makeKey(), await makeKey()];
    // Both listen from here on; what was spent before is nobody's business.
    for (const each of instances) await untilTurn(each, other);
    await useUp(one, key, LIMIT);
    await useUp(two, key, LIMIT - (await untilHeard(key, LIMIT, one, two)));
    expect((await get(two.server.url, other)).status).toBe(200);
    now += 1_500;
    expect((await get(two.server.url, key)).status).toBe(200);
  });

  it('write nothing for a key that asks now and then', async () => {
    const [one, two] = instances as [Instance, Instance];
    const key = await makeKey();
    await untilTurn(one, key);
    expect(await toldOf(two, key)).toEqual([]);
  });

  it('write nothing for what a proxy keeps at one of them, and share what reached it by another label', async () => {
    await boot(true);
    const [one, , sticky] = instances as [Instance, Instance, Instance];
    const [key, other] = [await makeKey(), await makeKey()];
    const label = shardOf(hmacSecret, sticky.store.local.account_id);
    const ask = async (shard: string): Promise<void> => {
      for (let n = 0; n < LIMIT / 2; n += 1)
        expect((await get(sticky.server.url, key, { 'evidence-shard': shard })).status).toBe(200);
    };
    await untilTurn(one, other);
    await ask(label);
    for (const each of [sticky, sticky]) await untilTurn(each, other);
    expect(await toldOf(one, key)).toEqual([]);
    await ask(label === '000' ? '001' : '000');
    // Half of it was counted at one instance alone, the rest by both.
    await useUp(one, key, LIMIT - (await untilHeard(key, LIMIT / 2, sticky, one)));
  });
});

describe('one instance', () => {
  it('limits an account in all, whichever of its keys asks, and no other', async () => {
    // Stands still but where it is moved: allowances grow with it, and a busy machine would take
    // long enough for one to grow back.
    let now = Date.now();
    await using server = await bootServer({
      deps: {
        clock: { now: () => now },
        rateLimit: {
          perSecond: 100,
          writesPerSecond: 100,
          account: { perSecond: 5, writesPerSecond: 2 },
        },
      },
    });
    const stranger = await otherAccount(server);
    const statuses: number[] = [];
    for (const key of [
      server.key,
      server.readKey,
      server.key,
      server.readKey,
      server.key,
      server.readKey,
    ])
      statuses.push((await server.call('GET', '/api/v1/projects', { key })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const refused = await server.call('GET', '/api/v1/projects');
    expect([refused.body.error, refused.body.message]).toEqual([
      'rate_limited',
      'This account asks too often; wait and try again.',
    ]);
    expect((await server.call('GET', '/api/v1/projects', { key: stranger })).status).toBe(200);
    now += 1_000;
    for (const status of [201, 200, 429])
      expect((await server.call('POST', '/api/v1/projects', { body: { name: 'x' } })).status).toBe(
        status,
      );
    // A write that is refused has cost no reading.
    for (const status of [200, 200, 200, 429])
      expect((await server.call('GET', '/api/v1/projects')).status).toBe(status);
  });

  it('limits the requests of keys in a month, from one flush of usage on, and persons not', async () => {
    await using server = await bootServer({ deps: { requestQuota: 3 } });
    const stranger = await otherAccount(server);
    for (const _ of [1, 2, 3])
      expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
    await server.call('GET', '/api/v1/usage');
    const refused = await server.call('GET', '/api/v1/projects');
    expect([refused.status, refused.body.error, refused.body.message]).toEqual([
      403,
      'quota_exceeded',
      'This account may make 3 requests with keys in a month, and has made them.',
    ]);
    expect((await server.call('GET', '/api/v1/projects', { key: stranger })).status).toBe(200);
    const answer = await exchange(
      server.server.connectInProcess(),
      'GET /api/v1/projects HTTP/1.1\r\nHost: studio\r\n\r\n',
    );
    expect(answer.status).toBe(200);
    server.advance(32 * 24 * 3_600_000);
    expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
  });

  it('takes its limits from the environment', () => {
    expect(readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: 'off' }).rateLimit).toBeUndefined();
    expect(readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: '1/2/3/4' }).rateLimit).toEqual({
      perSecond: 1,
      writesPerSecond: 2,
      account: { perSecond: 3, writesPerSecond: 4 },
    });
    for (const bad of ['60', '0/0/0/0', '-1/2/3/4', 'on'])
      expect(() => readConfig({ EVIDENCE_STUDIO_RATE_LIMIT: bad })).toThrow(/RATE_LIMIT/);
  });

  it('has room for a newcomer while all places are held by connections that ask nothing', async () => {
    await using server = await bootServer({ server: { connections: 10 } });
    const idle = await Promise.all(
      Array.from(
        { length: 10 },
        () =>
          new Promise<net.Socket>((resolve) => {
            const socket = net.connect(server.server.port, '127.0.0.1', () => resolve(socket));
          }),
      ),
    );
    const first = new Promise<number>((resolve) =>
      idle.forEach((socket, index) => socket.once('close', () => resolve(index))),
    );
    const host = new URL(server.url).host;
    expect(
      (
        await rawRequest(
          server.url,
          `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        )
      ).status,
    ).toBe(200);
    expect(await first).toBe(0);
    expect(idle.filter((socket) => !socket.destroyed)).toHaveLength(9);
    for (const socket of idle) socket.destroy();
  });
});

describe('a hosted server', () => {
  it('works on so many requests of one account at a time, and on those of others beside them', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let blocked = false;
    const publicUrl = new URL('https://studio.example');
    await using server = await bootServer({
      deps: { home: 'hosted' },
      server: { publicUrl, connections: 32 },
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
      const head =
        'POST /api/v1/projects HTTP/1.1\r\nHost: studio.example\r\n' +
        `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`;
      return exchange(net.connect(server.server.port, '127.0.0.1'), head);
    };
    blocked = true;
    const slow = Array.from({ length: 4 }, () => write(server.key));
    await expect.poll(async () => (await write(server.readKey)).status === 429).toBe(true);
    expect((await write(stranger)).status).toBe(201);
    open();
    expect(
      (await Promise.all(slow)).filter(({ status }) => status !== 200 && status !== 201),
    ).toEqual([]);
    expect((await write(server.key)).status).toBe(200);
  });

  it('lets go of who hangs up before their request has begun: they hold neither its place nor a stream of events', async () => {
    const database = await makePlainDatabase(SHARED_POSTGRES);
    let gate: Promise<void> | undefined;
    let held = 0;
    const pass = async (): Promise<void> => {
      if (gate !== undefined) held += 1;
      await gate;
    };
    await using server = await bootServer({
      deps: { home: 'hosted' },
      server: { connections: 64 },
      databaseUrl: database.url,
      wrapStore: (store) => ({
        ...store,
        ask: (fn) => pass().then(() => store.ask(fn)),
        read: (fn, account) =>
          (account === store.local.account_id ? pass() : Promise.resolve()).then(() =>
            store.read(fn, account),
          ),
      }),
    });
    const ask = async (path: string): Promise<number> => {
      const abort = new AbortController();
      const { status } = await fetch(server.url + path, {
        headers: { authorization: `Bearer ${server.key}` },
        signal: abort.signal,
      });
      abort.abort();
      return status;
    };
    // As many as an account may have, gone while it is looked up who they are or what the account's
    // logs are.
    const gone = async (path: string): Promise<void> => {
      let open = (): void => {};
      [gate, held] = [new Promise((resolve) => (open = resolve)), 0];
      let closed = 0;
      const count = (_req: unknown, res: ServerResponse): void =>
        void res.once('close', () => (closed += 1));
      server.server.httpServer.on('request', count);
      const sockets = Array.from({ length: 8 }, () => net.connect(server.server.port, '127.0.0.1'));
      for (const socket of sockets)
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
        );
      await expect.poll(() => held).toBeGreaterThan(0);
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => closed).toBe(8);
      server.server.httpServer.off('request', count);
      gate = undefined;
      open();
    };
    await gone('/api/v1/projects');
    expect(await ask('/api/v1/projects')).toBe(200);
    await gone('/api/v1/sync/events');
    expect(await ask('/api/v1/sync/events')).toBe(200);
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
    for (let n = 0; n < 200; n += 1)
      expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
    // Once a second, and a timer may be late.
    expect(writes).toBeLessThanOrEqual(2 + (performance.now() - started) / 1_000);
    const usage = await server.call('GET', '/api/v1/usage');
    expect(usage.body.monthly_totals[0].requests).toBe(200);
  });

  it('who reads nothing of the answer is cut off', async () => {
    await using server = await bootServer();
    await makeCase(server, 'large');
    const items = Array.from({ length: 100 }, (_, n) => ({
      item_uid: `i${n}`,
      evidence: [
        { rule_uid: 'parents_genotype_missing', raw_outcome: 'NA', notes: 'x'.repeat(9_000) },
      ],
    }));
    expect(
      (
        await server.call('POST', '/api/v1/evidence', {
          body: { case_uid: 'large', profile_uid: TRIO, items },
        })
      ).status,
    ).toBe(200);
    const request =
      `GET /api/v1/cases/large/evidence?profile_uid=${TRIO}&limit=200 HTTP/1.1\r\n` +
      `Host: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`;
    // Of connections from here on: a busy machine may be silent for longer while it writes.
    server.server.httpServer.timeout = 400;
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
    const ask = (path: string) =>
      rawRequest(
        server.url,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
      );
    const stream = await fetch(`${server.url}/api/v1/sync/events`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    const closing = server.server.close();
    expect(await stream.text()).toBe('retry: 2000\n\n');
    const ready = await ask('/readyz');
    expect([ready.status, JSON.parse(ready.body).message]).toEqual([
      503,
      'The server is stopping.',
    ]);
    expect((await ask('/healthz')).status).toBe(200);
    const answer = await ask('/api/v1/projects');
    expect(answer.status).toBe(200);
    expect(answer.head).toMatch(/^connection: close$/im);
    expect((await ask('/api/v1/sync/events')).status).toBe(503);
    await closing;
    expect((await ask('/healthz')).status).toBe(0);
  });
});
