import { expect } from '@playwright/test';
import { at, open, test } from './support/harness.ts';

test('the whole matrix as filtered and ordered is printed, not the part on screen', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 700, height: 420 });
  await open(page, harness);
  await at(page, 0, 1).click();
  await page.keyboard.press('t');
  expect(await page.locator('.ag-row').count()).toBeLessThan(24);
  await page.evaluate(() => void window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const sheet = page.getByRole('region', { name: 'Printed matrix' });
  await expect(sheet.getByRole('row')).toHaveCount(25);
  await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeHidden();
  const rules = await sheet.getByRole('listitem').count();
  expect(await sheet.getByRole('row').nth(1).getByRole('cell').allTextContents()).toHaveLength(
    rules,
  );
  await expect(sheet.getByRole('row').nth(1).getByRole('cell').nth(1)).toHaveText('T');
  expect((await page.pdf()).length).toBeGreaterThan(10_000);
  await page.emulateMedia({ media: null });
  await page.evaluate(() => void window.dispatchEvent(new Event('afterprint')));
  await expect(page.getByRole('region', { name: 'Printed matrix' })).toHaveCount(0);
  await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeVisible();
});
