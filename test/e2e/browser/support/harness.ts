import {
  type BrowserContext,
  expect,
  type Locator,
  type Page,
  test as base,
} from '@playwright/test';
import { KEEPS_FILES, type ServedHarness, serveHarness } from '../../harness/serve.ts';

/** A page that a worker keeps for its tests: loading it once more is half as dear as a new one. */
interface Kept {
  context?: BrowserContext | undefined;
}

interface Fixtures {
  /**
   * Whether the test leaves behind what no reset takes away, such as a clock of its own. It has a
   * page of its own.
   */
  leavesTraces: boolean;
  /**
   * What the page's console complained of. A violation of the style or script policy comes as one;
   * the test fails at its end unless the list is empty.
   */
  complaints: string[];
}

const SIZE = { width: 1280, height: 800 };

const EMPTY = '?empty';
/** What an editor stores of itself; other modules keep what they have once read of the rest. */
const STORED_BY_EDITOR = ['evidence-studio.places'];

/**
 * Unmounts the editor. False where the page must be loaded again: it is another, more was stored in
 * it, or a dialog or menu is open.
 */
async function leave(page: Page, url: string): Promise<boolean> {
  if (!page.url().startsWith(url)) return false;
  return page.evaluate((known) => {
    const isClean =
      Object.keys(localStorage).every((key) => known.includes(key)) &&
      document.documentElement.attributes.length === 1 &&
      document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') === null;
    if (isClean) (window as unknown as { leave(): void }).leave();
    return isClean;
  }, STORED_BY_EDITOR);
}

/** As a new page: nothing stored, granted, listened to or set. */
async function reset(page: Page, url: string): Promise<void> {
  page.removeAllListeners();
  // What the page stores as it is left is taken away too.
  if (!(await leave(page, url))) await page.goto('about:blank');
  const { origin } = new URL(url);
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
  await page.context().clearPermissions();
  await page.setViewportSize(SIZE);
  await page.emulateMedia({
    media: null,
    colorScheme: 'light',
    reducedMotion: 'no-preference',
    forcedColors: 'none',
  });
}

/** The editor over a session in memory, built once a worker. */
export const test = base.extend<Fixtures, { harness: ServedHarness; kept: Kept }>({
  harness: [
    async ({}, provide) => {
      const harness = await serveHarness(undefined, undefined, KEEPS_FILES);
      await provide(harness);
      await harness.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  kept: [
    async ({}, provide) => {
      const kept: Kept = {};
      await provide(kept);
      await kept.context?.close();
    },
    { scope: 'worker' },
  ],
  leavesTraces: [false, { option: true }],
  async context({ browser, harness, kept, leavesTraces }, provide, info) {
    if (leavesTraces) {
      const own = await browser.newContext();
      await provide(own);
      return own.close();
    }
    const context = (kept.context ??= await browser.newContext());
    await provide(context);
    const [page, ...others] = context.pages();
    const isClean = info.status === info.expectedStatus && page !== undefined;
    if (isClean) {
      for (const other of others) await other.close();
      await reset(page, harness.url);
    } else {
      kept.context = undefined;
      await context.close();
    }
  },
  async page({ context }, provide) {
    const [page] = context.pages();
    await provide(page ?? (await context.newPage()));
  },
  complaints: [
    async ({ page }, provide) => {
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await provide(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** `query` as in `harness/main.tsx`, with its question mark. */
export async function open(page: Page, harness: ServedHarness, query = ''): Promise<void> {
  if (page.url() === harness.url + EMPTY)
    await page.evaluate(
      (words) => (window as unknown as { enter(query: string): void }).enter(words),
      query,
    );
  else await page.goto(harness.url + query);
  await page.getByRole('grid', { name: 'Evidence matrix' }).waitFor();
}

export const cell = (page: Page, item: string, rule: string): Locator =>
  page.locator(`[role=gridcell][aria-label^="${item}, ${rule}: "]`);
/** By display row and column. */
export const at = (page: Page, row: number, column: number): Locator =>
  page.locator(`.ag-row[row-index="${row}"] .mx-cell`).nth(column);
export const focused = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
export const selectedCount = (page: Page): Promise<number> =>
  page.locator('.mx-cell[aria-selected=true]').count();

/**
 * Answers yes to the question that comes before one key replaces a whole column of recorded cells.
 */
export async function confirmReplacing(page: Page): Promise<void> {
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Replace [\d,]+ recorded cells$/ })
    .click();
}
