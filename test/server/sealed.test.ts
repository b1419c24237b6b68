import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import type { TestAnswer } from '../support/server.ts';
import { unseenOutcome } from '../support/sync-change.ts';
import type { Credentials } from './isolation/world.ts';
import { CASE, layerOf, Play, SECRET, VERSION } from './rounds/play.ts';

const uid = encodeURIComponent;
const ITEMS = ['one', 'two', 'three'];

/** Everything that somebody is sent by a stream of events, as it comes. */
async function listen(url: string, who: Credentials) {
  const abort = new AbortController();
  const { body } = await fetch(`${url}/api/v1/sync/events`, {
    headers: {
      ...who.headers,
      ...(who.key !== undefined && { authorization: `Bearer ${who.key}` }),
    },
    signal: abort.signal,
  });
  const heard = { text: '', close: () => abort.abort() };
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard.text += value;
    }
  })().catch(() => undefined);
  return heard;
}

describe.each(ENGINES)('Y7 YR6 YR13 a sealed layer on %s', (engine) => {
  let play: Play;
  /** Of whoever is told nothing, and of whoever is. */
  const ears: Record<string, Awaited<ReturnType<typeof listen>>> = {};
  let round: string;
  let absent: string;
  beforeAll(async () => {
    play = await Play.begin(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined, ITEMS);
    round = await play.open();
    // Where the second recorder has the place of the first, nobody has written anything.
    absent = await play.open();
    for (const [name, who] of Object.entries({ ...play.others, 'the first recorder': play.first }))
      ears[name] = await listen(play.world.server.url, who);
  }, 60_000);
  afterAll(async () => {
    for (const { close } of Object.values(ears)) close();
    await play[Symbol.asyncDispose]();
  });

  /**
   * Every question by which something of a layer could be heard, for a round and its first
   * recorder.
   */
  function questions(of: string): [method: string, path: string, body?: unknown][] {
    const stream = layerOf(of, play.firstId);
    const log = `/sync/cases/${uid(stream)}`;
    const rounds = `/cases/${CASE}/rounds`;
    const profile = `profile_uid=${TRIO}`;
    const part = { stream, query: { after: '0' } };
    return [
      ['GET', '/sync/cases'],
      ['GET', `${log}/changes?after=0`],
      ['GET', `${log}/changes?after=1`],
      ['GET', `${log}/digest`],
      ['GET', `${log}/snapshot?${profile}`],
      ['POST', `${log}/missing`, { ids: [`c1_${'A'.repeat(43)}`] }],
      ['POST', `${log}/ancestor`, { points: [{ seq: 1, chain: '0'.repeat(64) }] }],
      ['POST', '/sync/batch', { parts: [{ operation: 'changes', ...part }] }],
      ['POST', '/sync/batch', { parts: [{ operation: 'missing', stream, body: { ids: [] } }] }],
      ['GET', rounds],
      ['GET', `${rounds}/${of}`],
      ['GET', `${rounds}/${of}/evidence`],
      ['GET', `${rounds}/${of}/agreement`],
      ['GET', `${rounds}/${of}/layer`],
      ['GET', `/cases/${CASE}`],
      ['GET', `/cases?limit=200`],
      ['GET', `/cases/${CASE}/evidence?${profile}`],
      ['GET', `/cases/${CASE}/history?${profile}&item_uid=one&rule_uid=${play.rules[0]}`],
      ['GET', `/cases/${CASE}/cells?${profile}&limit=200`],
      ['GET', `/cases/${CASE}/cells?${profile}&outcome=unrecorded`],
      ['GET', `/cases/${CASE}/items/one?${profile}`],
      ['GET', `/cases/${CASE}/items/one/outcomes/${play.rules[0]}?${profile}`],
      ['GET', `/cases/${CASE}/events`],
      ['GET', `/cases/${CASE}/contested?${profile}`],
      ['GET', `/search?q=SEALED`],
      ['GET', `/activity?since=2020-01-01T00:00:00.000Z`],
      ['GET', '/runs?limit=200'],
    ];
  }
  const shown = ({ status, headers, text }: TestAnswer): string =>
    JSON.stringify([
      status,
      [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
      text.replace(/req_[0-9a-z]+/g, '<request>'),
    ]);
  const askAll = async (of: string, who: Credentials): Promise<string[]> => {
    const answers: string[] = [];
    for (const [method, path, body] of questions(of)) {
      play.world.server.advance(60_000);
      answers.push(`${method} ${path} ${shown(await play.call(method, path, who, body))}`);
    }
    return answers;
  };
  const push = (of: string, who: Credentials, author: 'first' | 'second' | 'agent') =>
    play.push(layerOf(of, play.firstId), who, play.own(author), [
      unseenOutcome({ profile: TRIO, version: VERSION, rule: play.rules[0]!, item: 'one' }, 'NA'),
    ]);

  it('is answered to everybody else exactly as if there were none, until it is released', async () => {
    const before = new Map<string, string[]>();
    for (const [name, who] of Object.entries(play.others))
      before.set(name, await askAll(round, who));
    // Each question is one: what is not about the layer is answered.
    for (const line of before.get('an owner')!)
      if (!/^\S+ \S*(?:%40layer|\/layer |batch)/.test(line))
        expect(line).toMatch(/^\S+ \S+ \[(?:200|409),/);

    const written = await play.record(
      round,
      play.first,
      ITEMS.map((item) => ({ item, outcome: 'TRUE', text: `${SECRET} ${item}` })),
    );
    expect(written.body.outcomes_written).toBe(3);
    expect((await push(round, play.first, 'first')).status).toBe(200);

    for (const [name, who] of Object.entries(play.others)) {
      const after = await askAll(round, who);
      expect([name, after]).toEqual([name, before.get(name)]);
      expect(after.join('\n')).not.toContain(SECRET);
    }
    // Nor by writing: an answer is that for a layer which nobody has written.
    for (const [name, who] of Object.entries(play.others)) {
      const tried = [await push(round, who, 'first'), await push(round, who, 'second')];
      const none = [await push(absent, who, 'first'), await push(absent, who, 'second')];
      expect([name, tried.map(shown)]).toEqual([name, none.map(shown)]);
      expect(tried.map(({ status }) => status)).not.toContain(200);
    }
    // Nor by a request's name, which others may guess.
    const again = (who: Credentials) =>
      play.world.server.call('POST', `/api/v1/cases/${CASE}/rounds/${round}/evidence`, {
        key: null,
        ...who,
        headers: { ...who.headers, 'idempotency-key': 'reading-1' },
        body: {
          outcomes: [{ item_uid: 'one', rule_uid: play.rules[0], raw_outcome: 'TRUE' }],
        },
      });
    expect((await again(play.first)).status).toBe(200);
    const theirs = await again(play.second);
    expect([theirs.status, theirs.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await again(play.first)).headers.get('idempotent-replayed')).toBe('true');
    // Its recorder is told, and given all of it.
    await expect
      .poll(() => ears['the first recorder']!.text)
      .toContain(layerOf(round, play.firstId));
    for (const [name, { text }] of Object.entries(ears))
      if (name !== 'the first recorder')
        expect([name, text.includes(layerOf(round, play.firstId))]).toEqual([name, false]);
    const own = (await askAll(round, play.first)).join('\n');
    for (const item of ITEMS) expect(own).toContain(`${SECRET} ${item}`);
    const listed = await play.call('GET', '/sync/cases', play.first);
    expect(
      listed.body.cases.filter(({ case_uid }: { case_uid: string }) =>
        case_uid.startsWith('@layer'),
      ),
    ).toMatchObject([{ case_uid: layerOf(round, play.firstId), project_id: null, seq: 2 }]);
    // What tells of requests themselves names no layer either, and has nothing of one.
    for (const [path, who] of [
      [`/cases/${CASE}/audit?format=csv`, play.second],
      [`/cases/${CASE}/audit`, play.opener],
      ['/audit?limit=200', play.opener],
      ['/audit/export?format=csv', play.opener],
      ['/usage', play.others["an owner's agent"]!],
    ] as const) {
      const { status, text } = await play.call('GET', path, who);
      expect([path, status, /@layer|recordInRound/.test(text), text.includes(SECRET)]).toEqual([
        path,
        200,
        false,
        false,
      ]);
    }
    expect(await play.world.server.deps.metrics.text()).not.toContain('@layer');
  });

  it('Y8 is given whole to everybody who reads the case once it is released', async () => {
    const since = new Map<string, string>();
    for (const [name, who] of Object.entries(play.others))
      since.set(name, (await play.call('GET', '/sync/cases', who)).headers.get('etag')!);
    await play.call('POST', `/cases/${CASE}/rounds/${round}/done`, play.first, {});
    await play.record(round, play.second, [{ item: 'one', outcome: 'NA' }]);
    await play.call('POST', `/cases/${CASE}/rounds/${round}/done`, play.second, {});
    for (const [name, who] of Object.entries(play.others)) {
      const answers = (await askAll(round, who)).join('\n');
      for (const item of ITEMS)
        expect([name, answers.includes(`${SECRET} ${item}`)]).toEqual([name, true]);
      const moved = await play.call('GET', `/sync/cases?since=${uid(since.get(name)!)}`, who);
      const layers = moved.body.cases.filter(({ case_uid }: { case_uid: string }) =>
        case_uid.startsWith('@layer'),
      );
      expect([name, layers.length]).toEqual([name, 2]);
    }
    // A change after the release is told to all.
    await play.record(round, play.first, [{ item: 'two', outcome: 'NA' }]);
    await expect.poll(() => ears['a viewer']!.text).toContain('@layer');
  });
});
