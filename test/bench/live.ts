import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { call, cli, makeKey } from '../support/served.ts';
import { withDesktopBrowser } from './desktop-browser.ts';
import type { Figure } from './figure.ts';
import { fillCase, OTHER_CASE, PROFILE_UID, prepareCase } from './evidence.ts';
import { takeKeyTimes, watchKeys } from './keys.ts';
import { percentile, temporary, time } from './measure.ts';
import { type Delay, type Watched, watchServer } from './watched.ts';

const REQUESTS = 50;
const KEYS_EVERY_MS = 35;
const QUIET_KEYS = 100;
const ARROWS = ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'ArrowLeft'];

/** What was measured while something went on beside the person at the window. */
interface Beside {
  keys: number[];
  /** Of the process with the server, and of one that does nothing. */
  delay: Delay;
  idle: Delay;
  longest: number;
}

interface Bench {
  server: Watched;
  key: string;
  page: Page;
}

/** Arrow keys in the open matrix for as long as `work` runs. */
async function arrowsDuring(
  { server, page }: Bench,
  work: () => Promise<unknown>,
): Promise<Beside> {
  let running = true;
  await takeKeyTimes(page);
  await page.evaluate(() => Object.assign(window, { longestTask: 0 }));
  const pressing = (async () => {
    for (let i = 0; running; i++) {
      await page.keyboard.press(ARROWS[i % ARROWS.length]!);
      await wait(KEYS_EVERY_MS);
    }
  })();
  const { delay, idle } = await server.during(async () => {
    try {
      await work();
    } finally {
      running = false;
    }
  });
  await pressing;
  await wait(200);
  return {
    keys: await takeKeyTimes(page),
    delay,
    idle,
    longest: await page.evaluate(() => (window as unknown as { longestTask: number }).longestTask),
  };
}

async function openMatrix(browser: Browser, server: Watched, data: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await page.goto((await cli(['sign-in', '--data', data])).trim());
  await page.goto(`${server.url}/studio/cases/bench?profile=${PROFILE_UID}@1.0`);
  await page.locator('[role=gridcell][aria-label*=": FALSE"]').first().click({ timeout: 60_000 });
  await watchKeys(page);
  await page.evaluate(() => {
    new PerformanceObserver((list) => {
      const seen = window as unknown as { longestTask: number };
      for (const { duration } of list.getEntries())
        seen.longestTask = Math.max(seen.longestTask, duration);
    }).observe({ type: 'longtask' });
  });
  // What the first opening writes to this computer's database is done by then.
  await wait(3_000);
  return page;
}

async function record(
  { server, key }: Pick<Bench, 'server' | 'key'>,
  item_uid: string,
  rule_uid: string,
  raw_outcome: string,
): Promise<void> {
  const answer = await call(server.url, key, 'POST', '/api/v1/cases/bench/evidence', {
    profile_uid: PROFILE_UID,
    outcomes: [{ item_uid, rule_uid, raw_outcome }],
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/**
 * Milliseconds from the answer to a write until the window shows it; being the last of the log, it
 * is shown after all others.
 */
async function behind(bench: Bench, raw_outcome: string): Promise<number> {
  await record(bench, 'item_000000', 'rule_number_1', raw_outcome);
  return time(() =>
    bench.page.waitForFunction(
      (label) => document.querySelector(`[role=gridcell][aria-label^="${label}"]`) !== null,
      `item_000000, rule_number_1: ${raw_outcome}`,
      { polling: 'raf', timeout: 120_000 },
    ),
  );
}

/** Round trips of a small write, while `work` runs. */
async function roundTrips(bench: Bench, work: () => Promise<unknown>): Promise<number[]> {
  let running = true;
  const times: number[] = [];
  const asking = (async () => {
    for (let i = 0; running; i++) {
      times.push(
        await time(() =>
          record(bench, 'item_000100', 'rule_number_2', i % 2 === 0 ? 'TRUE' : 'NA'),
        ),
      );
      await wait(KEYS_EVERY_MS);
    }
  })();
  await work();
  running = false;
  await asking;
  return times;
}

const words = (times: readonly number[]): string =>
  `p50 ${percentile(times, 50).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms`;
const delayWords = ({ p50, p99, max }: Delay): string =>
  `p99 ${p99.toFixed(1)} ms (p50 ${p50.toFixed(1)}, longest ${max.toFixed(0)})`;

async function measure(bench: Bench): Promise<Figure[]> {
  const { server, key } = bench;
  const quiet = await arrowsDuring(bench, () => wait(QUIET_KEYS * (KEYS_EVERY_MS + 15)));
  const writing = await arrowsDuring(bench, () =>
    fillCase(server.url, key, REQUESTS, { shift: 1 }),
  );
  const late = await behind(bench, 'NA');
  const freezing = await arrowsDuring(bench, async () => {
    for (let i = 0; i < 2; i++) {
      const made = await call(server.url, key, 'POST', '/api/v1/runs', {
        case_uid: 'bench',
        profile_uid: PROFILE_UID,
      });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    }
  });
  const alone = await roundTrips(bench, () => wait(3_000));
  const beside = await roundTrips(bench, () =>
    fillCase(server.url, key, REQUESTS / 2, { caseUid: OTHER_CASE }),
  );
  const row = (what: string, ours: string, floor: string, gate: string, met: boolean): Figure => ({
    what,
    ours,
    floor,
    compared: '',
    gate,
    met,
  });
  const quietKeys = `${words(quiet.keys)} with nothing beside it`;
  const loop = (what: string, { delay, idle }: Beside): Figure => ({
    what,
    ours: delayWords(delay),
    floor:
      `${delayWords(idle)} in a process that does nothing, at the same time; ` +
      `p99 ${quiet.delay.p99.toFixed(1)} ms with nothing beside it`,
    compared: `${(delay.p99 / idle.p99).toFixed(1)} times`,
    gate: 'p99 under 20 ms',
    met: delay.p99 < 20,
  });
  return [
    row(
      'arrow key to paint at 10,000 x 50 while an agent writes 10,000 outcomes a request into the open case',
      `${words(writing.keys)} (${writing.keys.length} keys, longest task ${writing.longest.toFixed(0)} ms)`,
      quietKeys,
      'p95 under 60 ms',
      percentile(writing.keys, 95) < 60,
    ),
    loop('event loop of the process with the server meanwhile', writing),
    row(
      'the window shows the last outcome, after its answer',
      `${late.toFixed(0)} ms`,
      '',
      'under 3 s',
      late < 3_000,
    ),
    row(
      'arrow key to paint while 500,000 cells are frozen',
      `${words(freezing.keys)} (${freezing.keys.length} keys, longest task ${freezing.longest.toFixed(0)} ms)`,
      quietKeys,
      'p95 under 60 ms',
      percentile(freezing.keys, 95) < 60,
    ),
    loop('event loop meanwhile', freezing),
    row(
      'writing one outcome while an agent writes 10,000 a request into another case',
      words(beside),
      `${words(alone)} with nothing beside it`,
      '',
      true,
    ),
  ];
}

/**
 * The window beside an agent: how fast it answers keys, and how long the process that it shares
 * with the server is blocked.
 */
export async function liveBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await watchServer(data);
    try {
      await prepareCase(server.url, key);
      await fillCase(server.url, key, REQUESTS);
      return await withDesktopBrowser(folder, async (browser) =>
        measure({ server, key, page: await openMatrix(browser, server, data) }),
      );
    } finally {
      await server.end();
    }
  });
}
