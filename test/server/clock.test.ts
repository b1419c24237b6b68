import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../src/server/auth/setup-token.ts';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { ENGINES } from '../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../support/visitor.ts';
import { asKey as asKeyId } from '../support/ids.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TEN_YEARS = 3_653 * 24 * HOUR;
const PER_SECOND = 40;
/** A busy machine notes a use late. */

/**
 * A machine whose clock is wrong for a while and is set right again. What is done meanwhile must
 * not outlast that.
 */
describe.each(ENGINES)('a clock that runs ahead for a while, on %s', (engine) => {
  let database: PlainDatabase | undefined;
  let server: TestServer;
  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    server = await bootServer({
      deps: { home: 'hosted', rateLimit: { perSecond: PER_SECOND, writesPerSecond: PER_SECOND } },
      ...(database && { databaseUrl: database.url }),
    });
    await setUp(server, await createSetupToken(server.deps));
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database?.drop();
  });

  /** Does something while the clock is wrong by `ms`. */
  async function during<T>(ms: number, act: () => Promise<T>): Promise<T> {
    server.advance(ms);
    try {
      return await act();
    } finally {
      server.advance(-ms);
    }
  }
  const me = async (visitor: Visitor): Promise<number> =>
    (await visitor.api('GET', '/session')).status;
  const ada = (): Promise<Visitor> => signInAs(server, OWNER.email, OWNER.password);
  const asKey = (
    key: string,
    method = 'GET',
    path = '/projects',
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ) => server.call(method, `/api/v1${path}`, { key, ...options });

  it.each([TEN_YEARS, 30 * MINUTE])(
    'a session that begins %i ms ahead ends when the clock is right, or with the time that it has',
    async (ahead) => {
      const early = await during(ahead, ada);
      expect(await me(early)).toBe(ahead === TEN_YEARS ? 401 : 200);
      const visitor = await ada();
      expect(await me(visitor)).toBe(200);
      expect(
        (await visitor.api('GET', '/sessions')).body.sessions.every(
          ({ expires_at }: { expires_at: string }) =>
            Date.parse(expires_at) < Date.now() + 8 * 24 * HOUR,
        ),
      ).toBe(true);
    },
  );

  it('a password that was given ahead counts for no longer than any', async () => {
    const visitor = await ada();
    server.advance(20 * MINUTE);
    const makeKey = async () =>
      (await visitor.api('POST', '/keys', { name: 'k', scopes: ['read'] })).status;
    expect(await makeKey()).toBe(403);
    expect(
      (
        await during(5 * HOUR, () =>
          visitor.api('POST', '/session/confirm', { password: OWNER.password }),
        )
      ).status,
    ).toBeLessThan(300);
    expect(await makeKey()).toBe(403);
    expect(
      (await visitor.api('POST', '/session/confirm', { password: OWNER.password })).status,
    ).toBeLessThan(300);
    expect(await makeKey()).toBe(201);
  });

  it('links and invitations that are made ahead cannot be used later; others can', async () => {
    const { link, invited } = await during(TEN_YEARS, async () => ({
      link: await createSignInLink(server.deps, server.url),
      invited: await invitation(await ada()),
    }));
    expect(
      (await server.call('GET', link.slice(server.url.length), { key: null })).status,
    ).not.toBe(303);
    await expect(
      joinTeam(server, invited, { name: 'Eve', email: 'eve@example.org' }),
    ).rejects.toThrow();
    const owner = await ada();
    expect((await owner.api('GET', '/members')).body.invitations).toEqual([]);
    expect(
      await me(
        await joinTeam(server, await invitation(owner), {
          name: 'Bob',
          email: 'bob@example.org',
        }),
      ),
    ).toBe(200);
    const guest = new Visitor(server);
    expect(
      (
        await guest.send(
          'GET',
          (await createSignInLink(server.deps, server.url)).slice(server.url.length),
        )
      ).status,
    ).toBe(303);
  });

  it.each([TEN_YEARS, -TEN_YEARS])(
    'an allowance that is used up when the clock is off by %i refills in its time',
    async (off) => {
      const key = await server.makeKey();
      await during(off, async () => {
        // A busy machine answers little more in a second than the allowance is.
        const statuses: number[] = [];
        for (let more = 0; more < 10 && !statuses.includes(429); more += 1)
          statuses.push(
            ...(await Promise.all(
              Array.from({ length: 3 * PER_SECOND }, async () => (await asKey(key)).status),
            )),
          );
        expect(statuses).toContain(429);
      });
      // The first request after it is counted from there.
      await asKey(key);
      server.advance(2_000);
      expect((await asKey(key)).status).toBe(200);
    },
  );

  it.each([TEN_YEARS, -TEN_YEARS])(
    'the use of a key is known though it was noted %i off',
    async (off) => {
      const key = await server.makeKey({ name: `used ${off}` });
      await during(off, () => asKey(key));
      const { store } = server.deps;
      const seen = async (): Promise<string | null | undefined> =>
        (
          await store.read(
            (reader) => reader.keys.byId(asKeyId(key.slice(4, 14))),
            store.local.account_id,
          )
        )?.last_used_at;
      await expect.poll(seen).not.toBeNull();
      server.advance(MINUTE);
      await asKey(key);
      await expect
        .poll(
          async () =>
            Math.abs(Date.parse((await seen()) ?? '') - server.deps.clock.now()) < 5 * MINUTE,
        )
        .toBe(true);
    },
  );

  it('an Idempotency-Key that was used ahead stands for nothing later', async () => {
    const headers = { 'Idempotency-Key': `ahead-${engine}` };
    expect(
      (
        await during(TEN_YEARS, () =>
          asKey(server.key, 'POST', '/projects', { body: { name: 'Ahead' }, headers }),
        )
      ).status,
    ).toBe(201);
    expect(
      (await asKey(server.key, 'POST', '/projects', { body: { name: 'Later' }, headers })).status,
    ).toBe(201);
    expect(
      (await asKey(server.key, 'POST', '/projects', { body: { name: 'Later' }, headers })).status,
    ).toBe(201);
    expect(
      (await asKey(server.key, 'POST', '/projects', { body: { name: 'Other' }, headers })).status,
    ).toBe(422);
  });

  it('a refusal that was counted ahead is in the trail a minute later', async () => {
    const key = await server.makeKey();
    const id = key.slice(4, 14);
    const { account_id } = server.deps.store.local;
    await server.deps.store.transact(
      (writer) => writer.keyWrites.revoke(account_id, asKeyId(id)),
      account_id,
    );
    await during(TEN_YEARS, async () => expect((await asKey(key)).status).toBe(401));
    server.advance(MINUTE);
    const trail = async () =>
      (
        await server.deps.store.read(
          (reader) => reader.auditTrail.after(account_id, 0, 1_000),
          account_id,
        )
      ).map(({ action, object }) => `${action} ${object}`);
    await expect.poll(trail).toContain(`key.refused ${id}`);
  });

  it('uploads that were put ahead and never finished are cleared away like others', async () => {
    const { store, hasher } = server.deps;
    const { account_id } = store.local;
    const blob = JSON.stringify({ engine });
    const hash = hasher.sha256Hex(blob);
    await during(TEN_YEARS, () =>
      store.transact((writer) => writer.runWrites.putBlobs(account_id, [[hash, blob]]), account_id),
    );
    const missing = () =>
      store.read((reader) => reader.runs.missingBlobs(account_id, [hash]), account_id);
    expect(await missing()).toEqual([]);
    await store.transact((writer) => writer.runWrites.expireUploads(), account_id);
    expect(await missing()).toEqual([hash]);
  });
});
