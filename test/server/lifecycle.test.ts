import { request as httpRequest } from 'node:http';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/server/config/config.ts';
import type { Deps } from '../../src/server/context/deps.ts';
import { makeCase } from '../support/evidence.ts';
import { rawRequest } from '../support/raw-http.ts';
import { bootServer, type TestServer } from '../support/server.ts';

function takePort(): Promise<net.Server> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** Resolves when the heads of so many more requests have come. */
function arrived({ server }: TestServer, requests = 1): Promise<void> {
  let come = 0;
  return new Promise((resolve) => {
    server.httpServer.on('request', function count() {
      come += 1;
      if (come < requests) return;
      server.httpServer.off('request', count);
      resolve();
    });
  });
}

describe('listening', () => {
  it('is on loopback, at a literal address', async () => {
    await using server = await bootServer();
    expect(server.url).toBe(`http://127.0.0.1:${server.server.port}`);
    expect(server.server.httpServer.address()).toMatchObject({ address: '127.0.0.1' });
    expect(server.server.moved).toBeUndefined();
    const byName = await rawRequest(
      server.url,
      `GET /healthz HTTP/1.1\r\nHost: LOCALHOST:${server.server.port}\r\n\r\n`,
    );
    expect([byName.status, byName.body]).toEqual([200, '{"status":"ok"}']);
  });
  it('goes elsewhere from a port that is taken, and says so, where that is allowed', async () => {
    const blocker = await takePort();
    const port = (blocker.address() as net.AddressInfo).port;
    await using server = await bootServer({ server: { port, fallback: true } });
    expect(server.server.moved).toEqual({ from: port, to: server.server.port });
    expect((await server.call('GET', '/readyz', { key: null })).body).toEqual({ status: 'ready' });
    await expect(bootServer({ server: { port } })).rejects.toThrow(
      /Port \d+ on 127\.0\.0\.1 is in use/,
    );
    blocker.close();
  });
  it('is refused on an address of the network, unless the server is hosted', async () => {
    await expect(bootServer({ server: { host: '0.0.0.0' } })).rejects.toThrow(
      /would let the network in without encryption/,
    );
    await expect(
      bootServer({ server: { host: '0.0.0.0', publicUrl: new URL('http://x.test') } }),
    ).rejects.toThrow(/EVIDENCE_STUDIO_PUBLIC_URL/);
  });
  it('hosted, answers to its public name only', async () => {
    await using server = await bootServer({
      deps: { home: 'hosted' },
      server: { publicUrl: new URL('https://studio.example') },
    });
    const get = (headers: string) =>
      rawRequest(
        `http://127.0.0.1:${server.server.port}`,
        `GET /api/v1/session HTTP/1.1\r\n${headers}Authorization: Bearer ${server.key}\r\n\r\n`,
      );
    expect(server.url).toBe('https://studio.example');
    expect((await get(`Host: 127.0.0.1:${server.server.port}\r\n`)).status).toBe(403);
    expect((await get('Host: studio.example\r\nOrigin: http://studio.example\r\n')).status).toBe(
      403,
    );
    const answer = await get('Host: studio.example\r\nOrigin: https://studio.example\r\n');
    expect(JSON.parse(answer.body).error).toBe('insufficient_scope');
    expect(answer.head).toMatch(/^strict-transport-security: max-age=/im);
  });
});

describe('configuration', () => {
  it('has safe defaults', () => {
    expect(readConfig({})).toEqual({
      dataFolder: undefined,
      host: '127.0.0.1',
      port: undefined,
      publicUrl: undefined,
      databaseUrl: undefined,
      trustedProxies: [],
      stickyAccounts: false,
      redisUrl: undefined,
      notices: { webhooks: 'off' },
      timeStamps: { authority: undefined, trusted: '' },
      offlineCopies: true,
      offlineMs: 12 * 3_600_000,
      leaveMs: 0,
      rateLimit: 'default',
      connections: undefined,
      quotas: {},
      requestQuota: undefined,
      metrics: undefined,
      allowOldSqlite: false,
      logLevel: 'info',
      logClients: false,
      validateAnswers: false,
    });
  });
  it.each<[Record<string, string>, RegExp]>([
    [{ EVIDENCE_STUDIO_PORT: '70000' }, /EVIDENCE_STUDIO_PORT/],
    [{ EVIDENCE_STUDIO_PORT: '0x10' }, /EVIDENCE_STUDIO_PORT/],
    [{ EVIDENCE_STUDIO_HOST: '0.0.0.0' }, /network/],
    [{ EVIDENCE_STUDIO_PUBLIC_URL: 'http://studio.example' }, /https/],
    [{ EVIDENCE_STUDIO_MAIL: 'smtps://mail.example' }, /go together/],
    [{ EVIDENCE_STUDIO_MAIL: 'https://mail.example' }, /smtps:/],
    [{ EVIDENCE_STUDIO_WEBHOOKS: 'on' }, /EVIDENCE_STUDIO_WEBHOOKS/],
    [{ DATABASE_URL: 'mysql://x' }, /DATABASE_URL/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL/],
    [{ EVIDENCE_STUDIO_ALLOW_OLD_SQLITE: 'yes' }, /ALLOW_OLD_SQLITE/],
  ])('refuses %j in one sentence', (environment, sentence) =>
    expect(() => readConfig(environment)).toThrow(sentence),
  );
});

describe('stopping', () => {
  it('lets the request in flight end, turns new ones away, and writes usage and refused keys', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    let blocked = false;
    const wrapStore = (store: Deps['store']): Deps['store'] => ({
      ...store,
      async transact(work, account) {
        if (blocked) await gate;
        return store.transact(work, account);
      },
    });
    const server = await bootServer({ wrapStore });
    expect(
      (
        await server.call('GET', '/api/v1/projects', {
          key: `${server.key.slice(0, -1)}${server.key.endsWith('A') ? 'B' : 'A'}`,
        })
      ).status,
    ).toBe(401);
    const kept = await new Promise<net.Socket>((resolve) => {
      const socket = net.connect(server.server.port, '127.0.0.1', () => resolve(socket));
    });
    const host = `Host: 127.0.0.1:${server.server.port}\r\n`;
    let received = '';
    kept.on('data', (chunk) => (received += chunk.toString()));
    blocked = true;
    const body = '{"name":"in flight"}';
    kept.write(
      `POST /api/v1/projects HTTP/1.1\r\n${host}Authorization: Bearer ${server.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await arrived(server);
    // A second request of the same connection arrives while the first is being worked on.
    const closing = server.server.close();
    kept.write(
      `GET /api/v1/projects HTTP/1.1\r\n${host}Authorization: Bearer ${server.key}\r\n\r\n`,
    );
    await arrived(server);
    open();
    await Promise.all([closing, new Promise((resolve) => kept.once('close', resolve))]);
    expect(received).toMatch(/^HTTP\/1\.1 201 /);
    expect(received).toMatch(/HTTP\/1\.1 503 (.|\s)*"unavailable"/);
    await expect(fetch(server.url)).rejects.toThrow();
    const usage = await server.deps.store.read((reader) =>
      reader.usage.summary(server.deps.store.local.account_id),
    );
    expect(usage.recent_events.map((event) => event.action)).toContain('upsertProject');
    const trails = await server.deps.store.read(async (reader) => [
      ...(await reader.auditTrail.after('', 0, 100)),
      ...(await reader.auditTrail.after(server.deps.store.local.account_id, 0, 100)),
    ]);
    expect(trails.map(({ action }) => action)).toContain('key.refused');
    await server.close();
  });

  it('gives a request that never ends only so long', async () => {
    const server = await bootServer({ server: { limits: { graceTimeout: 400 } } });
    const stuck = httpRequest(`${server.url}/api/v1/projects`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        'content-length': 10,
      },
    });
    const failed = new Promise((resolve) => stuck.once('error', resolve));
    stuck.flushHeaders();
    await arrived(server);
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeGreaterThan(390);
    await failed;
  });
});

describe('health', () => {
  it('is not ready where the store takes no writes', async () => {
    const wrapStore = (store: Deps['store']): Deps['store'] => ({
      ...store,
      health: () => ({ ok: false, read_only: 'The disk failed.' }),
    });
    await using server = await bootServer({
      wrapStore,
      deps: { backups: () => ['/backups/newest'] },
    });
    const ready = await server.call('GET', '/readyz', { key: null });
    expect([ready.status, ready.body.error, ready.body.details]).toEqual([
      503,
      'unavailable',
      [{ path: 'store', code: 'read_only', message: 'The disk failed.' }],
    ]);
    expect((await server.call('GET', '/healthz', { key: null })).status).toBe(200);
    expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
  });
});

describe('the log', () => {
  it('never holds a key, an identifier of a case, or a word of a body', async () => {
    await using server = await bootServer();
    const canary = 'CANARY-7f3a';
    await makeCase(server, canary, `Project ${canary}`);
    await server.call('GET', `/api/v1/cases/${canary}/evidence?profile_uid=trio_rare_disease`);
    await server.call('GET', `/api/v1/projects?token=${server.key}&x=${canary}`);
    await server.call('GET', `/${canary}/${server.key}`);
    await server.call('POST', '/api/v1/projects', { raw: `{"name":"${canary}` });
    await server.call('POST', '/api/v1/projects', { body: { name: 1, [canary]: server.key } });
    await server.call('GET', '/api/v1/projects', {
      key: null,
      headers: { cookie: `evs_session=${server.key}`, 'user-agent': server.key },
    });
    await rawRequest(
      server.url,
      `GET /${server.key} HTTP/1.1\r\nHost: evil\r\nX: ${canary}\r\n\r\n`,
    );
    const log = server.log();
    expect(log.split('\n').length).toBeGreaterThan(8);
    expect(log).not.toContain('CANARY');
    expect(log).not.toContain(server.key.slice(4));
    expect(log).toContain('"path":"/api/v1/cases/{caseUid}/evidence"');
    expect(log).toContain(`"key_id":"${server.key.slice(4, 14)}"`);
  });
});

describe('bodies', () => {
  it('that come slowly keep no quick one waiting', async () => {
    await using server = await bootServer();
    const head =
      `POST /api/v1/projects HTTP/1.1\r\nHost: 127.0.0.1:${server.server.port}\r\n` +
      `Authorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 12\r\n\r\n{';
    const allArrived = arrived(server, 32);
    const slow = Array.from({ length: 32 }, () => {
      const socket = net.connect(server.server.port, '127.0.0.1');
      socket.write(head);
      return socket;
    });
    await allArrived;
    expect((await server.call('POST', '/api/v1/projects', { body: { name: 'x' } })).status).toBe(
      201,
    );
    expect((await server.call('GET', '/api/v1/projects')).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});
