import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { threadId, ThreadOpening } from '../../src/shared/domain/thread.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import type { TestAnswer } from '../support/server.ts';
import { type Credentials } from './isolation/world.ts';
import { CASE, Play, VERSION } from './rounds/play.ts';

const [ONE, TWO, THREE] = ['item/1', 'item 2', 'item-3'];
type Said = Record<string, unknown>;

describe.each(ENGINES)('discussion on %s', (engine) => {
  let play: Play;
  let cell: Said;
  beforeAll(async () => {
    play = await Play.begin(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined, [
      ONE,
      TWO,
      THREE,
    ]);
    cell = {
      on: 'cell',
      profile_uid: TRIO,
      profile_version: VERSION,
      rule_uid: play.rules[0],
      item_uid: ONE,
    };
  }, 60_000);
  afterAll(() => play[Symbol.asyncDispose]());

  const threads = `/cases/${CASE}/threads`;
  const open = (who: Credentials, more: Said = {}): Promise<TestAnswer> =>
    play.call('POST', threads, who, {
      place: { on: 'item', item_uid: ONE },
      kind: 'query',
      text: 'Why?',
      ...more,
    });
  const add = (who: Credentials, id: string, body: Said): Promise<TestAnswer> =>
    play.call('POST', `${threads}/${id}/entries`, who, body);
  const waiting = async (who: Credentials) =>
    (await play.call('GET', '/waiting', who)).body.data as {
      case_uid: string;
      threads: { thread_id: string; why: string }[];
      items: number;
      rules: number;
    }[];
  const whyOf = async (who: Credentials, id: string): Promise<string | undefined> =>
    (await waiting(who)).flatMap((one) => one.threads).find(({ thread_id }) => thread_id === id)
      ?.why;
  const first = (): Credentials => play.first;
  const second = (): Credentials => play.second;

  it('YT4 YT5 a query is asked, answered and closed, and waits for whoever is next', async () => {
    const { status, body, headers } = await open(first(), {
      place: cell,
      assigned_to: play.secondId,
    });
    expect(status).toBe(201);
    const id = body.thread_id as string;
    expect(headers.get('location')).toContain(id);
    expect(body).toMatchObject({
      state: 'open',
      kind: 'query',
      place: cell,
      item_label: ONE,
      rule_name: expect.stringMatching(/\w/),
      assigned_to: { id: play.secondId, kind: 'human' },
      opened_by: { id: play.firstId },
      size: 1,
    });
    expect(await whyOf(second(), id)).toBe('assigned');
    expect(await whyOf(first(), id)).toBeUndefined();
    const answered = await add(play.agent, id, {
      does: 'answer',
      text: 'Since.',
      mentions: [play.firstId],
    });
    expect(answered.body).toMatchObject({ state: 'answered', size: 2 });
    expect([await whyOf(first(), id), await whyOf(second(), id)]).toEqual(['answered', undefined]);
    expect((await add(first(), id, { does: 'close' })).body.state).toBe('closed');
    expect(await whyOf(first(), id)).toBeUndefined();
    expect((await add(first(), id, { does: 'close' })).body).toMatchObject({
      error: 'conflict',
      details: [{ path: '/does', code: 'already_closed' }],
    });
    const whole = await play.call('GET', `${threads}/${id}?limit=2`, second());
    expect(whole.body.entries).toMatchObject([
      { does: 'open', text: 'Why?', by: { id: play.firstId } },
      { does: 'answer', by: { id: play.agent.id, kind: 'agent', name: 'Second agent' } },
    ]);
    const rest = await play.call(
      'GET',
      `${threads}/${id}?limit=2&cursor=${whole.body.next_cursor}`,
      second(),
    );
    expect([rest.body.entries, rest.body.next_cursor]).toMatchObject([[{ does: 'close' }], null]);
  });

  it('YT3 an agent asks and answers, and neither closes nor assigns', async () => {
    const { status, body } = await open(play.agent, { mentions: [play.firstId] });
    expect([status, body.opened_by.id]).toEqual([201, play.agent.id]);
    expect(await whyOf(first(), body.thread_id)).toBe('mentioned');
    for (const reply of [
      { does: 'close' },
      { does: 'reopen', text: 'x' },
      { does: 'assign', to: play.agent.id },
    ])
      expect((await add(play.agent, body.thread_id, reply)).body.error, reply.does).toBe(
        'author_not_allowed',
      );
    expect((await open(play.agent, { assigned_to: play.firstId })).body.error).toBe(
      'author_not_allowed',
    );
    const assign = { places: [{ on: 'item', item_uid: ONE }], to: play.agent.id };
    expect(
      (await play.call('POST', `/cases/${CASE}/assignments`, play.agent, assign)).body.error,
    ).toBe('insufficient_scope');
    expect((await play.call('GET', `${threads}/${body.thread_id}`, first())).body.size).toBe(1);
    await add(first(), body.thread_id, { does: 'comment', text: 'Seen.' });
    expect(await whyOf(first(), body.thread_id)).toBeUndefined();
  });

  it('refuses what names nothing, and stores nothing', async () => {
    const before = (await play.call('GET', threads, first())).body.data.length;
    const refused = async (more: Said) => (await open(first(), more)).body;
    expect(await refused({ place: { on: 'item', item_uid: 'none' } })).toMatchObject({
      error: 'validation_failed',
      details: [{ path: '/place/item_uid', code: 'unknown_item' }],
    });
    expect(await refused({ place: { ...cell, rule_uid: 'no_rule' } })).toMatchObject({
      details: [{ path: '/place/rule_uid', code: 'unknown_rule' }],
    });
    expect((await refused({ text: ' ' })).error).toBe('validation_failed');
    expect((await refused({ mentions: [play.firstId, play.firstId] })).error).toBe(
      'validation_failed',
    );
    expect((await refused({ place: { on: 'case' } })).error).toBe('validation_failed');
    const none = `thr_${'x'.repeat(26)}`;
    expect((await add(first(), none, { does: 'close' })).status).toBe(404);
    expect((await play.call('GET', `${threads}/${none}`, first())).status).toBe(404);
    const viewer = play.others['a viewer'] as Credentials;
    expect((await open(viewer)).body.error).toBe('read_only_role');
    expect((await play.call('GET', threads, first())).body.data).toHaveLength(before);
  });

  it('YT8 a run is frozen while a query is open, and holds nothing of it', async () => {
    await play.call('POST', `/cases/${CASE}/evidence`, play.opener, {
      profile_uid: TRIO,
      outcomes: [{ item_uid: TWO, rule_uid: play.rules[0], raw_outcome: 'FALSE' }],
    });
    await open(first(), { place: cell, text: 'ASKED-5b2e' });
    const { status, body } = await play.call('POST', '/runs', play.opener, {
      case_uid: CASE,
      profile_uid: TRIO,
    });
    expect(status).toBe(201);
    const run = await play.call('GET', `/runs/${body.run_uid}`, play.opener);
    expect(run.text).not.toContain('ASKED-5b2e');
  });

  it('Y2 changes no byte of the evidence, no tag and no row', async () => {
    const path = `/cases/${CASE}/evidence?profile_uid=${TRIO}`;
    const before = await play.call('GET', path, play.opener);
    const { body } = await open(first(), { place: cell });
    await add(second(), body.thread_id, { does: 'answer', text: 'So.' });
    await play.call('POST', `/cases/${CASE}/assignments`, first(), {
      places: [{ on: 'item', item_uid: THREE }],
      to: play.secondId,
    });
    const after = await play.call('GET', path, play.opener);
    expect([after.text, after.headers.get('etag')]).toEqual([
      before.text,
      before.headers.get('etag'),
    ]);
  });

  it('YT6 rows and rules are assigned, counted for whom they wait, and taken back', async () => {
    const path = `/cases/${CASE}/assignments`;
    const rule = { ...cell, on: 'rule', item_uid: undefined };
    const places = [{ on: 'item', item_uid: ONE }, { on: 'item', item_uid: TWO }, rule];
    const assign = (to: string | null, of: unknown[] = places) =>
      play.call('POST', path, first(), { places: of, to });
    expect((await assign(play.secondId)).body).toEqual({ assigned: 3, unchanged: 0 });
    expect((await assign(play.secondId)).body).toEqual({ assigned: 0, unchanged: 3 });
    const [one] = await waiting(second());
    expect([one?.items, one?.rules]).toEqual([3, 1]);
    expect((await assign(null, places.slice(0, 1))).body.assigned).toBe(1);
    const { data } = (await play.call('GET', `${path}?assigned_to=${play.secondId}`, first())).body;
    expect(data.map(({ place }: Said) => place)).toEqual([
      { on: 'item', item_uid: TWO },
      { on: 'item', item_uid: THREE },
      { on: 'rule', profile_uid: TRIO, profile_version: VERSION, rule_uid: play.rules[0] },
    ]);
    expect((await assign(play.secondId, [{ on: 'item', item_uid: 'none' }])).body).toMatchObject({
      error: 'validation_failed',
      details: [{ path: '/places/0/item_uid', code: 'unknown_item' }],
    });
  });

  it('YT6 a removed item waits for nobody, and can be taken back', async () => {
    const path = `/cases/${CASE}/assignments`;
    const [gone] = [{ on: 'item', item_uid: TWO }];
    const assign = (to: string | null, places: unknown[]) =>
      play.call('POST', path, first(), { places, to });
    const itemsFor = async (): Promise<number> => (await waiting(second()))[0]?.items ?? 0;
    const state = (to: string) =>
      play.call('POST', `/cases/${CASE}/items/state`, first(), {
        item_uids: [TWO],
        state: to,
        reason: 'r',
      });
    await assign(null, [gone]);
    const before = await itemsFor();
    await assign(play.secondId, [gone]);
    expect(await itemsFor()).toBe(before + 1);
    expect((await state('deleted')).status).toBe(200);
    expect(await itemsFor()).toBe(before);
    await state('active');
    expect(await itemsFor()).toBe(before + 1);
    await state('deleted');
    const none = { on: 'item', item_uid: 'none' };
    expect((await assign(null, [gone, none])).body.details).toMatchObject([
      { path: '/places/1/item_uid', code: 'unknown_item' },
    ]);
    expect((await assign(null, [gone])).body).toEqual({ assigned: 1, unchanged: 0 });
    await state('active');
    expect(await itemsFor()).toBe(before);
  });

  it('YT2 YT3 what is pushed in another’s name or out of order is kept, and shown as the rules say', async () => {
    const begin = (opened_by: string, nonce: string): ThreadOpening =>
      ThreadOpening.parse({
        does: 'open',
        place: { on: 'item', item_uid: TWO },
        kind: 'query',
        text: 'Pushed?',
        opened_by,
        nonce: nonce.repeat(32),
      });
    const entry = (reg: string, value: unknown) => ({ op: 'announce', parents: [], reg, value });
    const own = begin(play.firstId, 'a');
    const forged = begin(play.firstId, 'b');
    const [id, other] = [own, forged].map((one) => threadId(one, nodeHasher));
    const author = play.own('second');
    // The answer comes before its question, and a question in somebody else's name.
    const answer = entry(`thread/${id}`, { does: 'answer', text: 'Early.' });
    const { body } = await play.push(CASE, second(), author, [
      answer,
      entry(`thread/${other}`, forged),
    ]);
    expect(body.results).toMatchObject([{ quarantined: [1] }]);
    const get = (thread: string | undefined) => play.call('GET', `${threads}/${thread}`, first());
    expect([(await get(id)).status, (await get(other)).status]).toEqual([404, 404]);
    await play.push(CASE, first(), play.own('first'), [entry(`thread/${id}`, own)]);
    expect((await get(id)).body).toMatchObject({
      state: 'answered',
      entries: [
        { does: 'open', by: { id: play.firstId } },
        { does: 'answer', by: { id: play.secondId } },
      ],
    });
    expect(await whyOf(first(), `${id}`)).toBe('answered');
    // Under one's own name alone: the credential decides.
    const lent = await play.push(CASE, second(), play.own('first'), [
      entry(`thread/${id}`, { does: 'comment', text: 'Not mine.' }),
    ]);
    expect(lent.body.error).toBe('author_not_allowed');
  });

  it('YT7 whoever records in a round that hides the record is shown no thread of its cells', async () => {
    const about = await open(play.opener, {
      place: { ...cell, item_uid: THREE },
      mentions: [play.firstId],
    });
    const elsewhere = await open(play.opener, { place: { on: 'item', item_uid: ONE } });
    const round = await play.open({ items: [THREE], record: 'hidden' });
    const ids = async (who: Credentials) =>
      (await play.call('GET', `${threads}?limit=200`, who)).body.data.map(
        ({ thread_id }: Said) => thread_id,
      );
    const [hidden, shown] = [about.body.thread_id, elsewhere.body.thread_id];
    expect(await ids(first())).toContain(shown);
    expect(await ids(first())).not.toContain(hidden);
    expect(await ids(play.opener)).toContain(hidden);
    expect((await play.call('GET', `${threads}/${hidden}`, first())).status).toBe(404);
    expect(await whyOf(first(), hidden)).toBeUndefined();
    expect((await open(first(), { place: { on: 'item', item_uid: THREE } })).body).toMatchObject({
      error: 'conflict',
      details: [{ code: 'round_open' }],
    });
    const steps = await play.call('GET', `/cases/${CASE}/events?limit=200`, first());
    expect(steps.text).not.toContain(hidden);
    await play.call('POST', `/cases/${CASE}/rounds/${round}/release`, play.opener, { reason: 'r' });
    expect(await ids(first())).toContain(hidden);
    expect(await whyOf(first(), hidden)).toBe('mentioned');
  });

  it('lists page by page, by state, kind, place and whom', async () => {
    const all: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await play.call('GET', `${threads}?limit=2${cursor}`, play.opener);
      all.push(...body.data.map(({ thread_id }: Said) => thread_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(5);
    const some = async (query: string) =>
      (await play.call('GET', `${threads}?limit=200&${query}`, play.opener)).body.data as Said[];
    expect((await some('state=closed')).every(({ state }) => state === 'closed')).toBe(true);
    expect(await some(`item_uid=${encodeURIComponent(TWO)}`)).toHaveLength(1);
    expect(await some(`on=cell&rule_uid=${play.rules[0]}`)).toHaveLength(4);
    expect(await some(`assigned_to=${play.secondId}&state=closed`)).toHaveLength(1);
    expect(await some('kind=comment')).toEqual([]);
    expect((await play.call('GET', `${threads}?cursor=x`, play.opener)).body.error).toBe(
      'invalid_query',
    );
  });
});
