import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callInProcess } from '../support/in-process.ts';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
  await makeCase(server, 'case-1');
  await recordCell(server, 'case-1');
});
afterAll(() => server.close());

const run = (key: string, body: unknown = { case_uid: 'case-1', profile_uid: TRIO }) =>
  server.call('POST', '/api/v1/runs', { body, headers: { 'idempotency-key': key } });

describe('an Idempotency-Key', () => {
  it('makes a repeated request one effect, answered by the same bytes', async () => {
    const first = await run('once');
    const second = await run('once');
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ]);
    for (const name of ['etag', 'location', 'content-type'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect((await server.call('GET', '/api/v1/runs')).body.data).toHaveLength(1);
  });

  it('is neither used up by a dry run nor answers one', async () => {
    const body = { name: 'Tried first' };
    const headers = { 'idempotency-key': 'tried' };
    const dry = () => server.call('POST', '/api/v1/projects?dry_run=true', { body, headers });
    const said = ({ headers: of }: Awaited<ReturnType<typeof dry>>) =>
      ['dry-run', 'idempotent-replayed'].map((name) => of.get(name));
    expect(said(await dry())).toEqual(['true', null]);
    const done = await server.call('POST', '/api/v1/projects', { body, headers });
    expect([done.status, ...said(done)]).toEqual([201, null, null]);
    expect(said(await dry())).toEqual(['true', null]);
  });

  it('belongs to one request: another body, path or white space is refused', async () => {
    expect(
      (await run('once', { case_uid: 'case-1', profile_uid: TRIO, settings: {} })).body.error,
    ).toBe('idempotency_mismatch');
    const raw = `{"case_uid": "case-1","profile_uid":"${TRIO}"}`;
    expect(
      (await server.call('POST', '/api/v1/runs', { raw, headers: { 'idempotency-key': 'once' } }))
        .body.error,
    ).toBe('idempotency_mismatch');
    const evidence = { profile_uid: TRIO, outcomes: [] };
    await makeCase(server, 'case-2', 'Two');
    expect(
      (
        await server.call('POST', '/api/v1/cases/case-1/evidence', {
          body: evidence,
          headers: { 'idempotency-key': 'k' },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await server.call('POST', '/api/v1/cases/case-2/evidence', {
          body: evidence,
          headers: { 'idempotency-key': 'k' },
        })
      ).body.error,
    ).toBe('idempotency_mismatch');
  });

  it('is free again after a refusal, which left nothing', async () => {
    expect((await run('refused', { case_uid: 'none', profile_uid: TRIO })).status).toBe(404);
    expect((await run('refused')).status).toBe(201);
  });

  it('stands for one request, whatever its operation: another one with it is refused and does nothing', async () => {
    const headers = { 'idempotency-key': 'once' };
    const paths = [
      '/api/v1/projects',
      '/api/v1/cases',
      '/api/v1/evidence',
      '/api/v1/cases/case-1/evidence',
      '/api/v1/cases/case-1/reverts',
    ];
    const bodies: Record<string, unknown> = {
      '/api/v1/projects': { name: 'Same key' },
      '/api/v1/cases': { project_id: `prj_${'0'.repeat(26)}`, case_uid: 'case-9' },
      '/api/v1/evidence': { case_uid: 'case-1', profile_uid: TRIO, items: [] },
      '/api/v1/cases/case-1/evidence': { profile_uid: TRIO },
      '/api/v1/cases/case-1/reverts': { changes: [`c1_${'A'.repeat(43)}`], reason: 'r' },
    };
    for (const path of paths) {
      const answer = await server.call('POST', path, { body: bodies[path], headers });
      expect([path, answer.status, answer.body.error]).toEqual([path, 422, 'idempotency_mismatch']);
    }
    expect(JSON.stringify((await server.call('GET', '/api/v1/projects')).body)).not.toContain(
      'Same key',
    );
  });

  it('ends after a day', async () => {
    await run('a-day');
    server.advance(24 * 3_600_000 - 60_000);
    expect((await run('a-day')).headers.get('idempotent-replayed')).toBe('true');
    server.advance(120_000);
    const late = await run('a-day');
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('of twenty copies at once lets one through; the others hear of it or get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => run('copies')));
    const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
    expect(texts.size).toBe(1);
    for (const { status, body } of answers)
      expect(status === 201 || body.error === 'idempotency_in_progress').toBe(true);
    const before = (await server.call('GET', '/api/v1/runs?limit=200')).body.data.length;
    await run('copies');
    expect((await server.call('GET', '/api/v1/runs?limit=200')).body.data).toHaveLength(before);
  });

  it('does not keep the secret of a new key', async () => {
    const make = () =>
      callInProcess(server.server, 'POST', '/api/v1/keys', {
        body: { name: 'Secret', scopes: ['read'] },
        headers: { 'idempotency-key': 'secret' },
      });
    const first = await make();
    expect(first.status).toBe(201);
    expect((await make()).body.error).toBe('conflict');
    const kept = await server.deps.store.transact((writer) =>
      writer.idempotency.find(server.deps.store.local.account_id, 'secret'),
    );
    expect(JSON.stringify(kept)).not.toContain(first.body.key.slice(15));
  });
});

describe('entity tags', () => {
  it('guard writes', async () => {
    const write = (title: string, headers: Record<string, string> = {}) =>
      server.call('POST', '/api/v1/cases', {
        body: { project_id: project, case_uid: 'tagged', title },
        headers,
      });
    const project = (await server.call('POST', '/api/v1/projects', { body: { name: 'Tags' } })).body
      .project_id;
    expect((await write('a', { 'if-match': '"v1"' })).body.error).toBe('precondition_failed');
    const made = await write('a', { 'if-none-match': '*' });
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"v1"']);
    expect((await write('b', { 'if-none-match': '*' })).status).toBe(412);
    expect((await write('b', { 'if-match': 'W/"v1"' })).status).toBe(412);
    expect((await write('b', { 'if-match': '"v1"' })).headers.get('etag')).toBe('"v2"');
    expect((await write('c', { 'if-match': '"v1"' })).status).toBe(412);
    expect((await write('b')).headers.get('etag')).toBe('"v2"');
    expect(
      (
        await server.call('POST', '/api/v1/runs', {
          body: { case_uid: 'case-1', profile_uid: TRIO, run_uid: 'tagged' },
          headers: { 'if-none-match': '*' },
        })
      ).status,
    ).toBe(201);
    expect(
      (
        await server.call('POST', '/api/v1/runs', {
          body: { case_uid: 'case-1', profile_uid: TRIO, run_uid: 'tagged' },
          headers: { 'if-none-match': '*' },
        })
      ).status,
    ).toBe(412);
  });

  it('spare a reader what it has', async () => {
    const path = `/api/v1/cases/case-1/evidence?profile_uid=${TRIO}`;
    const first = await server.call('GET', path);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    const fresh = await server.call('GET', path, { headers: { 'if-none-match': `"x", ${etag}` } });
    expect([fresh.status, fresh.text, fresh.headers.get('etag')]).toEqual([304, '', etag]);
    expect(
      (
        await server.call('POST', '/api/v1/cases/case-1/evidence', {
          body: { profile_uid: TRIO, outcomes: [] },
          headers: { 'if-match': etag },
        })
      ).status,
    ).toBe(200);
    await recordCell(server, 'case-1', 'item_1', 'TRUE');
    const changed = await server.call('GET', path, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(
      (
        await server.call('POST', '/api/v1/cases/case-1/evidence', {
          body: { profile_uid: TRIO, outcomes: [] },
          headers: { 'if-match': etag },
        })
      ).status,
    ).toBe(412);
    expect((await server.call('HEAD', path)).headers.get('content-length')).toBe(
      String(Buffer.byteLength(changed.text)),
    );
  });
});
