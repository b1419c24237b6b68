import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { API } from '../../src/shared/contract/api.ts';
import type { Author } from '../../src/sync/change.ts';
import { alone } from '../support/alone.ts';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import { asKey } from '../support/ids.ts';

const CELL = { profile: TRIO, version: '1.1', rule: 'parents_genotype_missing', item: 'item_1' };
const PUSH = '/api/v1/sync/cases/case-1/push';

let server: TestServer;

beforeAll(async () => {
  server = await bootServer();
  await makeCase(server, 'case-1');
  await recordCell(server, 'case-1');
});
afterAll(() => server.close());

const batch = (user: string, count = 1) => ({
  protocol: 1,
  changes: Array.from({ length: count }, () =>
    wireChange('case-1', user, [unseenOutcome(CELL, 'TRUE')]),
  ),
});
const revoke = (key: string) =>
  server.deps.store.transact((writer) =>
    writer.keyWrites.revoke(server.deps.store.local.account_id, asKey(key.slice(4, 14))),
  );

describe('a viewer', () => {
  it('L10 I14 reads everything, and is refused every write with a code of its own; nothing is changed', async () => {
    const key = await server.makeKey({ user: { name: 'Vera', role: 'viewer' } });
    expect(
      (await server.call('GET', '/api/v1/sync/cases/case-1/changes?after=0', { key })).status,
    ).toBe(200);
    expect(
      (await server.call('GET', `/api/v1/cases/case-1/evidence?profile_uid=${TRIO}`, { key }))
        .status,
    ).toBe(200);
    const before = await server.stored();
    for (const { id, method, path, access } of API) {
      if (access !== 'write') continue;
      const answer = await server.call(method, path.replace(/\{\w+\}/g, 'case-1'), {
        key,
        body: {},
      });
      expect([id, answer.status, answer.body.error]).toEqual([id, 403, 'read_only_role']);
    }
    expect(await server.stored()).toBe(before);
  });

  it('is told so in the session; a key that only reads is another matter', async () => {
    const link = await createSignInLink(server.deps, server.url);
    const cookie = (await server.call('GET', link.slice(server.url.length), { key: null })).headers
      .get('set-cookie')!
      .split(';')[0]!;
    const session = () => server.call('GET', '/api/v1/session', { key: null, headers: { cookie } });
    expect((await session()).body.user.role).toBe('owner');
    const { account_id, user_name } = server.deps.store.local;
    await server.deps.store.transact(async (writer) => {
      await writer.userWrites.ensure(account_id, 'Second owner', 'owner');
      await writer.userWrites.ensure(account_id, user_name, 'viewer');
    });
    expect((await session()).body.user.role).toBe('viewer');
    const write = await server.call('POST', '/api/v1/keys', {
      key: null,
      body: { name: 'k', scopes: ['read', 'write'] },
      headers: { cookie, origin: server.url },
    });
    expect([write.status, write.body.error]).toEqual([403, 'read_only_role']);
    await server.deps.store.transact((writer) =>
      writer.userWrites.ensure(account_id, user_name, 'owner'),
    );
    const readOnly = await server.call('POST', PUSH, { key: server.readKey, body: batch('usr_x') });
    expect([readOnly.status, readOnly.body.error]).toEqual([403, 'insufficient_scope']);
  });

  it('is never the last owner: an account keeps one', async () => {
    const lonely = await bootServer();
    const { account_id, user_name } = lonely.deps.store.local;
    await expect(
      lonely.deps.store.transact((writer) =>
        writer.userWrites.ensure(account_id, user_name, 'member'),
      ),
    ).rejects.toMatchObject({ code: 'conflict' });
    await lonely.close();
  });
});

describe('I14 a key that is revoked', () => {
  // One process writes at a time; to several instances such a push may come first.
  alone.each([
    ['was', false],
    ['is lowered to a viewer’s', true],
  ])('lands nothing of a push that was under way when it %s', async (_, lowers) => {
    const { account_id } = server.deps.store.local;
    const key = await server.makeKey({
      scopes: ['sync'],
      user: { name: `Moves ${lowers}`, role: 'member' },
    });
    const before = (await server.call('GET', '/api/v1/sync/cases/case-1/changes?after=0')).body
      .count;
    // The request has its credentials checked and its body read meanwhile, and waits for its turn
    // to write.
    const turn = server.deps.store.transact(async (writer) => {
      if (lowers) await writer.userWrites.ensure(account_id, `Moves ${lowers}`, 'viewer');
      else await writer.keyWrites.revoke(account_id, asKey(key.slice(4, 14)));
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    const answer = await server.call('POST', PUSH, { key, body: batch('usr_x', 200) });
    await turn;
    expect([answer.status, answer.body.error]).toEqual(
      lowers ? [403, 'read_only_role'] : [401, 'key_revoked'],
    );
    expect((await server.call('GET', '/api/v1/sync/cases/case-1/changes?after=0')).body.count).toBe(
      before,
    );
  });

  it('L10 I14 hears no event more', async () => {
    const key = await server.makeKey();
    const response = await fetch(`${server.url}/api/v1/sync/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('retry');
    await revoke(key);
    await recordCell(server, 'case-1', 'item_9');
    expect(await reader.read()).toMatchObject({ done: true });
  });
});

describe('a change of somebody else', () => {
  it('L7 is stored as relayed by whoever sent it, and keeps its author', async () => {
    const key = await server.makeKey({
      name: 'Laptop',
      scopes: ['sync'],
      user: { name: 'Relay', role: 'member' },
    });
    const { account_id } = server.deps.store.local;
    const ada = await server.deps.store.transact((writer) =>
      writer.userWrites.ensure(account_id, 'Ada', 'member'),
    );
    await makeCase(server, 'relayed');
    const change = wireChange('relayed', ada.user_id, [unseenOutcome(CELL, 'NA')]);
    expect(
      (
        await server.call('POST', '/api/v1/sync/cases/relayed/push', {
          key,
          body: { protocol: 1, changes: [change] },
        })
      ).status,
    ).toBe(200);
    const history = await server.call(
      'GET',
      `/api/v1/cases/relayed/history?profile_uid=${TRIO}&item_uid=item_1&rule_uid=${CELL.rule}`,
    );
    expect(history.body.data).toMatchObject([
      {
        by: 'Ada',
        sent_by: { name: 'Relay', key_id: key.slice(4, 14), key_name: 'Laptop' },
        relayed: true,
      },
    ]);
  });
});

describe('an entry that names another one whose value it brings back', () => {
  it('L7 is that one’s word only where the value is the same', async () => {
    await makeCase(server, 'restored');
    const { account_id, user_id, user_name } = server.deps.store.local;
    const ada = await server.deps.store.transact((writer) =>
      writer.userWrites.ensure(account_id, 'Ada', 'member'),
    );
    const key = await server.makeKey({ name: 'Robot' });
    const push = async (own: string, change: ReturnType<typeof wireChange>) =>
      expect(
        (
          await server.call('POST', '/api/v1/sync/cases/restored/push', {
            key: own,
            body: { protocol: 1, changes: [change] },
          })
        ).status,
      ).toBe(200);
    const hers = wireChange('restored', ada.user_id, [unseenOutcome(CELL, 'TRUE')]);
    await push(server.syncKey, hers);
    const by: Author = {
      user: user_id,
      kind: 'agent',
      agent: 'Robot',
      key: asKey(key.slice(4, 14)),
      name: user_name,
    };
    const recordedBy = async () =>
      (await server.call('GET', `/api/v1/cases/restored/evidence?profile_uid=${TRIO}`)).body
        .items[0].evidence[0].recorded_by;
    const forged = wireChange('restored', by, [
      { ...unseenOutcome(CELL, 'FALSE'), parents: [`${hers.id}#0`], restores: `${hers.id}#0` },
    ]);
    await push(key, forged);
    expect(await recordedBy()).toMatchObject({ kind: 'agent', name: 'Robot' });
    const { writers } = (
      await server.call('POST', '/api/v1/cases/restored/writers', {
        body: { entries: [`${forged.id}#0`] },
      })
    ).body;
    expect(writers).toMatchObject([{ by: 'Robot', kind: 'agent', restored: null }]);
    await push(
      key,
      wireChange('restored', by, [
        { ...unseenOutcome(CELL, 'TRUE'), parents: [`${forged.id}#0`], restores: `${hers.id}#0` },
      ]),
    );
    expect(await recordedBy()).toMatchObject({ kind: 'human', name: 'Ada' });
  });
});
