import { type Browser, chromium, type Page } from '@playwright/test';
import { serveHarness } from '../e2e/harness/serve.ts';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import type { Figure } from './figure.ts';
import { installBench } from './in-page.ts';
import { median } from './measure.ts';

const ITEMS = 100_000;
const FIELDS = 12;
const TURNS = 3;
const TYPES = ['number', 'date', 'link', 'text'];

const cellOf = (row: number, field: number): string =>
  `.ag-row[row-index="${row}"] [col-id="field:field ${field}"]`;

/** The editor over a matrix in memory, with its fields shown as columns. */
async function open(page: Page, address: string): Promise<number> {
  await page.goto(address);
  return page.evaluate(
    (cell) =>
      window.bench.painted(
        () => document.querySelector(cell) !== null,
        performance.getEntriesByName('mount')[0]!.startTime,
      ),
    cellOf(0, 1),
  );
}

/** Shows every field, as an arrangement that was left so the last time. */
async function showFields(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('grid').waitFor();
  await page.evaluate(
    ([count, types]) => {
      const { session } = window as unknown as {
        session: { caseUid: string; profile: { profileUid: string; version: string } };
      };
      const { profileUid, version } = session.profile;
      const fields = Array.from({ length: count }, (_, at) => ({
        key: `field ${at + 1}`,
        type: types[at % types.length],
        frozen: false,
      }));
      const place = {
        matrix: `${session.caseUid} ${profileUid} ${version}`,
        arrangement: {
          columns: { order: [], hidden: [], frozen: [], widths: {}, fields },
          sort: { by: 'case' },
          filter: { text: '', traits: [], types: [], rules: [], authors: [], fields: [] },
        },
        cell: null,
        scroll: { top: 0, left: 0 },
      };
      localStorage.setItem('evidence-studio.places', JSON.stringify([place]));
    },
    [FIELDS, TYPES] as const,
  );
}

/** Milliseconds from the click or key of `act` to the frame in which a cell shows the text. */
async function untilShown(
  page: Page,
  cell: string,
  text: string,
  act: () => Promise<void>,
): Promise<number> {
  await page.evaluate(
    ([selector, words]) => {
      for (const type of ['keydown', 'click'])
        window.addEventListener(
          type,
          (event) => {
            window.waited = window.bench.painted(
              () => document.querySelector(selector)?.textContent === words,
              event.timeStamp,
            );
          },
          { capture: true, once: true },
        );
    },
    [cell, text] as const,
  );
  await act();
  return page.evaluate(() => window.waited);
}

async function sortBy(page: Page, label: string): Promise<void> {
  await page.locator('.ag-header-cell[col-id="field:field 1"] .mx-head-menu').click();
  await page.getByRole('menuitemcheckbox', { name: label }).waitFor();
}

/** 100,000 items with twelve fields each as columns: what of the grid depends on them. */
async function fieldFigures(browser: Browser, harness: string): Promise<Figure[]> {
  const address = `${harness}?scene=large&rows=${ITEMS}&rules=50&fields=${FIELDS}`;
  const [first, wheel, sort, filter]: number[][] = [[], [], [], []];
  for (let turn = 0; turn < TURNS; turn += 1) {
    // A page with a store of its own: the turn before has left its order and its filter.
    const page = await browser.newPage({ viewport: { width: 1_600, height: 900 } });
    page.setDefaultTimeout(120_000);
    await installBench(page);
    await showFields(page, address);
    first!.push(await open(page, address));
    wheel!.push(
      await page.evaluate(
        async () =>
          (await window.bench.scroll(document.querySelector('[role=grid]')!, 60, 120)).fps,
      ),
    );
    await page.evaluate(() => document.querySelector('[role=grid]')!.scrollTo(0, 0));
    await page.locator(cellOf(0, 1)).waitFor();
    const choose = (label: string) => (): Promise<void> =>
      page.getByRole('menuitemcheckbox', { name: label }).click();
    await sortBy(page, 'Highest first');
    const highest = String((ITEMS - 1) / 1_000);
    sort!.push(await untilShown(page, cellOf(0, 1), highest, choose('Highest first')));
    await sortBy(page, 'Order of the case');
    await untilShown(page, cellOf(0, 1), '0', choose('Order of the case'));
    await page.locator(cellOf(1, 4)).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Show only items with this value of the field');
    await page.getByRole('option', { name: 'Show only items with this value' }).first().waitFor();
    filter!.push(await untilShown(page, cellOf(1, 4), 'GENE7', () => page.keyboard.press('Enter')));
    await page.close();
  }
  const figure = (
    what: string,
    values: readonly number[] | undefined,
    gate: string,
    unit: 'ms' | 'frames/s',
    meets: (value: number) => boolean,
  ): Figure => {
    const value = median([...(values ?? [])]);
    return {
      what: `${what}, 100,000 x ${FIELDS} fields x 50`,
      ours: `${value.toFixed(0)} ${unit}`,
      floor: '',
      compared: '',
      gate,
      met: meets(value),
    };
  };
  return [
    figure('first cells painted, from the mount', first, 'at most 700 ms', 'ms', (ms) => ms <= 700),
    figure('wheel, 60 px a frame', wheel, 'at least 45', 'frames/s', (fps) => fps >= 45),
    figure('sort by a field, to paint', sort, 'at most 500 ms', 'ms', (ms) => ms <= 500),
    figure('filter by a field, to paint', filter, 'at most 500 ms', 'ms', (ms) => ms <= 500),
  ];
}

export async function fieldsBench(): Promise<Figure[]> {
  const harness = await serveHarness();
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    return await fieldFigures(browser, harness.url);
  } finally {
    await browser.close();
    await harness.close();
  }
}
