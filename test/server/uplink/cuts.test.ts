import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultProxy, startProxy } from '../../support/fault-proxy.ts';
import { Exchange, HOUR, MINUTE } from './exchange.ts';
import { eventually, Studio } from './world.ts';
import { IS_LONG, lengthOf } from '../../support/length.ts';

/** Bytes between two cuts. */
const STRIDE = lengthOf(150, 1);
const CUTS = IS_LONG ? 'at every byte' : `every ${STRIDE} bytes`;
const LONG = { timeout: 600_000 };

let hosted: Studio;
let one: Studio;
let proxy: FaultProxy;
let exchange: Exchange;
let writes: number;

beforeEach(async () => {
  [hosted, one] = await Promise.all([Studio.hosted(), Studio.open('one')]);
  proxy = await startProxy(hosted.server.url);
  const project = await one.makeProject('Trios');
  await one.makeCase(project, 'case-1');
  await one.record('case-1', 'i', 'TRUE');
  exchange = await Exchange.open(one, hosted, project, proxy.url);
  await eventually(async () => expect(await exchange.verifiedAt('case-1')).toBeDefined());
  await exchange.pass(2 * MINUTE);
  writes = 2;
});
afterEach(async () => {
  await exchange[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await proxy.close();
  await hosted[Symbol.asyncDispose]();
});

/** Another value each time. */
async function write(studio: Studio): Promise<void> {
  writes += 1;
  await studio.record('case-1', 'i', writes % 2 === 0 ? 'NA' : 'FALSE');
}
/** In ten minutes, or once `more` has passed, too. */
async function inStep(more = 0): Promise<void> {
  for (let tries = 0; tries < (more > 0 ? 21 : 20); tries += 1) {
    await exchange.pass(tries < 20 ? MINUTE / 2 : more);
    if (
      (await one.digest('case-1')) === (await hosted.digest('case-1')) &&
      (await exchange.verifiedAt('case-1')) !== undefined
    )
      return;
  }
  throw new Error(`Not in step: ${JSON.stringify(await exchange.status())}`);
}
/**
 * Spoils the next answer at each place, once a write; each write is there once, and both sides are
 * equal again.
 */
async function spoilEach(
  address: RegExp,
  by: Studio,
  fault: 'cut answer' | 'flip' = 'cut answer',
  more = 0,
): Promise<void> {
  const begin = proxy.seen.length;
  await write(by);
  await inStep();
  const whole = Math.max(
    ...proxy.seen
      .slice(begin)
      .filter(({ path, status }) => address.test(path) && status === 200)
      .map(({ bytes }) => bytes),
  );
  expect(whole).toBeGreaterThan(300);
  for (let at = 0; at < whole; at += STRIDE) {
    let spent = false;
    proxy.plan = ({ path }) =>
      spent || !address.test(path) ? null : ((spent = true), { do: fault, at });
    await write(by);
    await inStep(more);
    expect(spent, `at ${at}`).toBe(true);
  }
  expect((await hosted.digest('case-1')).split(' ')[0]).toBe(String(writes));
  expect(await one.cells('case-1')).toEqual(await hosted.cells('case-1'));
  expect((await exchange.status()).totals).toMatchObject({ waiting: 0, blocked: 0 });
}

test(
  `R2 I3 the answer to a push between servers, cut ${CUTS}: each change is there once`,
  LONG,
  () => spoilEach(/\/push$/, one),
);
test(`R1 R3 a page of the hosted log, cut ${CUTS}: none is taken by half`, LONG, () =>
  spoilEach(/\/changes/, hosted),
);
test(`the answer that says where the logs stand, cut ${CUTS}: it is asked again`, LONG, () =>
  spoilEach(/sync\/cases(\?|$)/, hosted),
);
test(
  `what an answer says with a letter turned over, ${CUTS}: nothing of it stays`,
  LONG,
  async () => {
    await spoilEach(/\/push$/, one, 'flip');
    await spoilEach(/\/changes/, hosted, 'flip');
    // What is believed of where the other side's logs stand is asked whole once an hour.
    await spoilEach(/sync\/cases(\?|$)/, hosted, 'flip', HOUR);
  },
);
