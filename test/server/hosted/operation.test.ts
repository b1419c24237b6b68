import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { freePort } from '../../support/postgres.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { command, serve, type Served } from '../../support/served.ts';
import { bootServer } from '../../support/server.ts';

const lines = (log: string): Record<string, unknown>[] =>
  log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the log of requests', () => {
  it('says nothing of who asked from where, unless it is asked to', async () => {
    for (const logClients of [undefined, false, true]) {
      await using server = await bootServer({
        deps: { home: 'hosted', logClients },
        server: { trustedProxies: ['127.0.0.1'] },
      });
      await server.call('GET', '/api/v1/projects', {
        headers: { 'x-forwarded-for': '198.51.100.9' },
      });
      await server.call('GET', '/login', {
        key: null,
        headers: { 'x-forwarded-for': '198.51.100.9' },
      });
      await expect
        .poll(() => lines(server.log()).filter(({ msg }) => msg === 'request'))
        .toHaveLength(2);
      const said = lines(server.log())
        .filter(({ msg }) => msg === 'request')
        .map(({ address, user_id }) => [address, user_id]);
      const known = ['198.51.100.9', server.deps.store.local.user_id];
      expect(said).toEqual(
        logClients === true
          ? [known, [known[0], undefined]]
          : [
              [undefined, undefined],
              [undefined, undefined],
            ],
      );
    }
  });
});

describe('a proxy that nobody named', () => {
  it.each([
    [['10.0.0.1'], 1],
    [[], 1],
    [['127.0.0.1'], 0],
  ])('with %j named is said once: %d', async (trustedProxies, times) => {
    await using server = await bootServer({ deps: { home: 'hosted' }, server: { trustedProxies } });
    const warned = (): unknown[] =>
      lines(server.log()).filter(({ msg }) =>
        String(msg).includes('EVIDENCE_STUDIO_TRUSTED_PROXIES'),
      );
    await server.call('GET', '/api/v1/projects');
    expect(server.log()).not.toContain('EVIDENCE_STUDIO_TRUSTED_PROXIES');
    for (let n = 0; n < 3; n += 1)
      await server.call('GET', '/api/v1/projects', {
        headers: { 'x-forwarded-for': '198.51.100.9' },
      });
    expect(warned()).toHaveLength(times);
  });
});

describe('the secret that keys are stored under', () => {
  let database: PlainDatabase;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const servers: Served[] = [];
  beforeAll(async () => {
    [database, folder] = [
      await makePlainDatabase(SHARED_POSTGRES),
      await mkdtemp(path.join(tmpdir(), 'evidence-secret-')),
    ];
    for (const [name, byte] of [
      ['secret', 7],
      ['another', 8],
    ] as const)
      await writeFile(path.join(folder, name), Buffer.alloc(32, byte).toString('base64'));
    env = {
      DATABASE_URL: database.url,
      EVIDENCE_STUDIO_PUBLIC_URL: 'https://studio.example',
    };
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.kill('SIGKILL')));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const secret = (name: string): NodeJS.ProcessEnv => ({
    ...env,
    EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, name),
  });
  const createKey = (given: NodeJS.ProcessEnv) =>
    command(
      ['key', 'create', '--name', 'k', '--json', '--data', path.join(folder, 'commands')],
      given,
    );
  async function begin(name: string): Promise<{
    server: Served;
    ask: (target: string, key?: string) => Promise<{ status: number; body: any; head: string }>;
  }> {
    const port = await freePort();
    const server = await serve(
      path.join(folder, `data of ${name} ${port}`),
      ['--port', String(port)],
      secret(name),
    );
    servers.push(server);
    const ask = async (target: string, key?: string) => {
      const { status, body, head } = await rawRequest(
        `http://127.0.0.1:${port}`,
        `GET ${target} HTTP/1.1\r\nHost: studio.example\r\n` +
          `${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}` +
          'Connection: close\r\n\r\n',
      );
      return { status, body: JSON.parse(body), head };
    };
    return { server, ask };
  }

  it(
    'is one for all instances and commands: another one is noticed at once, makes no key and refuses none, until it is taken on purpose',
    { timeout: 120_000 },
    async () => {
      const first = await begin('secret');
      expect(first.server.output()).toContain('EVIDENCE_STUDIO_TRUSTED_PROXIES is not set');
      const { key } = JSON.parse((await createKey(secret('secret'))).stdout) as { key: string };
      expect([
        (await first.ask('/readyz')).status,
        (await first.ask('/api/v1/projects', key)).status,
      ]).toEqual([200, 200]);

      // Without the file a command would take the secret of its own folder.
      for (const given of [env, secret('another')]) {
        const refused = await createKey(given);
        expect([refused.code, refused.stdout, refused.stderr]).toEqual([
          1,
          '',
          expect.stringContaining('EVIDENCE_STUDIO_SECRET_FILE'),
        ]);
      }
      const other = await begin('another');
      expect(other.server.output()).toContain('another secret');
      const unready = await other.ask('/readyz');
      expect([unready.status, unready.body.details[0]]).toEqual([
        503,
        {
          path: 'secret',
          code: 'other_secret',
          message: expect.stringContaining('EVIDENCE_STUDIO_SECRET_FILE'),
        },
      ]);
      const refused = await other.ask('/api/v1/projects', key);
      expect([refused.status, refused.body.error, /retry-after: \d/i.test(refused.head)]).toEqual([
        503,
        'unavailable',
        true,
      ]);
      expect([
        (await first.ask('/readyz')).status,
        (await first.ask('/api/v1/projects', key)).status,
      ]).toEqual([200, 200]);

      expect(
        (
          await command(
            ['key', 'new-secret', '--data', path.join(folder, 'commands')],
            secret('another'),
          )
        ).code,
      ).toBe(0);
      await expect
        .poll(async () => [
          (await first.ask('/readyz')).status,
          (await other.ask('/readyz')).status,
        ])
        .toEqual([503, 200]);
      const renewed = JSON.parse((await createKey(secret('another'))).stdout) as { key: string };
      expect([
        (await other.ask('/api/v1/projects', renewed.key)).status,
        (await other.ask('/api/v1/projects', key)).status,
        (await first.ask('/api/v1/projects', renewed.key)).status,
      ]).toEqual([200, 401, 503]);
    },
  );
});
