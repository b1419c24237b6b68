import type { UserId } from '../../src/shared/contract/ids.ts';
import type { TrailOwner } from '../../src/server/storage/db/schema/account-tables.ts';
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { verifyChains } from '../../src/server/audit/verify-audit.ts';
import { type AuditEvent, AuditExport } from '../../src/shared/contract/v1/audit.ts';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { bootServer, INSTANCES, type TestServer } from '../support/server.ts';
import { asKey } from '../support/ids.ts';

const OWN = { 'sec-fetch-site': 'same-origin' };

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

async function signIn(user?: UserId): Promise<string> {
  const link = await createSignInLink(server.deps, server.url, user);
  return (await server.call('GET', link.slice(server.url.length), { key: null })).headers
    .get('set-cookie')!
    .split(';')[0]!;
}
async function trail(
  account: TrailOwner = server.deps.store.local.account_id,
): Promise<AuditEvent[]> {
  return server.deps.store.read((reader) => reader.auditTrail.after(account, 0, 1_000), account);
}

describe('the audit trail', () => {
  it('tells who signed in, made a key, revoked it and went, from where, and nothing that opens a door', async () => {
    const from = (await trail()).length;
    const cookie = await signIn();
    const headers = { cookie, ...OWN };
    const made = await server.call('POST', '/api/v1/keys', {
      key: null,
      headers,
      body: { name: 'Pipeline', scopes: ['read'] },
    });
    for (let again = 0; again < 2; again += 1)
      expect(
        (await server.call('DELETE', `/api/v1/keys/${made.body.key_id}`, { key: null, headers }))
          .status,
      ).toBe(200);
    await server.call('POST', '/sign-out', { key: null, headers });
    const events = (await trail()).slice(from);
    const { user_id, user_name } = server.deps.store.local;
    expect(events.map(({ action, object, by }) => [action, object, by.kind])).toEqual([
      ['sign_in.link_created', user_id, 'operator'],
      ['sign_in.done', user_id, 'human'],
      ['key.created', made.body.key_id, 'human'],
      ['key.revoked', made.body.key_id, 'human'],
      ['sign_out.done', user_id, 'human'],
    ]);
    expect(events[2]).toMatchObject({
      detail: { name: 'Pipeline', scopes: ['read'], expires_at: null },
      by: { user_id, name: user_name, address: '127.0.0.1' },
      request_id: made.headers.get('x-request-id'),
    });
    expect(new Set(events.slice(1).map(({ by }) => by.session)).size).toBe(1);
    const text = JSON.stringify(events);
    expect(text).not.toContain(made.body.key);
    expect(text).not.toContain(cookie.split('=')[1]);
  });

  it("tells of a run, and not of evidence, which its case's log tells of", async () => {
    await makeCase(server, 'case-1');
    const from = (await trail()).length;
    await recordCell(server, 'case-1');
    expect((await trail()).length).toBe(from);
    const run = await server.call('POST', '/api/v1/runs', {
      body: { case_uid: 'case-1', profile_uid: TRIO, run_uid: 'run-1' },
    });
    expect(run.status).toBe(201);
    expect(
      (
        await server.call('POST', '/api/v1/runs', {
          body: { case_uid: 'case-1', profile_uid: TRIO, run_uid: 'run-1' },
        })
      ).status,
    ).toBe(200);
    expect((await trail()).slice(from)).toMatchObject([
      {
        action: 'run.created',
        object: 'run-1',
        detail: { case_uid: 'case-1', content_hash: run.body.content_hash },
        by: { kind: 'agent', name: 'test' },
      },
    ]);
  });

  it('counts refused keys by the minute', async () => {
    const revoked = await server.makeKey();
    const key_id = revoked.slice(4, 14);
    const { account_id } = server.deps.store.local;
    await server.deps.store.transact((writer) =>
      writer.keyWrites.revoke(account_id, asKey(key_id)),
    );
    // All of them fall into one minute.
    server.advance(60_000 - (server.deps.clock.now() % 60_000));
    for (let tries = 0; tries < 5; tries += 1)
      expect((await server.call('GET', '/api/v1/projects', { key: revoked })).status).toBe(401);
    for (let tries = 0; tries < 3; tries += 1)
      expect((await server.call('GET', '/api/v1/projects', { key: 'nonsense' })).status).toBe(401);
    server.advance(60_000);
    // Each instance tells of its own.
    const counted = async (
      account: TrailOwner,
      event: Record<string, unknown>,
      detail: Record<string, unknown>,
    ) => {
      const told = (await trail(account)).filter(
        ({ action, object }) => action === 'key.refused' && object === event['object'],
      );
      for (const one of told) expect(one).toMatchObject({ ...event, detail });
      return [told.length, told.reduce((sum, one) => sum + Number(one.detail['count']), 0)];
    };
    await expect
      .poll(() =>
        counted(
          account_id,
          { object: key_id, by: { kind: 'server' } },
          { reason: 'key_revoked', address: '127.0.0.1' },
        ),
      )
      .toEqual([INSTANCES, 5]);
    await expect
      .poll(() => counted('', { object: null }, { reason: 'invalid_key' }))
      .toEqual([INSTANCES, 3]);
  });

  it('is for owners, in pages, newest first', async () => {
    const cookie = await signIn();
    const all = await trail();
    const first = await server.call('GET', '/api/v1/audit?limit=2', {
      key: null,
      headers: { cookie },
    });
    expect(first.body.data).toEqual(all.toReversed().slice(0, 2));
    const second = await server.call(
      'GET',
      `/api/v1/audit?limit=2&cursor=${first.body.next_cursor}`,
      { key: null, headers: { cookie } },
    );
    expect(second.body.data).toEqual(all.toReversed().slice(2, 4));
    expect((await server.call('GET', '/api/v1/audit')).body.error).toBe('insufficient_scope');
    for (const role of ['member', 'viewer'] as const) {
      const { user_id } = await server.deps.store.transact((writer) =>
        writer.userWrites.ensure(server.deps.store.local.account_id, role, role),
      );
      const other = await server.call('GET', '/api/v1/audit', {
        key: null,
        headers: { cookie: await signIn(user_id) },
      });
      expect([other.status, other.body.error]).toEqual([403, 'insufficient_scope']);
    }
  });

  it('goes out whole as JSON that anyone can check, and as delimited text; who took it is told', async () => {
    const headers = { cookie: await signIn() };
    const before = await trail();
    const { body, headers: sent } = await server.call('GET', '/api/v1/audit/export', {
      key: null,
      headers,
    });
    expect(sent.get('content-disposition')).toBe('attachment; filename="audit.json"');
    expect(AuditExport.parse(body)).toMatchObject({
      events: before,
      head: { seq: before.length, hash: before.at(-1)?.hash },
    });
    let former = '0'.repeat(64);
    for (const { hash, ...event } of (body as AuditExport).events) {
      expect(
        createHash('sha256')
          .update(former + canonicalize(event))
          .digest('hex'),
      ).toBe(hash);
      former = hash;
    }
    const { text } = await server.call('GET', '/api/v1/audit/export?format=csv', {
      key: null,
      headers,
    });
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'seq,at,action,object,by,kind,user_id,key_id,session,address,request_id,detail,hash',
      expect.stringMatching(/^1,2/),
    ]);
    expect((await trail()).slice(before.length)).toMatchObject([
      { action: 'audit.exported', detail: { format: 'json', seq: before.length } },
      { action: 'audit.exported', detail: { format: 'csv' } },
    ]);
    const { user_id } = await server.deps.store.transact((writer) =>
      writer.userWrites.ensure(server.deps.store.local.account_id, 'member', 'member'),
    );
    expect(
      (
        await server.call('GET', '/api/v1/audit/export', {
          key: null,
          headers: { cookie: await signIn(user_id) },
        })
      ).status,
    ).toBe(403);
  });

  it('is whole, with every log', async () => {
    expect(await verifyChains(server.deps.store, server.deps.hasher)).toMatchObject({
      ok: true,
      problems: [],
    });
  });
});
