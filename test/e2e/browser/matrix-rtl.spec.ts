import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { at, open, selectedCount, test } from './support/harness.ts';

/*
 * The matrix in a document that is read from right to left. Rules stand from left to right there
 * too, as arrows, "fill right" and the clipboard say, and each part is where keys and pointer expect
 * it; the words around it follow their own direction (docs/decisions/0069).
 */
const box = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())!;

test.use({ leavesTraces: true });
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl'));
  });
});

test('keys, selection and fill go where the arrows say', async ({ page, harness }) => {
  await open(page, harness);
  expect(await page.evaluate(() => document.dir)).toBe('rtl');
  const [first, second] = [
    (await at(page, 0, 0).boundingBox())!,
    (await at(page, 0, 1).boundingBox())!,
  ];
  expect(second.x).toBeGreaterThanOrEqual(first.x + first.width - 1);

  await at(page, 0, 0).click();
  for (const key of ['ArrowRight', 't']) await page.keyboard.press(key);
  await expect(at(page, 0, 1).locator('.outcome-mark')).toHaveText('T');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  expect(await selectedCount(page)).toBe(4);

  await at(page, 0, 1).click();
  const handle = await box(page, '.mx-handle');
  const cell = (await at(page, 0, 1).boundingBox())!;
  expect(Math.abs(handle.x + handle.width / 2 - (cell.x + cell.width))).toBeLessThan(8);
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  const target = (await at(page, 0, 3).boundingBox())!;
  await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect(at(page, 0, 3).locator('.outcome-mark')).toHaveText('T');
});

test(
  'frozen columns, headings, menus and panel stand where they are looked for',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await open(page, harness, '?scene=large&rows=60&rules=40');
    const row = page.locator('.ag-row[row-index="0"]');
    const label = row.locator('[aria-colindex="1"]').first();
    const rule = row.locator('.mx-cell');
    const before = (await label.boundingBox())!;
    const cell = (await rule.first().boundingBox())!;
    expect(cell.x).toBeGreaterThanOrEqual(before.x + before.width - 1);
    await rule.first().click();
    await page.keyboard.press('End');
    const focused = page.locator('.mx-cell:focus');
    await expect(focused).toBeInViewport({ ratio: 1 });
    expect((await label.boundingBox())!.x).toBe(before.x);
    await page.keyboard.press('Home');
    await expect.poll(async () => (await rule.first().boundingBox())!.x).toBe(cell.x);
    await expect(rule.first()).toBeInViewport({ ratio: 1 });

    await at(page, 2, 2).click({ button: 'right' });
    const menu = (await page.getByRole('menu').boundingBox())!;
    const { width } = page.viewportSize()!;
    expect(menu.x).toBeGreaterThanOrEqual(0);
    expect(menu.x + menu.width).toBeLessThanOrEqual(width);
    await page.keyboard.press('Escape');
    const panel = (await page.getByRole('radiogroup', { name: 'Outcome' }).boundingBox())!;
    expect(panel.x).toBeGreaterThanOrEqual(0);
    expect(panel.x + panel.width).toBeLessThanOrEqual(width);
    expect(
      await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      }),
    ).toBe(0);
  },
);
