import { expect, test } from 'vitest';
import { ASIDE_MS } from '../../../src/sync/faults.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { strictServer } from './strict-server.ts';
import { eventually, RULE, Studio } from './world.ts';

const FAILS = [500, 'internal_error'] as const;

/** A studio whose hosted server fails on whatever holds the word `poisoned`, in invented time. */
async function begin(items: readonly string[]) {
  await using started = new AsyncDisposableStack();
  const hosted = started.use(await Studio.hosted());
  const one = started.use(await Studio.open('one'));
  const strict = started.adopt(await strictServer(hosted.server.url), async (server) =>
    server.close(),
  );
  strict.answer = FAILS;
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  for (const item of items) await one.record('case-1', item, 'TRUE');
  const exchange = started.use(await Exchange.open(one, hosted, project, strict.url));
  const all = started.move();
  return {
    hosted,
    one,
    strict,
    exchange,
    there: async () => (await hosted.cells('case-1')).map((cell) => cell.split('/')[0]),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('R12 one change that the server fails on with 500 is set aside, reported, and offered again; the others go', async () => {
  await using world = await begin(['a', 'b', 'poisoned', 'c', 'd']);
  const { one, hosted, strict, exchange, there } = world;
  for (let passed = 0; passed < 20 && (await exchange.status()).totals.blocked === 0; passed += 1)
    await exchange.pass(MINUTE);
  await eventually(async () => expect(await there()).toEqual(['a', 'b', 'c', 'd']));
  expect(await exchange.status()).toMatchObject({
    totals: { waiting: 0, blocked: 1 },
    kept_changes: [
      {
        stream: 'case-1',
        change_id: expect.stringMatching(/^c1_/),
        problem: 'The hosted server fails on it: internal_error.',
        author: expect.any(String),
        since: expect.stringMatching(/Z$/),
      },
    ],
  });
  expect((await exchange.status()).links.find(({ stream }) => stream === 'case-1')?.state).not.toBe(
    'equal',
  );

  // Work continues behind it, both ways, and it is not asked about in every cycle.
  const before = strict.refused.length;
  await one.record('case-1', 'e', 'NA');
  await hosted.record('case-1', 'f', 'NA');
  await exchange.pass(5 * MINUTE);
  expect(await there()).toContain('e');
  expect(await one.cells('case-1')).toContain(`f/${RULE}=NA`);
  expect(strict.refused.length - before).toBeLessThanOrEqual(1);

  // The server was mended: within the hour it is there too, and both are equal.
  strict.answer = null;
  await exchange.pass(ASIDE_MS + 5 * MINUTE);
  await eventually(async () => expect(await there()).toContain('poisoned'));
  expect(await exchange.status()).toMatchObject({
    totals: { waiting: 0, blocked: 0 },
    kept_changes: [],
  });
  await exchange.pass(2 * MINUTE);
  expect(await hosted.digest('case-1')).toBe(await one.digest('case-1'));
  expect(await exchange.verifiedAt('case-1')).toBeDefined();
}, 180_000);

test('R12 a person who asks has it offered at once', async () => {
  await using world = await begin(['a', 'poisoned', 'b']);
  const { strict, exchange, there } = world;
  for (let passed = 0; passed < 20 && (await exchange.status()).totals.blocked === 0; passed += 1)
    await exchange.pass(MINUTE);
  expect((await exchange.status()).totals.blocked).toBe(1);
  strict.answer = null;
  exchange.engine.wake();
  await exchange.pass(1_000);
  await eventually(async () =>
    expect(await there()).toEqual(expect.arrayContaining(['a', 'b', 'poisoned'])),
  );
  await eventually(async () => expect((await exchange.status()).totals.blocked).toBe(0));
}, 90_000);

test('R12 after an upgrade of either side it is offered again by itself', async () => {
  for (const upgraded of ['this side', 'the other side'] as const) {
    await using world = await begin(['a', 'poisoned', 'b']);
    const { one, hosted, strict, exchange, there } = world;
    for (let passed = 0; passed < 20 && (await exchange.status()).totals.blocked === 0; passed += 1)
      await exchange.pass(MINUTE);
    expect((await exchange.status()).kept_changes).toHaveLength(1);
    strict.answer = null;
    await exchange.engine.close();
    const project = (await exchange.status()).projects.find(({ shared }) => shared)!.project_id;
    // The same versions as before: nothing is offered for that alone.
    await using same = await Exchange.open(one, hosted, project, strict.url, 'member', {
      version: '0.0.1',
      now: exchange.now,
    });
    await same.pass(MINUTE);
    expect(await there()).not.toContain('poisoned');
    await same.engine.close();
    if (upgraded === 'the other side') strict.version = '9.9.9';
    await using next = await Exchange.open(one, hosted, project, strict.url, 'member', {
      version: upgraded === 'this side' ? '0.0.2' : '0.0.1',
      now: same.now,
    });
    await next.pass(MINUTE);
    await eventually(async () =>
      expect(await there()).toEqual(expect.arrayContaining(['a', 'b', 'poisoned'])),
    );
    expect((await next.status()).kept_changes).toEqual([]);
  }
}, 180_000);

test('R12 a server that fails on everything sets nothing aside, however long it takes', async () => {
  await using world = await begin(['a', 'poisoned', 'b']);
  const { strict, exchange, there } = world;
  strict.down = true;
  await exchange.pass(30 * MINUTE);
  expect((await exchange.status()).totals).toMatchObject({ blocked: 0, waiting: 5 });
  strict.down = false;
  strict.answer = null;
  await exchange.pass(6 * MINUTE);
  await eventually(async () => expect(await there()).toEqual(['a', 'poisoned', 'b']));
  expect((await exchange.status()).totals).toMatchObject({ blocked: 0, waiting: 0 });
}, 90_000);
