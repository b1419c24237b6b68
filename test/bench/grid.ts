import path from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { cli, makeKey, serve } from '../support/served.ts';
import { serveHarness } from '../e2e/harness/serve.ts';
import { fillCase, PROFILE_UID, prepareCase } from './evidence.ts';
import type { Figure } from './figure.ts';
import { heapOf, installBench } from './in-page.ts';
import { median, percentile, temporary } from './measure.ts';
import type { Peer } from './peers/peer.ts';

declare global {
  interface Window {
    peer: Peer;
  }
}

const SIZES = [10_000, 100_000] as const;
type Size = (typeof SIZES)[number];
const GRIDS = ['ag-grid', 'ag-grid, as dense', 'revogrid'] as const;
/** Rows of the block: 500,000 cells. */
const BLOCK = 10_000;
const VIEWPORT = { width: 1_600, height: 900 };
const TURNS = 3;
const KEYS = 45;
const WHEEL = { step: 60, frames: 120 };
const FLING = { step: 400, frames: 60 };

/** Milliseconds, frames a second or bytes of one grid at one size. */
interface Measured {
  /** From the moment the grid is asked for to its first cells on screen. */
  first: number;
  wheel: number;
  fling: number;
  arrow: number;
  set: number;
  sort: number;
  filter: number;
  heap: number;
  /** A block of 500,000 cells, from the event (of ours: from the click in the preview) to paint. */
  pasted: number | null;
}
/** What only the editor does, or does in another way. */
interface Ours extends Measured {
  open: number;
  setTask: number;
  stored: number;
  undo: number;
  paste: number;
  pasted: number;
}

async function newPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(120_000);
  await installBench(page);
  return page;
}
async function times(count: number, once: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let turn = 0; turn < count; turn += 1) all.push(await once());
  return median(all);
}
async function arrows(page: Page): Promise<number> {
  await page.evaluate(() => window.bench.watchKeys());
  for (let press = 0; press < KEYS; press += 1) {
    await page.keyboard.press(press % 3 === 2 ? 'ArrowRight' : 'ArrowDown');
    await page.waitForTimeout(30);
  }
  return percentile(await page.evaluate(() => window.bench.keys), 95);
}

async function measurePeer(
  browser: Browser,
  url: string,
  grid: string,
  size: Size,
): Promise<Measured> {
  const page = await newPage(browser);
  const address = `${url}?grid=${encodeURIComponent(grid)}&items=${size}`;
  const open = async (): Promise<number> => {
    await page.goto(address);
    await page.waitForFunction(() => 'peer' in window);
    return page.evaluate(() =>
      window.bench.painted(
        () => (window.peer.shown(0, 0) ?? '') !== '',
        performance.getEntriesByName('mount')[0]!.startTime,
      ),
    );
  };
  const first = await times(TURNS, open);
  const heap = await heapOf(page);
  const scroll = (by: { step: number; frames: number }): Promise<number> =>
    times(TURNS, () =>
      page.evaluate(async ({ step, frames }) => {
        const scroller = window.peer.scroller();
        scroller.scrollTop = 0;
        return (await window.bench.scroll(scroller, step, frames)).fps;
      }, by),
    );
  const wheel = await scroll(WHEEL);
  const fling = await scroll(FLING);
  await page.evaluate(() => {
    window.peer.scroller().scrollTop = 0;
  });
  await page.waitForTimeout(500);
  await page.evaluate(() => window.peer.focus(2, 2));
  const arrow = await arrows(page);
  await open();
  // The second row is TRUE under the first rule; sorted it is FALSE, as the first third is.
  const sort = await times(TURNS, async () => {
    const ms = await page.evaluate(async () => {
      const from = performance.now();
      await window.peer.sort(0);
      return window.bench.painted(() => window.peer.shown(1, 0) === 'FALSE', from);
    });
    await page.evaluate(async () => {
      await window.peer.unsort();
      await window.bench.painted(() => window.peer.shown(1, 0) === 'TRUE');
    });
    return ms;
  });
  const values = ['NA', 'FALSE', 'TRUE'];
  const set = await times(TURNS, () =>
    page.evaluate(
      async ([rows, value]) => {
        const from = performance.now();
        await window.peer.set(rows, value);
        return window.bench.painted(
          () => window.peer.shown(0, 0) === value && window.peer.shown(1, 4) === value,
          from,
        );
      },
      [BLOCK, values.pop()!] as const,
    ),
  );
  await open();
  const filter = await page.evaluate(async () => {
    const from = performance.now();
    await window.peer.filter(0, 'TRUE');
    return window.bench.painted(() => window.peer.shown(0, 0) === 'TRUE', from);
  });
  await open();
  // Only a real click gives the other grid the focus that its clipboard asks for.
  await page.mouse.click(VIEWPORT.width / 3, 60);
  const pasted = await page.evaluate(
    async ([rows, rules]) => {
      if (window.peer.paste === undefined) return null;
      const line = Array.from({ length: rules }, () => 'NA').join('\t');
      const text = Array.from({ length: rows }, () => line).join('\n');
      const from = performance.now();
      await window.peer.paste(text);
      // Not always does the other grid take it: then there is nothing to compare.
      return window.bench
        .painted(() => window.peer.shown(1, 15) === 'NA' && window.peer.shown(4, 15) === 'NA', from)
        .catch(() => null);
    },
    [BLOCK, 50] as const,
  );
  await page.close();
  return { first, wheel, fling, arrow, set, sort, filter, heap, pasted };
}

/** Text of the mark in a cell on screen, by display row and rule; null while it is not drawn. */
async function installShown(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, {
      shown: (row: number, rule: number): string | null =>
        document.querySelector(
          `.ag-row[row-index="${row}"] .ag-cell[col-id="rule_number_${rule + 1}"] .outcome-mark`,
        )?.textContent ?? null,
    });
  });
}
declare global {
  interface Window {
    shown(row: number, rule: number): string | null;
    waited: Promise<number>;
  }
}

/** Milliseconds from the next key (or click) to the frame that shows `letter` in a cell. */
async function untilShown(
  page: Page,
  [row, rule]: readonly [number, number],
  letter: string,
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate(
    ([r, c, text]) => {
      for (const type of ['keydown', 'click']) {
        window.addEventListener(
          type,
          (event) => {
            window.waited = window.bench.painted(
              () => window.shown(r, c) === text,
              event.timeStamp,
            );
          },
          { capture: true, once: true },
        );
      }
      window.bench.longestTask();
    },
    [row, rule, letter] as const,
  );
  await act();
  return page.evaluate(() => window.waited);
}
async function command(page: Page, label: string): Promise<() => Promise<void>> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(label);
  await page.getByRole('option', { name: label }).first().waitFor();
  return () => page.keyboard.press('Enter');
}
const cellOf = (page: Page, row: number, rule: number) =>
  page.locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="rule_number_${rule + 1}"]`);

async function saved(page: Page): Promise<void> {
  await page.locator('.mx-save', { hasText: /^Saved/ }).waitFor({ timeout: 180_000 });
}
/** A window asks before it is left as long as something on screen is not in its database. */
async function untilStored(page: Page): Promise<void> {
  await page.waitForFunction(
    () => window.dispatchEvent(new Event('beforeunload', { cancelable: true })),
    undefined,
    { polling: 50, timeout: 60_000 },
  );
}
async function toTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.querySelector('[role=grid]')!.scrollTo(0, 0);
  });
  await cellOf(page, 0, 0).waitFor();
}

async function selectBlock(page: Page, size: Size): Promise<void> {
  await toTop(page);
  await cellOf(page, 1, 0).click();
  if (size === BLOCK) {
    await page.keyboard.press('Control+a');
    return;
  }
  await page.locator('.ag-row[row-index="0"] .mx-heading-number').click();
  await page.evaluate((row) => {
    const grid = document.querySelector('[role=grid]')!;
    const height = document.querySelector<HTMLElement>('.ag-row')!.offsetHeight;
    grid.scrollTop = (row - 4) * height;
  }, BLOCK);
  await page
    .locator(`.ag-row[row-index="${BLOCK - 1}"] .mx-heading-number`)
    .click({ modifiers: ['Shift'] });
  await toTop(page);
}

interface Pasting {
  preview: number;
  applied: number;
}

/**
 * Pastes the block from the first cell on: until its preview is painted, and from the click there.
 */
async function pasteBlock(page: Page): Promise<Pasting> {
  await toTop(page);
  await cellOf(page, 0, 0).click();
  const preview = await page.evaluate(async (rows) => {
    const line = Array.from({ length: 50 }, () => 'NA').join('\t');
    const clipboard = new DataTransfer();
    clipboard.setData('text/plain', Array.from({ length: rows }, () => line).join('\n'));
    const from = performance.now();
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }),
    );
    return window.bench.painted(
      () =>
        [...document.querySelectorAll('[role=dialog] button')].some((button) =>
          /^Paste [\d,]+ cells/.test(button.textContent ?? ''),
        ),
      from,
    );
  }, BLOCK);
  const applied = await untilShown(page, [1, 0], 'NA', () =>
    page
      .getByRole('dialog')
      .getByRole('button', { name: /^Paste [\d,]+ cells/ })
      .click(),
  );
  return { preview, applied };
}

async function measureOurs(
  browser: Browser,
  folder: string,
  size: Size,
  harness: string,
): Promise<Ours> {
  const bare = await newPage(browser);
  const first = await times(TURNS, async () => {
    await bare.goto(`${harness}?scene=large&rows=${size}`);
    return bare.evaluate(() =>
      window.bench.painted(
        () => document.querySelector('[role=gridcell][aria-label*=": FALSE"]') !== null,
        performance.getEntriesByName('mount')[0]!.startTime,
      ),
    );
  });
  await bare.close();

  const data = path.join(folder, `grid-${size}`);
  const key = await makeKey(data);
  const server = await serve(data);
  try {
    await prepareCase(server.url, key);
    await fillCase(server.url, key, size / 200);
    const page = await newPage(browser);
    await installShown(page);
    await page.goto((await cli(['sign-in', '--data', data])).trim());
    const address = `${server.url}/studio/cases/bench?profile=${PROFILE_UID}@1.0`;
    const opened = async (): Promise<number> => {
      await page.goto('about:blank');
      await page.goto(address);
      return page.evaluate(() => window.bench.painted(() => window.shown(0, 0) === 'F', 0));
    };
    await opened();
    await saved(page);
    await page.waitForTimeout(3_000);
    const open = await times(TURNS, opened);
    await saved(page);
    const heap = await heapOf(page);
    const scroll = (by: { step: number; frames: number }): Promise<number> =>
      times(TURNS, async () => {
        await toTop(page);
        return page.evaluate(
          async ({ step, frames }) =>
            (await window.bench.scroll(document.querySelector('[role=grid]')!, step, frames)).fps,
          by,
        );
      });
    const wheel = await scroll(WHEEL);
    const fling = await scroll(FLING);
    await toTop(page);
    await cellOf(page, 2, 2).click();
    const arrow = await arrows(page);
    const sort = await times(TURNS, async () => {
      await toTop(page);
      await cellOf(page, 0, 0).click();
      const ms = await untilShown(
        page,
        [0, 0],
        'T',
        await command(page, 'Sort by this rule, TRUE (problem found) first'),
      );
      await untilShown(page, [0, 0], 'F', await command(page, 'Back to the order of the case'));
      return ms;
    });
    const filter = await times(TURNS, async () => {
      await toTop(page);
      await cellOf(page, 1, 0).click();
      const ms = await untilShown(
        page,
        [0, 0],
        'T',
        await command(page, 'Show only items with this value'),
      );
      await untilShown(page, [0, 0], 'F', await command(page, 'Clear filters'));
      return ms;
    });
    await selectBlock(page, size);
    await page.keyboard.press('n');
    const replace = page.getByRole('button', { name: /^Replace [\d,]+ recorded cells$/ });
    await replace.waitFor();
    const set = await untilShown(page, [1, 0], 'NA', () => replace.click());
    const setTask = await page.evaluate(() => window.bench.longestTask());
    const began = performance.now();
    await untilStored(page);
    const stored = performance.now() - began + set;
    const undo = await untilShown(page, [1, 0], 'T', () => page.keyboard.press('Control+z'));
    await untilStored(page);
    const pasting: Pasting[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      pasting.push(await pasteBlock(page));
      await untilStored(page);
      await untilShown(page, [1, 0], 'T', () => page.keyboard.press('Control+z'));
      await untilStored(page);
    }
    const paste = median(pasting.map(({ preview }) => preview));
    const pasted = median(pasting.map(({ applied }) => applied));
    await page.close();
    return {
      first,
      open,
      wheel,
      fling,
      arrow,
      heap,
      sort,
      filter,
      set,
      setTask,
      stored,
      undo,
      paste,
      pasted,
    };
  } finally {
    await server.kill('SIGTERM');
  }
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const fps = (value: number): string => `${value.toFixed(0)} frames/s`;
const mb = (value: number): string => `${(value / 1e6).toFixed(0)} MB`;

interface Row {
  what: string;
  key: Exclude<keyof Measured, 'pasted'>;
  show(value: number): string;
  gate: string;
  /** On the editor's figures at both sizes. */
  meets(small: number, large: number): boolean;
}
const below =
  (most: number) =>
  (small: number, large: number): boolean =>
    Math.max(small, large) <= most;
const above =
  (least: number) =>
  (small: number, large: number): boolean =>
    Math.min(small, large) >= least;
const ROWS: readonly Row[] = [
  {
    what: 'first cells painted, from the mount',
    key: 'first',
    show: ms,
    gate: 'at most 700 ms',
    meets: below(700),
  },
  { what: 'wheel, 60 px a frame', key: 'wheel', show: fps, gate: 'at least 45', meets: above(45) },
  { what: 'fling, 400 px a frame', key: 'fling', show: fps, gate: 'at least 25', meets: above(25) },
  {
    what: 'arrow key to paint, p95',
    key: 'arrow',
    show: ms,
    gate: 'at most 50 ms',
    meets: below(50),
  },
  {
    what: '500,000 cells set, to paint',
    key: 'set',
    show: ms,
    gate: 'at most 450 ms',
    meets: below(450),
  },
  {
    what: 'sort by a rule, to paint',
    key: 'sort',
    show: ms,
    gate: 'at most 500 ms',
    meets: below(500),
  },
  {
    what: 'filter by a value, to paint',
    key: 'filter',
    show: ms,
    gate: 'at most 500 ms',
    meets: below(500),
  },
  { what: 'heap of the page', key: 'heap', show: mb, gate: 'at most 250 MB', meets: below(250e6) },
];

/**
 * The editor on its real stack (window, database, server) beside two free grids that hold the same
 * cells in memory and keep, undo and share nothing.
 */
export async function gridBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const harness = await serveHarness();
    const peers = await serveHarness(path.join(import.meta.dirname, 'peers'), null);
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...CHROMIUM_ARGS],
    });
    try {
      const ours = new Map<Size, Ours>();
      const others = new Map<string, Measured>();
      for (const size of SIZES) {
        ours.set(size, await measureOurs(browser, folder, size, harness.url));
        for (const grid of GRIDS)
          others.set(`${grid} ${size}`, await measurePeer(browser, peers.url, grid, size));
      }
      const [small, large] = SIZES.map((size) => ours.get(size)!) as [Ours, Ours];
      const both = (show: (value: number) => string, values: readonly number[]): string =>
        values.map(show).join(' / ');
      const side = ROWS.map(({ what, key, show, gate, meets }): Figure => ({
        what: `${what}, 10,000 x 50 / 100,000 x 50`,
        ours: both(show, [small[key], large[key]]),
        floor: GRIDS.map(
          (grid) =>
            `${grid}: ${both(
              show,
              SIZES.map((size) => others.get(`${grid} ${size}`)![key]),
            )}`,
        ).join('; '),
        compared: `${(large[key] / small[key]).toFixed(2)} times at ten times the items`,
        gate,
        met: meets(small[key], large[key]),
      }));
      const own = (
        what: string,
        values: readonly [number, number],
        gate: string,
        most: number,
      ): Figure => ({
        what: `${what}, 10,000 x 50 / 100,000 x 50`,
        ours: both(ms, values),
        floor: '',
        compared: `${(values[1] / values[0]).toFixed(2)} times`,
        gate,
        met: Math.max(...values) <= most,
      });
      return [
        ...side,
        own(
          'page opened again, from navigation to cells',
          [small.open, large.open],
          'at most 2 s',
          2_000,
        ),
        own(
          'longest task while 500,000 cells are set',
          [small.setTask, large.setTask],
          'at most 450 ms',
          450,
        ),
        own(
          "those 500,000 cells in this computer's database",
          [small.stored, large.stored],
          'at most 5 s',
          5_000,
        ),
        own('their undo, to paint', [small.undo, large.undo], 'at most 700 ms', 700),
        own(
          'paste of 500,000 cells, to the preview',
          [small.paste, large.paste],
          'at most 700 ms',
          700,
        ),
        {
          ...own('the same applied, to paint', [small.pasted, large.pasted], 'at most 450 ms', 450),
          floor: `revogrid: ${both(
            ms,
            SIZES.map((size) => others.get(`revogrid ${size}`)!.pasted ?? Number.NaN),
          )}`,
        },
      ];
    } finally {
      await browser.close();
      await harness.close();
      await peers.close();
    }
  });
}
