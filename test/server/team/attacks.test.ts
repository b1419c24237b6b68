import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { ENGINES } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, Visitor } from '../../support/visitor.ts';

const MINUTE = 60_000;
const WRONG = 'wrong horse of another stable';

describe.each(ENGINES)('attacks on signing in, on %s', (engine) => {
  const databases: PlainDatabase[] = [];
  /** Two instances on one database where it is PostgreSQL, else one twice. */
  async function boot(): Promise<[TestServer, TestServer]> {
    if (engine === 'SQLite') {
      const server = await bootServer({ deps: { home: 'hosted' } });
      return [server, server];
    }
    const database = await makePlainDatabase(SHARED_POSTGRES);
    databases.push(database);
    const options = { deps: { home: 'hosted' }, databaseUrl: database.url } as const;
    return [await bootServer(options), await bootServer(options)];
  }
  const close = (servers: readonly TestServer[]) =>
    Promise.all([...new Set(servers)].map((server) => server.close()));

  let servers: [TestServer, TestServer];
  let server: TestServer;
  let ada: Visitor;
  beforeAll(async () => {
    servers = await boot();
    [server] = servers;
    ada = await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    await close(servers);
    for (const database of databases) await database.drop();
  });
  const tries = (email: string, count: number, on: TestServer = server) =>
    Promise.all(
      Array.from({ length: count }, () =>
        new Visitor(on).submit('/login', { email, password: WRONG }),
      ),
    );

  it('50 parallel setups make exactly one owner', { timeout: 60_000 }, async () => {
    const fresh = await boot();
    const token = (await createSetupToken(fresh[0].deps))!;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        new Visitor(fresh[index % 2]!).submit('/setup', {
          ...OWNER,
          token,
          email: `owner${index}@example.org`,
          name: `Owner ${index}`,
        }),
      ),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    // Too late, or in a queue that was full.
    expect(statuses.filter((status) => ![303, 403, 404, 503].includes(status))).toEqual([]);
    const { store } = fresh[0].deps;
    const people = await store.read(
      (reader) => reader.team.members(store.local.account_id),
      store.local.account_id,
    );
    expect(people).toMatchObject([{ role: 'owner', email: expect.stringMatching(/^owner\d+@/) }]);
    const trail = await store.read(
      (reader) => reader.auditTrail.after(store.local.account_id, 0, 100),
      store.local.account_id,
    );
    expect(trail.filter((event) => event.action === 'setup.done')).toHaveLength(1);
    expect((await new Visitor(fresh[1]).send('GET', '/setup')).status).toBe(404);
    await close(fresh);
  });

  it('five wrong setup tokens are the end of the right one', async () => {
    const fresh = await boot();
    const token = (await createSetupToken(fresh[0].deps))!;
    for (let count = 0; count < 5; count += 1)
      expect(
        (await new Visitor(fresh[count % 2]!).submit('/setup', { ...OWNER, token: 'A'.repeat(43) }))
          .status,
      ).toBe(403);
    expect((await new Visitor(fresh[0]).submit('/setup', { ...OWNER, token })).status).toBe(403);
    await setUp(fresh[1], await createSetupToken(fresh[1].deps));
    await close(fresh);
  });

  it('a setup token ends after an hour', async () => {
    const fresh = await boot();
    const token = (await createSetupToken(fresh[0].deps))!;
    fresh[0].advance(61 * MINUTE);
    expect((await new Visitor(fresh[0]).submit('/setup', { ...OWNER, token })).status).toBe(403);
    await close(fresh);
  });

  it('session fixation: what a browser held before never becomes a session', async () => {
    const planted = 'P'.repeat(43);
    const victim = new Visitor(server);
    for (const name of ['__Host-evs_session', 'evs_session']) victim.cookies.set(name, planted);
    expect(
      (await victim.submit('/login', { email: OWNER.email, password: OWNER.password })).status,
    ).toBe(303);
    expect(victim.cookies.get('__Host-evs_session')).not.toBe(planted);
    const attacker = new Visitor(server);
    for (const name of ['__Host-evs_session', 'evs_session']) attacker.cookies.set(name, planted);
    expect((await attacker.api('GET', '/session')).status).toBe(401);
    // Signing in again ends the session that the browser held.
    const former = victim.cookies.get('__Host-evs_session')!;
    victim.cookies.delete('evs_session');
    const page = await new Visitor(server).send('GET', '/login');
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)![1]!;
    victim.cookies.set('__Host-evs_form', proof);
    expect(
      (await victim.post('/login', { proof, email: OWNER.email, password: OWNER.password })).status,
    ).toBe(303);
    attacker.cookies.set('__Host-evs_session', former);
    expect((await attacker.api('GET', '/session')).status).toBe(401);
  });

  it('login CSRF: a form that another page sends, or that has no proof, signs nobody in', async () => {
    const page = async () => {
      const visitor = new Visitor(server);
      const { text } = await visitor.send('GET', '/login');
      return { visitor, proof: /name="proof" value="([^"]+)"/.exec(text)![1]! };
    };
    const fields = { email: OWNER.email, password: OWNER.password };
    const attempts: [
      headers: Record<string, string>,
      change: (proof: string) => string,
      code: string,
    ][] = [
      [{ origin: 'https://evil.test' }, (proof) => proof, 'origin_not_allowed'],
      [{ origin: 'null' }, (proof) => proof, 'origin_not_allowed'],
      [{ 'sec-fetch-site': 'cross-site' }, (proof) => proof, 'origin_not_allowed'],
      [{ 'sec-fetch-site': 'same-site' }, (proof) => proof, 'origin_not_allowed'],
      [{}, () => '', 'csrf_failed'],
      [{}, () => 'Q'.repeat(43), 'csrf_failed'],
    ];
    for (const [headers, change, code] of attempts) {
      const { visitor, proof } = await page();
      const answer = await visitor.post('/login', { proof: change(proof), ...fields }, headers);
      expect([answer.body.error, answer.headers.get('set-cookie')]).toEqual([code, null]);
    }
    // The page of one browser and the cookie of another; and no cookie at all.
    const [one, other] = [await page(), await page()];
    expect((await one.visitor.post('/login', { proof: other.proof, ...fields })).body.error).toBe(
      'csrf_failed',
    );
    expect(
      (await new Visitor(server).post('/login', { proof: one.proof, ...fields })).body.error,
    ).toBe('csrf_failed');
    const withoutOrigin = await one.visitor.send('POST', '/login', {
      raw: new URLSearchParams({ proof: one.proof, ...fields }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(withoutOrigin.body.error).toBe('csrf_failed');
    expect((await one.visitor.post('/login', { proof: one.proof, ...fields })).status).toBe(303);
  });

  it('forms are read strictly: other types, fields, repeats and encodings change nothing', async () => {
    const visitor = new Visitor(server);
    const { text } = await visitor.send('GET', '/login');
    const proof = /name="proof" value="([^"]+)"/.exec(text)![1]!;
    const send = (raw: string, type = 'application/x-www-form-urlencoded') =>
      visitor.send('POST', '/login', {
        raw,
        headers: { 'content-type': type, origin: server.url },
      });
    const good = new URLSearchParams({
      proof,
      email: OWNER.email,
      password: OWNER.password,
    }).toString();
    const answers = [
      await send(`${good}&role=owner`),
      await send(`${good}&email=eve%40example.org`),
      await send(`${good}&__proto__=1`),
      await send(good, 'text/plain'),
      await send(JSON.stringify({ proof }), 'application/json'),
      await send(good.replace('password=', 'password=%ff')),
      await send(`${good}${'x'.repeat(9_000)}`),
    ];
    expect(answers.map((answer) => answer.body.error)).toEqual([
      'invalid_request',
      'invalid_request',
      'invalid_request',
      'unsupported_media_type',
      'unsupported_media_type',
      'invalid_encoding',
      'payload_too_large',
    ]);
  });

  const advance = (minutes: number): void =>
    [...new Set(servers)].forEach((each) => each.advance(minutes * MINUTE + 1_000));
  /** Until failures of before do not count, and the owner has given the password again. */
  async function settle(): Promise<void> {
    advance(61);
    expect((await ada.api('POST', '/session/confirm', { password: OWNER.password })).status).toBe(
      200,
    );
  }
  const passwordOf = { [OWNER.email]: OWNER.password };
  const signIn = (email: string, visitor = new Visitor(servers[1])) =>
    visitor.submit('/login', { email, password: passwordOf[email] ?? 'nine slow lanterns drift' });

  /** The browser of somebody who has just joined, signed out. */
  async function knownBrowser(name: string, email: string): Promise<Visitor> {
    const visitor = await joinTeam(server, await invitation(ada), { name, email });
    for (const cookie of visitor.cookies.keys())
      if (cookie.endsWith('evs_session')) visitor.cookies.delete(cookie);
    return visitor;
  }

  it('brute force: a person waits longer with each step of failures, from whatever addresses they come, on every instance', async () => {
    const email = 'brute@example.org';
    const person = await joinTeam(server, await invitation(ada), { name: 'Brute', email });
    const answers = [...(await tries(email, 10)), ...(await tries(email, 10, servers[1]))];
    const count = (status: number): number =>
      answers.filter((answer) => answer.status === status).length;
    expect([count(403), count(429), answers.length]).toEqual([5, 15, 20]);
    // Not even the right password is looked at in a browser that the person never signed in with;
    // who is signed in goes on, and others sign in.
    expect((await signIn(email)).status).toBe(429);
    expect((await person.api('GET', '/session')).status).toBe(200);
    expect((await signIn(OWNER.email)).status).toBe(303);
    const waits: number[] = [];
    // A slow machine spends a part of the shorter waits itself, and needs more rounds.
    while (Math.max(0, ...waits) <= 30 * 60 && waits.length < 20) {
      const limited = (await tries(email, 10)).find((answer) => answer.status === 429);
      const seconds = Number(limited?.headers.get('retry-after'));
      waits.push(seconds);
      for (const each of new Set(servers)) each.advance(seconds * 1_000 + 1_000);
    }
    expect(waits[0]).toBeLessThanOrEqual(60);
    expect(Math.max(...waits)).toBeGreaterThan(30 * 60);
    advance(61);
    expect((await signIn(email)).status).toBe(303);
    await settle();
  });

  it('brute force from 150 addresses: most tries are ignored, owners see it, and a known browser still signs in', async () => {
    await settle();
    const email = 'sprayed@example.org';
    const known = await knownBrowser('Sprayed', email);
    const statuses: number[] = [];
    for (let n = 0; n < 150; n += 1) {
      const visitor = new Visitor(servers[n % 2]!, { 'x-forwarded-for': `198.51.100.${n}` });
      statuses.push((await visitor.submit('/login', { email, password: `${WRONG} ${n}` })).status);
    }
    expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(20);
    expect((await signIn(email)).status).toBe(429);
    expect((await signIn(email, known)).status).toBe(303);
    // Written when its minute is over.
    advance(2);
    const seen = async (): Promise<string[]> =>
      (await ada.api('GET', '/audit?limit=200')).body.data.map(
        (event: { action: string }) => event.action,
      );
    await expect.poll(seen, { timeout: 15_000 }).toContain('sign_in.limited');
  });

  it('a browser is known to those who signed in with it alone, and its own failures count', async () => {
    await settle();
    const email = 'shared@example.org';
    const browser = await knownBrowser('Shared', email);
    await tries(OWNER.email, 6);
    expect((await signIn(OWNER.email, browser)).status).toBe(429);
    // A proof of another browser, a made-up one, and one for another person.
    const proof = browser.cookie('evs_known')!;
    for (const planted of [
      `${'A'.repeat(22)}.${proof.split('.')[1]}`,
      `${proof}.${'B'.repeat(22)}`,
      'x',
      '',
    ]) {
      const visitor = new Visitor(server);
      visitor.cookies.set(
        [...browser.cookies.keys()].find((name) => name.endsWith('evs_known'))!,
        planted,
      );
      expect([planted, (await signIn(OWNER.email, visitor)).status]).toEqual([planted, 429]);
    }
    const own = Array.from({ length: 6 }, () =>
      browser.submit('/login', { email, password: WRONG }),
    );
    expect(
      (await Promise.all(own)).filter((answer) => answer.status === 403).length,
    ).toBeLessThanOrEqual(5);
    expect((await signIn(email)).status).toBe(303);
    await settle();
  });

  it('brute force over many names: an address waits a minute after 30 failures; its known browsers, keys and sessions do not', async () => {
    await settle();
    const colleague = await knownBrowser('Colleague', 'colleague@example.org');
    const answers = (
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          tries(`nobody${index}@example.org`, 1, servers[index % 2]),
        ),
      )
    ).flat();
    const failed = answers.filter((answer) => answer.status === 403).length;
    expect(answers.every((answer) => [403, 429, 503].includes(answer.status))).toBe(true);
    expect(failed).toBeLessThanOrEqual(30);
    for (let more = failed; more < 30; more += 1) await tries(`more${more}@example.org`, 1);
    const refused = (await tries('one.more@example.org', 1))[0]!;
    expect([refused.status, Number(refused.headers.get('retry-after')) <= 60]).toEqual([429, true]);
    expect((await signIn(OWNER.email)).status).toBe(429);
    expect((await signIn('colleague@example.org', colleague)).status).toBe(303);
    expect((await ada.api('GET', '/session')).status).toBe(200);
    advance(1);
    expect((await signIn(OWNER.email)).status).toBe(303);
    await settle();
  });

  it('a clock that ran ahead for a while makes nobody wait until then', async () => {
    const years = 10 * 365 * 24 * 60;
    advance(years);
    await tries('ahead@example.org', 6);
    advance(-years);
    const answers = await tries('ahead@example.org', 1);
    expect(answers.map((answer) => answer.status)).toEqual([403]);
  });

  it('guessing the password of a browser that is signed in is limited as well', async () => {
    const codes: string[] = [];
    for (let count = 0; count < 6; count += 1)
      codes.push((await ada.api('POST', '/session/confirm', { password: WRONG })).body.error);
    expect(codes).toEqual([...Array<string>(5).fill('wrong_password'), 'rate_limited']);
    expect(
      (
        await ada.api('PUT', '/password', {
          current: OWNER.password,
          next: 'twelve silver herons wade',
        })
      ).body.error,
    ).toBe('rate_limited');
    for (const each of new Set(servers)) each.advance(16 * MINUTE);
    expect((await ada.api('POST', '/session/confirm', { password: OWNER.password })).status).toBe(
      200,
    );
  });

  it('one invitation lets one person in, though ten take it at once', async () => {
    const path = await invitation(ada);
    const forms = await Promise.all(
      Array.from({ length: 10 }, (_, index) => new Visitor(servers[index % 2]!).open(path)),
    );
    const answers = await Promise.all(
      forms.map((send, index) =>
        send({
          name: `Guest ${index}`,
          email: `guest${index}@example.org`,
          password: 'nine slow lanterns drift',
        }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([
      303,
      ...Array<number>(9).fill(410),
    ]);
    const { members } = (await ada.api('GET', '/members')).body;
    expect(
      members.filter((member: { name: string }) => member.name.startsWith('Guest')),
    ).toHaveLength(1);
  });

  /**
   * Does both while another transaction holds what `sql` locks: they begin in this order, and none
   * ends before both wait.
   */
  async function whileHeld<A, B>(
    sql: string,
    first: () => Promise<A>,
    second: () => Promise<B>,
  ): Promise<[A, B]> {
    const beside = new pg.Client({ connectionString: databases[0]!.superuserUrl });
    await beside.connect();
    const waiting = async (): Promise<number> =>
      Number(
        (
          await databases[0]!.sql(
            `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        )[0]!.n,
      );
    try {
      await beside.query('BEGIN');
      await beside.query(sql);
      const one = first();
      await expect.poll(waiting).toBe(1);
      const two = second();
      await expect.poll(waiting).toBe(2);
      await beside.query('COMMIT');
      return await Promise.all([one, two]);
    } finally {
      await beside.end();
    }
  }
  const idOf = async (visitor: Visitor): Promise<string> =>
    (await visitor.api('GET', '/session')).body.user.user_id;

  it.runIf(engine === 'PostgreSQL')(
    'of two owners who each remove the other, though a third one stays, the second is one no more',
    async () => {
      const { account_id } = (await ada.api('POST', '/accounts', { name: 'Trio' })).body;
      await ada.api('PUT', '/session', { account_id });
      const [first, second] = [
        await joinTeam(server, await invitation(ada, 'owner'), {
          name: 'First',
          email: 'first@example.org',
        }),
        await joinTeam(server, await invitation(ada, 'owner'), {
          name: 'Other',
          email: 'other@example.org',
        }),
      ];
      const [firstId, secondId] = [await idOf(first), await idOf(second)];
      const answers = await whileHeld(
        `SELECT * FROM accounts WHERE account_id = '${account_id}' FOR NO KEY UPDATE`,
        () => first.api('DELETE', `/members/${secondId}`),
        () => second.api('DELETE', `/members/${firstId}`),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 401]);
      const left = await server.deps.store.read(
        (reader) => reader.team.members(account_id),
        account_id,
      );
      expect(left.map(({ name }) => name).toSorted()).toEqual(['Ada', 'First']);
    },
  );

  it.runIf(engine === 'PostgreSQL')(
    'what an owner makes while being removed goes with them',
    async () => {
      const { account_id } = (await ada.api('POST', '/accounts', { name: 'Leavers' })).body;
      await ada.api('PUT', '/session', { account_id });
      const leaver = await joinTeam(server, await invitation(ada, 'owner'), {
        name: 'Leaver',
        email: 'leaver@example.org',
      });
      const leaverId = await idOf(leaver);
      const [path] = await whileHeld(
        `SELECT * FROM audit_heads WHERE account_id = '${account_id}' FOR NO KEY UPDATE`,
        () => invitation(leaver, 'owner'),
        () => ada.api('DELETE', `/members/${leaverId}`),
      );
      expect((await new Visitor(server).send('GET', path)).status).toBe(410);
    },
  );

  it('two owners who each remove the other leave one', async () => {
    const { account_id } = (await ada.api('POST', '/accounts', { name: 'Duel' })).body;
    await ada.api('PUT', '/session', { account_id });
    const second = await joinTeam(server, await invitation(ada, 'owner'), {
      name: 'Second',
      email: 'second@example.org',
    });
    const [adaId, secondId] = [await idOf(ada), await idOf(second)];
    const answers = await Promise.all([
      ada.api('DELETE', `/members/${secondId}`),
      second.api('DELETE', `/members/${adaId}`),
    ]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const left = await server.deps.store.read(
      (reader) => reader.team.members(account_id),
      account_id,
    );
    expect(left).toMatchObject([{ role: 'owner' }]);
  });
});
