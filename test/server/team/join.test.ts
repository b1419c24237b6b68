import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../../support/visitor.ts';

let server: TestServer;
let ada: Visitor;
/** Every request line and header that the server was sent, but for cookies. */
const heard: string[] = [];
beforeAll(async () => {
  server = await bootServer({ deps: { home: 'hosted' } });
  server.server.httpServer.prependListener(
    'request',
    (req: { url?: string; headers: Record<string, unknown> }) => {
      const { cookie: _, ...headers } = req.headers;
      heard.push(`${req.url} ${JSON.stringify(headers)}`);
    },
  );
  ada = await setUp(server, await createSetupToken(server.deps));
});
afterAll(() => server.close());
const tokenOf = (link: string): string => link.split('#')[1]!;
const PERSON = { name: 'Bob', email: 'bob@example.org' };

it('an invitation’s token is in no address, header, page, redirect or log line from the link to the studio', async () => {
  const link = await invitation(ada);
  expect(link).toMatch(/^\/join#[\w-]{43}$/);
  const visitor = new Visitor(server);
  const pages = [
    await visitor.send('GET', '/join'),
    await visitor.send('GET', link),
    await visitor.send('GET', '/login?next=%2Fjoin'),
  ];
  expect(pages[1]!.text).toContain('Join Sequencing');
  const done = await visitor.submit('/join', { ...PERSON, password: 'nine slow lanterns drift' });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/studio']);
  for (const said of [
    ...heard,
    server.log(),
    ...pages.map(({ text }) => text),
    String(done.headers.get('location')),
  ])
    expect(said).not.toContain(tokenOf(link));
  // What the browser kept is used up.
  expect(visitor.cookie('evs_join')).toBeUndefined();
  expect((await visitor.send('GET', '/join')).text).toContain('Open an invitation');
});

it('the first page has the script, the rest of it nothing to run; both are held to trusted types', async () => {
  const page = await new Visitor(server).send('GET', '/join');
  expect(page.text).toContain('<script src="/join.js" defer></script>');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; base-uri 'none'; " +
      "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
      "trusted-types 'none'; script-src 'self'",
  );
  const script = await new Visitor(server).send('GET', '/join.js');
  expect([script.status, script.headers.get('content-type')]).toEqual([
    200,
    'text/javascript; charset=utf-8',
  ]);
  expect(
    (await new Visitor(server).send('GET', '/login')).headers.get('content-security-policy'),
  ).not.toContain('script-src');
});

it('a link is typed in where there are no scripts, whole or its end; another one takes the place of the first', async () => {
  const [first, second] = [await invitation(ada, 'viewer'), await invitation(ada, 'owner')];
  const visitor = new Visitor(server);
  expect(
    (await visitor.submit('/join', { token: ` ${server.url}${first} ` })).headers.get('location'),
  ).toBe('/join');
  expect((await visitor.send('GET', '/join')).text).toContain('invited as a viewer');
  expect((await visitor.send('GET', '/join?another')).text).toContain('Open an invitation');
  expect((await visitor.submit('/join?another', { token: tokenOf(second) })).status).toBe(303);
  expect((await visitor.send('GET', '/join')).text).toContain('invited as an owner');
});

it('somebody who signs in first comes back to the invitation, and joins under their own name', async () => {
  const { account_id } = (await ada.api('POST', '/accounts', { name: 'Second' })).body;
  const link = await invitation(ada);
  await ada.api('PUT', '/session', { account_id });
  const other = await invitation(ada);
  await joinTeam(server, link, { name: 'Kim', email: 'kim@example.org' });
  const kim = new Visitor(server);
  const page = await kim.send('GET', other);
  expect(page.text).toContain('<a href="/login?next=%2Fjoin">');
  const entered = await kim.submit('/login?next=%2Fjoin', {
    email: 'kim@example.org',
    password: 'nine slow lanterns drift',
  });
  expect(entered.headers.get('location')).toBe('/join');
  expect((await kim.submit('/join', {})).headers.get('location')).toBe('/studio');
  expect((await kim.api('GET', '/session')).body).toMatchObject({
    account: { name: 'Second' },
    user: { name: 'Kim', role: 'member' },
  });
  await signInAs(server, OWNER.email, OWNER.password);
});

it.each(['', 'x', 'A'.repeat(43), `/join#${'A'.repeat(43)}`, '#'])(
  'what is no open invitation (%j) is gone, with whatever was kept',
  async (token) => {
    const visitor = new Visitor(server);
    const answer = await visitor.submit('/join', { token });
    expect([answer.status, visitor.cookie('evs_join')]).toEqual([410, undefined]);
  },
);

it('an invitation is not opened by a form of another site', async () => {
  const link = await invitation(ada);
  const visitor = new Visitor(server);
  await visitor.send('GET', '/join');
  expect(
    (await visitor.post('/join', { token: tokenOf(link) }, { origin: 'https://evil.test' })).status,
  ).toBe(403);
  expect((await visitor.post('/join', { token: tokenOf(link) })).status).toBe(403);
  expect(visitor.cookie('evs_join')).toBeUndefined();
});
