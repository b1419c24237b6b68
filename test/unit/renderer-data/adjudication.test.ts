import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CaseUid, ProfileUid } from '../../../src/shared/contract/ids.ts';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { adjudicationOf } from '../../../src/renderer/features/matrix/conflicts/adjudication.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { asCase, asProfile } from '../../support/ids.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { until, windowFetch, windowOn } from './support/real-server.ts';

globalThis.IDBKeyRange = IDBKeyRange;
const PROFILE = 'crispr_edit_evidence';
const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const CASE = '/api/v1/cases/c1';

let server: TestServer;
let layers: DataLayer[] = [];
let address: { caseUid: CaseUid; profileUid: ProfileUid; profileVersion: string };
let rules: string[];
let round: string;
let isAway = false;

/** What somebody may do with the API; `key` null is the person at the window. */
async function call(method: string, path: string, body?: object, key: string | null = null) {
  const answer =
    key === null
      ? await windowFetch(server)(path, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }).then(async (one) => ({ status: one.status, body: await one.json() }))
      : await server.call(method, path, { key, ...(body !== undefined && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/**
 * Two agents and the person record five items under two rules: by item, what each says of the first
 * rule; of the second one all agree.
 */
const SAID: Record<string, (string | null)[]> = {
  a: ['TRUE', 'FALSE', 'TRUE'],
  b: ['NA', 'FALSE', 'FALSE'],
  c: ['TRUE', 'TRUE', 'FALSE'],
  d: ['FALSE', 'FALSE', 'FALSE'],
  e: ['TRUE', null, 'TRUE'],
};

beforeEach(async () => {
  isAway = false;
  server = await bootServer();
  const { project_id } = await call('POST', '/api/v1/projects', { name: 'P' });
  await call('POST', '/api/v1/cases', { project_id, case_uid: 'c1', profile_uid: PROFILE });
  const profile = await call('GET', `/api/v1/profiles/${PROFILE}`);
  rules = profile.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
  address = {
    caseUid: asCase('c1'),
    profileUid: asProfile(PROFILE),
    profileVersion: profile.version,
  };
  await call('POST', `${CASE}/evidence`, {
    profile_uid: PROFILE,
    items: ITEMS.map((item_uid) => ({ item_uid })),
  });
  const me = (await call('GET', '/api/v1/session')).user.user_id as string;
  const recorders: { id: string; key: string | null }[] = [{ id: me, key: null }];
  for (const name of ['One', 'Two']) {
    const made = await call('POST', '/api/v1/keys', { name, scopes: ['read', 'write'] });
    recorders.push({ id: made.key_id, key: made.key });
  }
  const opened = await call('POST', `${CASE}/rounds`, {
    title: 'Reading',
    recorders: recorders.map(({ id }) => id),
    profile_uid: PROFILE,
  });
  round = opened.round_id;
  for (const [place, { key }] of recorders.entries()) {
    const outcomes = ITEMS.flatMap((item_uid) => {
      const said = SAID[item_uid]?.[place] ?? null;
      const cell = { item_uid, source_value: `seen ${item_uid}`, notes: `by ${place}` };
      return [
        ...(said === null ? [] : [{ ...cell, rule_uid: rules[0], raw_outcome: said }]),
        { ...cell, rule_uid: rules[1], raw_outcome: 'FALSE' },
      ];
    });
    await call('POST', `${CASE}/rounds/${round}/evidence`, { outcomes }, key);
    await call('POST', `${CASE}/rounds/${round}/done`, {}, key);
  }
});
afterEach(async () => {
  for (const layer of layers) layer.close();
  layers = [];
  await server.close();
});

async function open(factory = new IDBFactory()) {
  const inner = windowFetch(server);
  const layer = await windowOn(server, factory, (input, init) =>
    isAway ? Promise.reject(new TypeError('fetch failed')) : inner(input, init),
  );
  layers.push(layer);
  const session = await layer.openMatrix(address);
  const editor = createEditor(session, () => undefined);
  const { library } = layer;
  editor.rounds = {
    asked: undefined,
    list: async () =>
      (await library.rounds(address.caseUid)).data.data.map(({ round_id, title }) => ({
        id: round_id,
        title,
      })),
    cells: async (id, agreement) => (await library.ratings(address.caseUid, id, agreement)).data,
  };
  const adjudication = adjudicationOf(editor);
  await adjudication.open();
  return { session, editor, adjudication, state: adjudication.store.getState };
}
const cellOf = (session: MatrixSession, item: string, column = 0) => {
  const row = session.rowOf(item);
  return [session.state(row, column), session.detail(row, column).source_value];
};
const agreement = async (): Promise<string> =>
  JSON.stringify(await call('GET', `${CASE}/rounds/${round}/agreement`));
const freeze = () =>
  call('POST', '/api/v1/runs', { case_uid: 'c1', profile_uid: PROFILE, round_id: round });

it('Y11 YC6 decides without a connection what recorders differ on, and it is frozen; no figure changes', async () => {
  const before = await agreement();
  // The record says something else of one of them, and the person says so without having seen it.
  const factory = new IDBFactory();
  const { session, editor, adjudication, state } = await open(factory);
  expect(state().list.map(({ item_uid }) => item_uid)).toEqual(['a', 'b', 'c']);
  isAway = true;
  await session.write('Set', [{ item: 'c', rule: rules[0]! }], { raw_outcome: 'NA' });
  await call('POST', `${CASE}/evidence`, {
    profile_uid: PROFILE,
    outcomes: [{ item_uid: 'c', rule_uid: rules[0], raw_outcome: 'TRUE' }],
  });
  isAway = false;
  await until(() => session.contestCount() === 1);
  isAway = true;

  // A letter takes it from whoever says so; nothing is recorded without a reason.
  adjudication.take('TRUE');
  await adjudication.resolve();
  expect(cellOf(session, 'a')).toEqual([null, null]);
  adjudication.setWhy('read again');
  await adjudication.resolve();
  expect(cellOf(session, 'a')).toEqual(['TRUE', 'seen a']);
  // An outcome that nobody recorded has no source.
  expect([state().at, state().why, state().lastWhy]).toMatchObject([
    expect.stringContaining('/b'),
    '',
    'read again',
  ]);
  adjudication.take('TRUE');
  adjudication.setWhy('none of these');
  await adjudication.resolve();
  expect(cellOf(session, 'b')).toEqual(['TRUE', null]);
  // The last one by its number, which resolves the record's own conflict.
  expect(state().heads).toHaveLength(2);
  const wanted = state().list[2]!.ratings[0]!;
  adjudication.choose(1);
  adjudication.setWhy('looked together');
  await adjudication.resolve();
  expect(session.contestCount()).toBe(0);
  expect(cellOf(session, 'c')).toEqual([wanted.raw_outcome, 'seen c']);
  expect([state().decided.size, state().list.length]).toEqual([3, 3]);

  // Undone, it is open again; redone, it comes from where it came from.
  await editor.undo();
  expect(state().decided.size).toBe(2);
  expect(session.contestCount()).toBe(1);
  await editor.redo();

  // The same window opened again, still without a connection.
  for (const layer of layers.splice(0)) layer.close();
  const again = await open(factory);
  expect([again.state().failure, again.state().list.length]).toEqual([undefined, 3]);
  expect(again.state().decided.size).toBeGreaterThanOrEqual(2);
  isAway = false;
  await until(
    () => again.session.saveStatus.waiting === 0,
    () => again.session.saveStatus,
  );

  // Another window knows it from the server.
  const other = await open();
  expect([...other.state().decided]).toHaveLength(3);
  expect(other.state().list.map(({ settled }) => [settled?.kind, settled?.reason])).toEqual([
    ['adjudicated', 'read again'],
    ['adjudicated', 'none of these'],
    ['adjudicated', 'looked together'],
  ]);
  const { frozen } = await freeze();
  expect(
    frozen.round.settled.map((one: { item_uid: string; raw_outcome: string; kind: string }) => [
      one.item_uid,
      one.raw_outcome,
      one.kind,
    ]),
  ).toEqual([
    ['a', 'TRUE', 'adjudicated'],
    ['b', 'TRUE', 'adjudicated'],
    ['c', wanted.raw_outcome, 'adjudicated'],
  ]);
  expect(frozen.round.figures).toEqual(JSON.parse(before).figures);
  expect(await agreement()).toBe(before);
});

it('takes over in one step what all agree on, and leaves alone what the record has', async () => {
  const before = await agreement();
  await call('POST', `${CASE}/evidence`, {
    profile_uid: PROFILE,
    outcomes: [
      { item_uid: 'a', rule_uid: rules[1], raw_outcome: 'FALSE' },
      { item_uid: 'b', rule_uid: rules[1], raw_outcome: 'NA' },
    ],
  });
  const { session, editor, adjudication, state } = await open();
  await session.apply({ label: 'Remove', items: [{ do: 'remove', item_uid: 'e' }] });
  await adjudication.preview(true);
  const { takeOver } = state();
  expect([takeOver?.to, takeOver?.same, takeOver?.gone]).toEqual([
    { TRUE: 0, FALSE: 3, NA: 0 },
    1,
    1,
  ]);
  expect(takeOver?.otherwise.map(({ item_uid, recorded }) => [item_uid, recorded])).toEqual([
    ['b', 'NA'],
  ]);
  await adjudication.takeOverAll();
  expect(cellOf(session, 'd')).toEqual(['FALSE', 'seen d']);
  expect(cellOf(session, 'b', 1)).toEqual(['NA', null]);
  await editor.undo();
  expect(cellOf(session, 'd')).toEqual([null, null]);
  await editor.redo();
  await session.flush(5_000);
  const { frozen } = await freeze();
  expect(
    frozen.round.settled.map((one: { item_uid: string; kind: string }) => [one.item_uid, one.kind]),
  ).toEqual([
    ['c', 'agreed'],
    ['d', 'agreed'],
    ['d', 'agreed'],
  ]);
  expect(await agreement()).toBe(before);
  // What only some recorded is listed by itself.
  await adjudication.look(round, 'incomplete');
  expect(state().gone).toBe(1);
});

it('decides on what the record has already, and an undo takes that decision back', async () => {
  await call('POST', `${CASE}/evidence`, {
    profile_uid: PROFILE,
    outcomes: [{ item_uid: 'a', rule_uid: rules[0], raw_outcome: 'TRUE', source_value: 'seen a' }],
  });
  const { session, editor, adjudication, state } = await open();
  adjudication.choose(4);
  expect(state().choice).toMatchObject({ of: 'record' });
  adjudication.setWhy('as it stands');
  await adjudication.resolve();
  expect(state().decided.size).toBe(1);
  await editor.undo();
  expect(state().decided.size).toBe(0);
  await session.flush(5_000);
  expect((await freeze()).frozen.round.settled).toEqual([]);
});

it('knows a decision again that an undo or redo brings back, without the server', async () => {
  const factory = new IDBFactory();
  const { session, editor, adjudication, state } = await open(factory);
  const decide = async (outcome: 'TRUE' | 'FALSE', why: string): Promise<void> => {
    adjudication.go(state().list[0]!.reg);
    adjudication.take(outcome);
    adjudication.setWhy(why);
    await adjudication.resolve();
  };
  await decide('TRUE', 'first look');
  await session.flush(5_000);
  isAway = true;
  const reg = state().list[0]!.reg;
  await decide('FALSE', 'second look');
  expect(state().decided.get(reg)).toBe('second look');
  await editor.undo();
  expect(state().decided.get(reg)).toBe('first look');
  await editor.undo();
  expect(state().decided.size).toBe(0);
  await editor.redo();
  expect(state().decided.get(reg)).toBe('first look');
  await editor.redo();
  expect(state().decided.get(reg)).toBe('second look');

  // Opened again, where only the undo steps know what was brought back.
  for (const layer of layers.splice(0)) layer.close();
  const again = await open(factory);
  expect(again.state().decided.get(reg)).toBe('second look');
});

it('says what another person decided while recordings were being read', async () => {
  const { session, editor, adjudication, state } = await open();
  const cells = editor.rounds!.cells;
  let held: (() => void) | undefined;
  let reads = 0;
  editor.rounds!.cells = async (...asked) => {
    const found = await cells(...asked);
    reads += 1;
    if (reads === 1) await new Promise<void>((resolve) => (held = resolve));
    return found;
  };
  const other = await open();
  const decide = async (at: number): Promise<void> => {
    other.adjudication.go(other.state().list[at]!.reg);
    other.adjudication.take('TRUE');
    other.adjudication.setWhy(`read ${at}`);
    await other.adjudication.resolve();
    await other.session.flush(5_000);
  };
  await decide(0);
  await until(() => held !== undefined);
  await decide(1);
  await until(() => cellOf(session, 'b')[0] === 'TRUE');
  held?.();
  await until(() => state().decided.size === 2);
  expect([...state().decided.values()]).toEqual(['read 0', 'read 1']);
  adjudication.close();
});

it('says what another window of this computer decided without a connection', async () => {
  const factory = new IDBFactory();
  const { session, adjudication, state } = await open(factory);
  const other = await open(factory);
  isAway = true;
  await until(() => other.session.saveStatus.connection !== 'online');
  other.adjudication.take('TRUE');
  other.adjudication.setWhy('read in the other window');
  await other.adjudication.resolve();
  await until(() => cellOf(session, 'a')[0] === 'TRUE');
  await until(() => state().decided.size === 1);
  expect([...state().decided.values()]).toEqual(['read in the other window']);
  adjudication.close();
});

it('a decision that is stored late leaves the cell that its person has gone to meanwhile', async () => {
  const { adjudication, session, state } = await open();
  adjudication.choose(1);
  adjudication.setWhy('Seen again');
  const stored = adjudication.resolve();
  adjudication.step(false);
  adjudication.take('NA');
  adjudication.setWhy('Of the second');
  const { at, choice } = state();
  await stored;
  expect(state()).toMatchObject({ at, choice, why: 'Of the second', busy: false });
  expect([...state().decided.values()]).toEqual(['Seen again']);
  await adjudication.resolve();
  expect(cellOf(session, 'b')[0]).toBe('NA');
});

it('what is read late is not shown after something else was asked for', async () => {
  const { adjudication, editor, state } = await open();
  const { cells, list } = editor.rounds!;
  const gates: PromiseWithResolvers<void>[] = [];
  const late = async (): Promise<void> => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
  };
  editor.rounds = {
    ...editor.rounds!,
    cells: async (id, agreement) => {
      if (agreement === 'agreed') await late();
      return cells(id, agreement);
    },
  };
  for (const leave of [
    () => adjudication.look(round, 'incomplete'),
    () => adjudication.preview(false),
    async () => adjudication.close(),
  ]) {
    await adjudication.open();
    const preview = adjudication.preview(true);
    await leave();
    const { open: isOpen, loading, list: shown } = state();
    gates.pop()!.resolve();
    await preview;
    expect(state()).toMatchObject({ open: isOpen, loading, list: shown, takeOver: null });
    expect(state().loading).toBe(false);
  }

  // Opened for one recording, closed, and opened for another.
  editor.rounds = {
    ...editor.rounds,
    list: async () => {
      const rounds = await list();
      if (gates.length === 0) await late();
      return [...rounds, { id: 'another', title: 'Another' }];
    },
    cells: async (id, agreement) =>
      id === 'another' ? { ...(await cells(round, agreement)), cells: [] } : cells(id, agreement),
  };
  const first = adjudication.open(round);
  adjudication.close();
  await adjudication.open('another');
  gates.pop()!.resolve();
  await first;
  expect(state()).toMatchObject({ round: 'another', list: [] });
});
