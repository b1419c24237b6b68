import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { readConfig } from '../../src/server/config/config.ts';
import type { CopyRules } from '../../src/server/context/deps.ts';
import type { CopyKey } from '../../src/shared/contract/v1/account.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { Visitor } from '../support/visitor.ts';

const copies: CopyRules = { keep: 'yes', offlineMs: 7_200_000 };
let server: TestServer;
beforeAll(async () => {
  server = await bootServer({ deps: { copies } });
});
afterAll(() => server.close());

const BROWSER = 'a'.repeat(32);
async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(server);
  await visitor.send(
    'GET',
    (await createSignInLink(server.deps, server.url)).slice(server.url.length),
  );
  return visitor;
}
const ask = async (visitor: Visitor, browser = BROWSER): Promise<CopyKey> => {
  const { status, body } = await visitor.api('GET', `/session/copy-key?browser=${browser}`);
  expect(status).toBe(200);
  return body as CopyKey;
};

describe('what opens the copies in a browser', () => {
  it('is the same at every sign-in of a person in a browser, and another in every other browser', async () => {
    const [first, again] = [await ask(await signedIn()), await ask(await signedIn())];
    expect(first).toEqual({
      user_id: server.deps.store.local.user_id,
      secret: expect.stringMatching(/^[\w-]{43}$/),
      keep: true,
      offline_seconds: 7_200,
    });
    expect(again).toEqual(first);
    expect((await ask(await signedIn(), 'b'.repeat(32))).secret).not.toBe(first.secret);
  });

  it('is for people in a session alone, and not at all once it has ended', async () => {
    const path = `/api/v1/session/copy-key?browser=${BROWSER}`;
    expect((await server.call('GET', path)).status).toBe(403);
    expect((await server.call('GET', path, { key: null })).status).toBe(401);
    const visitor = await signedIn();
    await visitor.post('/sign-out', {});
    expect((await visitor.api('GET', `/session/copy-key?browser=${BROWSER}`)).status).toBe(401);
    expect((await (await signedIn()).api('GET', '/session/copy-key?browser=short')).status).toBe(
      400,
    );
  });

  it('says that none may be kept, and keeps what is unsent within reach; without its own secret it says neither', async () => {
    const visitor = await signedIn();
    const { secret } = await ask(visitor);
    for (const [keep, given] of [
      ['no', secret],
      ['unknown', null],
    ] as const) {
      copies.keep = keep;
      expect(await ask(visitor)).toMatchObject({ secret: given, keep: false, offline_seconds: 0 });
    }
  });

  it('follows the settings', () => {
    const of = (more: Record<string, string> = {}): [boolean, number] => {
      const { offlineCopies, offlineMs } = readConfig(more);
      return [offlineCopies, offlineMs / 3_600_000];
    };
    expect([
      of(),
      of({ EVIDENCE_STUDIO_OFFLINE_COPIES: 'off' }),
      of({ EVIDENCE_STUDIO_OFFLINE_HOURS: '0' }),
    ]).toEqual([
      [true, 12],
      [false, 12],
      [true, 0],
    ]);
    for (const [name, value] of [
      ['EVIDENCE_STUDIO_OFFLINE_COPIES', 'no'],
      ['EVIDENCE_STUDIO_OFFLINE_HOURS', '169'],
    ] as const)
      expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});
