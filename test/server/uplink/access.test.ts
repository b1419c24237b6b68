import type { UserId } from '../../../src/shared/contract/ids.ts';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bootServer } from '../../support/server.ts';
import { converge, eventually, RULE, Studio, TRIO } from './world.ts';

let hosted: Studio;
let one: Studio;
let project: string;

beforeEach(async () => {
  [hosted, one] = await Promise.all([Studio.hosted(), Studio.open('one')]);
  project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i1', 'TRUE');
});
afterEach(async () => {
  await Promise.all([one, hosted].map((studio) => studio[Symbol.asyncDispose]()));
});

const revoke = (key_id: string): Promise<unknown> => hosted.ok('DELETE', `/api/v1/keys/${key_id}`);
const connect = async (
  user: string,
  role?: 'member' | 'viewer',
): Promise<{ key: string; key_id: string; user_id: UserId }> => {
  const made = await hosted.makeKey(user, role);
  await one.connect(hosted.server.url, made.key);
  return made;
};

describe('connecting', () => {
  test('takes https, or this computer; tells what is wrong with an address or key, and changes nothing', async () => {
    const { key } = await hosted.makeKey('Ada');
    const refused = async (url: string, own: string): Promise<string> => {
      const { status, body } = await one.call('PUT', '/api/v1/uplink', { url, key: own });
      expect(JSON.stringify(body)).not.toContain(own.slice(5));
      return `${status} ${body.error} ${body.details[0].path} ${body.details[0].code}`;
    };
    for (const url of [
      'http://evidence.example.org',
      'ftp://127.0.0.1',
      'https://me:secret@example.org',
      'nonsense',
    ])
      expect(await refused(url, key)).toBe('422 validation_failed /url invalid_value');
    expect(await refused(hosted.server.url, 'evs_no_key')).toBe(
      '422 validation_failed /key invalid_value',
    );
    expect(
      await refused(hosted.server.url, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`),
    ).toBe('422 validation_failed /key invalid_value');
    const { key: revoked, key_id } = await hosted.makeKey('Ada');
    await revoke(key_id);
    expect(await refused(hosted.server.url, revoked)).toBe('422 no_connection /key key_revoked');
    expect(await refused('http://127.0.0.1:9', key)).toBe('422 no_connection /url network');
    expect(await refused(one.server.url, (await one.makeKey()).key)).toBe(
      '422 no_connection /url this_studio',
    );
    expect(await one.status()).toMatchObject({ state: 'off', connection: null });
  });

  test('is for a person alone, and not on a hosted server', async () => {
    await using remote = await bootServer({ deps: { home: 'hosted' } });
    expect((await remote.call('GET', '/api/v1/uplink')).body.error).toBe('insufficient_scope');
    const { callInProcess } = await import('../../support/in-process.ts');
    expect((await callInProcess(remote.server, 'GET', '/api/v1/uplink')).body).toMatchObject({
      available: false,
      state: 'off',
    });
    expect(
      await callInProcess(remote.server, 'PUT', '/api/v1/uplink', {
        body: { url: 'https://example.org', key: 'evs_x' },
      }),
    ).toMatchObject({ status: 409, body: { error: 'conflict' } });
  });

  test('makes the studio’s person the hosted user: work, keys and sessions carry the name on', async () => {
    const agent = await one.makeKey();
    const before = one.composed.store.local.user_id;
    const { user_id } = await connect('Ada Lovelace', 'member');
    expect((await one.ok('GET', '/api/v1/session')).user).toMatchObject({
      user_id,
      name: 'Ada Lovelace',
      role: 'owner',
      formerly: [before],
    });
    expect(user_id).not.toBe(before);
    const answer = await fetch(`${one.server.url}/api/v1/projects`, {
      headers: { authorization: `Bearer ${agent.key}` },
    });
    expect(answer.status).toBe(200);
    await one.share(project);
    await one.record('case-1', 'i2', 'NA');
    await converge(['case-1'], hosted, one);
    const history = await hosted.ok(
      'GET',
      `/api/v1/cases/case-1/history?profile_uid=${TRIO}&item_uid=i2&rule_uid=${RULE}`,
    );
    expect(history.data[0]).toMatchObject({ by: 'Ada Lovelace' });
  });

  test('keeps the key in a file of its own for its owner alone, and forgets it with the connection', async () => {
    const { key } = await connect('Ada');
    const file = path.join(one.folder, 'uplink.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(key);
    expect(readFileSync(path.join(one.folder, 'evidence.sqlite')).includes(key)).toBe(false);
    expect(
      JSON.stringify([await one.status(), await one.ok('GET', '/api/v1/uplink/diagnostics')]),
    ).not.toContain(key.slice(15));
    await one.ok('DELETE', '/api/v1/uplink');
    expect(() => statSync(file)).toThrow();
    await one.restart();
    expect(await one.status()).toMatchObject({ state: 'off', connection: null });
    expect(one.log).not.toContain(key.slice(15));
  });
});

describe('a key that ends', () => {
  test('stops the sync at once; nothing is lost, and another key of the same user continues (I14)', async () => {
    const { key_id } = await connect('Ada', 'member');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await revoke(key_id);
    await one.record('case-1', 'kept', 'TRUE');
    await eventually(async () =>
      expect(await one.status()).toMatchObject({
        state: 'stopped',
        problem: expect.stringContaining('no longer accepts the key'),
        totals: { waiting: 1 },
      }),
    );
    expect(await hosted.cells('case-1')).toEqual([`i1/${RULE}=TRUE`]);
    await connect('Ada');
    await converge(['case-1'], hosted, one);
    expect(await hosted.cells('case-1')).toContain(`kept/${RULE}=TRUE`);
  });

  test('a key that may only read parks what would be sent, and says so', async () => {
    const { key } = await hosted.ok('POST', '/api/v1/keys', { name: 'reader', scopes: ['read'] });
    // Whoever made it: it is an owner's.
    expect((await one.connect(hosted.server.url, key)).connection?.user.role).toBe('viewer');
    await one.share(project);
    await eventually(async () =>
      expect(
        (await one.status()).links.map(({ state, problem }) => `${state}: ${problem}`),
      ).toEqual(
        Array.from(
          { length: 2 },
          () => 'blocked: The key may not write there. Your work is kept here.',
        ),
      ),
    );
    expect(await hosted.digest('case-1')).toBe('none');
  });

  test('U3 another user’s key is refused while work waits, and taken when all is sent', async () => {
    const { key_id } = await connect('Ada', 'member');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await revoke(key_id);
    await one.record('case-1', 'by-ada', 'TRUE');
    await eventually(async () => expect((await one.status()).state).toBe('stopped'));
    const ben = await hosted.makeKey('Ben', 'member');
    expect(
      await one.call('PUT', '/api/v1/uplink', { url: hosted.server.url, key: ben.key }),
    ).toMatchObject({ status: 409, body: { error: 'other_user' } });
    expect((await one.status()).connection?.user.name).toBe('Ada');
    await connect('Ada');
    await converge(['case-1'], hosted, one);
    await one.connect(hosted.server.url, ben.key);
    await one.record('case-1', 'by-ben', 'NA');
    await converge(['case-1'], hosted, one);
  });

  test('U5 a viewer reads; their own work is blocked here, and goes when they may write', async () => {
    await hosted.makeCase(await hosted.makeProject('Theirs'), 'case-9');
    await hosted.record('case-9', 'x', 'TRUE');
    await connect('Vera', 'viewer');
    await eventually(async () =>
      expect((await one.status()).projects.some(({ there }) => there)).toBe(true),
    );
    const theirs = (await one.status()).projects.find(({ here }) => !here)!;
    await one.share(theirs.project_id);
    await eventually(async () => expect(await one.cells('case-9')).toEqual([`x/${RULE}=TRUE`]));
    await one.record('case-9', 'mine', 'NA');
    await eventually(async () => {
      const { links, totals } = await one.status();
      expect(links.find(({ stream }) => stream === 'case-9')).toMatchObject({
        state: 'blocked',
        waiting: 1,
        problem: expect.stringContaining('may not write'),
      });
      expect(totals).toMatchObject({ waiting: 1, blocked: 1 });
    });
    await hosted.record('case-9', 'theirs', 'FALSE');
    await eventually(async () =>
      expect(await one.cells('case-9')).toContain(`theirs/${RULE}=FALSE`),
    );
    expect(await hosted.cells('case-9')).not.toContain(`mine/${RULE}=NA`);
    await hosted.makeKey('Vera', 'member');
    await one.ok('POST', '/api/v1/uplink/sync', {});
    await converge(['case-9'], hosted, one);
    expect(await hosted.cells('case-9')).toContain(`mine/${RULE}=NA`);
  });
});

describe('what is shared', () => {
  test('disconnecting and connecting again loses nothing and sends nothing twice', async () => {
    await connect('Ada');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await one.ok('DELETE', '/api/v1/uplink');
    await one.record('case-1', 'apart', 'NA');
    await hosted.record('case-1', 'there', 'TRUE');
    expect(await hosted.digest('case-1')).not.toBe(await one.digest('case-1'));
    await connect('Ada');
    await converge(['case-1'], hosted, one);
    const { requests } = await one.ok('GET', '/api/v1/uplink/diagnostics');
    expect(requests.failed).toBe(0);
    expect(await one.cells('case-1')).toEqual(
      expect.arrayContaining([`apart/${RULE}=NA`, `there/${RULE}=TRUE`]),
    );
  });

  test('U2 projects that are not switched on stay here; profiles go as far as they are needed; runs go along', async () => {
    const profile = { ...(await one.ok('GET', `/api/v1/profiles/${TRIO}`)), visibility: 'private' };
    for (const profileUid of ['mine_needed', 'mine_unused'])
      await one.ok('POST', '/api/v1/profiles', { ...profile, profileUid });
    await one.ok('POST', '/api/v1/evidence', {
      case_uid: 'case-1',
      profile_uid: 'mine_needed',
      items: [{ item_uid: 'i1', evidence: [{ rule_uid: RULE, raw_outcome: 'NA' }] }],
    });
    const { run_uid, content_hash } = await one.ok('POST', '/api/v1/runs', {
      case_uid: 'case-1',
      profile_uid: TRIO,
    });
    const other = await one.makeProject('Private');
    await one.makeCase(other, 'case-secret');
    await connect('Ada');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await eventually(async () =>
      expect((await hosted.call('GET', '/api/v1/profiles/mine_needed')).status).toBe(200),
    );
    expect((await hosted.call('GET', '/api/v1/profiles/mine_unused')).status).toBe(404);
    expect(
      (await hosted.call('GET', `/api/v1/cases/case-secret/evidence?profile_uid=${TRIO}`)).status,
    ).toBe(404);
    expect((await hosted.ok('GET', `/api/v1/runs/${run_uid}`)).content_hash).toBe(content_hash);

    await using two = await Studio.open('two');
    await two.connect(hosted.server.url, (await hosted.makeKey('Ben')).key);
    await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
    await two.share(project);
    await converge(['case-1'], hosted, one, two);
    await eventually(async () =>
      expect((await two.ok('GET', `/api/v1/runs/${run_uid}`)).content_hash).toBe(content_hash),
    );
    expect((await two.ok('GET', '/api/v1/profiles/mine_needed')).profileUid).toBe('mine_needed');

    await one.share(project, false);
    await one.record('case-1', 'private', 'TRUE');
    const before = await hosted.digest('case-1');
    await one.share(other);
    await converge(['case-secret'], hosted, one);
    expect(await hosted.digest('case-1')).toBe(before);
  });

  test('U4 another server is sent nothing until projects are switched on again', async () => {
    await connect('Ada');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await using second = await Studio.open('second');
    const { key } = await second.makeKey('Grace');
    expect((await one.connect(second.server.url, key)).projects).toMatchObject([
      { project_id: project, shared: false },
    ]);
    await one.record('case-1', 'later', 'NA');
    expect(await second.digest('case-1')).toBe('none');
    await one.share(project);
    await converge(['case-1', `@project/${project}`], second, one);
    expect(await hosted.cells('case-1')).not.toContain(`later/${RULE}=NA`);
  });

  test('the diagnostics name no case, no project and no evidence', async () => {
    await connect('Ada');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    const text = JSON.stringify(await one.ok('GET', '/api/v1/uplink/diagnostics'));
    for (const secret of ['case-1', 'Trios', 'i1', project, 'Ada'])
      expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({
      upstream: { url: hosted.server.url, role: 'member' },
      links: expect.arrayContaining([
        expect.objectContaining({ link: expect.stringMatching(/^case:[0-9a-f]{12}$/), waiting: 0 }),
      ]),
    });
  });
});

describe('L7 a key that is no studio’s', () => {
  const history = async (item: string) =>
    (
      await hosted.ok(
        'GET',
        `/api/v1/cases/case-1/history?profile_uid=${TRIO}&item_uid=${item}&rule_uid=${RULE}`,
      )
    ).data;

  test('is refused when it is entered, with the sentence that says what to do', async () => {
    const { key, key_id } = await hosted.makeKey('Ada', 'member');
    await hosted.sql(`UPDATE api_keys SET scopes = '["read","write"]' WHERE key_id = '${key_id}'`);
    const { status, body } = await one.call('PUT', '/api/v1/uplink', {
      url: hosted.server.url,
      key,
    });
    expect([status, body.error, body.details]).toMatchObject([
      422,
      'no_connection',
      [
        {
          path: '/key',
          code: 'not_a_studio',
          message: expect.stringContaining('Connect a studio'),
        },
      ],
    ]);
    expect(await one.status()).toMatchObject({ state: 'off', connection: null });
  });

  test('as 0.1 took: what is sent waits and what is there is read, until a person lets it; nothing is lost', async () => {
    const { key_id, user_id } = await connect('Ada', 'member');
    await one.share(project);
    await converge(['case-1'], hosted, one);
    await hosted.sql(`UPDATE api_keys SET scopes = '["read","write"]' WHERE key_id = '${key_id}'`);
    await one.record('case-1', 'i2', 'NA');
    const blocked = async (): Promise<void> => {
      const { links, totals } = await one.status();
      expect(links.find(({ stream }) => stream === 'case-1')).toMatchObject({
        state: 'blocked',
        problem: expect.stringContaining('Connect a studio'),
        waiting: 1,
      });
      expect(totals.waiting).toBe(1);
    };
    await eventually(blocked);
    await hosted.record('case-1', 'i9', 'FALSE');
    await one.ok('POST', '/api/v1/uplink/sync', {});
    await eventually(async () => expect(await one.cells('case-1')).toContain(`i9/${RULE}=FALSE`));
    await eventually(blocked);
    expect(await hosted.cells('case-1')).not.toContain(`i2/${RULE}=NA`);

    expect((await hosted.ok('POST', `/api/v1/keys/${key_id}/studio`, {})).scopes).toEqual([
      'read',
      'write',
      'sync',
    ]);
    expect((await hosted.ok('GET', '/api/v1/audit?limit=1')).data).toMatchObject([
      { action: 'key.let_sync', object: key_id, detail: { user_id } },
    ]);
    await one.ok('POST', '/api/v1/uplink/sync', {});
    await converge(['case-1'], hosted, one);
    await eventually(async () =>
      expect((await one.status()).links.every(({ state }) => state === 'equal')).toBe(true),
    );
  });

  test('what was recorded before connecting names its author, its sender and the key, here and where it is read', async () => {
    const { key_id, user_id } = await connect('Ada', 'member');
    await one.share(project);
    await one.record('case-1', 'i2', 'NA');
    await converge(['case-1'], hosted, one);
    const sender = { user_id, name: 'Ada', key_id, key_name: 'uplink' };
    expect(await history('i1')).toMatchObject([
      { by: 'Local user', relayed: true, sent_by: sender },
    ]);
    expect(await history('i2')).toMatchObject([{ by: 'Ada', relayed: false, sent_by: sender }]);
    await using two = await Studio.open('two');
    await two.connect(hosted.server.url, (await hosted.makeKey('Ben', 'member')).key);
    await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
    await two.share(project);
    await converge(['case-1'], hosted, one, two);
    const there = await two.ok(
      'GET',
      `/api/v1/cases/case-1/history?profile_uid=${TRIO}&item_uid=i1&rule_uid=${RULE}`,
    );
    expect(there.data).toMatchObject([{ by: 'Local user', relayed: true, sent_by: sender }]);
  });
});
