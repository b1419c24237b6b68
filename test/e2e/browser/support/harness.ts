import { expect, type Locator, type Page, test as base } from '@playwright/test';
import { type ServedHarness, serveHarness } from '../../harness/serve.ts';

interface Fixtures {
  /**
   * What the page's console complained of. A violation of the style or script policy comes as one;
   * the test fails at its end unless the list is empty.
   */
  complaints: string[];
}

/** The editor over a session in memory, built once a worker. */
export const test = base.extend<Fixtures, { harness: ServedHarness }>({
  harness: [
    async ({}, provide) => {
      const harness = await serveHarness();
      await provide(harness);
      await harness.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
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
  await page.goto(harness.url + query);
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
