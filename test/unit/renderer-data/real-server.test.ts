import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { until, windowFetch, windowOn } from './support/real-server.ts';

globalThis.IDBKeyRange = IDBKeyRange;
const PROFILE = 'crispr_edit_evidence';
let server: TestServer;
let layers: DataLayer[] = [];
let address: { caseUid: string; profileUid: string; profileVersion: string };
let rules: string[];

beforeEach(async () => {
  server = await bootServer();
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
  await server.call('POST', '/api/v1/cases', { body: { project_id: project.body.project_id, case_uid: 'c1', profile_uid: PROFILE } });
  const profile = await server.call('GET', `/api/v1/profiles/${PROFILE}`);
  rules = profile.body.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
  address = { caseUid: 'c1', profileUid: PROFILE, profileVersion: profile.body.version };
});
afterEach(async () => {
  for (const layer of layers) layer.close();
  layers = [];
  await new Promise((resolve) => setTimeout(resolve, 50));
  await server.close();
});
async function open(factory = new IDBFactory(), fetch = windowFetch(server)) {
  const layer = await windowOn(server, factory, fetch);
  layers.push(layer);
  return { layer, session: await layer.openMatrix(address) };
}
const agent = (outcomes: object[], items: object[] = []) => server.call('POST', '/api/v1/cases/c1/evidence', { body: { profile_uid: PROFILE, items, outcomes } });
const stored = async (item: string, rule: string): Promise<unknown> => {
  const { body } = await server.call('GET', `/api/v1/cases/c1/evidence?profile_uid=${PROFILE}`);
  return body.items.find((one: { item_uid: string }) => one.item_uid === item)?.evidence.find((cell: { rule_uid: string }) => cell.rule_uid === rule);
};

it('window and agent write the same matrix through the real server', async () => {
  const [r0, r1] = rules as [string, string];
  await agent([{ item_uid: 'x', rule_uid: r0, raw_outcome: 'TRUE', source_value: '1.2', notes: 'seen' }], [{ item_uid: 'x', label: 'X' }]);
  const { session, layer } = await open();
  expect(session.items).toMatchObject([{ item_uid: 'x', label: 'X' }]);
  expect(session.detail(0, 0)).toMatchObject({ source_value: '1.2', notes: 'seen' });
  await session.addItems([{ item_uid: 'y', label: 'Y' }]);
  await session.write('Set', [{ item: 'x', rule: r0 }, { item: 'y', rule: r1 }], { raw_outcome: 'FALSE' }, 'checked');
  await session.flush(5_000);
  expect(await stored('x', r0)).toMatchObject({ raw_outcome: 'FALSE', source_value: '1.2', notes: 'seen', contested: false });
  expect(await stored('y', r1)).toMatchObject({ raw_outcome: 'FALSE' });
  await agent([{ item_uid: 'y', rule_uid: r1, raw_outcome: 'NA' }], [{ item_uid: 'z' }]);
  await until(() => session.rowOf('z') === 2 && session.state(1, 1) === 'NA');
  const history = await session.history({ item: 'x', rule: r0 });
  expect(history.complete).toBe(true);
  expect(history.steps.map((step) => [step.field, step.reason])).toContainEqual(['outcome', 'checked']);
  expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null, connection: 'online' });
  const second = await open();
  expect(second.session.items).toEqual(session.items);
  expect(second.session.totals()).toEqual(session.totals());
  expect((await layer.library.projects()).data.map((one) => one.name)).toEqual(['P']);
  expect((await layer.library.cases()).stale).toBe(false);
});

it('what two sides write without seeing each other is contested on both', async () => {
  const [r0] = rules as [string];
  await agent([], [{ item_uid: 'x' }]);
  let away = false;
  const inner = windowFetch(server);
  const factory = new IDBFactory();
  const { session } = await open(factory, (input, init) => (away ? Promise.reject(new TypeError('fetch failed')) : inner(input, init)));
  await until(() => session.saveStatus.connection === 'online');
  away = true;
  await session.write('Set', [{ item: 'x', rule: r0 }], { raw_outcome: 'TRUE', notes: 'mine' });
  await agent([{ item_uid: 'x', rule_uid: r0, raw_outcome: 'FALSE' }]);
  expect(session.saveStatus.waiting).toBe(1);
  away = false;
  await until(() => session.saveStatus.waiting === 0 && session.contested(0, 0), () => session.saveStatus);
  const cell = await stored('x', r0);
  expect(cell).toMatchObject({ contested: true, raw_outcome: session.state(0, 0), notes: 'mine' });
  const fresh = await open();
  expect(fresh.session.contested(0, 0)).toBe(true);
  await until(() => fresh.session.state(0, 0) === session.state(0, 0));
  await session.undo();
  await session.flush(5_000);
  expect(await stored('x', r0)).toMatchObject({ contested: true });
});
