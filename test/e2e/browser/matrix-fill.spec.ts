import { expect, type Locator, type Page } from '@playwright/test';
import { at, open, selectedCount, test } from './support/harness.ts';

const handle = (page: Page): Locator => page.locator('.mx-handle');
const letters = (page: Page, column: number, rows: readonly number[]): Promise<(string | null)[]> =>
  Promise.all(rows.map((row) => at(page, row, column).locator('.outcome-mark').textContent()));

async function grab(page: Page): Promise<void> {
  const box = (await handle(page).boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
}
async function drawTo(page: Page, target: Locator): Promise<void> {
  const box = (await target.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
}
/** Rows 0 to 2 of the first column say T, N and nothing. */
async function prepare(page: Page): Promise<void> {
  await at(page, 0, 0).click();
  for (const key of ['t', 'ArrowDown', 'n', 'ArrowDown', 'Delete']) await page.keyboard.press(key);
  await at(page, 0, 0).click();
  await at(page, 1, 0).click({ modifiers: ['Shift'] });
}

test.describe('the fill handle', () => {
  test('repeats the block as far as it is drawn, in one step, and tells what it replaced', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await prepare(page);
    await grab(page);
    await drawTo(page, at(page, 5, 0));
    await expect(page.locator('.mx-cell[data-fill]')).toHaveCount(4);
    await expect(at(page, 5, 0)).toHaveAttribute('data-fill', 'rbl');
    await page.mouse.up();
    await expect(page.locator('.mx-cell[data-fill]')).toHaveCount(0);
    await expect
      .poll(() => letters(page, 0, [0, 1, 2, 3, 4, 5]))
      .toEqual(['T', 'NA', 'T', 'NA', 'T', 'NA']);
    expect(await selectedCount(page)).toBe(6);
    await expect(page.locator('.mx-news')).toContainText(
      'Fill 4 cells down: 3 recorded values were replaced. Undo brings them back.',
    );
    await page.keyboard.press('Control+z');
    await expect.poll(() => letters(page, 0, [0, 1, 2])).toEqual(['T', 'NA', '']);
    await expect(page.locator('.mx-news')).toContainText('Undone: Fill 4 cells down');
  });

  test('goes on one axis, does nothing inward or after Escape', async ({ page, harness }) => {
    await open(page, harness);
    await prepare(page);
    await grab(page);
    await drawTo(page, at(page, 2, 4));
    await expect(page.locator('.mx-cell[data-fill]')).toHaveCount(8);
    await page.keyboard.press('Escape');
    await expect(page.locator('.mx-cell[data-fill]')).toHaveCount(0);
    await page.mouse.up();
    expect(await selectedCount(page)).toBe(2);
    await grab(page);
    await drawTo(page, at(page, 0, 0));
    await page.mouse.up();
    expect(await letters(page, 0, [0, 1, 2])).toEqual(['T', 'NA', '']);
    await page.keyboard.press('Control+z');
    await expect(page.locator('.mx-news')).toContainText(/Undone: Set .* to unrecorded/);
  });

  test('scrolls on at the border', async ({ page, harness }) => {
    await open(page, harness, '?scene=large&rows=300&rules=6');
    await at(page, 1, 1).click();
    await page.keyboard.press('t');
    await grab(page);
    const grid = (await page.getByRole('grid').boundingBox())!;
    const box = (await at(page, 1, 1).boundingBox())!;
    await page.mouse.move(box.x + 10, grid.y + grid.height - 6, { steps: 4 });
    await expect
      .poll(() => page.getByRole('grid').evaluate((element) => element.scrollTop))
      .toBeGreaterThan(400);
    await page.mouse.up();
    await expect(page.locator('.mx-status')).toContainText(/Fill \d+ cells down|cells selected/);
    await expect(page.locator('.mx-selected .mx-count').nth(1)).toHaveText(
      (await page.locator('.mx-selected .mx-status-label').textContent())!.replace(/ cells.*/, ''),
    );
  });

  test('a double click fills the empty cells beside a recorded run, and opens nothing', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 1).click();
    await at(page, 3, 1).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Delete');
    await at(page, 0, 1).click();
    await page.keyboard.press('n');
    await handle(page).dblclick();
    await expect.poll(() => letters(page, 1, [0, 1, 2, 3])).toEqual(['NA', 'NA', 'NA', 'NA']);
    expect(await selectedCount(page)).toBe(4);
    await expect(page.locator('.mx-panel [name=source_value]')).not.toBeFocused();
  });

  test('is there for one block only', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 1).click();
    await expect(handle(page)).toHaveCount(1);
    await at(page, 2, 2).click({ modifiers: ['Control'] });
    await expect(handle(page)).toHaveCount(0);
  });
});

test.describe('fill by keys', () => {
  test('Ctrl+D, Ctrl+R and Ctrl+Enter', async ({ page, harness }) => {
    await open(page, harness);
    await prepare(page);
    await at(page, 3, 0).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+d');
    await expect.poll(() => letters(page, 0, [0, 1, 2, 3])).toEqual(['T', 'T', 'T', 'T']);
    await at(page, 3, 2).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Control+r');
    await expect.poll(() => letters(page, 2, [0, 1, 2, 3])).toEqual(['T', 'T', 'T', 'T']);
    expect(await selectedCount(page)).toBe(12);
    await at(page, 6, 6).click();
    await page.keyboard.press('n');
    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('Control+Enter');
    await expect(
      page.locator('.mx-cell[aria-selected=true][aria-label*=": NA, not available"]'),
    ).toHaveCount(13);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => letters(page, 0, [0, 1, 2, 3])).toEqual(['T', 'T', 'T', 'T']);
  });
});
