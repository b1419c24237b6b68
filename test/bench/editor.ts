import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { cli, makeKey, serve } from '../support/served.ts';
import type { Figure } from './figure.ts';
import { fillCase, PROFILE_UID, prepareCase } from './evidence.ts';
import { takeKeyTimes, watchKeys } from './keys.ts';
import { median, percentile, temporary } from './measure.ts';

const OPENINGS = 5;
const KEYS = 60;

/** Stands in the grid once the first recorded cells do. */
export const RECORDED = '[role=gridcell][aria-label*=": FALSE"]';

/** Milliseconds from the navigation's start to the frame after an element of `shows` stands there. */
export async function openedAfter(page: Page, url: string, shows = RECORDED): Promise<number> {
  await page.goto('about:blank');
  await page.addInitScript((selector) => {
    const watch = (): void => {
      if (document.querySelector(selector) === null) requestAnimationFrame(watch);
      else
        requestAnimationFrame(() =>
          setTimeout(() => Object.assign(window, { openedAfter: performance.now() })),
        );
    };
    requestAnimationFrame(watch);
  }, shows);
  await page.goto(url);
  await page.waitForFunction(() => 'openedAfter' in window, undefined, { timeout: 60_000 });
  return page.evaluate(() => (window as unknown as { openedAfter: number }).openedAfter);
}

async function pressKeys(page: Page, keys: readonly string[]): Promise<number[]> {
  for (let i = 0; i < KEYS; i++) {
    await page.keyboard.press(keys[i % keys.length]!);
    await page.waitForTimeout(30);
  }
  return takeKeyTimes(page);
}

/** Keys that set a cell and keys that move. */
export async function keyTimes(page: Page): Promise<number[]> {
  await watchKeys(page);
  await page.locator(RECORDED).first().click();
  return pressKeys(page, ['t', 'ArrowDown', 'n', 'ArrowRight', 'f', 'ArrowDown']);
}

/** The floor of a key: the frame that this browser paints after it when the page does nothing. */
async function idleKeyTimes(page: Page): Promise<number[]> {
  await page.goto('about:blank');
  await page.setContent('<button>nothing</button>');
  await watchKeys(page);
  await page.locator('button').focus();
  return pressKeys(page, ['x']);
}

/**
 * A window before a case of 10,000 x 50, all of it recorded, whose address it is given. `prepare`
 * does what is to be done in the case before the window opens.
 */
export async function inFilledCase<T>(
  prepare: (url: string, key: string) => Promise<void>,
  measure: (page: Page, address: URL) => Promise<T>,
): Promise<T> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await serve(data);
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...CHROMIUM_ARGS],
    });
    try {
      await prepareCase(server.url, key);
      await fillCase(server.url, key, 50);
      await prepare(server.url, key);
      const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
      await page.goto((await cli(['sign-in', '--data', data])).trim());
      return await measure(
        page,
        new URL(`/studio/cases/bench?profile=${PROFILE_UID}@1.0`, server.url),
      );
    } finally {
      await browser.close();
      await server.kill('SIGTERM');
    }
  });
}

export function editorBench(): Promise<Figure[]> {
  return inFilledCase(
    async () => {},
    async (page, { href }) => {
      const first = await openedAfter(page, href);
      await page.waitForTimeout(3_000);
      const warm: number[] = [];
      for (let i = 0; i < OPENINGS; i++) warm.push(await openedAfter(page, href));
      const keys = await keyTimes(page);
      const idle = await idleKeyTimes(page);
      return [
        {
          what: 'opening a 10,000 x 50 case in the editor, page load included',
          ours: `${median(warm).toFixed(0)} ms (first time on this computer, from the server: ${first.toFixed(0)} ms)`,
          floor: '',
          compared: '',
          gate: 'under 1.5 s',
          met: median(warm) < 1_500,
        },
        {
          what: 'keypress to paint in it',
          ours: `p50 ${median(keys).toFixed(0)} ms, p95 ${percentile(keys, 95).toFixed(0)} ms`,
          floor: `p50 ${median(idle).toFixed(0)} ms, p95 ${percentile(idle, 95).toFixed(0)} ms on an empty page`,
          compared: '',
          gate: 'p95 under 50 ms',
          met: percentile(keys, 95) < 50,
        },
      ];
    },
  );
}
