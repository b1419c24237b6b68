import { expect } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import { at, open, test } from './support/harness.ts';

test('words, copied blocks, reported values, replacing and borders as in a spreadsheet', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?rows=6');
  const news = page.locator('.mx-news');
  const first = at(page, 0, 0);
  const before = await first.getAttribute('aria-label');

  await first.click();
  await page.keyboard.type('fail');
  await expect(news).toContainText('“fail” is no outcome: nothing is recorded.');
  await expect(first).toHaveAttribute('aria-label', before!);
  await expect(page.getByTestId('mx-live')).toContainText('“fail” is no outcome');

  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(first).toBeFocused();
  await page.keyboard.press('Control+c');
  await expect(page.locator('.mx-cell[data-copied]')).toHaveCount(4);
  await page.keyboard.press('Escape');
  await expect(page.locator('.mx-cell[data-copied]')).toHaveCount(0);

  await page.keyboard.press('Escape');
  await page.keyboard.press('F2');
  await page.getByLabel('Reported value').fill('gel 7');
  await page.keyboard.press('Enter');
  await expect(at(page, 1, 0)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByLabel('Reported value')).toHaveValue('gel 7');

  await page.keyboard.press('Control+h');
  const dialog = page.getByRole('dialog', { name: 'Find and replace' });
  await dialog.getByLabel('Find', { exact: true }).fill('gel 7');
  await dialog.getByLabel('Replace with').fill('gel 8');
  await expect(dialog.getByRole('region', { name: 'Changes' })).toContainText('gel 8');
  await expectAccessible(page, '[role=dialog]');
  await dialog.getByRole('button', { name: 'Replace 1' }).click();
  await expect(news).toContainText('1 cell changed by find and replace.');
  await expect(page.getByLabel('Reported value')).toHaveValue('gel 8');

  const heading = page.getByRole('columnheader', { name: 'Item' });
  const width = (await heading.boundingBox())!.width;
  await heading.locator('.ag-header-cell-resize').dblclick();
  await expect.poll(async () => (await heading.boundingBox())!.width).not.toBe(width);
});
