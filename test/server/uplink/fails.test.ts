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
  const strict = started.adopt(await strictServer(hosted.server.url), async (server) => server.close());
  strict.answer = FAILS;
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  for (const item of items) await one.record('case-1', item, 'TRUE');
  const exchange = started.use(await Exchange.open(one, hosted, project, strict.url));
  const all = started.move();
  return { hosted, one, strict, exchange, there: async () => (await hosted.cells('case-1')).map((cell) => cell.split('/')[0]), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('R12 one change that the server fails on with 500 is set aside after a while, told, and offered again; the others go', async () => {
  await using world = await begin(['a', 'b', 'poisoned', 'c', 'd']);
  const { one, hosted, strict, exchange, there } = world;
  for (let passed = 0; passed < 20 && (await exchange.status()).totals.parked === 0; passed += 1) await exchange.pass(MINUTE);
  await eventually(async () => expect(await there()).toEqual(['a', 'b', 'c', 'd']));
  expect(await exchange.status()).toMatchObject({ totals: { waiting: 0, parked: 1 } });
  expect((await exchange.status()).links.find(({ stream }) => stream === 'case-1')?.state).not.toBe('equal');

  // Work goes on behind it, both ways, and it is not asked about in every turn.
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
  expect(await exchange.status()).toMatchObject({ totals: { waiting: 0, parked: 0 } });
  await exchange.pass(2 * MINUTE);
  expect(await hosted.digest('case-1')).toBe(await one.digest('case-1'));
  expect(await exchange.verifiedAt('case-1')).toBeDefined();
}, 180_000);

test('R12 a person who asks has it offered at once', async () => {
  await using world = await begin(['a', 'poisoned', 'b']);
  const { strict, exchange, there } = world;
  for (let passed = 0; passed < 20 && (await exchange.status()).totals.parked === 0; passed += 1) await exchange.pass(MINUTE);
  expect((await exchange.status()).totals.parked).toBe(1);
  strict.answer = null;
  exchange.engine.wake();
  await exchange.pass(1_000);
  await eventually(async () => expect(await there()).toEqual(expect.arrayContaining(['a', 'b', 'poisoned'])));
  await eventually(async () => expect((await exchange.status()).totals.parked).toBe(0));
}, 90_000);

test('R12 a server that fails on everything sets nothing aside, however long it takes', async () => {
  await using world = await begin(['a', 'poisoned', 'b']);
  const { strict, exchange, there } = world;
  strict.down = true;
  await exchange.pass(30 * MINUTE);
  expect((await exchange.status()).totals).toMatchObject({ parked: 0, waiting: 5 });
  strict.down = false;
  strict.answer = null;
  await exchange.pass(6 * MINUTE);
  await eventually(async () => expect(await there()).toEqual(['a', 'poisoned', 'b']));
  expect((await exchange.status()).totals).toMatchObject({ parked: 0, waiting: 0 });
}, 90_000);
