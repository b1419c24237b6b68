import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink, LINK_LIFE } from '../../src/server/auth/sign-in.ts';
import { SESSION_LIFE } from '../../src/server/auth/session.ts';
import { API } from '../../src/shared/contract/api.ts';
import type { Usage } from '../../src/shared/contract/v1/account.ts';
import { alone } from '../support/alone.ts';
import { callInProcess } from '../support/in-process.ts';
import { IS_LONG } from '../support/length.ts';
import { exchange } from '../support/raw-http.ts';
import { bootServer, INSTANCES, type TestServer } from '../support/server.ts';
import { asKey } from '../support/ids.ts';

/** A link to a run, followed from elsewhere, finds whoever is signed in to a hosted server. */
const SAME_SITE = INSTANCES === 1 ? 'Strict' : 'Lax';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

const HOUR = 3_600_000;
const path = (template: string): string =>
  template.replace('{keyId}', '0000000000').replace(/\{\w+\}/, 'none');
async function signIn(): Promise<string> {
  const link = await createSignInLink(server.deps, server.url);
  const { status, headers } = await server.call('GET', link.slice(server.url.length), {
    key: null,
  });
  expect([status, headers.get('location')]).toEqual([303, '/studio']);
  return headers.get('set-cookie')!.split(';')[0]!;
}

describe('every operation', () => {
  const doors = ['none', 'wrong', 'revoked', 'expired', 'read', 'write', 'both'] as const;
  let keys: Record<(typeof doors)[number], string | null>;
  beforeAll(async () => {
    const revoked = await server.makeKey();
    await server.deps.store.transact((writer) =>
      writer.keyWrites.revoke(server.deps.store.local.account_id, asKey(revoked.slice(4, 14))),
    );
    keys = {
      none: null,
      wrong: 'evs_0000000000_000000000000000000000000000000004QB974',
      revoked,
      expired: await server.makeKey({ expires_at: '2020-01-01T00:00:00.000Z' }),
      read: server.readKey,
      write: await server.makeKey({ scopes: ['write'] }),
      both: server.key,
    };
  });
  // Instances share the keys; of each access one in CI.
  const asked =
    INSTANCES === 1 || IS_LONG
      ? API
      : [...new Map(API.map((endpoint) => [endpoint.access, endpoint])).values()];
  it.each(asked.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s asks for credentials and scope',
    async (_, endpoint) => {
      const seen: Record<string, string> = {};
      for (const door of doors) {
        server.advance(60_000);
        const { status, body } = await server.call(endpoint.method, path(endpoint.path), {
          key: keys[door],
          ...(endpoint.body !== undefined && { body: {} }),
        });
        seen[door] = status === 401 || status === 403 ? body.error : 'passed';
      }
      const allowed = {
        read: ['read', 'both'],
        suggest: ['write', 'both'],
        write: ['write', 'both'],
        session: [],
        open: [...doors],
      }[endpoint.access] as readonly string[];
      const scoped = (door: string): string =>
        allowed.includes(door) ? 'passed' : 'insufficient_scope';
      const needed = (code: string): string => (endpoint.access === 'open' ? 'passed' : code);
      expect(seen).toEqual({
        none: needed('missing_credentials'),
        wrong: needed('invalid_key'),
        revoked: needed('key_revoked'),
        expired: needed('key_expired'),
        read: scoped('read'),
        write: scoped('write'),
        both: scoped('both'),
      });
    },
  );
});

describe('API keys', () => {
  it('are made by a person, shown once, stored as a MAC, and dead on the request after their end', async () => {
    const made = await callInProcess(server.server, 'POST', '/api/v1/keys', {
      body: { name: 'Agent', scopes: ['read', 'read'], expires_days: 2 },
    });
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body;
    expect(shown).toMatchObject({
      name: 'Agent',
      scopes: ['read'],
      prefix: key.slice(0, 14),
      revoked_at: null,
    });
    expect((await server.call('GET', '/api/v1/projects', { key })).status).toBe(200);
    const usage = async () => (await server.call('GET', '/api/v1/usage')).body as Usage;
    await expect
      .poll(
        async () =>
          (await usage()).api_keys.find((entry) => entry.key_id === shown.key_id)?.last_used_at,
      )
      .not.toBeNull();
    expect(JSON.stringify(await usage())).not.toContain(key.slice(15));
    const revoked = await callInProcess(server.server, 'DELETE', `/api/v1/keys/${shown.key_id}`);
    expect(revoked.body.revoked_at).not.toBeNull();
    expect((await server.call('GET', '/api/v1/projects', { key })).body.error).toBe('key_revoked');
    expect(
      (await callInProcess(server.server, 'DELETE', '/api/v1/keys/0000000000')).body.error,
    ).toBe('not_found');
  });

  it('end when they expire', async () => {
    const made = await callInProcess(server.server, 'POST', '/api/v1/keys', {
      body: { name: 'Brief', scopes: ['read'], expires_days: 1 },
    });
    expect((await server.call('GET', '/api/v1/projects', { key: made.body.key })).status).toBe(200);
    server.advance(25 * HOUR);
    expect((await server.call('GET', '/api/v1/projects', { key: made.body.key })).body.error).toBe(
      'key_expired',
    );
  });

  it('tell of their end only to who holds the whole key', async () => {
    const expired = await server.makeKey({ expires_at: '2020-01-01T00:00:00.000Z' });
    const { crc32 } = await import('node:zlib');
    const body = `${expired.slice(0, 15)}${'0'.repeat(32)}`;
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    let rest = crc32(body);
    let sum = '';
    for (let i = 0; i < 6; i += 1, rest = Math.floor(rest / 62)) sum = digits[rest % 62] + sum;
    expect((await server.call('GET', '/api/v1/projects', { key: body + sum })).body.error).toBe(
      'invalid_key',
    );
  });

  it.each(['Basic abc', 'Bearer', 'Bearer  ', 'bearer x y', 'evs_x', `Token ${'x'.repeat(52)}`])(
    'do not come as %j',
    async (authorization) => {
      const { status, body } = await server.call('GET', '/api/v1/projects', {
        key: null,
        headers: { authorization },
      });
      expect([status, body.error]).toEqual([401, 'invalid_key']);
    },
  );

  // Each instance writes by its own clock.
  alone('have their last use written within a minute, and not with every request', async () => {
    const key = await server.makeKey({ name: 'noted' });
    const lastUse = async (): Promise<string | null> => {
      const { api_keys } = (await server.call('GET', '/api/v1/usage')).body as Usage;
      return api_keys.find((entry) => entry.name === 'noted')!.last_used_at;
    };
    await server.call('GET', '/api/v1/projects', { key });
    const first = await lastUse();
    expect(first).not.toBeNull();
    await server.call('GET', '/api/v1/projects', { key });
    expect(await lastUse()).toBe(first);
    server.advance(60_000);
    await server.call('GET', '/api/v1/projects', { key });
    expect(await lastUse()).not.toBe(first);
  });

  alone('that fail too often are slowed down by address; a valid one always passes', async () => {
    await using limited = await bootServer();
    const wrong = () =>
      limited.call('GET', '/api/v1/projects', {
        key: 'evs_0000000000_000000000000000000000000000000004QB974',
      });
    const codes: string[] = [];
    for (let i = 0; i < 25; i += 1) codes.push((await wrong()).body.error);
    expect(codes.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'invalid_key'));
    expect(codes.slice(20)).toEqual(Array.from({ length: 5 }, () => 'rate_limited'));
    expect(Number((await wrong()).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await limited.call('GET', '/api/v1/projects')).status).toBe(200);
    limited.advance(60_000);
    expect((await wrong()).body.error).toBe('invalid_key');
  });
});

describe('browser sessions', () => {
  it('begin with a link that works once', async () => {
    const link = await createSignInLink(server.deps, server.url);
    const target = link.slice(server.url.length);
    expect(target).toMatch(/^\/sign-in\?token=[A-Za-z0-9_-]{43}$/);
    expect((await server.call('HEAD', target, { key: null })).status).toBe(200);
    const first = await server.call('GET', target, { key: null });
    expect(first.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^evs_session=[A-Za-z0-9_-]{43}; Path=/; Max-Age=604800; HttpOnly; SameSite=${SAME_SITE}$`,
      ),
    );
    const second = await server.call('GET', target, { key: null });
    expect([second.status, second.headers.get('set-cookie')]).toEqual([410, null]);
    expect(second.text).toContain('cannot be used');
    expect(server.log()).not.toContain(target.slice(15));
  });

  it('do not begin with an expired or invented link', async () => {
    const link = await createSignInLink(server.deps, server.url);
    server.advance(LINK_LIFE + 1_000);
    expect((await server.call('GET', link.slice(server.url.length), { key: null })).status).toBe(
      410,
    );
    expect((await server.call('GET', '/sign-in?token=x', { key: null })).status).toBe(410);
    expect((await server.call('GET', '/sign-in', { key: null })).text).toContain(
      'evidence-studio sign-in',
    );
  });

  it('are a person on the API', async () => {
    const cookie = await signIn();
    const { status, body } = await server.call('GET', '/api/v1/session', {
      key: null,
      headers: { cookie },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user: { role: 'owner' },
      home: server.deps.home,
      server: { url: server.url, read_only: false, instance_id: 'test-instance' },
    });
    expect(
      (await server.call('GET', '/api/v1/usage', { key: null, headers: { cookie } })).status,
    ).toBe(200);
    expect(
      (await server.call('GET', '/api/v1/projects', { key: 'evs_wrong', headers: { cookie } })).body
        .error,
    ).toBe('invalid_key');
  });

  it('write only from pages of this server', async () => {
    const cookie = await signIn();
    const write = (headers: Record<string, string>) =>
      server.call('POST', '/api/v1/projects', {
        key: null,
        body: { name: `By ${JSON.stringify(headers)}` },
        headers: { cookie, ...headers },
      });
    expect((await write({})).body.error).toBe('csrf_failed');
    expect((await write({ 'sec-fetch-site': 'none' })).body.error).toBe('csrf_failed');
    expect((await write({ 'sec-fetch-site': 'same-site' })).body.error).toBe('origin_not_allowed');
    expect((await write({ origin: 'http://evil.test' })).body.error).toBe('origin_not_allowed');
    expect((await write({ origin: server.url })).status).toBe(201);
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    const { body } = await server.call('GET', '/api/v1/projects');
    expect(body.data).toHaveLength(2);
  });

  it('end by themselves and by signing out', async () => {
    const cookie = await signIn();
    expect(
      (await server.call('POST', '/sign-out', { key: null, headers: { cookie } })).body.error,
    ).toBe('csrf_failed');
    const out = await server.call('POST', '/sign-out', {
      key: null,
      headers: { cookie, origin: server.url },
    });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      303,
      `evs_session=; Path=/; Max-Age=0; HttpOnly; SameSite=${SAME_SITE}`,
    ]);
    expect(
      (await server.call('GET', '/api/v1/session', { key: null, headers: { cookie } })).body.error,
    ).toBe('missing_credentials');
    const other = await signIn();
    server.advance(SESSION_LIFE + 1_000);
    expect(
      (await server.call('GET', '/api/v1/session', { key: null, headers: { cookie: other } })).body
        .error,
    ).toBe('missing_credentials');
  });
});

describe('connections inside the process', () => {
  it('are the person of this computer, by the name of studio only', async () => {
    expect((await callInProcess(server.server, 'GET', '/api/v1/session')).body.user.user_id).toBe(
      server.deps.store.local.user_id,
    );
    expect(
      (await callInProcess(server.server, 'POST', '/api/v1/sample', { body: {} })).status,
    ).toBe(201);
    expect(
      (await callInProcess(server.server, 'POST', '/api/v1/sample', { body: {} })).status,
    ).toBe(200);
    expect(
      (
        await callInProcess(server.server, 'GET', '/api/v1/session', {
          headers: { origin: 'app://studio' },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await callInProcess(server.server, 'GET', '/api/v1/session', {
          headers: { origin: 'http://evil.test' },
        })
      ).body.error,
    ).toBe('origin_not_allowed');
    const answer = await exchange(
      server.server.connectInProcess(),
      'GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    );
    expect(answer.status).toBe(403);
  });
  it('answer many requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => callInProcess(server.server, 'GET', '/api/v1/projects')),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
