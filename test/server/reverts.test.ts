import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { callInProcess } from '../support/in-process.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let other: string;
let viewer: string;
const [rule = ''] = readRawMatrix('m12x5').rules;
const CASE = 'reviewed';
beforeAll(async () => {
  server = await bootServer();
  other = await server.makeKey({ name: 'Other agent' });
  viewer = await server.makeKey({ user: { name: 'Vera', role: 'viewer' }, scopes: ['read'] });
  await makeCase(server, CASE);
});
afterAll(() => server.close());

const write = (
  cells: Record<string, unknown>[],
  options: { key?: string; headers?: Record<string, string>; more?: Record<string, unknown> } = {},
) => {
  const items = [...new Set(cells.map((cell) => cell['item_uid']))].map((item_uid) => ({
    item_uid,
  }));
  const { more, ...rest } = options;
  return server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
    body: {
      profile_uid: TRIO,
      items,
      outcomes: cells.map((cell) => ({ rule_uid: rule, ...cell })),
      ...more,
    },
    ...rest,
  });
};
const read = (key?: string) =>
  server.call(
    'GET',
    `/api/v1/cases/${CASE}/evidence?profile_uid=${TRIO}`,
    key === undefined ? {} : { key },
  );
const revert = (
  body: Record<string, unknown>,
  options: { key?: string; headers?: Record<string, string> } = {},
) =>
  server.call('POST', `/api/v1/cases/${CASE}/reverts`, {
    body: { reason: 'wrong sheet', ...body },
    ...options,
  });
const history = (item: string, key?: string) =>
  server.call(
    'GET',
    `/api/v1/cases/${CASE}/history?profile_uid=${TRIO}&item_uid=${item}&rule_uid=${rule}`,
    key === undefined ? {} : { key },
  );

describe('writers that work at the same time', () => {
  it('are answered cell by cell what was written, what was so already, and what stands where they were late', async () => {
    const first = await write([
      { item_uid: 'a', raw_outcome: 'TRUE', if_revision: 0 },
      { item_uid: 'b', raw_outcome: 'NA' },
    ]);
    expect(first.body.outcomes).toEqual([
      { item_uid: 'a', rule_uid: rule, status: 'written', revision: 1 },
      { item_uid: 'b', rule_uid: rule, status: 'written', revision: 1 },
    ]);
    const late = [
      { item_uid: 'a', raw_outcome: 'FALSE', if_revision: 0 },
      { item_uid: 'b', raw_outcome: 'NA', if_revision: 1 },
      { item_uid: 'c', raw_outcome: 'FALSE', if_revision: 0 },
    ];
    const before = await server.stored();
    const refused = await write(late, { key: other });
    expect([
      refused.status,
      refused.body.error,
      refused.body.details.map(({ path, code }: { path: string; code: string }) => [path, code]),
    ]).toEqual([412, 'precondition_failed', [['/outcomes/0/if_revision', 'other_revision']]]);
    expect(await server.stored()).toBe(before);
    const { body } = await write(late, { key: other, more: { on_conflict: 'skip' } });
    expect(body).toMatchObject({ outcomes_written: 1, outcomes_unchanged: 1, outcomes_skipped: 1 });
    expect(
      body.outcomes.map(({ status, revision }: { status: string; revision: number }) => [
        status,
        revision,
      ]),
    ).toEqual([
      ['skipped', 1],
      ['unchanged', 1],
      ['written', 1],
    ]);
    const [{ evidence }] = (await read()).body.items;
    expect(body.outcomes[0].present).toEqual(evidence[0]);
    const batch = {
      case_uid: CASE,
      profile_uid: TRIO,
      items: [{ item_uid: 'a', evidence: [{ rule_uid: rule, raw_outcome: 'NA', if_revision: 7 }] }],
    };
    expect(
      (await server.call('POST', '/api/v1/evidence', { body: batch })).body.details,
    ).toMatchObject([{ path: '/items/0/evidence/0/if_revision' }]);
    expect(
      (await server.call('POST', '/api/v1/evidence', { body: { ...batch, on_conflict: 'skip' } }))
        .body,
    ).toMatchObject({ outcomes_skipped: 1, changes: [] });
  });

  it('freeze what they reviewed: the tag of evidence as If-Match or if_match, which neither a title nor a run voids', async () => {
    const { headers } = await read();
    const etag = headers.get('etag') ?? '';
    const { body } = await server.call('GET', '/api/v1/cases');
    await server.call('POST', '/api/v1/cases', {
      body: { project_id: body.data[0].project_id, case_uid: CASE, title: 'Another title' },
    });
    const run = (options: { headers?: Record<string, string>; more?: Record<string, unknown> }) =>
      server.call('POST', '/api/v1/runs', {
        body: { case_uid: CASE, profile_uid: TRIO, ...options.more },
        ...(options.headers && { headers: options.headers }),
      });
    expect((await run({ headers: { 'if-match': etag } })).status).toBe(201);
    expect((await run({ more: { if_match: etag } })).status).toBe(201);
    expect((await run({ headers: { 'if-none-match': '*' } })).status).toBe(201);
    expect((await read()).headers.get('etag')).toBe(etag);
    expect(
      (
        await server.call('GET', `/api/v1/cases/${CASE}/evidence?profile_uid=${TRIO}`, {
          headers: { 'if-none-match': etag },
        })
      ).status,
    ).toBe(304);
    expect(
      (await write([{ item_uid: 'd', raw_outcome: 'TRUE' }], { headers: { 'if-none-match': '*' } }))
        .status,
    ).toBe(412);
    expect(
      (await write([{ item_uid: 'd', raw_outcome: 'TRUE' }], { headers: { 'if-match': etag } }))
        .status,
    ).toBe(200);
    for (const late of [
      await run({ headers: { 'if-match': etag } }),
      await run({ more: { if_match: etag } }),
      await write([{ item_uid: 'd', raw_outcome: 'NA' }], { headers: { 'if-match': etag } }),
    ])
      expect([late.status, late.body.error]).toEqual([412, 'precondition_failed']);
    await makeCase(server, 'fresh');
    const create = {
      body: {
        profile_uid: TRIO,
        items: [{ item_uid: 'x' }],
        outcomes: [{ item_uid: 'x', rule_uid: rule, raw_outcome: 'TRUE' }],
      },
      headers: { 'if-none-match': '*' },
    };
    expect((await server.call('POST', '/api/v1/cases/fresh/evidence', create)).status).toBe(200);
    expect((await server.call('POST', '/api/v1/cases/fresh/evidence', create)).status).toBe(412);
  });
});

describe('a revert', () => {
  it("takes back an agent's own changes for it, any for a person, and is in history and audit", async () => {
    const mine = await write([{ item_uid: 'r', raw_outcome: 'FALSE', source_value: 'p.3' }]);
    const theirs = await write(
      [
        { item_uid: 'r', raw_outcome: 'TRUE' },
        { item_uid: 's', raw_outcome: 'NA' },
      ],
      { key: other },
    );
    expect(theirs.body.changes).toHaveLength(1);
    const before = await server.stored();
    for (const body of [
      { changes: theirs.body.changes },
      { changes: [...mine.body.changes, ...theirs.body.changes] },
      { key_id: other.slice(4, 14), since: '2020-01-01T00:00:00.000Z' },
    ]) {
      const refused = await revert(body);
      expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    }
    expect((await revert({ changes: theirs.body.changes }, { key: viewer })).status).toBe(403);
    expect((await revert({})).status).toBe(422);
    expect(
      (
        await revert({
          changes: theirs.body.changes,
          key_id: other.slice(4, 14),
          since: '2020-01-01T00:00:00.000Z',
        })
      ).status,
    ).toBe(422);
    expect(await server.stored()).toBe(before);
    const once = { changes: theirs.body.changes };
    const done = await revert(once, { key: other, headers: { 'idempotency-key': 'revert-1' } });
    expect(done.body).toMatchObject({
      case_uid: CASE,
      reverted: 2,
      left: [],
      entries: [
        { field: 'item.x', item_uid: 's', status: 'kept' },
        { field: 'item.position', item_uid: 's', status: 'kept' },
        { field: 'outcome', item_uid: 'r', rule_uid: rule, profile_uid: TRIO, status: 'reverted' },
        { field: 'outcome', item_uid: 's', status: 'reverted' },
      ],
    });
    const again = await revert(once, { key: other, headers: { 'idempotency-key': 'revert-1' } });
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([done.text, 'true']);
    expect((await revert(once, { key: other })).body).toMatchObject({
      reverted: 0,
      changes: [],
      entries: [
        { status: 'kept' },
        { status: 'kept' },
        { status: 'written_since' },
        { status: 'written_since' },
      ],
    });
    const [step] = (await history('r')).body.data;
    expect(step).toMatchObject({
      by: 'Other agent',
      reason: 'wrong sheet',
      new: { raw_outcome: 'FALSE', source_value: 'p.3' },
      recorded_by: { kind: 'agent', name: 'test', key_id: server.key.slice(4, 14) },
    });
    // A person takes back what is left of the first agent's work, by its key.
    const all = await callInProcess(server.server, 'POST', `/api/v1/cases/${CASE}/reverts`, {
      body: {
        key_id: server.key.slice(4, 14),
        since: '2020-01-01T00:00:00.000Z',
        reason: 'all of it',
      },
    });
    expect(all.status).toBe(200);
    const { body } = await read();
    // What the other agent recorded stays, and so does what it brought back, since that came later;
    // it is still the first agent's word.
    expect(body.summary.recorded).toBe(2);
    expect(
      body.items.flatMap(({ evidence }: { evidence: { recorded_by: unknown }[] }) =>
        evidence.map(({ recorded_by }) => recorded_by),
      ),
    ).toEqual([
      { kind: 'agent', name: 'Other agent', key_id: other.slice(4, 14) },
      { kind: 'agent', name: 'test', key_id: server.key.slice(4, 14) },
    ]);
    const { body: trail } = await callInProcess(server.server, 'GET', '/api/v1/audit');
    expect(
      trail.data
        .filter(({ action }: { action: string }) => action === 'evidence.reverted')
        .map(({ object, detail }: { object: string; detail: { reason: string } }) => [
          object,
          detail.reason,
        ]),
    ).toEqual([
      [CASE, 'all of it'],
      [CASE, 'wrong sheet'],
    ]);
  });

  it("of everything else is no revert: another case's changes are unknown here", async () => {
    const { body } = await server.call('POST', '/api/v1/cases/fresh/evidence', {
      body: { profile_uid: TRIO, outcomes: [{ item_uid: 'x', rule_uid: rule, raw_outcome: 'NA' }] },
    });
    const refused = await revert({ changes: body.changes });
    expect([refused.status, refused.body.details]).toMatchObject([
      422,
      [{ path: '/changes/0', code: 'unknown_change' }],
    ]);
    expect(
      (
        await server.call('POST', '/api/v1/cases/nowhere/reverts', {
          body: { changes: body.changes, reason: 'r' },
        })
      ).status,
    ).toBe(404);
  });
});

describe('a viewer', () => {
  it('sees that an agent recorded a cell, and nowhere by which key', async () => {
    const query = `profile_uid=${TRIO}`;
    const paths = [
      `evidence?${query}`,
      `history?${query}&item_uid=c&rule_uid=${rule}`,
      `contested?${query}`,
      'audit',
      'audit?format=csv',
    ].map((path) => `/api/v1/cases/${CASE}/${path}`);
    for (const path of [...paths, `/api/v1/sync/cases/${CASE}/snapshot?${query}`]) {
      const [seen, full] = [
        await server.call('GET', path, { key: viewer }),
        await server.call('GET', path),
      ];
      expect([path, seen.status]).toEqual([path, 200]);
      for (const key of [server.key, other])
        expect(seen.text, path).not.toContain(key.slice(4, 14));
      if (!path.includes('contested')) expect(full.text, path).toContain(other.slice(4, 14));
    }
    expect(
      (await read(viewer)).body.items.flatMap(({ evidence }: { evidence: unknown[] }) => evidence),
    ).toEqual([
      expect.objectContaining({ recorded_by: { kind: 'agent', name: 'Other agent' } }),
      expect.objectContaining({ recorded_by: { kind: 'agent', name: 'test' } }),
    ]);
    expect((await read(viewer)).headers.get('etag')).not.toBe((await read()).headers.get('etag'));
  });
});
