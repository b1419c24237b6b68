import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmPrincipal } from '../../../src/server/auth/authenticate.ts';
import type { Principal } from '../../../src/server/context/principal.ts';
import { invite } from '../../../src/server/auth/invite.ts';
import { hashOf } from '../../../src/server/auth/session.ts';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { ENGINES } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { wireChange } from '../../support/sync-change.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../../support/visitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BOB = { name: 'Bob', email: 'bob@example.org', password: 'nine slow lanterns drift' };

describe.each(ENGINES)('a team on %s', (engine) => {
  let database: PlainDatabase | undefined;
  let server: TestServer;
  let ada: Visitor;

  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    server = await bootServer({
      deps: { home: 'hosted' },
      ...(database && { databaseUrl: database.url }),
    });
    ada = await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database?.drop();
  });
  const session = async (visitor: Visitor) => (await visitor.api('GET', '/session')).body;
  const members = async (visitor: Visitor) => (await visitor.api('GET', '/members')).body;

  it('begins with its owner, and is not set up again', async () => {
    expect(await session(ada)).toMatchObject({
      account: { name: OWNER.team },
      user: { name: 'Ada', email: OWNER.email, role: 'owner' },
      accounts: [{ name: OWNER.team, role: 'owner' }],
      sign_in: 'password',
      home: 'hosted',
    });
    const late = new Visitor(server);
    expect([
      (await late.send('GET', '/setup')).status,
      (await late.post('/setup', {})).status,
    ]).toEqual([404, 404]);
    expect(await createSetupToken(server.deps)).toBeUndefined();
  });

  it('lets its people sign in and out, and leads them on to the studio alone', async () => {
    const visitor = new Visitor(server);
    expect(
      (
        await visitor.submit('/login', { email: ' ADA@example.org ', password: OWNER.password })
      ).headers.get('location'),
    ).toBe('/studio');
    expect(visitor.cookie('evs_session')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await visitor.send('GET', '/login')).status).toBe(303);
    const out = await visitor.send('POST', '/sign-out', { headers: { origin: server.url } });
    expect([out.status, out.headers.get('location'), visitor.cookie('evs_session')]).toEqual([
      303,
      '/login',
      undefined,
    ]);
    for (const [next, to] of [
      ['/studio/runs/run_1', '/studio/runs/run_1'],
      ['https://evil.test', '/studio'],
      ['//evil.test', '/studio'],
      ['/sign-out', '/studio'],
      ['/join', '/join'],
      [`/join/${'a'.repeat(43)}`, '/studio'],
    ]) {
      const again = new Visitor(server);
      const answer = await again.submit(`/login?next=${encodeURIComponent(next!)}`, {
        email: OWNER.email,
        password: OWNER.password,
      });
      expect([next, answer.status, answer.headers.get('location')]).toEqual([next, 303, to]);
    }
  });

  it('ends the session of a browser that signs in again, and says so in the trail', async () => {
    const visitor = new Visitor(server);
    const [first, second] = [await visitor.open('/login'), await visitor.open('/login')];
    const given = { email: OWNER.email, password: OWNER.password };
    expect((await first(given)).status).toBe(303);
    const former = visitor.cookie('evs_session')!;
    expect((await second(given)).status).toBe(303);
    expect(visitor.cookie('evs_session')).not.toBe(former);
    const stale = new Visitor(server);
    stale.cookies.set(
      [...visitor.cookies.keys()].find((name) => name.endsWith('evs_session'))!,
      former,
    );
    expect((await stale.api('GET', '/session')).status).toBe(401);
    const events = (await ada.api('GET', '/audit?limit=2')).body.data as {
      action: string;
      detail: unknown;
    }[];
    expect(events.map(({ action, detail }) => [action, detail])).toEqual([
      ['sign_in.done', { by: 'password' }],
      ['session.ended', { ended: 1, by: 'signing in again' }],
    ]);
  });

  it('says the same of a wrong password and of an address that nobody has', async () => {
    const shown = async (email: string) => {
      const { status, text } = await new Visitor(server).submit('/login', {
        email,
        password: 'not the password',
      });
      return [status, text.replaceAll(email, '<email>').replace(/value="[\w-]{43}"/, '')];
    };
    const known = await shown(OWNER.email);
    expect(known[0]).toBe(403);
    expect(await shown('eve@example.org')).toEqual(known);
  });

  it('grows by a link that works once, and says who is in it', async () => {
    const path = await invitation(ada, 'member', 'Bob from sequencing');
    expect((await members(ada)).invitations).toMatchObject([
      { role: 'member', name: 'Bob from sequencing', created_by: 'Ada' },
    ]);
    const page = await new Visitor(server).send('GET', path);
    expect(page.text).toContain('Join Sequencing');
    const weak = await new Visitor(server).submit(path, { ...BOB, password: 'password1234' });
    expect([weak.status, weak.text]).toEqual([422, expect.stringContaining('tried early')]);
    const bob = await joinTeam(server, path, BOB);
    expect(await session(bob)).toMatchObject({
      account: { name: OWNER.team },
      user: { name: 'Bob', role: 'member' },
    });
    expect((await new Visitor(server).send('GET', path)).status).toBe(410);
    expect(await members(bob)).toMatchObject({
      members: [
        { name: 'Ada', role: 'owner' },
        {
          name: 'Bob',
          email: BOB.email,
          role: 'member',
          last_seen_at: expect.stringMatching(/Z$/),
        },
      ],
      invitations: [],
    });
    expect((await members(ada)).invitations).toEqual([]);
    const taken = await new Visitor(server).submit(await invitation(ada), { ...BOB });
    expect([taken.status, taken.text]).toEqual([
      409,
      expect.stringContaining('signs in with this e-mail address already'),
    ]);
  });

  it('leaves to owners what is theirs, and lets members make keys of their own', async () => {
    const bob = await signInAs(server, BOB.email, BOB.password);
    const adaId = (await session(ada)).user.user_id;
    for (const [method, path, body] of [
      ['POST', '/invitations', { role: 'owner' }],
      ['PUT', `/members/${adaId}`, { role: 'viewer' }],
      ['DELETE', `/members/${adaId}`],
      ['PUT', '/account', { name: 'Mine' }],
    ] as const) {
      expect([path, (await bob.api(method, path, body)).body.error]).toEqual([
        path,
        'insufficient_scope',
      ]);
    }
    const own = (await bob.api('POST', '/keys', { name: 'mine', scopes: ['read', 'write'] })).body;
    const hers = (await ada.api('POST', '/keys', { name: 'hers', scopes: ['read'] })).body;
    const named = async (visitor: Visitor) =>
      (await visitor.api('GET', '/usage')).body.api_keys.map(
        (key: { name: string; user: { name: string } }) => [key.name, key.user.name],
      );
    expect(await named(bob)).toEqual([['mine', 'Bob']]);
    expect(await named(ada)).toEqual(
      expect.arrayContaining([
        ['mine', 'Bob'],
        ['hers', 'Ada'],
      ]),
    );
    expect((await bob.api('DELETE', `/keys/${hers.key_id}`)).body.error).toBe('not_found');
    expect((await ada.api('DELETE', `/keys/${own.key_id}`)).body.revoked_at).not.toBeNull();
  });

  it('has viewers who read, and who look after themselves', async () => {
    const vera = await joinTeam(server, await invitation(ada, 'viewer'), {
      name: 'Vera',
      email: 'vera@example.org',
    });
    expect((await vera.api('POST', '/projects', { name: 'x' })).body.error).toBe('read_only_role');
    expect((await vera.api('POST', '/keys', { name: 'k', scopes: ['write'] })).body.error).toBe(
      'read_only_role',
    );
    expect((await vera.api('POST', '/keys', { name: 'k', scopes: ['read'] })).status).toBe(201);
    expect((await vera.api('DELETE', '/sessions')).body).toEqual({ ended: 0 });
    expect((await vera.send('POST', '/sign-out', { headers: { origin: server.url } })).status).toBe(
      303,
    );
  });

  it('Z3 Z6 asks for the password at each signature, and lets owners approve', async () => {
    const mia = await joinTeam(server, await invitation(ada, 'member'), {
      name: 'Mia',
      email: 'mia@example.org',
    });
    const { project_id } = (await ada.api('POST', '/projects', { name: 'Signed' })).body;
    await ada.api('POST', '/cases', { project_id, case_uid: 'to-sign' });
    const profile_uid = 'trio_rare_disease';
    await ada.api('POST', '/cases/to-sign/evidence', { profile_uid, items: [{ item_uid: 'a' }] });
    const run = (await ada.api('POST', '/runs', { case_uid: 'to-sign', profile_uid })).body;
    const { run_uid, content_hash } = run;
    const sign = (who: Visitor, password?: string) =>
      who.api('POST', `/runs/${run_uid}/signatures`, {
        content_hash,
        meaning: 'review',
        ...(password !== undefined && { password }),
      });
    expect((await sign(mia)).body.error).toBe('wrong_password');
    expect((await sign(mia, OWNER.password)).body.error).toBe('wrong_password');
    const signed = await sign(mia, 'nine slow lanterns drift');
    expect([signed.status, signed.body.confirmed_by, signed.body.signer.name]).toEqual([
      201,
      'password',
      'Mia',
    ]);
    // The password that was given a moment ago counts for nothing.
    expect((await sign(mia)).body.error).toBe('wrong_password');
    const move = (who: Visitor, stage: string, more = {}) =>
      who.api('POST', '/cases/to-sign/stage', { stage, reason: 'r', ...more });
    expect((await move(mia, 'in_review')).status).toBe(200);
    expect((await move(mia, 'approved', { run_uid })).body.error).toBe('insufficient_scope');
    expect((await move(ada, 'approved', { run_uid })).body.stage).toBe('approved');
    expect((await move(mia, 'amended')).body.error).toBe('insufficient_scope');
    const away = wireChange(
      'to-sign',
      (await session(mia)).user.user_id,
      [
        {
          op: 'announce',
          parents: [],
          reg: 'stage/case',
          value: { stage: 'in_review', after: null },
        },
      ],
      'r',
      1_000,
    );
    const pushed = await mia.api('POST', '/sync/cases/to-sign/push', {
      protocol: 1,
      changes: [away],
    });
    expect(pushed.body.error).toBe('insufficient_scope');
    expect((await sign(ada, OWNER.password)).status).toBe(201);
    const listed = `/runs/${run_uid}/signatures?limit=1`;
    const first = (await ada.api('GET', listed)).body;
    const rest = (await ada.api('GET', `${listed}&cursor=${first.next_cursor}`)).body;
    expect(
      [...first.data, ...rest.data].map(({ signer, checks, sent_by }) => [
        signer.name,
        checks.key,
        sent_by,
      ]),
    ).toEqual([
      ['Mia', 'this_server', null],
      ['Ada', 'this_server', null],
    ]);
    expect(rest.next_cursor).toBeNull();
  });

  it('asks for the password again after a quarter of an hour, where it counts', async () => {
    const eva = await joinTeam(server, await invitation(ada, 'owner'), {
      name: 'Eva',
      email: 'eva@example.org',
    });
    server.advance(15 * MINUTE);
    for (const [method, path, body] of [
      ['POST', '/keys', { name: 'k', scopes: ['read'] }],
      ['POST', '/invitations', { role: 'member' }],
      ['PUT', `/members/${(await session(eva)).user.user_id}`, { role: 'member' }],
      ['POST', '/accounts', { name: 'Other' }],
    ] as const) {
      expect([path, (await eva.api(method, path, body)).body.error]).toEqual([
        path,
        'password_needed',
      ]);
    }
    expect((await eva.api('POST', '/session/confirm', { password: 'wrong' })).body.error).toBe(
      'wrong_password',
    );
    const { confirmed_until } = (
      await eva.api('POST', '/session/confirm', { password: 'nine slow lanterns drift' })
    ).body;
    expect(Date.parse(confirmed_until) - server.deps.clock.now()).toBeGreaterThan(14 * MINUTE);
    expect((await eva.api('POST', '/keys', { name: 'k', scopes: ['read'] })).status).toBe(201);
    expect((await ada.api('POST', '/session/confirm', { password: OWNER.password })).status).toBe(
      200,
    );
  });

  it('changes a password, which signs every other browser out, and ends links to choose another', async () => {
    const first = await joinTeam(server, await invitation(ada), {
      name: 'Fay',
      email: 'fay@example.org',
    });
    const second = await signInAs(server, 'fay@example.org', 'nine slow lanterns drift');
    const next = 'eleven quiet harbours glow';
    const { account, user } = await session(first);
    const link = await server.deps.store.transact((writer) =>
      invite(writer, server.deps, server.url, {
        account_id: account.account_id,
        role: 'member',
        name: null,
        user_id: user.user_id,
        created_by: null,
        expires_at: '2099-01-01T00:00:00.000Z',
      }),
    );
    const path = link.url.slice(server.url.length);
    expect((await new Visitor(server).send('GET', path)).status).toBe(200);
    expect((await first.api('PUT', '/password', { current: 'wrong', next })).body.error).toBe(
      'wrong_password',
    );
    expect(
      (await first.api('PUT', '/password', { current: 'nine slow lanterns drift', next: 'short' }))
        .body,
    ).toMatchObject({ error: 'validation_failed', details: [{ path: '/next' }] });
    expect(
      (
        await first.api('PUT', '/password', {
          current: 'nine slow lanterns drift',
          next: 'example-12345678',
        })
      ).body,
    ).toMatchObject({
      error: 'validation_failed',
      details: [{ path: '/next', code: 'guessable' }],
    });
    expect(
      (await first.api('PUT', '/password', { current: 'nine slow lanterns drift', next })).status,
    ).toBe(200);
    expect([
      (await first.api('GET', '/session')).status,
      (await second.api('GET', '/session')).status,
    ]).toEqual([200, 401]);
    expect((await new Visitor(server).send('GET', path)).status).toBe(410);
    await signInAs(server, 'fay@example.org', next);
    expect(
      (
        await new Visitor(server).submit('/login', {
          email: 'fay@example.org',
          password: 'nine slow lanterns drift',
        })
      ).status,
    ).toBe(403);
  });

  it('shows a person their browsers, and ends them', async () => {
    const gus = await joinTeam(server, await invitation(ada), {
      name: 'Gus',
      email: 'gus@example.org',
    });
    const other = await signInAs(server, 'gus@example.org', 'nine slow lanterns drift');
    const { sessions } = (await gus.api('GET', '/sessions')).body;
    expect(sessions).toHaveLength(2);
    expect(sessions.filter((entry: { current: boolean }) => entry.current)).toMatchObject([
      { browser: 'Firefox on Linux', address: '127.0.0.1' },
    ]);
    const theirs = sessions.find((entry: { current: boolean }) => !entry.current).session_id;
    expect((await ada.api('DELETE', `/sessions/${theirs}`)).body.error).toBe('not_found');
    expect((await gus.api('DELETE', `/sessions/${theirs}`)).body).toEqual({ ended: 1 });
    expect((await other.api('GET', '/session')).status).toBe(401);
    const third = await signInAs(server, 'gus@example.org', 'nine slow lanterns drift');
    expect((await gus.api('DELETE', '/sessions')).body).toEqual({ ended: 1 });
    expect([
      (await third.api('GET', '/session')).status,
      (await gus.api('GET', '/session')).status,
    ]).toEqual([401, 200]);
    expect(
      (
        await gus.api(
          'DELETE',
          `/sessions/${(await gus.api('GET', '/sessions')).body.sessions[0].session_id}`,
        )
      ).status,
    ).toBe(200);
    expect((await gus.api('GET', '/session')).status).toBe(401);
  });

  it('lets nobody be in more accounts than anybody works in', async () => {
    const many = await joinTeam(
      server,
      await invitation(await signInAs(server, OWNER.email, OWNER.password), 'viewer'),
      { name: 'Many', email: 'many@example.org' },
    );
    const statuses: number[] = [];
    for (let count = 0; count < 50; count += 1)
      statuses.push((await many.api('POST', '/accounts', { name: `Team ${count}` })).status);
    expect(statuses).toEqual([...Array<number>(49).fill(201), 409]);
  });

  it('keeps one owner at least, and takes from a member who goes what was theirs in it', async () => {
    const owner = await signInAs(server, OWNER.email, OWNER.password);
    const once = {
      headers: { origin: server.url, 'idempotency-key': 'second-team' },
      body: { name: 'Second team' },
    };
    const made = (await owner.send('POST', '/api/v1/accounts', once)).body;
    // Sent again after an answer that got lost.
    expect((await owner.send('POST', '/api/v1/accounts', once)).body).toEqual(made);
    expect(
      (await owner.api('PUT', '/session', { account_id: made.account_id })).body,
    ).toMatchObject({
      account: { name: 'Second team' },
      accounts: [{ name: OWNER.team }, { name: 'Second team', role: 'owner' }],
    });
    const me = (await session(owner)).user.user_id;
    expect((await owner.api('PUT', `/members/${me}`, { role: 'member' })).body.error).toBe(
      'conflict',
    );
    expect((await owner.api('DELETE', `/members/${me}`)).body.error).toBe('conflict');
    const hal = await joinTeam(server, await invitation(owner, 'owner'), {
      name: 'Hal',
      email: 'hal@example.org',
    });
    const { key } = (await hal.api('POST', '/keys', { name: 'agent', scopes: ['read'] })).body;
    const path = await invitation(hal);
    const halId = (await session(hal)).user.user_id;
    expect((await owner.api('DELETE', `/members/${halId}`)).body).toMatchObject({
      name: 'Hal',
      role: 'owner',
    });
    expect((await hal.api('GET', '/session')).status).toBe(401);
    const removed = await server.call('GET', '/api/v1/projects', { key });
    expect([removed.status, removed.body.error]).toEqual([401, 'key_revoked']);
    server.advance(MINUTE);
    const inTrail = async () =>
      (
        (await owner.api('GET', '/audit?limit=20')).body.data as {
          action: string;
          object: string | null;
        }[]
      )
        .filter(({ action }) => action === 'key.refused')
        .map(({ object }) => object);
    await expect.poll(inTrail).toEqual([key.slice(4, 14)]);
    expect((await new Visitor(server).send('GET', path)).status).toBe(410);
    const lost = await new Visitor(server).submit('/login', {
      email: 'hal@example.org',
      password: 'nine slow lanterns drift',
    });
    expect([lost.status, lost.text]).toEqual([403, expect.stringContaining('in no team')]);
    expect((await owner.api('PUT', '/account', { name: 'Renamed' })).body).toEqual({
      account_id: made.account_id,
      name: 'Renamed',
    });
  });

  it('takes in somebody who is signed in already, under their own name, and lets them go between teams', async () => {
    const owner = await signInAs(server, OWNER.email, OWNER.password);
    const { account_id } = (await owner.api('POST', '/accounts', { name: 'Third team' })).body;
    await owner.api('PUT', '/session', { account_id });
    const bob = await signInAs(server, BOB.email, BOB.password);
    const path = await invitation(owner, 'viewer');
    const page = await bob.send('GET', path);
    expect(page.text).toContain('You are signed in as Bob');
    expect((await bob.submit(path, {})).headers.get('location')).toBe('/studio');
    expect(await session(bob)).toMatchObject({
      account: { name: 'Third team' },
      user: { role: 'viewer' },
      accounts: [
        { name: OWNER.team, role: 'member' },
        { name: 'Third team', role: 'viewer' },
      ],
    });
    const events = (await owner.api('GET', '/audit?limit=2')).body.data as {
      action: string;
      detail: unknown;
    }[];
    expect(events.map(({ action, detail }) => [action, detail])).toEqual([
      ['session.switched', { from: expect.any(String), to: account_id }],
      ['member.joined', expect.anything()],
    ]);
    const again = await bob.submit(await invitation(owner), {});
    expect([again.status, again.text]).toEqual([
      409,
      expect.stringContaining('member of the account already'),
    ]);
    const first = (await session(bob)).accounts[0].account_id;
    const { user } = await session(bob);
    const before: Principal = {
      actor: {
        account_id: first,
        user_id: user.user_id,
        user_name: 'Bob',
        kind: 'human',
        key_id: null,
        key_name: null,
      },
      authMethod: 'session',
      scopes: [],
      projects: null,
      role: 'member',
      session: hashOf(bob.cookie('evs_session')!),
    };
    const stands = (caller: Principal) =>
      server.deps.store.read((reader) =>
        confirmPrincipal(caller, { method: 'POST', access: 'write' }, reader),
      );
    await expect(
      stands(before),
      'a request in the former account that is still under way',
    ).rejects.toMatchObject({ code: 'missing_credentials' });
    expect((await bob.api('PUT', '/session', { account_id: first })).body).toMatchObject({
      account: { account_id: first },
      user: { role: 'member' },
    });
    expect(
      (await bob.api('PUT', '/session', { account_id: `acc_${'0'.repeat(26)}` })).body.error,
    ).toBe('not_found');
  });

  it('ends a session that is not used for twelve hours, and any after seven days', async () => {
    const idle = await signInAs(server, OWNER.email, OWNER.password);
    const busy = await signInAs(server, OWNER.email, OWNER.password);
    server.advance(11 * HOUR);
    expect((await busy.api('GET', '/usage')).status).toBe(200);
    // Usage is flushed before it is read, and with it when a session was last in use.
    expect((await busy.api('GET', '/usage')).status).toBe(200);
    server.advance(1.5 * HOUR);
    expect([
      (await idle.api('GET', '/session')).status,
      (await busy.api('GET', '/session')).status,
    ]).toEqual([401, 200]);
    for (let hours = 12; hours < 7 * 24; hours += 11) {
      server.advance(11 * HOUR);
      await busy.api('GET', '/usage');
      await busy.api('GET', '/usage');
    }
    expect((await busy.api('GET', '/session')).status).toBe(401);
  });

  it('keeps no password, token or e-mail in its log', async () => {
    const owner = await signInAs(server, OWNER.email, OWNER.password);
    const path = await invitation(owner);
    await new Visitor(server).send('GET', path);
    expect(server.log()).toContain('"/join"');
    for (const secret of [
      path.slice('/join#'.length),
      owner.cookie('evs_session')!,
      OWNER.password,
      'nine slow lanterns drift',
      ada.cookie('evs_session')!,
      OWNER.email,
    ])
      expect(server.log()).not.toContain(secret);
  });
});
