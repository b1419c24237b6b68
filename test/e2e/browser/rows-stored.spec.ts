import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import {
  createCase,
  openCase,
  PROFILE,
  RULES,
  send,
  status,
  test,
  uids,
} from './support/studio.ts';

const order = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.ag-row')]
      .toSorted((a, b) => Number(a.getAttribute('row-index')) - Number(b.getAttribute('row-index')))
      .map(
        (row) => row.querySelector('.mx-cell')?.getAttribute('aria-label')?.split(', ')[0] ?? '',
      ),
  );
const SAVED = { timeout: 20_000 };

test(
  'rows that were moved, edited, removed and restored stand on the server as on the screen, and undo works over a reload',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(120_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'rows',
      uids(4).map((item_uid) => ({
        item_uid,
        evidence: [{ rule_uid: RULES[0], raw_outcome: 'FALSE' as const, notes: item_uid }],
      })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'rows');
    const stored = async (): Promise<string[]> =>
      (await send(studio, key, 'GET', `cases/rows/evidence?profile_uid=${PROFILE}`)).items.map(
        (item: { item_uid: string }) => item.item_uid,
      );
    const cellOf = (item: string) => page.locator(`.mx-cell[aria-label^="${item}, "]`).first();

    await cellOf('item_003').click();
    await page.keyboard.press('Alt+Shift+ArrowUp');
    await page.keyboard.press('Alt+Shift+ArrowUp');
    await expect.poll(() => order(page)).toEqual(['item_003', 'item_001', 'item_002', 'item_004']);
    await page.keyboard.press('Shift+F2');
    const label = page.getByRole('dialog', { name: 'Edit the item' }).getByLabel('Label');
    await expect(label).toBeFocused();
    await label.fill('Third');
    await page.keyboard.press('Enter');
    await cellOf('item_002').click();
    await page.keyboard.press('Alt+Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => order(page)).toEqual(['item_003', 'item_001', 'item_004']);
    await expect(status(page)).toHaveText(/^Saved on this computer/, SAVED);
    await expect.poll(stored, SAVED).toEqual(['item_003', 'item_001', 'item_004']);

    await page.reload();
    await expect.poll(() => order(page), SAVED).toEqual(['item_003', 'item_001', 'item_004']);
    await cellOf('item_001').click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Removed items');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Restore item_002' }).click();
    await expect.poll(() => order(page)).toEqual(['item_003', 'item_001', 'item_004', 'item_002']);
    await expect(cellOf('item_002')).toHaveAttribute('aria-label', / FALSE, /);
    await cellOf('item_001').click();
    for (const expected of [
      ['item_003', 'item_001', 'item_004'],
      ['item_003', 'item_001', 'item_002', 'item_004'],
    ]) {
      await page.keyboard.press('Control+z');
      await expect.poll(() => order(page)).toEqual(expected);
    }
    await expect(status(page)).toHaveText(/^Saved on this computer/, SAVED);
    await expect.poll(stored, SAVED).toEqual(['item_003', 'item_001', 'item_002', 'item_004']);
  },
);
