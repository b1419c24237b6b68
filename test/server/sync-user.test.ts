import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let cookie: string;
beforeAll(async () => {
  server = await bootServer();
  const link = await createSignInLink(server.deps, server.url);
  cookie = (await server.call('GET', link.slice(server.url.length), { key: null })).headers
    .get('set-cookie')!
    .split(';')[0]!;
});
afterAll(() => server.close());

const asked = (method: string, target: string, owner: string, body?: unknown) =>
  server.call(method, target, {
    key: null,
    headers: { cookie, origin: server.url, 'sync-user': owner },
    ...(body === undefined ? {} : { body }),
  });

it('nothing is read or written for a window that shows another user or account; which one is open may always be asked', async () => {
  const { user_id, account_id } = server.deps.store.local;
  for (const owner of [user_id, `${user_id}@${account_id}`]) {
    expect((await asked('POST', '/api/v1/projects', owner, { name: 'Mine' })).status).toBeLessThan(
      300,
    );
    expect((await asked('GET', '/api/v1/projects', owner)).status).toBe(200);
  }
  for (const owner of [
    'usr_other',
    `${user_id}@acc_other`,
    `usr_other@${account_id}`,
    '@',
    `${user_id}@`,
  ]) {
    const refused = [
      await asked('POST', '/api/v1/projects', owner, { name: 'Not mine' }),
      await asked('GET', '/api/v1/usage', owner),
    ];
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [409, 'other_user'],
      [409, 'other_user'],
    ]);
    expect((await asked('GET', '/api/v1/session', owner)).status).toBe(200);
  }
  expect((await server.call('GET', '/api/v1/projects')).body.data).toMatchObject([
    { name: 'Mine' },
  ]);
});
