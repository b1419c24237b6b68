import { afterAll, beforeAll, expect, describe, it } from 'vitest';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { callInProcess } from '../../support/in-process.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { Visitor } from '../../support/visitor.ts';

describe('a studio of one person', () => {
  let server: TestServer;
  let person: Visitor;
  beforeAll(async () => {
    server = await bootServer();
    person = new Visitor(server);
    await person.send(
      'GET',
      (await createSignInLink(server.deps, server.url)).slice(server.url.length),
    );
  });
  afterAll(() => server.close());

  it('has no pages to sign in by a password', async () => {
    for (const path of ['/setup', '/login', '/join', '/join.js']) {
      expect([
        path,
        (await person.send('GET', path)).body.error,
        (await person.post(path, {})).body.error,
      ]).toEqual([path, 'not_found', 'not_found']);
    }
  });

  it('says what is true of its team: one owner, whom nobody joins', async () => {
    expect((await person.api('GET', '/session')).body).toMatchObject({
      user: { role: 'owner', email: null },
      accounts: [{ role: 'owner' }],
      sign_in: 'link',
    });
    expect((await person.api('GET', '/members')).body).toMatchObject({
      members: [{ role: 'owner', email: null }],
      invitations: [],
    });
    expect((await person.api('GET', '/sessions')).body.sessions).toMatchObject([
      { current: true, browser: 'Firefox on Linux' },
    ]);
    expect((await person.api('POST', '/invitations', { role: 'member' })).body.error).toBe(
      'conflict',
    );
    expect((await person.api('POST', '/accounts', { name: 'Other' })).body.error).toBe('conflict');
    expect(
      (await person.api('PUT', '/password', { current: 'x', next: 'nine slow lanterns drift' }))
        .body.error,
    ).toBe('conflict');
    expect((await person.api('PUT', '/account', { name: 'My laboratory' })).body.name).toBe(
      'My laboratory',
    );
    expect((await person.api('GET', '/session')).body.account.name).toBe('My laboratory');
  });

  it('never asks for a password, however long ago its person signed in', async () => {
    server.advance(3 * 24 * 3_600_000);
    expect((await person.api('POST', '/keys', { name: 'k', scopes: ['read'] })).status).toBe(201);
    expect((await person.api('POST', '/session/confirm', { password: 'x' })).body).toEqual({
      confirmed_until: null,
    });
  });

  it('is the same in the window, which has no session', async () => {
    expect((await callInProcess(server.server, 'GET', '/api/v1/session')).body).toMatchObject({
      user: { role: 'owner' },
      accounts: [{ role: 'owner' }],
    });
    expect(
      (await callInProcess(server.server, 'GET', '/api/v1/members')).body.members,
    ).toHaveLength(1);
    expect(
      (await callInProcess(server.server, 'GET', '/api/v1/sessions')).body.sessions.every(
        (session: { current: boolean }) => !session.current,
      ),
    ).toBe(true);
  });
});
