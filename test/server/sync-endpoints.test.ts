import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_CHAIN } from '../../src/sync/log.ts';
import { makeCase, recordCell } from '../support/evidence.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

const at = (stream: string, call: string): string =>
  `/api/v1/sync/cases/${encodeURIComponent(stream)}/${call}`;

describe('the idle request', () => {
  it('tells where every log stands, and nothing while nothing moves', async () => {
    const project = await makeCase(server, 'idle-1');
    const first = await server.call('GET', '/api/v1/sync/cases');
    expect(first.body).toMatchObject({ role: 'owner', next: null });
    expect(first.body.cases).toMatchObject([
      { case_uid: `@project/${project}`, seq: 1, project_id: null, runs: 0 },
      { case_uid: 'idle-1', seq: 1, project_id: project, runs: 0 },
    ]);
    const etag = first.headers.get('etag')!;
    const idle = await server.call('GET', '/api/v1/sync/cases', {
      headers: { 'if-none-match': etag },
    });
    expect([idle.status, idle.text]).toEqual([304, '']);
    await recordCell(server, 'idle-1');
    await server.call('POST', '/api/v1/runs', {
      body: { case_uid: 'idle-1', profile_uid: 'trio_rare_disease' },
    });
    const moved = await server.call('GET', '/api/v1/sync/cases', {
      headers: { 'if-none-match': etag },
    });
    expect(moved.status).toBe(200);
    expect(moved.body.cases[1]).toMatchObject({ case_uid: 'idle-1', runs: 1 });
    // Another role is another answer.
    const viewer = await server.makeKey({ user: { name: 'Vera', role: 'viewer' } });
    const seen = await server.call('GET', '/api/v1/sync/cases', {
      key: viewer,
      headers: { 'if-none-match': moved.headers.get('etag')! },
    });
    expect([seen.status, seen.body.role]).toEqual([200, 'viewer']);
  });
});

describe('comparing logs', () => {
  it('L8 L9 names what is missing, the last common position, and the buckets that differ', async () => {
    await makeCase(server, 'compared');
    await recordCell(server, 'compared');
    const { body: log } = await server.call('GET', at('compared', 'changes?after=0'));
    const ids = log.changes.map((change: { id: string }) => change.id) as string[];
    const foreign = `c1_${'A'.repeat(43)}`;
    expect(
      (
        await server.call('POST', at('compared', 'missing'), {
          body: { ids: [foreign, ...ids, 'no id'] },
        })
      ).body,
    ).toMatchObject({ missing: [foreign, 'no id'] });
    expect(
      (await server.call('POST', at('nowhere', 'missing'), { body: { ids } })).body,
    ).toMatchObject({ missing: ids });
    const { body: one } = await server.call('GET', at('compared', 'changes?after=0&limit=1'));
    const points = [
      { seq: 99, chain: one.chain },
      { seq: 1, chain: one.chain },
      { seq: 2, chain: 'f'.repeat(64) },
      { seq: 0, chain: EMPTY_CHAIN },
    ];
    expect(
      (await server.call('POST', at('compared', 'ancestor'), { body: { points } })).body,
    ).toEqual({ epoch: log.epoch, seq: 1, chain: one.chain });
    expect(
      (await server.call('POST', at('nowhere', 'ancestor'), { body: { points } })).body,
    ).toMatchObject({ seq: 0, chain: EMPTY_CHAIN });
    const { body: digest } = await server.call('GET', at('compared', 'digest'));
    expect(digest.buckets).toHaveLength(256);
    expect(
      digest.buckets.reduce((count: number, bucket: { count: number }) => count + bucket.count, 0),
    ).toBe(ids.length);
    const { body: whole } = await server.call('GET', at('compared', 'digest?buckets=1'));
    expect(whole.buckets).toEqual([{ count: log.count, sum: log.sum }]);
    expect((await server.call('GET', at('nowhere', 'digest'))).status).toBe(404);
    expect((await server.call('GET', at('compared', 'digest?buckets=3'))).status).toBe(400);
  });

  it('is open to whoever may read, and writes nothing', async () => {
    const viewer = await server.makeKey({ user: { name: 'Vera', role: 'viewer' } });
    for (const key of [viewer, server.readKey]) {
      expect(
        (await server.call('POST', at('compared', 'missing'), { key, body: { ids: [] } })).status,
      ).toBe(200);
      expect(
        (await server.call('POST', at('compared', 'ancestor'), { key, body: { points: [] } }))
          .status,
      ).toBe(200);
    }
  });
});
