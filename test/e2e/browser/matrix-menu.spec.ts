import { expect, type Locator, type Page } from '@playwright/test';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { at, open, selectedCount, test } from './support/harness.ts';

const menu = (page: Page): Locator =>
  page.getByRole('menu', { name: 'Commands for the selection' });
const entry = (page: Page, name: string | RegExp): Locator =>
  menu(page).getByRole('menuitem', { name });

/** Presses keys of which none waits for what came of the one before. */
async function type(page: Page, ...chords: string[]): Promise<void> {
  const keys = chords.map((chord) => chord.split('+'));
  await Promise.all(
    keys.flatMap((held) => [
      ...held.map((key) => page.keyboard.down(key)),
      ...held.toReversed().map((key) => page.keyboard.up(key)),
    ]),
  );
}

test('does nothing to another item where its own is removed while it is open', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?rows=4');
  const item = await page.evaluate(() => {
    const { session } = window as unknown as { session: MatrixSession };
    return session.items[1]!.item_uid;
  });
  const before = await at(page, 2, 0).getAttribute('aria-label');
  await at(page, 1, 0).click({ button: 'right' });
  await page.evaluate(
    (uid) =>
      (window as unknown as { session: MatrixSession }).session.apply({
        label: 'By others',
        items: [{ do: 'remove', item_uid: uid }],
      }),
    item,
  );
  await expect(at(page, 1, 0)).toHaveAttribute('aria-label', before!);
  await entry(page, /^NA/).click();
  await expect(page.locator('.mx-news')).toContainText('Nothing was done');
  await expect(at(page, 1, 0)).toHaveAttribute('aria-label', before!);
});

test('keys that come before a menu has the focus count, and reach nothing behind it', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await at(page, 2, 3).click();
  await type(page, 'Shift+F10', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await expect(at(page, 2, 3)).toHaveAttribute('aria-label', /: NA, not available$/);
  await expect(at(page, 2, 3)).toBeFocused();
  await type(page, 'ContextMenu', 'ArrowDown', 'Escape');
  await expect(menu(page)).toHaveCount(0);
  await expect(at(page, 2, 3)).toBeFocused();

  const heading = page.getByRole('columnheader', { name: 'Mycoplasma detected' });
  await heading.focus();
  await type(page, 'Alt+ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await expect(heading).toHaveAccessibleName(/; sorted, FALSE \(evidence present\) first$/);
  await expect(heading).toBeFocused();

  const more = page.getByRole('button', { name: 'More', exact: true });
  await more.focus();
  await type(page, 'Enter', 'ArrowDown', 'Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
});

test.describe('the context menu', () => {
  test('does a command once, by a click and by a key', async ({ page, harness }) => {
    await open(page, harness);
    const item = page.locator('.ag-row [col-id="#item"]');
    const first = await item.nth(0).innerText();
    await item.nth(0).click({ button: 'right' });
    await entry(page, 'Move down').click();
    await expect(item.nth(1)).toHaveText(first, { useInnerText: true });
    await item.nth(1).click({ button: 'right' });
    await entry(page, 'Move down').press('Enter');
    await expect(item.nth(2)).toHaveText(first, { useInnerText: true });
  });

  test('outside the selection moves it first, inside keeps it and moves the focus', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await at(page, 2, 2).click({ modifiers: ['Shift'] });
    await at(page, 1, 1).click({ button: 'right' });
    await expect(menu(page)).toContainText('9 cells selected');
    expect(await selectedCount(page)).toBe(9);
    await page.keyboard.press('Escape');
    await expect(menu(page)).toHaveCount(0);
    await expect(at(page, 1, 1)).toBeFocused();
    expect(await selectedCount(page)).toBe(9);
    await at(page, 5, 5).click({ button: 'right' });
    expect(await selectedCount(page)).toBe(1);
    await entry(page, /^NA: not available/).click();
    await expect(at(page, 5, 5)).toHaveAttribute('aria-label', /: NA, not available$/);
    await expect(at(page, 5, 5)).toBeFocused();
    await expect(at(page, 1, 1)).not.toHaveAttribute('aria-label', /: NA/);
  });

  for (const key of ['Shift+F10', 'ContextMenu']) {
    test(`by ${key}, all by keys, and the focus comes back`, async ({ page, harness }) => {
      await open(page, harness);
      await at(page, 2, 3).click();
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press(key);
      await expect(menu(page)).toBeVisible();
      const [box, cellBox] = [
        (await menu(page).boundingBox())!,
        (await at(page, 2, 3).boundingBox())!,
      ];
      expect(Math.abs(box.x - cellBox.x)).toBeLessThan(60);
      await page.keyboard.press('ArrowDown');
      await expect(menu(page).getByRole('menuitem').first()).toBeFocused();
      await page.keyboard.press('t');
      await page.keyboard.press('Enter');
      await expect(menu(page)).toHaveCount(0);
      await expect(
        page.locator('.mx-cell[aria-selected=true][aria-label*=": TRUE, problem found"]'),
      ).toHaveCount(2);
      await expect(at(page, 2, 3)).toBeFocused();
      expect(await selectedCount(page)).toBe(2);
      await page.keyboard.press('Control+z');
      await expect(page.locator('.mx-news')).toContainText('Undone: Set 2 cells to TRUE');
    });
  }

  test('a click elsewhere closes it and does what it means', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 1, 1).click({ button: 'right' });
    await expect(menu(page)).toBeVisible();
    await at(page, 0, 0).click();
    await expect(menu(page)).toHaveCount(0);
    await expect(at(page, 0, 0)).toBeFocused();
    await at(page, 8, 9).click({ button: 'right' });
    await at(page, 0, 1).click({ button: 'right' });
    await type(page, 'ArrowDown', 'ArrowDown');
    await expect(menu(page).getByRole('menuitem').nth(1)).toBeFocused();
    await expect(menu(page)).toHaveCount(1);
    await expect(at(page, 0, 1)).toHaveAttribute('aria-selected', 'true');
    expect(await selectedCount(page)).toBe(1);
  });

  test('leads to notes and history of the cell', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 4, 4).click({ button: 'right' });
    await entry(page, 'Add or edit notes').click();
    await expect(page.locator('.mx-notes-field textarea')).toBeFocused();
    await page.keyboard.type('seen');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close the evidence panel' }).click();
    await at(page, 4, 4).click({ button: 'right' });
    await entry(page, 'Show the history').click();
    await expect(page.getByRole('region', { name: 'History of this cell' })).toBeFocused();
    await at(page, 4, 4).click();
    await page.keyboard.press('Control+F2');
    await expect(page.locator('.mx-notes-field textarea')).toBeFocused();
  });

  test('on headings it is about the item or the rule', async ({ page, harness }) => {
    await open(page, harness);
    await page.getByRole('rowheader').nth(2).click({ button: 'right' });
    expect(await selectedCount(page)).toBe(13);
    await entry(page, /^FALSE: evidence present/).click();
    await expect(
      page.locator('.ag-row[row-index="2"] .mx-cell[aria-label$=": FALSE, evidence present"]'),
    ).toHaveCount(13);
    const heading = page.getByRole('columnheader', { name: 'Mycoplasma detected' });
    await heading.click({ button: 'right' });
    await expect(menu(page)).toContainText('24 cells selected');
    await page.keyboard.press('Escape');
    await expect(heading).toBeFocused();
    await page.keyboard.press('Shift+F10');
    await expect(menu(page)).toContainText('24 cells selected');
  });

  test('axe finds nothing in it', IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, '?rows=6');
    await at(page, 1, 1).click({ button: 'right' });
    await menu(page).waitFor();
    await expectAccessible(page, '.mx-menu');
  });
});
