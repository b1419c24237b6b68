import path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { setTimeout as wait } from 'node:timers/promises';
import { CHROMIUM_ARGS, findChromium } from '../../support/chromium.ts';
import { cli } from '../../support/served.ts';
import { PROFILE_UID, prepareCase } from '../evidence.ts';
import type { Figure } from '../figure.ts';
import { heapOf, installBench } from '../in-page.ts';
import { median, percentile, temporary } from '../measure.ts';
import { changesOf, SIZES } from './changes.ts';
import { syncClient } from './client.ts';
import { bytes, CONSTANT, LINEAR, milliseconds, type Point, scaled } from './growth.ts';
import { share, startHosted, startStudio, type Studio, untilEqual } from './studios.ts';
import { OFFICE } from './wire.ts';

const EDITS = 12;
const KEYS = ['t', 'n', 'f'] as const;
const MARKS: Record<(typeof KEYS)[number], string> = { t: 'T', n: 'NA', f: 'F' };

/**
 * What a page notes: when keys were pressed, when the first cell showed what, when pushes were
 * answered; ms since 1970.
 */
interface Noted {
  keys: number[];
  shown: { mark: string; at: number }[];
  pushed: number[];
}
declare global {
  interface Window {
    noted: Noted;
  }
}

async function installNotes(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: Noted = { keys: [], shown: [], pushed: [] };
    const since1970 = (at: number): number => performance.timeOrigin + at;
    Object.assign(window, { noted });
    window.addEventListener('keydown', (event) => noted.keys.push(since1970(event.timeStamp)), {
      capture: true,
    });
    new PerformanceObserver((entries) => {
      for (const entry of entries.getEntries() as PerformanceResourceTiming[])
        if (entry.name.endsWith('/push')) noted.pushed.push(since1970(entry.responseEnd));
    }).observe({ type: 'resource' });
    let mark: string | null = null;
    const look = (): void => {
      const now =
        document.querySelector(
          '.ag-row[row-index="0"] .ag-cell[col-id="rule_number_1"] .outcome-mark',
        )?.textContent ?? null;
      if (now !== mark && now !== null) {
        // The frame in which it stands is painted before the next task.
        const channel = new MessageChannel();
        channel.port1.onmessage = () =>
          noted.shown.push({ mark: now, at: since1970(performance.now()) });
        channel.port2.postMessage(null);
      }
      mark = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function openEditor(browser: Browser, studio: Studio): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1_600, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await installBench(page);
  await installNotes(page);
  await page.goto((await cli(['sign-in', '--data', studio.data])).trim());
  await page.goto(`${studio.server.url}/studio/cases/bench?profile=${PROFILE_UID}@1.0`);
  await page.locator('.ag-row[row-index="0"] .ag-cell[col-id="rule_number_1"]').waitFor();
  return page;
}

interface Measured {
  painted: number[];
  saved: number[];
  elsewhere: number[];
  heap: number;
  wire: number;
}

const since = <T>(times: readonly T[], from: number, at: (time: T) => number): T | undefined =>
  times.find((time) => at(time) >= from);

async function measure(browser: Browser, size: number): Promise<Measured> {
  return temporary(async (folder) => {
    const hosted = await startHosted(folder, OFFICE);
    const studios = [
      await startStudio(path.join(folder, 'first')),
      await startStudio(path.join(folder, 'second')),
    ] as const;
    const [first] = studios;
    try {
      await prepareCase(first.server.url, first.key);
      await syncClient(first.server.url, first.key).sendAll(
        'bench',
        changesOf('bench', first.userId, 0, size, 2_000),
      );
      await share(first, hosted);
      await untilEqual(first, 'bench', 1);
      const page = await openEditor(browser, first);
      const heap = await heapOf(page);
      await page.locator('.ag-row[row-index="0"] .ag-cell[col-id="rule_number_1"]').click();
      const press = async (turn: number): Promise<void> => {
        await page.keyboard.press(KEYS[turn % KEYS.length]!);
      };
      // The case itself is a change too.
      const changes = 1 + Math.ceil(size / 2_000);
      await press(0);
      await untilEqual(first, 'bench', changes + 1);
      hosted.wire.reset();
      for (let turn = 1; turn <= EDITS; turn += 1) {
        await press(turn);
        await wait(500);
      }
      await untilEqual(first, 'bench', changes + 1 + EDITS);
      const wire = (hosted.wire.bytes.up + hosted.wire.bytes.down) / EDITS;
      await share(studios[1], hosted);
      await untilEqual(studios[1], 'bench', changes + 1 + EDITS);
      const other = await openEditor(browser, studios[1]);
      for (let turn = EDITS + 1; turn <= 2 * EDITS; turn += 1) {
        await press(turn);
        await wait(900);
      }
      await other.waitForFunction(
        (mark) => window.noted.shown.at(-1)?.mark === mark,
        MARKS[KEYS[(2 * EDITS) % KEYS.length]!],
      );
      const [here, there] = [
        await page.evaluate(() => window.noted),
        await other.evaluate(() => window.noted),
      ];
      const found: Measured = { painted: [], saved: [], elsewhere: [], heap, wire };
      for (const [turn, key] of here.keys.entries()) {
        found.painted.push((since(here.shown, key, ({ at }) => at)?.at ?? Number.NaN) - key);
        found.saved.push((since(here.pushed, key, (at) => at) ?? Number.NaN) - key);
        // Where the next one has come with it, that one alone is seen.
        const marks = [turn, turn + 1].map((pressed) => MARKS[KEYS[pressed % KEYS.length]!]);
        if (turn > EDITS)
          found.elsewhere.push(
            (there.shown.find(({ at, mark }) => at >= key && marks.includes(mark))?.at ??
              Number.NaN) - key,
          );
      }
      return found;
    } finally {
      await Promise.all([...studios.map((studio) => studio.server.kill('SIGTERM')), hosted.stop()]);
      await hosted.wire.close();
      await Promise.all(browser.contexts().map((context) => context.close()));
    }
  });
}

const EMPTY = `<div class="ag-row" row-index="0"><div class="ag-cell" col-id="rule_number_1">
<span class="outcome-mark"></span></div></div><script>
addEventListener('keydown', ({ key }) => {
  document.querySelector('.outcome-mark').textContent = { t: 'T', n: 'NA', f: 'F' }[key];
});
</script>`;

/**
 * The same keys on a page that holds nothing but the one cell: what the browser itself needs from a
 * key to the paint.
 */
async function emptyPage(browser: Browser): Promise<number[]> {
  const page = await (
    await browser.newContext({ viewport: { width: 1_600, height: 900 } })
  ).newPage();
  await installNotes(page);
  await page.goto(`data:text/html,${encodeURIComponent(EMPTY)}`);
  for (let turn = 0; turn <= 2 * EDITS; turn += 1) {
    await page.keyboard.press(KEYS[turn % KEYS.length]!);
    await wait(500);
  }
  const { keys, shown } = await page.evaluate(() => window.noted);
  await page.context().close();
  return keys.map((key) => (since(shown, key, ({ at }) => at)?.at ?? Number.NaN) - key);
}

/** Two people's windows on two studios with a hosted server between them. */
export async function studioRows(): Promise<Figure[]> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    const measured = new Map<number, Measured>();
    for (const size of SIZES) measured.set(size, await measure(browser, size));
    const points = (read: (found: Measured) => number): Point[] =>
      SIZES.map((size) => ({ size, value: read(measured.get(size)!) }));
    const worst = (read: (found: Measured) => readonly number[]): number =>
      Math.max(...SIZES.map((size) => percentile(read(measured.get(size)!), 95)));
    const key = (
      what: string,
      read: (found: Measured) => number[],
      target: number,
      most: number,
    ): Figure =>
      scaled({
        what,
        points: points((found) => median(read(found))),
        write: milliseconds,
        target,
        grows: CONSTANT,
        also: {
          gate: `p95 at most ${milliseconds(most)} (found ${milliseconds(worst(read))})`,
          met: worst(read) <= most,
        },
      });
    const empty = median(await emptyPage(browser));
    return [
      {
        ...key(
          'T4 key to paint in a case of N cells, p50',
          (found) => found.painted,
          empty + 16,
          50,
        ),
        floor: `${milliseconds(empty)} on an empty page`,
      },
      key("T4 key to the server's commit, p50", (found) => found.saved, 50, 50),
      key(
        "T5 key to another desktop's screen through a hosted server (50 Mbit/s, 40 ms), p50",
        (found) => found.elsewhere,
        1_500,
        4_000,
      ),
      scaled({
        what: 'T10 heap of the page with N cells',
        points: points((found) => found.heap),
        write: bytes,
        target: 150 * 2 ** 20,
        grows: LINEAR,
      }),
      scaled({
        what: 'T17 bytes between studio and hosted server for one edit, all-in',
        points: points((found) => found.wire),
        write: bytes,
        target: 2_048,
        grows: CONSTANT,
      }),
    ];
  } finally {
    await browser.close();
  }
}
