import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { test } from './support/studio.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const card = (page: Page) => page.locator('.mx-tour');

test(
  'commands lead through the studio; the sample has a tour, once, and can be reset',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    await studio.enter(page);

    // Asked for while another page is on its way, the palette has the focus at once and keeps it.
    const focused = await page.evaluate(async () => {
      document.querySelector<HTMLElement>('nav a[href="/studio/profiles"]')?.click();
      const key = { ctrlKey: true, code: 'KeyK', cancelable: true };
      window.dispatchEvent(new KeyboardEvent('keydown', key));
      // Before the next task, which may be a letter.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      return document.activeElement?.getAttribute('aria-label');
    });
    expect(focused).toBe('Find a command');
    await expect(page.locator('h1', { hasText: 'Profiles' })).toHaveCount(1);
    await expect(palette(page).getByRole('combobox')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('profiles');
    await expect(palette(page).getByRole('option').first()).toContainText('Go to profiles');
    await expectAccessible(page, '.palette');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/studio\/profiles$/);
    await page.keyboard.press('Control+k');
    await expect(palette(page).getByRole('option').first()).toContainText('Go to profiles');
    await page.keyboard.type('new project');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'New project' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(palette(page)).toHaveCount(0);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Open the sample project' }).click();
    await expect(card(page)).toContainText('Step 1 of 5', { timeout: 15_000 });
    await expect(card(page)).toBeFocused();
    await expectAccessible(page, '.mx-tour');
    await card(page).getByRole('button', { name: 'Next' }).click();
    await expect(card(page).getByRole('heading', { name: 'Record with one key' })).toBeVisible();
    const first = page.locator('.ag-row[row-index="0"] .mx-cell').first();
    await first.click();
    await page.keyboard.press('t');
    await expect(first).toHaveAttribute('aria-label', /: TRUE, problem found/);
    for (const title of ['Say what it rests on', 'Find what is left', 'Run']) {
      await card(page).getByRole('button', { name: 'Next' }).click();
      await expect(card(page).getByRole('heading', { name: title })).toBeVisible();
      const box = await card(page).boundingBox();
      expect(box!.x >= 0 && box!.y >= 0 && box!.x + box!.width <= 1280).toBe(true);
    }
    await card(page).getByRole('button', { name: 'Back' }).click();
    await page.keyboard.press('Escape');
    await expect(card(page)).toHaveCount(0);
    await expect(first).toBeFocused();
    await page.reload();
    await expect(first).toBeVisible({ timeout: 15_000 });
    await expect(card(page)).toHaveCount(0);
    await first.click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tour');
    await page.keyboard.press('Enter');
    await expect(card(page)).toContainText('Step 1 of 5');
    await card(page).getByRole('button', { name: 'Skip' }).click();

    await expect(page.getByText(/^Saved on this computer/)).toBeVisible({ timeout: 15_000 });
    await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
    await page.getByRole('button', { name: 'Reset sample…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset sample' }).click();
    await expect(first).toHaveAttribute('aria-label', /: FALSE, evidence present/, {
      timeout: 15_000,
    });
    await expect(card(page)).toHaveCount(0);
  },
);
