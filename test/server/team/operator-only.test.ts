import type { AccountId } from '../../../src/shared/contract/ids.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { operatorOnly } from '../../../src/server/compose.ts';
import { ENGINES } from '../../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { invitation, joinTeam, setUp, type Visitor } from '../../support/visitor.ts';
import { asProfile } from '../../support/ids.ts';

const RULE = {
  ruleOrder: 1,
  ruleUid: 'a_rule',
  name: 'Rule',
  description: 'd',
  evidenceMeaning: 'e',
  problemMeaning: 'p',
  notAvailableMeaning: 'n',
};
const profile = (profileUid: string, visibility: 'community' | 'private') => ({
  profileUid,
  version: '1.0',
  visibility,
  name: 'P',
  domain: 'general',
  standard: 'SGA-QEM-1.0',
  standardVersion: '1.0',
  description: 'd',
  scope: 's',
  maintainer: 'm',
  rules: [RULE],
});

describe('who opens accounts and who publishes', () => {
  it.each([
    ['hosted', {}, { accounts: true, publishing: true }],
    ['hosted', { EVIDENCE_STUDIO_ACCOUNTS: 'anyone' }, { accounts: false, publishing: true }],
    ['hosted', { EVIDENCE_STUDIO_PUBLISHING: 'owners' }, { accounts: true, publishing: false }],
    ['local', {}, { accounts: false, publishing: false }],
    ['desktop', {}, { accounts: false, publishing: false }],
    ['desktop', { EVIDENCE_STUDIO_PUBLISHING: 'operator' }, { accounts: false, publishing: true }],
  ] as const)('is a setting: %s %j', (home, environment, expected) => {
    expect(operatorOnly(readConfig(environment), home)).toEqual(expected);
  });

  it.each(['EVIDENCE_STUDIO_ACCOUNTS', 'EVIDENCE_STUDIO_PUBLISHING'])(
    '%s takes nothing else',
    (name) => {
      expect(() => readConfig({ [name]: 'everybody' })).toThrow(`${name} cannot be used`);
    },
  );
});

describe.each(ENGINES)('a server on %s whose operator opens accounts and publishes', (engine) => {
  let database: PlainDatabase | undefined;
  let server: TestServer;
  let ada: Visitor;
  let account_id: AccountId;
  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    server = await bootServer({
      deps: { home: 'hosted', operatorOnly: { accounts: true, publishing: true } },
      ...(database && { databaseUrl: database.url }),
    });
    ada = await setUp(server, await createSetupToken(server.deps));
    account_id = server.deps.store.local.account_id;
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await database?.drop();
  });
  const list = async (visitor: Visitor): Promise<{ profileUid: string; access: string }[]> =>
    (await visitor.api('GET', '/profiles?limit=200')).body.data;

  it('says so in the session, and refuses both with one code and a sentence that says whom to ask; nothing is stored', async () => {
    expect((await ada.api('GET', '/session')).body.server.operator_only).toEqual({
      accounts: true,
      publishing: true,
    });
    const before = await list(ada);
    for (const [path, body] of [
      ['/accounts', { name: 'Mine' }],
      ['/profiles', profile('theirs', 'community')],
    ] as const) {
      const { status, body: answer } = await ada.api('POST', path, body);
      expect([path, status, answer.error, answer.message]).toEqual([
        path,
        403,
        'operator_only',
        expect.stringContaining('whoever runs it'),
      ]);
    }
    expect((await ada.api('GET', '/session')).body.accounts).toHaveLength(1);
    expect(await list(ada)).toEqual(before);
    // Not even who opens accounts is told to somebody who may not write at all.
    const vera = await joinTeam(server, await invitation(ada, 'viewer'), {
      name: 'Vera',
      email: 'vera@example.org',
    });
    expect((await vera.api('POST', '/profiles', profile('theirs', 'community'))).body.error).toBe(
      'read_only_role',
    );
  });

  it('shows a document to every account when the operator publishes it, by name and under the account’s name', async () => {
    expect((await ada.api('POST', '/profiles', profile('ours', 'private'))).status).toBe(201);
    const { store } = server.deps;
    const publish = (uid: string) =>
      store.transact(async (writer) => {
        writer.audit.by({
          account_id,
          kind: 'operator',
          user_id: null,
          name: 'root',
          key_id: null,
          session: null,
          address: null,
          request_id: null,
        });
        return writer.profileWrites.publish(account_id, asProfile(uid), '1.0');
      }, '*');
    await publish('ours');
    expect((await list(ada)).find(({ profileUid }) => profileUid === 'ours')?.access).toBe(
      'community',
    );
    const other = await store.transact(
      async (writer) =>
        writer.teamWrites.createAccount(
          'Other',
          await writer.teamWrites.createPerson({ name: 'Eve', email: 'eve@example.org' }),
        ),
      '*',
    );
    expect(
      await store.read(
        (reader) => reader.profiles.get(other.account_id, asProfile('ours'), '1.0'),
        other.account_id,
      ),
    ).toMatchObject({ entry: { access: 'community' } });
    await expect(publish('nobody_has_it')).rejects.toMatchObject({ code: 'not_found' });
    await expect(publish('trio_rare_disease')).rejects.toMatchObject({ code: 'not_found' });
    // The name belongs to the account that published it first.
    await store.transact(
      (writer) => writer.profileWrites.publish(account_id, asProfile('ours'), '1.0'),
      '*',
    );
  });
});
