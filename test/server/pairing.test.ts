import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  bootServer,
  type CallOptions,
  type TestAnswer,
  type TestServer,
} from '../support/server.ts';
import { callInProcess } from '../support/in-process.ts';

const PATH = '/api/v1/pairing';
const MINUTES = 60_000;
let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());
// Every request of a test ends, and the allowance of the next is whole again.
afterEach(() => server.advance(10 * MINUTES));

const ask = (body: unknown = { name: 'Claude Code' }, options: CallOptions = {}) =>
  server.call('POST', PATH, { key: null, body, ...options });
const collect = ({ pairing_id, secret }: { pairing_id: string; secret: string }) =>
  server.call('POST', `${PATH}/${pairing_id}/key`, { key: null, body: { secret } });
const decide = (pairing: { pairing_id: string }, body: unknown) =>
  callInProcess(server.server, 'POST', `${PATH}/${pairing.pairing_id}/decision`, { body });
const waiting = async () => (await callInProcess(server.server, 'GET', PATH)).body.data;
const said = ({ status, body }: Pick<TestAnswer, 'status' | 'body'>) => [status, body.error];

describe('pairing', () => {
  it('lets a program in once a person allows it, and hands the key over once', async () => {
    const { status, body: pairing } = await ask();
    expect(status).toBe(201);
    expect(pairing.code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    expect((await collect(pairing)).body).toEqual({ state: 'waiting', api_key: null });
    expect(await waiting()).toEqual([
      {
        pairing_id: pairing.pairing_id,
        name: 'Claude Code',
        scopes: ['suggest'],
        projects: null,
        code: pairing.code,
        asked_at: expect.any(String),
        expires_at: pairing.expires_at,
      },
    ]);
    expect((await decide(pairing, { decision: 'allow', expires_days: 30 })).body).toEqual({
      pairing_id: pairing.pairing_id,
      state: 'allowed',
      scopes: ['suggest'],
      projects: null,
    });
    expect(await waiting()).toEqual([]);
    const both = await Promise.all([collect(pairing), collect(pairing)]);
    const handed = both.find((answer) => answer.status === 200)!.body;
    expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 404]);
    const { key, ...shown } = handed.api_key;
    expect(handed.state).toBe('allowed');
    expect(shown).toMatchObject({ name: 'Claude Code', scopes: ['suggest'], projects: null });
    expect(shown.expires_at).not.toBeNull();
    expect((await server.call('GET', '/api/v1/profiles', { key })).status).toBe(200);
    expect(
      said(await server.call('POST', '/api/v1/projects', { key, body: { name: 'P' } })),
    ).toEqual([403, 'insufficient_scope']);
    const { body: audit } = await callInProcess(server.server, 'GET', '/api/v1/audit');
    expect(audit.data ?? audit.events).toContainEqual(
      expect.objectContaining({
        action: 'key.created',
        object: shown.key_id,
        detail: expect.objectContaining({ pairing: pairing.pairing_id }),
      }),
    );
    for (const secret of [pairing.secret, key]) expect(server.log()).not.toContain(secret);
  });

  it('hands nothing to whoever is refused, and is decided once', async () => {
    const before = await server.stored();
    const { body: pairing } = await ask();
    expect((await decide(pairing, { decision: 'refuse' })).status).toBe(200);
    expect((await collect(pairing)).body).toEqual({ state: 'refused', api_key: null });
    expect(said(await decide(pairing, { decision: 'allow' }))).toEqual([409, 'conflict']);
    expect((await collect(pairing)).body.state).toBe('refused');
    expect(await server.stored()).toBe(before);

    const { body: other } = await ask();
    const decisions = await Promise.all(
      ['allow', 'allow', 'refuse'].map((decision) => decide(other, { decision })),
    );
    expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it('gives no more than was asked for, and less where the person says so', async () => {
    const project = async (name: string) =>
      (await server.call('POST', '/api/v1/projects', { body: { name } })).body.project_id;
    const [first, second] = [await project('First'), await project('Second')];
    const { body: pairing } = await ask({
      name: 'a',
      scopes: ['read', 'write'],
      projects: [first],
    });
    for (const [body, path] of [
      [{ scopes: ['read', 'delete'] }, '/scopes'],
      [{ projects: null }, '/projects'],
      [{ projects: [first, second] }, '/projects'],
    ] as const) {
      const refused = await decide(pairing, { decision: 'allow', ...body });
      expect([refused.status, refused.body.details[0].path]).toEqual([422, path]);
    }
    expect(said(await decide(pairing, { decision: 'refuse', scopes: ['read'] }))).toEqual([
      422,
      'validation_failed',
    ]);
    expect((await decide(pairing, { decision: 'allow', scopes: ['suggest'] })).status).toBe(200);
    const { api_key } = (await collect(pairing)).body;
    expect(api_key).toMatchObject({ scopes: ['suggest'], projects: [first] });

    const { body: whole } = await ask({ name: 'b' });
    await decide(whole, { decision: 'allow', scopes: ['read'], projects: [second] });
    expect((await collect(whole)).body.api_key).toMatchObject({
      scopes: ['read'],
      projects: [second],
    });
  });

  it('ends after five minutes, allowed or not', async () => {
    const { body: waited } = await ask();
    const { body: allowed } = await ask();
    await decide(allowed, { decision: 'allow' });
    server.advance(5 * MINUTES);
    expect(said(await collect(allowed))).toEqual([404, 'not_found']);
    expect(said(await collect(waited))).toEqual([404, 'not_found']);
    expect(said(await decide(waited, { decision: 'allow' }))).toEqual([404, 'not_found']);
    expect(await waiting()).toEqual([]);
  });

  it('is kept where a request that came before it is answered after it', async () => {
    const { body: pairing } = await ask();
    // What it was asked under is behind by as long as a request may take.
    server.advance(-10);
    expect(await waiting()).toMatchObject([{ pairing_id: pairing.pairing_id }]);
    server.advance(-30_000);
    expect((await collect(pairing)).body).toEqual({ state: 'waiting', api_key: null });
    server.advance(30_010);
    expect((await decide(pairing, { decision: 'allow' })).status).toBe(200);
    expect((await collect(pairing)).body).toMatchObject({ state: 'allowed' });
  });

  it('ends where the clock was set back by more, which would keep it longer', async () => {
    const { body: pairing } = await ask();
    server.advance(-2 * MINUTES);
    expect(await waiting()).toEqual([]);
    server.advance(2 * MINUTES);
    expect((await collect(pairing)).status).toBe(404);
  });

  it('is for the holder of the secret alone', async () => {
    const { body: pairing } = await ask();
    const { body: other } = await ask();
    await decide(pairing, { decision: 'allow' });
    const guess = { ...pairing, secret: other.secret };
    expect(said(await collect(guess))).toEqual([404, 'not_found']);
    expect(said(await collect({ ...pairing, secret: 'x' }))).toEqual([422, 'validation_failed']);
    const inUrl = await server.call(
      'POST',
      `${PATH}/${pairing.pairing_id}/key?secret=${pairing.secret}`,
      { key: null, body: { secret: pairing.secret } },
    );
    expect(said(inUrl)).toEqual([400, 'invalid_query']);
    expect((await collect(pairing)).body.state).toBe('allowed');
  });

  it('cannot be asked for or completed by a page of a browser', async () => {
    const { body: pairing } = await ask();
    await decide(pairing, { decision: 'allow' });
    const before = await server.stored();
    for (const [name, value] of [
      ['origin', server.url],
      ['origin', 'https://example.org'],
      ['origin', 'null'],
      ['sec-fetch-site', 'same-origin'],
      ['sec-fetch-site', 'none'],
      ['sec-fetch-dest', 'empty'],
      ['cookie', 'evs_session=1'],
    ] as const) {
      const headers = { [name]: value };
      expect(said(await ask({ name: 'page' }, { headers }))).toEqual([403, 'origin_not_allowed']);
      const answer = await server.call('POST', `${PATH}/${pairing.pairing_id}/key`, {
        key: null,
        body: { secret: pairing.secret },
        headers,
      });
      expect(said(answer)).toEqual([403, 'origin_not_allowed']);
    }
    // What a page may send to another origin without asking that first.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect(
        said(await ask(undefined, { raw: '{"name":"p"}', headers: { 'content-type': type } })),
      ).toEqual([415, 'unsupported_media_type']);
    const preflight = await server.call('OPTIONS', PATH, { key: null });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(await server.stored()).toBe(before);
    expect(await waiting()).toEqual([]);
  });

  it('comes from this computer, by no proxy', async () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'via'])
      expect(said(await ask({ name: 'far' }, { headers: { [header]: 'x' } }))).toEqual([
        403,
        'origin_not_allowed',
      ]);
    const { address } =
      Object.values(networkInterfaces())
        .flatMap((each) => each ?? [])
        .find(({ internal, family }) => !internal && family === 'IPv4') ?? {};
    if (address === undefined) return;
    const reached = request({ host: address, port: server.server.port, path: PATH }).end();
    const [error] = await once(reached, 'error');
    expect(error.code).toBe('ECONNREFUSED');
  });

  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is not for another user of this computer',
    async () => {
      const program = `const answer = await fetch(${JSON.stringify(server.url + PATH)}, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"other"}',
      });
      console.log(answer.status, await answer.text());`;
      const asked = (uid: number) =>
        promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
          uid,
          cwd: '/',
        });
      expect((await asked(65_534)).stdout).toMatch(/^403 [^]*the person whose studio this is/);
      expect((await asked(0)).stdout).toMatch(/^201 /);
    },
  );

  it('is decided by a person and by no key', async () => {
    const { body: pairing } = await ask();
    for (const [method, path, body] of [
      ['GET', PATH, undefined],
      ['POST', `${PATH}/${pairing.pairing_id}/decision`, { decision: 'allow' }],
    ] as const) {
      expect(said(await server.call(method, path, { body }))).toEqual([403, 'insufficient_scope']);
      expect(said(await server.call(method, path, { key: null, body }))).toEqual([
        401,
        'missing_credentials',
      ]);
    }
    expect((await collect(pairing)).body.state).toBe('waiting');
  });

  it('takes no name that a person cannot read', async () => {
    for (const name of ['', 'a\u202eb', 'a\u200bb', 'two\nlines', 'x'.repeat(101), 'a\u{e0041}'])
      expect(said(await ask({ name }))).toEqual([422, 'validation_failed']);
    expect(await waiting()).toEqual([]);
  });

  it('is limited in how often anybody asks', async () => {
    const asked: TestAnswer[] = [];
    for (let at = 0; at < 8; at += 1) asked.push(await ask());
    expect(asked.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 6 }, () => 201),
      429,
      429,
    ]);
    expect(Number(asked.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(1);
    // Some of so many come too often, however slow the machine is.
    const polls = (
      await Promise.all(Array.from({ length: 60 }, () => collect(asked[0]!.body)))
    ).map(({ status }) => status);
    expect(new Set(polls)).toEqual(new Set([200, 429]));
  });
});
