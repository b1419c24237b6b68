import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { ENGINES } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../../support/visitor.ts';

const HOUR = 3_600_000;
const RIGHT = 'nine slow lanterns drift';

describe.each(ENGINES)('wrong passwords that others try, on %s', (engine) => {
  let database: PlainDatabase | undefined;
  let server: TestServer;
  let ada: Visitor;
  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    server = await bootServer({
      deps: { home: 'hosted' },
      server: { trustedProxies: ['127.0.0.1'] },
      ...(database && { databaseUrl: database.url }),
    });
    ada = await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database?.drop();
  });
  const tried = async (visitor: Visitor) =>
    (await visitor.api('GET', '/session')).body.tried_passwords;
  const from = (n: number) => new Visitor(server, { 'x-forwarded-for': `198.51.100.${n}` });

  it(
    'are shown to the person, how many, from how many addresses and when, and to nobody else, until they dismiss it',
    { timeout: 60_000 },
    async () => {
      const email = 'bob@example.org';
      const bob = await joinTeam(server, await invitation(ada), { name: 'Bob', email });
      const began = Date.now();
      const answers: number[] = [];
      for (let n = 1; n <= 12; n += 1)
        answers.push(
          (await from(n % 6).submit('/login', { email, password: `wrong horse number ${n}` }))
            .status,
        );
      const wrong = answers.filter((status) => status === 403).length;
      await expect
        .poll(() => tried(bob), { timeout: 15_000 })
        .toMatchObject({ wrong, refused: 12 - wrong, addresses: 6 });
      const shown = await tried(bob);
      expect([
        Date.parse(shown.first_at) >= began - 1_000,
        shown.first_at <= shown.last_at,
      ]).toEqual([true, true]);
      expect(JSON.stringify(shown)).not.toContain('198.51');
      expect(await tried(ada)).toBeUndefined();
      server.advance(HOUR + 1_000);
      // The next sign-in shows it, in whatever browser and account.
      const again = await signInAs(server, email, RIGHT);
      expect(await tried(again)).toEqual(shown);
      expect((await again.api('DELETE', '/session/tried-passwords')).body).toEqual({
        dismissed: true,
      });
      expect([await tried(again), await tried(bob)]).toEqual([undefined, undefined]);
      expect((await again.api('DELETE', '/session/tried-passwords')).body).toEqual({
        dismissed: false,
      });
    },
  );

  it('of a person in a browser of their own, and a few elsewhere, are no news', async () => {
    await ada.api('POST', '/session/confirm', { password: OWNER.password });
    const kim = await joinTeam(server, await invitation(ada), {
      name: 'Kim',
      email: 'kim@example.org',
    });
    await kim.send('POST', '/sign-out', { headers: { origin: server.url } });
    for (let n = 0; n < 5; n += 1)
      await kim.submit('/login', {
        email: 'kim@example.org',
        password: `wrong horse number ${n}`,
      });
    for (let n = 0; n < 4; n += 1)
      await from(50 + n).submit('/login', {
        email: 'kim@example.org',
        password: `wrong horse number ${n}`,
      });
    await from(60).submit('/login', {
      email: 'nobody@example.org',
      password: 'wrong horse number 1',
    });
    // Written in turn: a later one of somebody else shows that these have been, too.
    for (let n = 0; n < 5; n += 1)
      await from(70 + n).submit('/login', {
        email: OWNER.email,
        password: `wrong horse number ${n}`,
      });
    await expect
      .poll(() => tried(ada), { timeout: 15_000 })
      .toMatchObject({ wrong: 5, refused: 0, addresses: 5 });
    server.advance(HOUR + 1_000);
    expect(await tried(await signInAs(server, 'kim@example.org', RIGHT))).toBeUndefined();
  });
});
