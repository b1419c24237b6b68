import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { makePlainDatabase, type PlainDatabase } from '../../support/plain-database.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, Visitor } from '../../support/visitor.ts';

const MINUTE = 60_000;
const WRONG = 'wrong horse of another stable';

describe.each(['SQLite', 'PostgreSQL'] as const)('attacks on signing in, on %s', (engine) => {
  let postgres: RunningPostgres | undefined;
  const databases: PlainDatabase[] = [];
  /** Two instances on one database where it is PostgreSQL, else one twice. */
  async function boot(): Promise<[TestServer, TestServer]> {
    if (postgres === undefined) {
      const server = await bootServer({ deps: { home: 'hosted' } });
      return [server, server];
    }
    const database = await makePlainDatabase(postgres.url);
    databases.push(database);
    const options = { deps: { home: 'hosted' }, databaseUrl: database.url } as const;
    return [await bootServer(options), await bootServer(options)];
  }
  const close = (servers: readonly TestServer[]) => Promise.all([...new Set(servers)].map((server) => server.close()));

  let servers: [TestServer, TestServer];
  let server: TestServer;
  let ada: Visitor;
  beforeAll(async () => {
    postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined;
    servers = await boot();
    [server] = servers;
    ada = await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    await close(servers);
    for (const database of databases) await database.drop();
    await postgres?.stop();
  });
  const tries = (email: string, count: number, on: TestServer = server) => Promise.all(Array.from({ length: count }, () => new Visitor(on).submit('/login', { email, password: WRONG })));

  it('50 parallel setups make exactly one owner', { timeout: 60_000 }, async () => {
    const fresh = await boot();
    const token = (await createSetupToken(fresh[0].deps))!;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => new Visitor(fresh[index % 2]!).submit('/setup', { ...OWNER, token, email: `owner${index}@example.org`, name: `Owner ${index}` })),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    // Too late, or in a queue that was full.
    expect(statuses.filter((status) => ![303, 403, 404, 503].includes(status))).toEqual([]);
    const { store } = fresh[0].deps;
    const people = await store.read((reader) => reader.team.members(store.local.account_id), store.local.account_id);
    expect(people).toMatchObject([{ role: 'owner', email: expect.stringMatching(/^owner\d+@/) }]);
    const trail = await store.read((reader) => reader.auditTrail.after(store.local.account_id, 0, 100), store.local.account_id);
    expect(trail.filter((event) => event.action === 'setup.done')).toHaveLength(1);
    expect((await new Visitor(fresh[1]).send('GET', '/setup')).status).toBe(404);
    await close(fresh);
  });

  it('five wrong setup tokens are the end of the right one', async () => {
    const fresh = await boot();
    const token = (await createSetupToken(fresh[0].deps))!;
    for (let count = 0; count < 5; count += 1) expect((await new Visitor(fresh[count % 2]!).submit('/setup', { ...OWNER, token: 'A'.repeat(43) })).status).toBe(403);
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
    expect((await victim.submit('/login', { email: OWNER.email, password: OWNER.password })).status).toBe(303);
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
    expect((await victim.post('/login', { proof, email: OWNER.email, password: OWNER.password })).status).toBe(303);
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
    const attempts: [headers: Record<string, string>, change: (proof: string) => string, code: string][] = [
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
    expect((await one.visitor.post('/login', { proof: other.proof, ...fields })).body.error).toBe('csrf_failed');
    expect((await new Visitor(server).post('/login', { proof: one.proof, ...fields })).body.error).toBe('csrf_failed');
    const withoutOrigin = await one.visitor.send('POST', '/login', { raw: new URLSearchParams({ proof: one.proof, ...fields }).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(withoutOrigin.body.error).toBe('csrf_failed');
    expect((await one.visitor.post('/login', { proof: one.proof, ...fields })).status).toBe(303);
  });

  it('forms are read strictly: other types, fields, repeats and encodings change nothing', async () => {
    const visitor = new Visitor(server);
    const { text } = await visitor.send('GET', '/login');
    const proof = /name="proof" value="([^"]+)"/.exec(text)![1]!;
    const send = (raw: string, type = 'application/x-www-form-urlencoded') => visitor.send('POST', '/login', { raw, headers: { 'content-type': type, origin: server.url } });
    const good = new URLSearchParams({ proof, email: OWNER.email, password: OWNER.password }).toString();
    const answers = [await send(`${good}&role=owner`), await send(`${good}&email=eve%40example.org`), await send(`${good}&__proto__=1`), await send(good, 'text/plain'), await send(JSON.stringify({ proof }), 'application/json'), await send(good.replace('password=', 'password=%ff')), await send(`${good}${'x'.repeat(9_000)}`)];
    expect(answers.map((answer) => answer.body.error)).toEqual(['invalid_request', 'invalid_request', 'invalid_request', 'unsupported_media_type', 'unsupported_media_type', 'invalid_encoding', 'payload_too_large']);
  });

  it('brute force: after five failures from one address a name waits a quarter of an hour, on every instance, though all are sent at once', async () => {
    const email = 'brute@example.org';
    const person = await joinTeam(server, await invitation(ada), { name: 'Brute', email });
    const answers = [...(await tries(email, 10)), ...(await tries(email, 10, servers[1]))];
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
    expect([count(403), count(429), answers.length]).toEqual([5, 15, 20]);
    const limited = answers.find((answer) => answer.status === 429)!;
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    // Not even the right password is looked at; who is signed in goes on, and others sign in.
    expect((await new Visitor(servers[1]).submit('/login', { email, password: 'nine slow lanterns drift' })).status).toBe(429);
    expect((await person.api('GET', '/session')).status).toBe(200);
    expect((await new Visitor(servers[1]).submit('/login', { email: OWNER.email, password: OWNER.password })).status).toBe(303);
    for (const each of new Set(servers)) each.advance(15 * MINUTE + 1_000);
    expect((await new Visitor(servers[1]).submit('/login', { email, password: 'nine slow lanterns drift' })).status).toBe(303);
  });

  it('brute force over many names: an address waits after thirty failures, and what holds a key or a session is answered meanwhile', async () => {
    for (const each of new Set(servers)) each.advance(61 * MINUTE);
    const answers = (await Promise.all(Array.from({ length: 40 }, (_, index) => tries(`nobody${index}@example.org`, 1, servers[index % 2])))).flat();
    const failed = answers.filter((answer) => answer.status === 403).length;
    expect(answers.every((answer) => [403, 429, 503].includes(answer.status))).toBe(true);
    expect(failed).toBeLessThanOrEqual(30);
    for (let more = failed; more < 30; more += 1) await tries(`more${more}@example.org`, 1);
    expect((await tries('one.more@example.org', 1))[0]!.status).toBe(429);
    expect((await new Visitor(server).submit('/login', { email: OWNER.email, password: OWNER.password })).status).toBe(429);
    expect((await ada.api('GET', '/session')).status).toBe(200);
    for (const each of new Set(servers)) each.advance(61 * MINUTE);
  });

  it('guessing the password of a browser that is signed in is limited as well', async () => {
    const codes: string[] = [];
    for (let count = 0; count < 6; count += 1) codes.push((await ada.api('POST', '/session/confirm', { password: WRONG })).body.error);
    expect(codes).toEqual([...Array<string>(5).fill('wrong_password'), 'rate_limited']);
    expect((await ada.api('PUT', '/password', { current: OWNER.password, next: 'twelve silver herons wade' })).body.error).toBe('rate_limited');
    for (const each of new Set(servers)) each.advance(16 * MINUTE);
    expect((await ada.api('POST', '/session/confirm', { password: OWNER.password })).status).toBe(200);
  });

  it('one invitation lets one person in, though ten take it at once', async () => {
    const path = await invitation(ada);
    const forms = await Promise.all(Array.from({ length: 10 }, (_, index) => new Visitor(servers[index % 2]!).open(path)));
    const answers = await Promise.all(forms.map((send, index) => send({ name: `Guest ${index}`, email: `guest${index}@example.org`, password: 'nine slow lanterns drift' })));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([303, ...Array<number>(9).fill(410)]);
    const { members } = (await ada.api('GET', '/members')).body;
    expect(members.filter((member: { name: string }) => member.name.startsWith('Guest'))).toHaveLength(1);
  });

  /** Does both while another transaction holds what `sql` locks: they begin in this order, and none ends before both wait. */
  async function whileHeld<A, B>(sql: string, first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
    const beside = new pg.Client({ connectionString: databases[0]!.superuserUrl });
    await beside.connect();
    const waiting = async (): Promise<number> => Number((await databases[0]!.sql(`SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))[0]!.n);
    try {
      await beside.query('BEGIN');
      await beside.query(sql);
      const one = first();
      await expect.poll(waiting, { timeout: 5_000 }).toBe(1);
      const two = second();
      await expect.poll(waiting, { timeout: 5_000 }).toBe(2);
      await beside.query('COMMIT');
      return await Promise.all([one, two]);
    } finally {
      await beside.end();
    }
  }
  const idOf = async (visitor: Visitor): Promise<string> => (await visitor.api('GET', '/session')).body.user.user_id;

  it.runIf(engine === 'PostgreSQL')('of two owners who each remove the other, though a third one stays, the second is one no more', async () => {
    const { account_id } = (await ada.api('POST', '/accounts', { name: 'Trio' })).body;
    await ada.api('PUT', '/session', { account_id });
    const [first, second] = [await joinTeam(server, await invitation(ada, 'owner'), { name: 'First', email: 'first@example.org' }), await joinTeam(server, await invitation(ada, 'owner'), { name: 'Other', email: 'other@example.org' })];
    const [firstId, secondId] = [await idOf(first), await idOf(second)];
    const answers = await whileHeld('SELECT * FROM accounts FOR NO KEY UPDATE', () => first.api('DELETE', `/members/${secondId}`), () => second.api('DELETE', `/members/${firstId}`));
    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
    const left = await server.deps.store.read((reader) => reader.team.members(account_id), account_id);
    expect(left.map(({ name }) => name).toSorted()).toEqual(['Ada', 'First']);
  });

  it.runIf(engine === 'PostgreSQL')('what an owner makes while being removed goes with them', async () => {
    const { account_id } = (await ada.api('POST', '/accounts', { name: 'Leavers' })).body;
    await ada.api('PUT', '/session', { account_id });
    const leaver = await joinTeam(server, await invitation(ada, 'owner'), { name: 'Leaver', email: 'leaver@example.org' });
    const leaverId = await idOf(leaver);
    const [path] = await whileHeld('SELECT * FROM audit_heads FOR NO KEY UPDATE', () => invitation(leaver, 'owner'), () => ada.api('DELETE', `/members/${leaverId}`));
    expect((await new Visitor(server).send('GET', path)).status).toBe(410);
  });

  it('two owners who each remove the other leave one', async () => {
    const { account_id } = (await ada.api('POST', '/accounts', { name: 'Duel' })).body;
    await ada.api('PUT', '/session', { account_id });
    const second = await joinTeam(server, await invitation(ada, 'owner'), { name: 'Second', email: 'second@example.org' });
    const [adaId, secondId] = [await idOf(ada), await idOf(second)];
    const answers = await Promise.all([ada.api('DELETE', `/members/${secondId}`), second.api('DELETE', `/members/${adaId}`)]);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    const left = await server.deps.store.read((reader) => reader.team.members(account_id), account_id);
    expect(left).toMatchObject([{ role: 'owner' }]);
  });
});
