import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invite } from '../../../src/server/auth/invite.ts';
import { createPeople } from '../../../src/server/auth/people.ts';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../../support/visitor.ts';
import { withParts } from '../../support/with-parts.ts';
import { StoreError } from '../../../src/server/storage/db/errors.ts';

describe('people with passwords', () => {
  let server: TestServer;
  let ada: Visitor;
  let full = false;
  /** Done once a person with a password was read for the second time: then it is compared. */
  let meanwhile: (() => Promise<void>) | undefined;
  let reads = 0;
  beforeAll(async () => {
    server = await bootServer({
      deps: { home: 'hosted' },
      wrapStore: (store) => ({
        ...store,
        read: async (work, account) => {
          const found = await store.read(work, account);
          const isPerson =
            typeof found === 'object' &&
            found !== null &&
            'password' in found &&
            found.password !== null;
          if (isPerson && (reads += 1) === 2) await meanwhile?.();
          return found;
        },
        transact: (work, account) =>
          store.transact((writer) => {
            const create: typeof writer.sessionWrites.create = (hash, session) =>
              full
                ? Promise.reject(new StoreError('storage_full', 'The disk is full.'))
                : writer.sessionWrites.create(hash, session);
            return work(withParts(writer, { sessionWrites: { ...writer.sessionWrites, create } }));
          }, account),
      }),
    });
    ada = await setUp(server, await createSetupToken(server.deps));
  });
  afterAll(() => server.close());

  it('sign in by an address of a network of its own, and by one in letters of another language', async () => {
    for (const email of ['bea@ward', 'jürgen@klinik.example', 'x@10.0.0.7']) {
      await joinTeam(server, await invitation(ada), { name: email, email });
      const person = await signInAs(server, email.toUpperCase(), 'nine slow lanterns drift');
      expect((await person.api('GET', '/session')).body.user.email).toBe(email);
    }
  });

  it('leave nothing in the database that opens a session', async () => {
    const token = ada.cookie('evs_session')!;
    const kept = ['', '-wal']
      .map((end) => readFileSync(`${server.databaseFile}${end}`, 'latin1'))
      .join('');
    expect([
      kept.includes('ada@example.org'),
      kept.includes(token),
      kept.includes(OWNER.password),
    ]).toEqual([true, false, false]);
  });

  it('are asked by our pages alone: the library answers no request', async () => {
    for (const [method, path] of [
      ['GET', '/api/auth/get-session'],
      ['POST', '/api/auth/sign-in/username'],
      ['POST', '/api/auth/sign-up/email'],
      ['GET', '/api/auth/ok'],
      ['POST', '/sign-in/username'],
    ] as const) {
      expect([
        path,
        (await ada.send(method, path, { headers: { origin: server.url } })).status,
      ]).toEqual([path, 404]);
    }
  });

  it('are not held to have failed where the store did', async () => {
    full = true;
    const answers: number[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      answers.push(
        (
          await new Visitor(server).submit('/login', {
            email: OWNER.email,
            password: OWNER.password,
          })
        ).status,
      );
    full = false;
    expect(answers).toEqual(Array(7).fill(507));
    await signInAs(server, OWNER.email, OWNER.password);
  });

  it('are not let in with a password that was taken away while it was compared', async () => {
    const { store } = server.deps;
    const email = 'late@example.org';
    await joinTeam(server, await invitation(ada), { name: 'Late', email });
    let taken = false;
    meanwhile = async () => {
      taken = true;
      const { user_id } = (await store.read((reader) => reader.team.personByEmail(email)))!;
      await store.transact(async (writer) => {
        await writer.teamWrites.clearPassword(user_id);
        await writer.sessionWrites.end(user_id, { but: null });
      });
    };
    const form = await new Visitor(server).open('/login');
    reads = 0;
    const answer = await form({ email, password: 'nine slow lanterns drift' });
    meanwhile = undefined;
    expect([
      taken,
      answer.status,
      answer.headers.getSetCookie().some((line) => line.includes('evs_session')),
    ]).toEqual([true, 403, false]);
  });

  it('have one link at a time to choose a password: a later one ends those before it', async () => {
    const { store } = server.deps;
    const link = () =>
      store.transact(async (writer) => {
        await writer.teamWrites.clearPassword(store.local.user_id);
        return (
          await invite(writer, server.deps, server.url, {
            ...store.local,
            role: 'owner',
            name: null,
            created_by: null,
            expires_at: '2099-01-01T00:00:00.000Z',
          })
        ).url;
      });
    const [first, second] = [
      (await link()).slice(server.url.length),
      (await link()).slice(server.url.length),
    ];
    expect([
      (await new Visitor(server).send('GET', first)).status,
      (await new Visitor(server).submit(second, { password: OWNER.password })).status,
    ]).toEqual([410, 303]);
  });

  it('take as much work to refuse where nobody has the name', async () => {
    let salts = 0;
    const random = { bytes: (length: number) => ((salts += 1), server.deps.random.bytes(length)) };
    const people = await createPeople({ ...server.deps, random });
    const nobody = () => Promise.reject(new Error('nobody enters'));
    expect(
      await people.signIn(
        undefined as never,
        { email: 'nobody@example.org', password: OWNER.password },
        nobody,
      ),
    ).toBeUndefined();
    expect(salts).toBe(1);
    expect(
      await people.signIn(
        undefined as never,
        { email: OWNER.email, password: 'not it at all' },
        nobody,
      ),
    ).toBeUndefined();
    await expect(people.signIn(undefined as never, OWNER, nobody)).rejects.toThrow('nobody enters');
  });
});
