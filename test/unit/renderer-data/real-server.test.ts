import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { until, windowFetch, windowOn } from './support/real-server.ts';
import { addItems } from '../../support/add-items.ts';
import { asProfile, asCase } from '../../support/ids.ts';
import { type CellState, codeOf } from '../../../src/shared/domain/outcome.ts';
import { LEAVE } from '../../../src/renderer/data/store/port.ts';
import type { ProfileUid, CaseUid } from '../../../src/shared/contract/ids.ts';

globalThis.IDBKeyRange = IDBKeyRange;
const PROFILE = 'crispr_edit_evidence';
let server: TestServer;
let layers: DataLayer[] = [];
let address: { caseUid: CaseUid; profileUid: ProfileUid; profileVersion: string };
let rules: string[];

beforeEach(async () => {
  server = await bootServer();
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'P' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: 'c1', profile_uid: PROFILE },
  });
  const profile = await server.call('GET', `/api/v1/profiles/${PROFILE}`);
  rules = profile.body.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
  address = {
    caseUid: asCase('c1'),
    profileUid: asProfile(PROFILE),
    profileVersion: profile.body.version,
  };
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
const agent = (outcomes: object[], items: object[] = []) =>
  server.call('POST', '/api/v1/cases/c1/evidence', {
    body: { profile_uid: PROFILE, items, outcomes },
  });
const stored = async (item: string, rule: string): Promise<unknown> => {
  const { body } = await server.call('GET', `/api/v1/cases/c1/evidence?profile_uid=${PROFILE}`);
  return body.items
    .find((one: { item_uid: string }) => one.item_uid === item)
    ?.evidence.find((cell: { rule_uid: string }) => cell.rule_uid === rule);
};

it('window and agent write the same matrix through the real server', async () => {
  const [r0, r1] = rules as [string, string];
  await agent(
    [{ item_uid: 'x', rule_uid: r0, raw_outcome: 'TRUE', source_value: '1.2', notes: 'seen' }],
    [{ item_uid: 'x', label: 'X' }],
  );
  const { session, layer } = await open();
  expect(session.items).toMatchObject([{ item_uid: 'x', label: 'X' }]);
  expect(session.detail(0, 0)).toMatchObject({ source_value: '1.2', notes: 'seen' });
  await addItems(session, [{ item_uid: 'y', label: 'Y' }]);
  await session.write(
    'Set',
    [
      { item: 'x', rule: r0 },
      { item: 'y', rule: r1 },
    ],
    { raw_outcome: 'FALSE' },
    'checked',
  );
  await session.flush(5_000);
  expect(await stored('x', r0)).toMatchObject({
    raw_outcome: 'FALSE',
    source_value: null,
    notes: 'seen',
    contested: false,
  });
  expect(await stored('y', r1)).toMatchObject({ raw_outcome: 'FALSE' });
  await agent([{ item_uid: 'y', rule_uid: r1, raw_outcome: 'NA' }], [{ item_uid: 'z' }]);
  await until(() => session.rowOf('z') === 2 && session.state(1, 1) === 'NA');
  const history = await session.history({ item: 'x', rule: r0 });
  expect(history.complete).toBe(true);
  expect(history.steps.map((step) => [step.field, step.reason])).toContainEqual([
    'outcome',
    'checked',
  ]);
  expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null, connection: 'online' });
  const second = await open();
  expect(second.session.items).toEqual(session.items);
  expect(second.session.totals()).toEqual(session.totals());
  const { library } = layer;
  const projects = await library.projects({ sort: 'name', order: 'asc' });
  expect(projects.data.entries.map((one) => one.name)).toEqual(['P']);
  expect((await library.cases({ sort: 'changed', order: 'desc' })).stale).toBe(false);
});

it('what two sides write without seeing each other is contested on both', async () => {
  const [r0] = rules as [string];
  await agent([], [{ item_uid: 'x' }]);
  let away = false;
  const inner = windowFetch(server);
  const factory = new IDBFactory();
  const { session } = await open(factory, (input, init) =>
    away ? Promise.reject(new TypeError('fetch failed')) : inner(input, init),
  );
  await until(() => session.saveStatus.connection === 'online');
  away = true;
  await session.write('Set', [{ item: 'x', rule: r0 }], { raw_outcome: 'TRUE', notes: 'mine' });
  await agent([{ item_uid: 'x', rule_uid: r0, raw_outcome: 'FALSE' }]);
  expect(session.saveStatus.waiting).toBe(1);
  away = false;
  await until(
    () => session.saveStatus.waiting === 0 && session.contested(0, 0),
    () => session.saveStatus,
  );
  const cell = await stored('x', r0);
  expect(cell).toMatchObject({ contested: true, raw_outcome: session.state(0, 0), notes: 'mine' });
  const fresh = await open();
  expect(fresh.session.contested(0, 0)).toBe(true);
  await until(() => fresh.session.state(0, 0) === session.state(0, 0));
  await session.undo();
  await session.flush(5_000);
  expect(await stored('x', r0)).toMatchObject({ contested: true });
});

it('rows that are added, edited, moved, removed and taken back are so for agents and runs as well', async () => {
  const [r0, r1] = rules as [string, string];
  await agent(
    [
      { item_uid: 'a', rule_uid: r0, raw_outcome: 'TRUE' },
      { item_uid: 'b', rule_uid: r0, raw_outcome: 'NA', notes: 'kept' },
    ],
    [{ item_uid: 'a' }, { item_uid: 'b' }, { item_uid: 'c' }],
  );
  const { session } = await open();
  const evidence = async () =>
    (await server.call('GET', `/api/v1/cases/c1/evidence?profile_uid=${PROFILE}`)).body;
  const rows = async (): Promise<string[]> =>
    (await evidence()).items.map((item: { item_uid: string }) => item.item_uid);
  const result = await session.apply({
    label: 'All',
    why: 'tidied',
    items: [
      { do: 'add', item_uid: 'd', label: 'D', metadata: { lot: '0042' }, before: 'a' },
      { do: 'remove', item_uid: 'b' },
      { do: 'move', item_uids: ['a'], before: null },
      { do: 'set', item_uid: 'c', item_type: 'clone' },
    ],
    blocks: [{ items: ['d', 'c'], rules: [r0, r1], states: 'FALSE' }],
  });
  expect(result).toEqual({ items: 4, cells: 4 });
  await session.flush(5_000);
  const after = await evidence();
  expect(after.items).toMatchObject([
    { item_uid: 'd', label: 'D', metadata: { lot: '0042' } },
    { item_uid: 'c', item_type: 'clone' },
    { item_uid: 'a' },
  ]);
  expect(after.summary).toMatchObject({
    items: 3,
    recorded: 5,
    evidence_present: 4,
    problem_found: 1,
    not_available: 0,
  });
  const run = await server.call('POST', '/api/v1/runs', {
    body: { case_uid: 'c1', profile_uid: PROFILE },
  });
  expect([
    run.status,
    run.body.frozen.items.map((item: { item_uid: string }) => item.item_uid),
  ]).toEqual([201, ['d', 'c', 'a']]);
  expect(await session.undo()).toMatchObject({ skippedCount: 0, skippedItems: [] });
  await session.flush(5_000);
  expect([await rows(), (await evidence()).summary]).toMatchObject([
    ['a', 'b', 'c'],
    { items: 3, recorded: 2, not_available: 1 },
  ]);
  expect(await stored('b', r0)).toMatchObject({ raw_outcome: 'NA', notes: 'kept' });
  await session.redo();
  await session.flush(5_000);
  const fresh = await open();
  expect([await rows(), fresh.session.items, fresh.session.totals()]).toEqual([
    ['d', 'c', 'a'],
    session.items,
    session.totals(),
  ]);
  expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null });
});

it('two windows that wrote without each other settle, take back and know whose words they were', async () => {
  const [r0, r1] = rules as [string, string];
  await agent([], [{ item_uid: 'x' }]);
  let isDown = false;
  const send = windowFetch(server);
  const one = await open(new IDBFactory(), (input, init) =>
    isDown ? Promise.reject(new TypeError('down')) : send(input, init),
  );
  const two = await open();
  isDown = true;
  const cells = [
    { item: 'x', rule: r0 },
    { item: 'x', rule: r1 },
  ];
  await one.session.write('Set', cells, { raw_outcome: 'TRUE', source_value: '1' }, 'read the gel');
  await two.session.write('Set', cells, { raw_outcome: 'NA' }, 'the lane is empty');
  await two.session.flush(5_000);
  isDown = false;
  await one.session.flush(5_000);
  for (const { session } of [one, two])
    await until(
      () => session.contests().length === 2,
      () => session.contests(),
    );
  const [first] = two.session.contests();
  const heads = two.session.headsOf(first!.reg);
  const wrote = await two.session.writers(heads.map(({ entry }) => entry));
  expect(
    heads
      .map(({ entry, raw_outcome }) => [
        raw_outcome,
        wrote.get(entry)?.reason,
        wrote.get(entry)?.mine,
        wrote.get(entry)?.here,
      ])
      .sort(),
  ).toEqual([
    ['NA', 'the lane is empty', true, true],
    ['TRUE', 'read the gel', true, false],
  ]);
  const choices = two.session.contests().map(({ reg }) => {
    const all = two.session.headsOf(reg);
    return {
      reg,
      heads: all.map(({ entry }) => entry),
      value: all.find(({ raw_outcome }) => raw_outcome === 'TRUE')!.value,
    };
  });
  await two.session.settle(choices, 'read again', 'Settle');
  await until(() => one.session.contests().length === 0 && one.session.state(0, 0) === 'TRUE');
  expect(await stored('x', r0)).toMatchObject({
    raw_outcome: 'TRUE',
    source_value: '1',
    contested: false,
  });
  await two.session.undo();
  await until(() => one.session.contests().length === 2);
  expect(one.session.state(0, 0)).toBe(two.session.state(0, 0));
  const again = one.session.headsOf(first!.reg);
  const restored = await one.session.writers(again.map(({ entry }) => entry));
  expect(
    again
      .map(({ entry, raw_outcome }) => [
        raw_outcome,
        restored.get(entry)?.reason,
        restored.get(entry)?.here,
        restored.get(entry)?.restored?.by,
      ])
      .sort(),
  ).toEqual([
    ['NA', 'the lane is empty', false, expect.any(String)],
    ['TRUE', 'read the gel', true, expect.any(String)],
  ]);
  const { body } = await server.call(
    'GET',
    `/api/v1/cases/c1/contested?profile_uid=${PROFILE}&limit=1`,
  );
  expect(body).toMatchObject({
    data: [{ item_uid: 'x', field: 'outcome', heads: [{ displayed: true }, { displayed: false }] }],
    next_cursor: expect.any(String),
  });
  expect(
    (
      await server.call(
        'GET',
        `/api/v1/cases/c1/contested?profile_uid=${PROFILE}&limit=1&cursor=${body.next_cursor}`,
      )
    ).body,
  ).toMatchObject({ data: [{ item_uid: 'x' }], next_cursor: null });
});

/** A request of the person at the window. */
const asPerson = (path: string, body: object): Promise<Response> =>
  windowFetch(server)(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it('YR7 opens no matrix that its person is to record independently, also without a connection', async () => {
  let isAway = false;
  let isRefused = false;
  const factory = new IDBFactory();
  const { layer } = await open(factory, (...request) => {
    if (isAway) return Promise.reject(new TypeError('away'));
    const refusal = { error: 'missing_credentials', message: 'No.', details: [], request_id: 'r' };
    return isRefused
      ? Promise.resolve(Response.json(refusal, { status: 401 }))
      : windowFetch(server)(...request);
  });
  const me = (await layer.session()).data.user.user_id;
  const made = await asPerson('/api/v1/keys', { name: 'One', scopes: ['read', 'write'] });
  const recorders = [me, (await made.json()).key_id];
  const terms = { title: 'Reading', profile_uid: PROFILE, recorders };
  const shown = await asPerson('/api/v1/cases/c1/rounds', { ...terms, record: 'shown' });
  expect(shown.status).toBe(201);
  expect(await layer.restrictionsOf(address)).toEqual({ hiddenBy: null, isApproved: false });
  (await layer.openMatrix(address)).close();
  const hidden = await (await asPerson('/api/v1/cases/c1/rounds', terms)).json();
  for (isAway of [false, true]) {
    await expect(layer.openMatrix(address)).rejects.toMatchObject({
      name: 'HiddenMatrixError',
      round: { round_id: hidden.round_id },
    });
    expect(await layer.restrictionsOf(address)).toMatchObject({ hiddenBy: { title: 'Reading' } });
  }
  // A refusal lifts nothing.
  [isAway, isRefused] = [false, true];
  expect(await layer.restrictionsOf(address)).toEqual({
    hiddenBy: undefined,
    isApproved: undefined,
  });
});

it('Z4 suggests without a connection what is typed in a case that it knows as approved', async () => {
  const [r0, r1] = rules as [string, string];
  await agent([{ item_uid: 'x', rule_uid: r0, raw_outcome: 'TRUE' }], [{ item_uid: 'x' }]);
  const run = await server.call('POST', '/api/v1/runs', {
    body: { case_uid: 'c1', profile_uid: PROFILE },
  });
  let isAway = false;
  const factory = new IDBFactory();
  const again = () =>
    open(factory, (...request) =>
      isAway ? Promise.reject(new TypeError('away')) : windowFetch(server)(...request),
    );
  await (await again()).layer.closeSettled();
  for (const more of [{ stage: 'in_review' }, { stage: 'approved', run_uid: run.body.run_uid }])
    expect((await asPerson('/api/v1/cases/c1/stage', { ...more, reason: 'r' })).status).toBe(200);
  await (await again()).layer.closeSettled();
  isAway = true;
  const { layer, session } = await again();
  expect(session.saveStatus.access).toMatchObject({ may: 'read', because: 'approved' });
  const cells = [
    { item: 'x', rule: r0 },
    { item: 'x', rule: r1 },
  ];
  await expect(session.write('Set', cells, { raw_outcome: 'FALSE' })).rejects.toThrow('approved');
  const block = (of: readonly string[], ...states: readonly (CellState | 'leave')[]) => ({
    blocks: [
      {
        items: ['x'],
        rules: of,
        states: Uint8Array.from(states, (state) => (state === 'leave' ? LEAVE : codeOf(state))),
      },
    ],
  });
  // What is recorded already is not suggested; who suggests again replaces what they said.
  expect(await session.suggest(block([r0, r1], 'TRUE', 'TRUE'))).toEqual({ suggested: 1, left: 0 });
  expect(await session.suggest(block([r0, r1], 'NA', 'NA'))).toEqual({ suggested: 2, left: 0 });
  const third = block([rules[2]!], 'FALSE');
  expect(await session.suggest(third)).toEqual({ suggested: 1, left: 0 });
  expect(await session.suggest(third, true)).toEqual({ suggested: 1, left: 0 });
  // To clear a cell cannot be suggested, and none is an outcome; nor can details alone.
  expect(
    await session.suggest({
      blocks: block([r0, r1, rules[2]!], null, null, 'leave').blocks,
      cells: [{ item: 'x', rule: rules[2]!, patch: { notes: 'n' } }],
    }),
  ).toEqual({ suggested: 0, left: 2 });
  // What was pasted keeps its source.
  const source = { source_value: 'neg', provenance: { source: 'clipboard' } };
  expect(
    await session.suggest({
      cells: [
        { item: 'x', rule: rules[3]!, patch: { raw_outcome: 'FALSE', ...source } },
        { item: 'x', rule: r0, patch: { raw_outcome: 'TRUE', ...source } },
      ],
    }),
  ).toEqual({ suggested: 1, left: 0 });
  expect([session.state(0, 0), session.state(0, 1), session.canUndo]).toEqual([
    'TRUE',
    null,
    false,
  ]);
  expect(session.saveStatus.waiting).toBe(5);
  isAway = false;
  layer.requestSync();
  await until(
    () => session.saveStatus.waiting === 0,
    () => session.saveStatus,
  );
  const { data } = (
    await server.call('GET', `/api/v1/cases/c1/suggestions?profile_uid=${PROFILE}&state=open`)
  ).body;
  expect(
    data.map(({ rule_uid, raw_outcome }: Record<string, unknown>) => [rule_uid, raw_outcome]),
  ).toEqual(
    expect.arrayContaining([
      [r0, 'NA'],
      [r1, 'NA'],
      [rules[3], 'FALSE'],
    ]),
  );
  expect(data).toHaveLength(3);
  expect(data.find(({ rule_uid }: Record<string, unknown>) => rule_uid === rules[3])).toMatchObject(
    source,
  );
  const { body } = await server.call('GET', '/api/v1/cases/c1/sign-off');
  expect([body.stage, body.later]).toEqual(['approved', []]);
  expect(await stored('x', r0)).toMatchObject({ raw_outcome: 'TRUE' });
  expect(await stored('x', r1)).toBeUndefined();
});

it('suggests at most 2,000 cells at once, each with its source', async () => {
  const items = Array.from({ length: Math.ceil(2_001 / rules.length) }, (_, index) => `i${index}`);
  await agent(
    [],
    items.map((item_uid) => ({ item_uid })),
  );
  const { session } = await open();
  session.noteApproved(true);
  const cells = items
    .flatMap((item) => rules.map((rule) => ({ item, rule })))
    .slice(0, 2_001)
    .map((at, index) => ({
      ...at,
      patch: {
        raw_outcome: 'NA' as const,
        source_value: `“n/a” ${index}`,
        provenance: { source: 'clipboard', locator: `line ${index}`, method: 'import' },
      },
    }));
  await expect(session.suggest({ cells })).rejects.toThrow('At most 2,000 cells');
  expect(session.saveStatus.waiting).toBe(0);
  expect(await session.suggest({ cells: cells.slice(1) })).toEqual({ suggested: 2_000, left: 0 });
  await session.flush(60_000);
  const { body } = await server.call(
    'GET',
    `/api/v1/cases/c1/suggestions?profile_uid=${PROFILE}&state=open&item_uid=${cells.at(-1)!.item}`,
  );
  expect(body.data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        rule_uid: cells.at(-1)!.rule,
        raw_outcome: 'NA',
        source_value: '“n/a” 2000',
      }),
    ]),
  );
  expect(session.saveStatus).toMatchObject({ waiting: 0 });
});
