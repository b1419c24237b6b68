import { expect, test } from 'vitest';
import { startProxy } from '../../support/fault-proxy.ts';
import { Exchange, MINUTE } from './exchange.ts';
import { eventually, RULE, Studio } from './world.ts';

const TEN_YEARS = 3_653 * 24 * 60 * MINUTE;

test.each([
  ['ahead', TEN_YEARS],
  ['back', -TEN_YEARS],
] as const)(
  'R11 a clock that jumps ten years %s and returns changes nothing of when the other side is asked',
  async (_, jump) => {
    await using hosted = await Studio.hosted();
    await using one = await Studio.open('one');
    await using proxy = await startProxy(hosted.server.url);
    const project = await one.makeProject('Trios');
    await one.makeCase(project, 'case-1');
    await one.record('case-1', 'i1', 'TRUE');
    await using exchange = await Exchange.open(one, hosted, project, proxy.url);
    await eventually(async () => expect(await exchange.verifiedAt('case-1')).toBeDefined());
    await exchange.pass(5 * MINUTE);
    const delivered = async (item: string): Promise<boolean> =>
      (await hosted.cells('case-1')).includes(`${item}/${RULE}=NA`);

    // The jump itself may be taken for a sleep, and asks once more.
    exchange.ahead = jump;
    await exchange.pass(MINUTE);
    await one.record('case-1', 'ahead', 'NA');
    await exchange.pass(MINUTE);
    expect(await delivered('ahead')).toBe(true);
    // An outage that begins under the one clock and ends under the other.
    exchange.openable = false;
    proxy.plan = ({ method }) => (method === 'POST' ? { do: 'refuse', status: 500 } : null);
    await one.record('case-1', 'across', 'NA');
    await exchange.pass(20_000, false);
    exchange.ahead = 0;
    await exchange.pass(10_000, false);
    expect(await delivered('across')).toBe(false);
    proxy.plan = () => null;
    exchange.openable = true;
    exchange.engine.attended();
    await exchange.pass(MINUTE, false);
    expect(await delivered('across')).toBe(true);
    await one.record('case-1', 'after', 'NA');
    await exchange.pass(MINUTE);
    expect(await delivered('after')).toBe(true);
    // What grows there without a word is found by the poll, once a minute.
    exchange.asked.length = 0;
    await hosted.record('case-1', 'theirs', 'NA');
    await exchange.pass(10 * MINUTE);
    expect(exchange.asked.filter((path) => path === 'sync/cases')).toHaveLength(10);
    expect(await one.cells('case-1')).toContain(`theirs/${RULE}=NA`);
    expect((await exchange.status()).problem).toBeNull();
  },
  120_000,
);
