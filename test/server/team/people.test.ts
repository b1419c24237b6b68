import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPeople } from '../../../src/server/auth/people.ts';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { StoreError } from '../../../src/server/storage/port.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, OWNER, setUp, signInAs, Visitor } from '../../support/visitor.ts';

describe('people with passwords', () => {
  let server: TestServer;
  let ada: Visitor;
  let full = false;
  beforeAll(async () => {
    server = await bootServer({
      deps: { home: 'hosted' },
      wrapStore: (store) => ({
        ...store,
        transact: (work, account) =>
          store.transact((writer) => {
            const create: typeof writer.sessionWrites.create = (hash, session) => (full ? Promise.reject(new StoreError('storage_full', 'The disk is full.')) : writer.sessionWrites.create(hash, session));
            return work({ ...writer, sessionWrites: { ...writer.sessionWrites, create } });
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
    const kept = ['', '-wal'].map((end) => readFileSync(`${server.databaseFile}${end}`, 'latin1')).join('');
    expect([kept.includes('ada@example.org'), kept.includes(token), kept.includes(OWNER.password)]).toEqual([true, false, false]);
  });

  it('are asked by our pages alone: the library answers no request', async () => {
    for (const [method, path] of [['GET', '/api/auth/get-session'], ['POST', '/api/auth/sign-in/username'], ['POST', '/api/auth/sign-up/email'], ['GET', '/api/auth/ok'], ['POST', '/sign-in/username']] as const) {
      expect([path, (await ada.send(method, path, { headers: { origin: server.url } })).status]).toEqual([path, 404]);
    }
  });

  it('are not held to have failed where the store did', async () => {
    full = true;
    const answers: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) answers.push((await new Visitor(server).submit('/login', { email: OWNER.email, password: OWNER.password })).status);
    full = false;
    expect(answers).toEqual(Array(7).fill(507));
    await signInAs(server, OWNER.email, OWNER.password);
  });

  it('take as much work to refuse where nobody has the name', async () => {
    let salts = 0;
    const random = { bytes: (length: number) => ((salts += 1), server.deps.random.bytes(length)) };
    const people = await createPeople({ ...server.deps, random });
    const nobody = () => Promise.reject(new Error('nobody enters'));
    expect(await people.signIn(undefined as never, { email: 'nobody@example.org', password: OWNER.password }, nobody)).toBeUndefined();
    expect(salts).toBe(1);
    expect(await people.signIn(undefined as never, { email: OWNER.email, password: 'not it at all' }, nobody)).toBeUndefined();
    await expect(people.signIn(undefined as never, OWNER, nobody)).rejects.toThrow('nobody enters');
  });
});
