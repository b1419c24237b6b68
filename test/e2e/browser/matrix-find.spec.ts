import { expect, type Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { at, cell, focused, open, test } from './support/harness.ts';

const bar = (page: Page) => page.getByRole('search', { name: 'Find', exact: true });
const box = (page: Page) => bar(page).getByRole('textbox');

test('finds, goes on, says where, and closes onto the cell found', async ({ page, harness }) => {
  test.setTimeout(60_000);
  await open(page, harness);
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+f');
  await expect(box(page)).toBeFocused();
  await page.keyboard.type('sanger');
  await expect(bar(page)).toContainText(/^Find in the matrix.*1 of \d+/s);
  await expect(page.locator('.ag-cell[data-found]')).toHaveCount(1);
  const first = await page.locator('.ag-cell[data-found]').getAttribute('aria-label');
  await expectAccessible(page, '.mx-find');
  await page.keyboard.press('Enter');
  await expect(bar(page)).toContainText(/2 of \d+/);
  await expect(page.getByTestId('mx-live')).toHaveText(/\b2 of \d+: /);
  await page.keyboard.press('F3');
  await expect(bar(page)).toContainText(/3 of \d+/);
  await page.keyboard.press('Shift+F3');
  await page.keyboard.press('Shift+Enter');
  await expect(bar(page)).toContainText(/1 of \d+/);
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  expect(await focused(page)).toBe(first);
  await expect(page.locator('.ag-cell[data-found]')).toHaveCount(0);
});

test('counts what the filter hides, and shows it when asked', async ({ page, harness }) => {
  await open(page, harness, '?scene=large&rows=10000&rules=50');
  const filter = page.locator('.mx-toolbar').getByRole('searchbox');
  await filter.fill('item_0000');
  await expect(page.locator('.mx-shown')).toContainText('9 of 10,000');
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('00001');
  await expect(bar(page)).toContainText('1 of 1');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('candidate 77');
  await expect(bar(page)).toContainText('Nothing found');
  await expect(bar(page)).toContainText('111 in hidden items or rules');
  await bar(page).getByRole('button', { name: 'Show all items' }).click();
  await expect(bar(page)).toContainText('111 places');
  await box(page).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(cell(page, 'item_00077', 'rule_01')).toBeFocused();
});

test('matches the case when asked, and leaves the keys alone outside the editor', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?scene=large&rows=200&rules=8');
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('CANDIDATE 1');
  await expect(bar(page)).toContainText('of 111');
  await bar(page).getByRole('button', { name: 'Match case' }).click();
  await expect(bar(page)).toContainText('Nothing found');
  await page.keyboard.press('Escape');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const taken = await page.evaluate(
    () =>
      !document.body.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'f',
          code: 'KeyF',
          ctrlKey: true,
          bubbles: true,
          cancelable: true,
        }),
      ),
  );
  expect(taken).toBe(false);
});
