import { expect } from '@playwright/test';
import { cell, createCase, openCase, RULES, test } from './studio.ts';

test('cells are copied, cut and pasted by keys and by the Edit menu', async ({
  running: { app, page },
}) => {
  const [first, second, third] = (await createCase(page, 'clipboard', 4)) as [
    string,
    string,
    string,
    string,
  ];
  const grid = await openCase(page, 'clipboard');
  const clipboard = (): Promise<string> =>
    app.evaluate((electron) => electron.clipboard.readText());
  const put = (text: string): Promise<void> =>
    app.evaluate((electron, value) => electron.clipboard.writeText(value), text);
  /** As a click on the menu: it goes to the window that has the focus. */
  const choose = (role: 'copy' | 'cut' | 'paste'): Promise<void> =>
    app.evaluate(
      ({ BrowserWindow }, name) => BrowserWindow.getAllWindows()[0]!.webContents[name](),
      role,
    );

  await put('FALSE\tTRUE\nNA\t');
  await cell(grid, first, RULES[0], null).click();
  await page.keyboard.press('Control+v');
  await expect(cell(grid, second, RULES[0], 'N')).toBeVisible();
  await expect(cell(grid, first, RULES[1], 'T')).toBeVisible();

  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+c');
  await expect.poll(clipboard).toBe('FALSE\tTRUE');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+Shift+c');
  await expect
    .poll(clipboard)
    .toBe(`item_uid\tlabel\t${RULES[0]}\t${RULES[1]}\n${first}\t\tFALSE\tTRUE\n${second}\t\tNA\t`);

  await choose('cut');
  await expect(cell(grid, first, RULES[1], null)).toBeVisible();
  await expect.poll(clipboard).toBe('FALSE\tTRUE\nNA\t');
  await cell(grid, second, RULES[2], null).click();
  await choose('paste');
  await expect(cell(grid, third, RULES[2], 'N')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(cell(grid, third, RULES[2], null)).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(cell(grid, first, RULES[1], 'T')).toBeVisible();

  await put('yes\tTRUE');
  await cell(grid, third, RULES[0], null).click();
  await page.keyboard.press('Control+v');
  const dialog = page.getByRole('dialog', { name: 'Paste into the matrix' });
  await dialog.getByRole('combobox', { name: '“yes” maps to' }).click();
  await page.getByRole('option', { name: /^FALSE/ }).click();
  await dialog.getByRole('button', { name: 'Paste 2 cells' }).click();
  await expect(cell(grid, third, RULES[0], 'F')).toBeVisible();
});
