import { afterAll, beforeAll, expect, it } from 'vitest';
import sample from '../../src/server/content/sample.json' with { type: 'json' };
import { callInProcess } from '../support/in-process.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.close());

const [item, rule, other] = [
  'DEMO1-g1-A03',
  'cell_line_identity_mismatch',
  'mycoplasma_detected',
] as const;
const address = `/api/v1/cases/${sample.case.case_uid}`;
const call = (method: string, path: string, body?: unknown) =>
  callInProcess(server.server, method, path, body === undefined ? {} : { body });
const rows = async () => {
  const { body } = await call('GET', `${address}/evidence?profile_uid=${sample.profile_uid}`);
  return new Map(
    (
      body.items as {
        item_uid: string;
        label: string;
        evidence: {
          rule_uid: string;
          raw_outcome: string | null;
          contested: boolean;
          notes: string | null;
          source_value: string | null;
        }[];
      }[]
    ).map((row) => [row.item_uid, row]),
  );
};

it('comes with a finished run and nothing to review, also after a reset', async () => {
  const found = async () => {
    const { body } = await call('GET', `${address}/contested?profile_uid=${sample.profile_uid}`);
    const marked = [...(await rows()).values()].flatMap((row) =>
      row.evidence.filter((cell) => cell.contested),
    );
    return [
      body.data ?? body.cells,
      marked,
      (await call('GET', `/api/v1/runs?case_uid=${sample.case.case_uid}`)).body.data.length,
    ];
  };
  expect((await call('POST', '/api/v1/sample', {})).status).toBe(201);
  expect(await found()).toEqual([[], [], 1]);
  expect((await call('POST', '/api/v1/sample?reset=true', {})).status).toBe(200);
  expect(await found()).toEqual([[], [], 1]);
});

it('a reset records the sample anew, cell by cell, and takes nothing else away', async () => {
  expect((await call('POST', '/api/v1/sample?reset=true', {})).status).toBe(200);
  const before = await rows();
  const change = {
    profile_uid: sample.profile_uid,
    items: [{ item_uid: item, label: 'renamed' }, { item_uid: 'own_item' }],
    outcomes: [
      { item_uid: item, rule_uid: rule, raw_outcome: 'TRUE', source_value: null, notes: 'mine' },
      { item_uid: item, rule_uid: other, raw_outcome: null },
      { item_uid: 'own_item', rule_uid: rule, raw_outcome: 'NA' },
    ],
  };
  expect((await call('POST', `${address}/evidence`, change)).status).toBe(200);
  expect((await rows()).get(item)!.label).toBe('renamed');

  expect((await call('POST', '/api/v1/sample', {})).status).toBe(200);
  expect((await rows()).get(item)!.label).toBe('renamed');
  expect((await call('POST', '/api/v1/sample?reset=true', {})).status).toBe(200);
  const after = await rows();
  expect(after.get('own_item')!.evidence).toMatchObject([{ rule_uid: rule, raw_outcome: 'NA' }]);
  const told = (row: {
    label: string;
    evidence: {
      rule_uid: string;
      raw_outcome: string | null;
      notes: string | null;
      source_value: string | null;
    }[];
  }) => [
    row.label,
    ...row.evidence
      .filter((cell) => cell.raw_outcome !== null || cell.notes !== null)
      .map((cell) => [cell.rule_uid, cell.raw_outcome, cell.notes, cell.source_value]),
  ];
  for (const [uid, row] of before) expect([uid, told(after.get(uid)!)]).toEqual([uid, told(row)]);
  const { body } = await call(
    'GET',
    `${address}/history?profile_uid=${sample.profile_uid}&item_uid=${item}&rule_uid=${rule}`,
  );
  expect(JSON.stringify(body)).toContain('mine');
  expect((await call('POST', '/api/v1/sample?reset=yes', {})).status).toBe(400);
});

it('comes back where its project was deleted', async () => {
  const { project_id } =
    (await call('POST', '/api/v1/sample', {})).body.project ?? (await call('GET', address)).body;
  const project = `/api/v1/projects/${project_id}`;
  await call('POST', `${project}/state`, { state: 'deleted', reason: 'tidied up' });
  expect((await call('GET', project)).status).toBe(404);
  expect((await call('POST', '/api/v1/sample', {})).status).toBe(200);
  expect((await call('GET', project)).status).toBe(200);
});
