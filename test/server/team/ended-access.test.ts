import type { UserId } from '../../../src/shared/contract/ids.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { operatorOrigin } from '../../../src/server/audit/entries.ts';
import { SYNC_EVENTS_PATH } from '../../../src/shared/contract/sync.ts';
import { ENGINES } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, setUp, signInAs, Visitor } from '../../support/visitor.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';
import type { Writer } from '../../../src/server/storage/repositories.ts';

const PASSWORD = 'nine slow lanterns drift';
const FIFTEEN_MINUTES = 15 * 60_000;
type Ends = (who: { user_id: UserId; name: string }) => Promise<void>;

describe.each(ENGINES)('access that has ended, on %s', (engine) => {
  let database: PlainDatabase | undefined;
  /** Two instances on one database where it is PostgreSQL, else one twice. */
  let servers: TestServer[];
  let server: TestServer;
  let ada: Visitor;
  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    const boot = (deps: Partial<TestServer['deps']>) =>
      bootServer({
        deps: { home: 'hosted', ...deps },
        ...(database && { databaseUrl: database.url }),
      });
    server = await boot({});
    servers = [
      server,
      ...(database === undefined ? [] : [await boot({ hmacSecret: server.deps.hmacSecret })]),
    ];
    ada = await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    for (const each of servers) await each.close();
    await database?.drop();
  });

  const operate = <T>(work: (writer: Writer) => Promise<T>): Promise<T> =>
    server.deps.store.transact(async (writer) => {
      writer.audit.by(operatorOrigin(server.deps.store));
      return work(writer);
    }, EVERY_ACCOUNT);
  const disable: Ends = async ({ user_id }) =>
    void (await operate((writer) => writer.teamWrites.disable(user_id)));
  const remove: Ends = async ({ user_id }) => {
    expect((await ada.api('DELETE', `/members/${user_id}`)).status).toBe(200);
  };
  let made = 0;

  /** A member with a browser, and with a key of every kind. */
  async function member(role = 'member', owner = ada) {
    made += 1;
    const email = `person${made}@example.org`;
    const browser = await joinTeam(server, await invitation(owner, role), {
      name: `Person ${made}`,
      email,
    });
    const { user_id, name } = (await browser.api('GET', '/session')).body.user;
    const project = (await ada.api('POST', '/projects', { name: `Project ${made}` })).body
      .project_id;
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await browser.api('POST', path, { name: 'k', ...body });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.key;
    };
    const scoped = ['read', 'suggest', 'write', 'delete'];
    const keys = {
      reader: await make('/keys', { scopes: ['read'] }),
      whole: await make('/keys', { scopes: scoped }),
      limited: await make('/keys', { scopes: scoped, projects: [project] }),
      studio: await make('/studio-keys', {}),
    };
    return { browser, user_id, name, email, keys };
  }

  /** Opens a stream of events; answers when it ends. */
  async function listen(
    headers: Record<string, string>,
    on: TestServer,
  ): Promise<{ ended: Promise<void> }> {
    const response = await fetch(on.url + SYNC_EVENTS_PATH, { headers });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    await reader.read();
    const ended = (async () => {
      while (!(await reader.read()).done);
    })();
    return { ended };
  }
  const cookieOf = (visitor: Visitor): Record<string, string> => ({
    cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });

  describe.each([
    ['is removed by an owner', remove, 'key_revoked'],
    ['is disabled by the operator', disable, 'user_disabled'],
  ] as const)('of somebody who %s', (_, ends, code) => {
    it(
      'is refused at once, with every credential, on every instance, and open streams of events end though nothing is written',
      { timeout: 20_000 },
      async () => {
        const { browser, keys, ...person } = await member();
        const bystander = await member();
        const streams: { ended: Promise<void> }[] = [];
        for (const on of servers)
          for (const key of [keys.reader, keys.studio])
            streams.push(await listen({ authorization: `Bearer ${key}` }, on));
        streams.push(await listen(cookieOf(browser), server));
        let others = 'open';
        void (await listen(cookieOf(bystander.browser), server)).ended.then(
          () => (others = 'ended'),
        );
        await ends(person);
        for (const on of servers) {
          for (const [kind, key] of Object.entries(keys)) {
            const answer = await on.call('GET', '/api/v1/projects', { key });
            expect([kind, answer.status, answer.body.error]).toEqual([kind, 401, code]);
          }
          expect(
            (await on.call('GET', '/api/v1/session', { key: null, headers: cookieOf(browser) }))
              .status,
          ).toBe(401);
        }
        await Promise.all(streams.map(({ ended }) => ended));
        expect(others).toBe('open');
        expect((await bystander.browser.api('GET', '/session')).status).toBe(200);
        expect(
          (await server.call('GET', '/api/v1/projects', { key: bystander.keys.studio })).status,
        ).toBe(200);
      },
    );
  });

  it('disabled: no password, invitation or link to choose one lets them in; a stranger learns no more than before', async () => {
    const { user_id, email } = await member('owner');
    const second = new Visitor(server);
    await signInAs(server, email, PASSWORD, second);
    const open = await invitation(second);
    const link = await operate(async (writer) => {
      const { invite } = await import('../../../src/server/auth/invite.ts');
      const { account_id } = server.deps.store.local;
      return (
        await invite(writer, server.deps, server.url, {
          account_id,
          user_id,
          role: 'owner',
          name: null,
          created_by: null,
          expires_at: '2099-01-01T00:00:00.000Z',
        })
      ).url;
    });
    const shown = async (given: string, password: string) => {
      const { status, text } = await new Visitor(server).submit('/login', {
        email: given,
        password,
      });
      return [status, text.replaceAll(given, '<email>').replace(/value="[\w-]{43}"/, '')];
    };
    await operate((writer) => writer.teamWrites.disable(user_id));
    expect(await shown(email, 'not the password')).toEqual(
      await shown('nobody@example.org', 'not the password'),
    );
    const refused = await shown(email, PASSWORD);
    expect(refused).toEqual([
      403,
      expect.stringContaining('Whoever runs this server has ended your access'),
    ]);
    for (const path of [open, link.slice(server.url.length)])
      expect((await new Visitor(server).send('GET', path)).status).toBe(410);
    const listed = (await ada.api('GET', '/members')).body;
    expect(listed.invitations).toEqual([]);
    // Their membership stays, so that their work has an author and the operator can undo it.
    expect(listed.members.map((one: { user_id: string }) => one.user_id)).toContain(user_id);
  });

  it('disabled: what they do at that moment is not stored', async () => {
    const { browser, user_id } = await member('owner');
    const [first] = await Promise.all([
      invitation(browser).catch(() => undefined),
      operate((writer) => writer.teamWrites.disable(user_id)),
    ]);
    if (first !== undefined)
      expect((await new Visitor(server).send('GET', first)).status).toBe(410);
  });

  it('enabled again: the password and the keys work, sessions and invitations stay ended', async () => {
    const { browser, user_id, email, keys } = await member('owner');
    const open = await invitation(browser);
    await operate((writer) => writer.teamWrites.disable(user_id));
    expect(await operate((writer) => writer.teamWrites.enable(user_id))).toMatchObject({ user_id });
    expect((await browser.api('GET', '/session')).status).toBe(401);
    expect((await new Visitor(server).send('GET', open)).text).not.toContain('You are invited');
    expect((await (await signInAs(server, email, PASSWORD)).api('GET', '/session')).status).toBe(
      200,
    );
    for (const key of Object.values(keys))
      expect((await server.call('GET', '/api/v1/projects', { key })).status).toBe(200);
  });

  it('an account whose only owner is disabled is read by its members and changed by nobody, until it has an owner', async () => {
    const lead = await member();
    const { account_id } = await operate((writer) =>
      writer.teamWrites.createAccount('Their own', lead.user_id),
    );
    expect((await lead.browser.api('PUT', '/session', { account_id })).status).toBe(200);
    const colleague = await member('member', lead.browser);
    let written = 0;
    const write = () =>
      colleague.browser.api('POST', '/projects', { name: `Of the team ${(written += 1)}` });
    const { studio } = colleague.keys;
    expect((await write()).status).toBe(201);
    await disable(lead);
    const session = (await colleague.browser.api('GET', '/session')).body;
    expect([session.user.role, session.account.without_owner, session.accounts[0].role]).toEqual([
      'viewer',
      true,
      'member',
    ]);
    expect(
      (await colleague.browser.api('GET', '/projects')).body.data.map(
        ({ name }: { name: string }) => name,
      ),
    ).toContain('Of the team 1');
    for (const refused of [
      await write(),
      await server.call('POST', '/api/v1/projects', { key: studio, body: { name: 'x' } }),
    ])
      expect([refused.status, refused.body.error]).toEqual([403, 'read_only_role']);
    expect((await server.call('GET', '/api/v1/sync/cases', { key: studio })).status).toBe(200);
    // Their place in other accounts is not touched.
    expect((await ada.api('POST', '/projects', { name: 'Elsewhere' })).status).toBe(201);
    await operate((writer) => writer.teamWrites.changeRole(account_id, colleague.user_id, 'owner'));
    expect((await write()).status).toBe(201);
    expect(
      (await colleague.browser.api('GET', '/session')).body.account.without_owner,
    ).toBeUndefined();
    // The one owner there is cannot leave it to somebody who may not come in.
    server.advance(FIFTEEN_MINUTES);
    await colleague.browser.api('POST', '/session/confirm', { password: PASSWORD });
    expect(
      (await colleague.browser.api('PUT', `/members/${colleague.user_id}`, { role: 'member' })).body
        .error,
    ).toBe('conflict');
    await ada.api('POST', '/session/confirm', { password: 'seven purple rivers turn' });
  });
});
