import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { BatchPart } from '../../../src/shared/contract/sync-batch.ts';
import { lengthOf, seedOf } from '../../support/length.ts';
import { seeded } from '../../support/random.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { converge, RULE, Studio } from './world.ts';

type Part = { status: number; body: unknown } | null;
type Answers = { push: Part; changes: Part };

const failed: Part = {
  status: 500,
  body: { error: 'internal_error', message: 'No.', details: [], request_id: 'req_x' },
};

/** What may become of a push that was carried out, and of the page that was asked for beside it. */
const SPOILED = {
  'as they are': (answers) => answers,
  'the page is not begun': ({ push }) => ({ push, changes: null }),
  'the page is failed on': ({ push }) => ({ push, changes: failed }),
  'the page is of before the push': ({ push }, before) => ({ push, changes: before }),
  'the page is of another store': ({ push, changes }) => ({
    push,
    changes: changes && { ...changes, body: { ...(changes.body as object), epoch: 'elsewhere' } },
  }),
  'the page is not read to its end': ({ push, changes }) => ({
    push,
    changes: changes && { ...changes, body: { ...(changes.body as object), n: 7 } },
  }),
  'the answer to the push is lost': ({ changes }) => ({ push: failed, changes }),
  'the push is not begun': ({ changes }) => ({ push: null, changes }),
} satisfies Record<string, (answers: Answers, before: Part) => Answers>;
type Spoiled = keyof typeof SPOILED;

const partsOf = (init: RequestInit | undefined): BatchPart[] => {
  const bytes = Buffer.from(init?.body as Uint8Array);
  const text = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
  return (JSON.parse(text.toString()) as { parts: BatchPart[] }).parts;
};

/** Answers a request for a push and a page as the server does, and then spoils it. */
async function answerSpoiled(how: Spoiled, url: string, init?: RequestInit): Promise<Response> {
  const parts = partsOf(init);
  const at = (operation: string): number =>
    parts.findIndex((part) => part.operation === operation && part.stream === 'case-1');
  const [push, changes] = [at('push'), at('changes')];
  if (push < 0 || changes < 0) return fetch(url, init);
  const { query } = parts[changes]!;
  const headers = new Headers(init?.headers);
  headers.delete('content-encoding');
  const before = await fetch(
    url.replace(
      'batch',
      `cases/case-1/changes?${String(new URLSearchParams(query as Record<string, string>))}`,
    ),
    { headers },
  );
  const was: Part = { status: before.status, body: await before.json() };
  const answer = (await (await fetch(url, init)).json()) as { parts: Part[] };
  const spoiled = SPOILED[how]({ push: answer.parts[push]!, changes: answer.parts[changes]! }, was);
  answer.parts[push] = spoiled.push;
  answer.parts[changes] = spoiled.changes;
  return Response.json(answer);
}

async function world() {
  await using started = new AsyncDisposableStack();
  const hosted = started.use(await Studio.hosted());
  const one = started.use(await Studio.open('one'));
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i0', 'TRUE');
  const exchange = started.use(await Exchange.open(one, hosted, project));
  await exchange.pass(MINUTE);
  await converge(['case-1'], hosted);
  const all = started.move();
  return { hosted, one, exchange, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('R14 what waits here and what is new there are exchanged in one request', async () => {
  await using all = await world();
  const { hosted, one, exchange } = all;
  await hosted.record('case-1', 'h1', 'NA');
  await one.record('case-1', 'i1', 'TRUE');
  exchange.asked.length = 0;
  exchange.engine.wake();
  await exchange.pass(2_000);
  expect(exchange.asked.filter((path) => path !== 'sync/cases')).toEqual(['sync/batch']);
  expect((await one.cells('case-1')).toSorted()).toEqual([
    `h1/${RULE}=NA`,
    `i0/${RULE}=TRUE`,
    `i1/${RULE}=TRUE`,
  ]);
  expect(await hosted.digest('case-1')).toBe(await one.digest('case-1'));
  expect(await exchange.verifiedAt('case-1')).toBeDefined();
});

test('R1 R2 R14 I3 whatever becomes of either answer, each change is on both sides once', async () => {
  await using all = await world();
  const { hosted, one, exchange } = all;
  const random = seeded(seedOf());
  const ways = Object.keys(SPOILED) as Spoiled[];
  const seen = new Map<Spoiled, number>();
  const changes = async (side: Studio): Promise<number> =>
    Number((await side.digest('case-1')).split(' ')[0]);
  const before = await changes(hosted);
  let written = 0;
  const write = async (side: Studio): Promise<void> => {
    await side.record('case-1', `w${written}`, random.pick(['TRUE', 'FALSE', 'NA']));
    written += 1;
  };
  for (let act = 0; act < lengthOf(1, 30) * ways.length; act += 1) {
    let way = ways[act % ways.length]!;
    exchange.instead = (path, url, init) => {
      if (path !== 'sync/batch') return undefined;
      const how = way;
      way = random.pick(['as they are', way]);
      seen.set(how, (seen.get(how) ?? 0) + 1);
      return answerSpoiled(how, url, init);
    };
    for (const side of [hosted, one])
      for (let n = 1 + random.int(3); n > 0; n -= 1) await write(side);
    exchange.asked.length = 0;
    exchange.engine.wake();
    await exchange.pass(random.int(2_000));
    if (random.chance(0.5)) await write(random.pick([hosted, one]));
    await exchange.pass(10 * MINUTE);
    const about = `act ${act}: ${ways[act % ways.length]}`;
    expect(await one.digest('case-1'), about).toBe(await hosted.digest('case-1'));
    expect(await changes(one), about).toBe(before + written);
    expect(await exchange.status(), about).toMatchObject({
      totals: { waiting: 0, blocked: 0 },
      kept_changes: [],
    });
    // Nothing is asked that recovery asks, but of another store.
    if (ways[act % ways.length] !== 'the page is of another store')
      expect(
        exchange.asked.filter((path) => /missing|ancestor/.test(path)),
        about,
      ).toEqual([]);
  }
  expect([...seen.keys()].toSorted()).toEqual(ways.toSorted());
}, 600_000);
