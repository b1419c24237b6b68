import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ENGINES } from '../../support/length.ts';
import { freePort } from '../../support/postgres.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { BIN, command, type Served, serveWith } from '../../support/served.ts';
import { browserAt, invitation, joinTeam, OWNER, Visitor } from '../../support/visitor.ts';

const PASSWORD = 'nine slow lanterns drift';

describe.each(ENGINES)('whoever runs a server on %s', (engine) => {
  let database: PlainDatabase | undefined;
  let folder: string;
  let url: string;
  let env: NodeJS.ProcessEnv;
  let server: Served;
  let ada: Visitor;
  const at = () => browserAt(url);
  beforeAll(async () => {
    database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
    folder = await mkdtemp(path.join(tmpdir(), 'evidence-access-'));
    url = `http://127.0.0.1:${await freePort()}`;
    env = {
      EVIDENCE_STUDIO_PUBLIC_URL: url,
      NODE_ENV: 'test',
      ...(database && { DATABASE_URL: database.url }),
    };
    server = await serveWith(
      process.execPath,
      [BIN, 'serve', '--port', new URL(url).port, '--data', folder],
      env,
    );
    const token = await vi.waitFor(
      () =>
        /give this token there: ([\w-]{43})\n/.exec(server.output())?.[1] ??
        Promise.reject(new Error(server.output())),
      60_000,
    );
    ada = new Visitor(at());
    expect((await ada.submit('/setup', { token, ...OWNER })).status).toBe(303);
  }, 60_000);
  afterAll(async () => {
    await server.kill('SIGTERM');
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => command([...args, '--data', folder], env);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  const keyOf = async (visitor: Visitor): Promise<{ key: string; key_id: string }> =>
    (await visitor.api('POST', '/keys', { name: 'robot', scopes: ['read'] })).body;
  const byKey = (key: string) =>
    at().call('GET', '/api/v1/projects', { headers: { authorization: `Bearer ${key}` } });
  const trail = async (): Promise<
    { action: string; object: string; by: { kind: string }; detail: Record<string, unknown> }[]
  > => (await ada.api('GET', '/audit?limit=50')).body.data;
  const eventOf = async (action: string) =>
    (await trail()).find((event) => event.action === action);

  it(
    'lists its people, ends the access of one in a running server, and gives it back; each is in the trail',
    { timeout: 60_000 },
    async () => {
      const bob = await joinTeam(at(), await invitation(ada), {
        name: 'Bob',
        email: 'bob@example.org',
      });
      const { key } = await keyOf(bob);
      const listed = (await json('admin', 'list')).data as Record<string, unknown>[];
      expect(listed).toMatchObject([
        {
          name: 'Ada',
          email: OWNER.email,
          state: 'active',
          disabled_at: null,
          accounts: [{ name: OWNER.team, role: 'owner' }],
          last_seen_at: expect.stringMatching(/Z$/),
          keys: 0,
        },
        {
          name: 'Bob',
          email: 'bob@example.org',
          state: 'active',
          accounts: [{ name: OWNER.team, role: 'member' }],
          keys: 1,
        },
      ]);
      const words = (await run('admin', 'list')).stdout;
      expect(words).toMatch(
        /^usr_\w+ {2}Bob {2}bob@example.org {2}active {2}member in Sequencing \(acc_\w+\) {2}1 key {2}seen \d{4}-\d\d-\d\d$/m,
      );

      const ended = await run('admin', 'disable', '--email', 'Bob@example.org');
      expect([ended.code, ended.stdout]).toEqual([
        0,
        'Bob has no access any more: 1 session and 0 invitations ended, 1 key refused from now on.\n',
      ]);
      const refused = await byKey(key);
      expect([refused.status, refused.body.error, refused.body.message]).toEqual([
        401,
        'user_disabled',
        'Whoever runs this server has ended the access of the person whose key this is.',
      ]);
      expect((await bob.api('GET', '/session')).status).toBe(401);
      expect(
        (await new Visitor(at()).submit('/login', { email: 'bob@example.org', password: PASSWORD }))
          .text,
      ).toContain('has ended your access');
      expect((await run('admin', 'list')).stdout).toContain('bob@example.org  disabled  ');
      expect(await eventOf('user.disabled')).toMatchObject({
        object: listed[1]!.user_id,
        by: { kind: 'operator' },
        detail: { name: 'Bob', sessions: 1, invitations: 0, keys: 1 },
      });
      expect(await run('admin', 'reset-password', '--email', 'bob@example.org')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('admin enable'),
      });

      const given = await run('admin', 'enable', '--user', String(listed[1]!.user_id));
      expect([given.code, given.stdout]).toEqual([
        0,
        expect.stringContaining('Bob has access again'),
      ]);
      expect((await byKey(key)).status).toBe(200);
      expect(
        (await new Visitor(at()).submit('/login', { email: 'bob@example.org', password: PASSWORD }))
          .status,
      ).toBe(303);
      expect(await eventOf('user.enabled')).toMatchObject({
        by: { kind: 'operator' },
        detail: { name: 'Bob' },
      });
    },
  );

  it(
    'is told of accounts that are left without an owner, and gives them one',
    { timeout: 60_000 },
    async () => {
      expect(
        (
          await run(
            'admin',
            'create',
            '--email',
            'eva@example.org',
            '--name',
            'Eva',
            '--team',
            'Other',
          )
        ).code,
      ).toBe(0);
      const { accounts } = (
        (await json('admin', 'list')).data as { name: string; accounts: { account_id: string }[] }[]
      ).find(({ name }) => name === 'Eva')!;
      const [{ account_id }] = accounts as [{ account_id: string }];
      const ended = await run('admin', 'disable', '--email', 'eva@example.org');
      expect(ended.stdout).toContain(
        `Other (${account_id}) has no other owner: its members read it and change nothing.`,
      );
      const owner = await run('admin', 'owner', '--account', account_id, '--email', OWNER.email);
      expect([owner.code, owner.stdout]).toEqual([0, `Ada is an owner of ${account_id}.\n`]);
      expect((await ada.api('PUT', '/session', { account_id })).body).toMatchObject({
        account: { account_id },
        user: { role: 'owner' },
      });
      expect((await ada.api('POST', '/projects', { name: 'Taken over' })).status).toBe(201);
      expect((await trail()).map(({ action }) => action)).toEqual(
        expect.arrayContaining(['user.disabled', 'member.joined']),
      );
    },
  );

  it(
    'revokes a key of any account, and every key of a person with the password where asked',
    { timeout: 60_000 },
    async () => {
      const account_id = (await ada.api('GET', '/session')).body.account.account_id;
      const [first, second] = [await keyOf(ada), await keyOf(ada)];
      const all = (await json('key', 'list', '--all')).data as {
        key_id: string;
        account: { account_id: string };
      }[];
      expect(all.find(({ key_id }) => key_id === first.key_id)).toMatchObject({
        account: { account_id, name: 'Other' },
      });
      expect((await json('key', 'revoke', first.key_id)).revoked_at).not.toBeNull();
      expect((await byKey(first.key)).body.error).toBe('key_revoked');
      expect(await eventOf('key.revoked')).toMatchObject({
        object: first.key_id,
        by: { kind: 'operator' },
      });
      expect(await run('key', 'revoke', 'NobodyHas0')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no key with this identifier'),
      });

      expect((await byKey(second.key)).status).toBe(200);
      expect(Object.keys(await json('admin', 'reset-password', '--email', OWNER.email))).toEqual([
        'url',
      ]);
      expect((await byKey(second.key)).status).toBe(200);
      expect(
        await json('admin', 'reset-password', '--email', OWNER.email, '--end-keys'),
      ).toMatchObject({ keys_ended: 1 });
      expect((await byKey(second.key)).body.error).toBe('key_revoked');
    },
  );

  it(
    'opens accounts and publishes profiles alone, which its people are told',
    { timeout: 60_000 },
    async () => {
      const owner = new Visitor(at());
      const { url: link } = await json(
        'admin',
        'create',
        '--email',
        'olga@example.org',
        '--name',
        'Olga',
        '--team',
        'Third',
      );
      expect((await owner.submit(link.slice(url.length), { password: PASSWORD })).status).toBe(303);
      const { account } = (await owner.api('GET', '/session')).body;
      const { body: trio } = await owner.api('GET', '/profiles/trio_rare_disease');
      const own = { ...trio, profileUid: 'of_the_third', visibility: 'private' };
      expect((await owner.api('POST', '/accounts', { name: 'Fourth' })).body).toMatchObject({
        error: 'operator_only',
        message: expect.stringContaining('whoever runs it'),
      });
      expect(
        (await owner.api('POST', '/profiles', { ...own, visibility: 'community' })).body.error,
      ).toBe('operator_only');
      expect((await owner.api('POST', '/profiles', own)).status).toBe(201);
      const publish = () =>
        run(
          'admin',
          'publish',
          '--account',
          account.account_id,
          '--profile',
          'of_the_third',
          '--profile-version',
          trio.version,
        );
      expect(await publish()).toMatchObject({
        code: 0,
        stdout: `Every account of this server sees of_the_third ${trio.version}.\n`,
      });
      expect(await publish()).toMatchObject({
        code: 0,
        stdout: `of_the_third ${trio.version} was published before.\n`,
      });
      const seen = (await owner.api('GET', '/audit?limit=50')).body.data as {
        action: string;
        by: { kind: string };
      }[];
      expect(seen.filter(({ action }) => action === 'profile.published')).toMatchObject([
        { by: { kind: 'operator' } },
      ]);
    },
  );

  it('is told in a sentence what cannot be done', async () => {
    for (const [words, code, says] of [
      ['admin disable', 2, 'Name the person'],
      ['admin disable --email a@b.c --user usr_a', 2, 'Name the person'],
      ['admin disable --user x', 2, '--user cannot be used'],
      ['admin disable --user usr_a', 1, 'admin list'],
      [`admin enable --email ${OWNER.email}`, 1, 'has not been ended'],
      ['admin owner --account x', 2, '--account'],
      ['admin publish --account acc_a --profile x', 2, '--profile'],
      [
        'admin publish --account acc_a --profile of_nobody --profile-version 1.0',
        1,
        'no such profile',
      ],
      [`admin owner --account acc_a --email ${OWNER.email}`, 1, 'There is no account'],
    ] as const) {
      expect(await run(...words.split(' '))).toMatchObject({
        code,
        stderr: expect.stringMatching(new RegExp(`^evidence-studio: [^\n]*${says}[^\n]*\n$`)),
      });
    }
  });
});
