import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import type { Json } from '../support/json.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';

let server: TestServer;
let agent: string;
let person: Record<string, string>;
const RULES = readRawMatrix('m12x5').rules;
const [rule = '', other = ''] = RULES;
beforeAll(async () => {
  server = await bootServer();
  agent = await server.makeKey({ name: 'Reader', scopes: ['suggest'] });
  const link = await createSignInLink(server.deps, server.url);
  const { headers } = await server.call('GET', link.slice(server.url.length), { key: null });
  person = { cookie: headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
});
afterAll(() => server.close());

const inCase = async (uid: string) => {
  await makeCase(server, uid);
  const path = `/api/v1/cases/${uid}`;
  const send = (rest: string, body: Record<string, unknown>, asPerson = false) =>
    server.call('POST', path + rest, {
      body: { profile_uid: TRIO, ...body },
      ...(asPerson ? { key: null, headers: person } : { key: agent }),
    });
  const add = (...uids: string[]): Promise<TestAnswer> =>
    server.call('POST', `${path}/evidence`, {
      body: { profile_uid: TRIO, items: uids.map((item_uid) => ({ item_uid })) },
    });
  const all = (item_uid: string, raw_outcome = 'TRUE') =>
    RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome }));
  return {
    path,
    add,
    all,
    suggest: (suggestions: Json[]) => send('/suggestions', { suggestions }),
    decide: (decisions: Json[]) => send('/suggestions/decisions', { decisions }, true),
    record: (outcomes: Json[]) => send('/evidence', { outcomes }, true),
    toJudge: async (query = ''): Promise<Json> => {
      const asked = `${path}/to-judge?profile_uid=${TRIO}${query}`;
      const answer = await server.call('GET', asked, { key: agent });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
};

describe('an agent that waits for cells to judge', () => {
  it('is answered at once what is open, without what it has suggested', async () => {
    const { add, suggest, record, toJudge } = await inCase('open');
    await add('a');
    const { cells, decided } = await toJudge();
    expect([cells.length, decided]).toEqual([RULES.length, []]);
    expect(cells[0]).toEqual({ item_uid: 'a', rule_uid: rule, revision: 0 });
    await suggest([{ item_uid: 'a', rule_uid: rule, raw_outcome: 'NA' }]);
    await record([{ item_uid: 'a', rule_uid: other, raw_outcome: 'FALSE' }]);
    const rest = await toJudge();
    expect(rest.cells.map((cell: Json) => cell.rule_uid)).toEqual(RULES.slice(2));
    const pages = await toJudge('&limit=1');
    const next = await toJudge(`&limit=1&cursor=${encodeURIComponent(pages.next_cursor)}`);
    expect(next.cells[0].rule_uid).toBe(RULES[3]);
  });

  it('waits until somebody else adds an item, and not for what it writes itself', async () => {
    const { add, suggest, all, toJudge } = await inCase('waiting');
    await add('a');
    const { after } = await toJudge();
    await suggest(all('a'));
    const nothing = await toJudge(`&after=${after}&wait=1`);
    expect([nothing.cells, nothing.after > after]).toEqual([[], true]);
    const waited = toJudge(`&after=${nothing.after}&wait=50`);
    await add('b');
    expect((await waited).cells.map((cell: Json) => cell.item_uid)).toEqual(RULES.map(() => 'b'));
  });

  it('is told what was decided about its suggestions, with reasons, and which became stale', async () => {
    const { add, suggest, all, decide, record, toJudge } = await inCase('decided');
    await add('a');
    const { body } = await suggest(all('a'));
    const [first, second, third] = body.suggestions;
    const { after } = await toJudge();
    const waited = toJudge(`&after=${after}&wait=50`);
    await decide([
      { suggestion_id: first.suggestion_id, verdict: 'accept' },
      { suggestion_id: second.suggestion_id, verdict: 'refuse', reason: 'Another sample.' },
    ]);
    const told = await waited;
    expect(
      told.decided.map((one: Json) => [one.rule_uid, one.raw_outcome, one.verdict, one.reason]),
    ).toEqual([
      [first.rule_uid, 'TRUE', 'accepted', null],
      [second.rule_uid, 'TRUE', 'refused', 'Another sample.'],
    ]);
    expect([told.cells, told.decided_left]).toEqual([[], 0]);
    expect((await toJudge(`&after=${told.after}`)).decided).toEqual([]);
    await record([{ item_uid: 'a', rule_uid: third.rule_uid, raw_outcome: 'FALSE' }]);
    const { stale } = await toJudge(`&after=${told.after}&wait=50`);
    expect(stale.map((one: Json) => [one.rule_uid, one.state])).toEqual([
      [third.rule_uid, 'stale'],
    ]);
  });

  it('waits no longer once its key is revoked', async () => {
    const { path, add } = await inCase('revoked');
    const key = await server.makeKey({ name: 'Ended', scopes: ['suggest'] });
    const asked = `${path}/to-judge?profile_uid=${TRIO}&wait=50`;
    const waited = server.call('GET', asked, { key });
    const { body } = await server.call('GET', '/api/v1/usage');
    const { key_id } = body.api_keys.find(({ name }: Json) => name === 'Ended');
    const as = { key: null, headers: person };
    expect((await server.call('DELETE', `/api/v1/keys/${key_id}`, as)).status).toBe(200);
    await add('a');
    const { status, body: refusal } = await waited;
    expect([status, refusal.error]).toEqual([401, 'key_revoked']);
  });
});

/** Server-sent events, each as its id and its data. */
async function* eventsOf(path: string, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const response = await fetch(server.url + path, {
    signal: stop.signal,
    headers: { authorization: `Bearer ${agent}`, accept: 'text/event-stream', ...headers },
  });
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const [, id, data] = /^id: (\d+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        if (data !== undefined) yield { id: Number(id), data: JSON.parse(data) as Json };
      }
    }
  } finally {
    stop.abort();
  }
}

describe('a stream of events', () => {
  it('tells who wrote what, and goes on after the last event that a client has seen', async () => {
    const { path, add, suggest } = await inCase('streamed');
    await add('a');
    const events = eventsOf(`${path}/events`);
    const first = (await events.next()).value!;
    expect(first.data.data.map((step: Json) => step.field)).toContain('item.x');
    const next = events.next();
    await suggest([{ item_uid: 'a', rule_uid: rule, raw_outcome: 'NA' }]);
    const second = (await next).value!;
    expect(second.id).toBeGreaterThan(first.id);
    expect(second.data.data).toMatchObject([{ field: 'suggestion', by: 'Reader', item_uid: 'a' }]);
    await events.return(undefined);
    const again = eventsOf(`${path}/events?after=0`, { 'last-event-id': String(first.id) });
    expect((await again.next()).value).toEqual(second);
    await again.return(undefined);
  });

  it('tells of cells to judge, and refuses what is asked wrongly before it begins', async () => {
    const { path, add } = await inCase('judged');
    const asked = `${path}/to-judge?profile_uid=${TRIO}`;
    const events = eventsOf(asked);
    const next = events.next();
    await add('a');
    expect((await next).value!.data.cells).toHaveLength(RULES.length);
    await events.return(undefined);
    const accept = { accept: 'text/event-stream' };
    const wrong = await server.call('GET', asked, { headers: { ...accept, 'last-event-id': 'x' } });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_request']);
    const none = '/api/v1/cases/no-such/events';
    expect((await server.call('GET', none, { headers: accept })).status).toBe(404);
    expect((await server.call('GET', `${none}?wait=51`)).body.error).toBe('invalid_query');
  });
});
