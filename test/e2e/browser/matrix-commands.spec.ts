import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { at, focused, open, test } from './support/harness.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Commands' });
const box = (page: Page) => palette(page).getByRole('combobox');
const options = (page: Page) => palette(page).getByRole('option');

test.describe('the palette', () => {
  test('does a command by its name, gives the focus back, and lists it first the next time', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 1, 1).click();
    const before = await focused(page);
    await page.keyboard.press('Control+k');
    await expect(box(page)).toBeFocused();
    await expect(options(page).filter({ hasText: 'Undo' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await expectAccessible(page, '.dialog');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
    expect(await focused(page)).toBe(before);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('na: not');
    await expect(options(page).first()).toContainText('NA: not available');
    await page.keyboard.press('Enter');
    await expect(at(page, 1, 1)).toHaveAttribute('aria-label', /: NA, not available/);
    await expect(at(page, 1, 1)).toBeFocused();
    await page.keyboard.press('Control+k');
    await expect(options(page).first()).toContainText('NA: not available');
    await expect(palette(page).getByText('Recent')).toBeVisible();
    await page.keyboard.type('undo');
    await page.keyboard.press('Enter');
    await expect(at(page, 1, 1)).not.toHaveAttribute('aria-label', /: NA, not available/);
  });

  test('a disabled command does nothing, and nothing found is said', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('redo');
    await expect(options(page).first()).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('Enter');
    await expect(palette(page)).toBeVisible();
    await box(page).fill('qqqq');
    await expect(palette(page).getByText('Nothing fits “qqqq”.')).toBeVisible();
    await expect(palette(page).getByRole('status')).toHaveText('Nothing found');
  });

  test('goes to one of 100,000 items, and to a rule', IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, '?scene=large&rows=100000&rules=12');
    await at(page, 0, 0).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('item_99998');
    await expect(options(page)).toContainText(['item_99998']);
    await page.keyboard.press('Enter');
    await expect(
      page.locator('[role=gridcell][aria-label^="item_99998, rule_01: "]'),
    ).toBeFocused();
    await page.keyboard.press('Control+g');
    await expect(box(page)).toHaveAttribute('aria-label', 'Find in items');
    await page.keyboard.type('candidate 5');
    await expect(options(page)).toHaveCount(50);
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
    await page.keyboard.press('Control+Shift+g');
    await page.keyboard.type('rule_12');
    await page.keyboard.press('Enter');
    await expect(
      page.locator('[role=gridcell][aria-label^="item_99998, rule_12: "]'),
    ).toBeFocused();
  });
});

test.describe('the help sheet', () => {
  test(
    'is searched, and lists what has no key when asked for by name',
    IN_LONG_FORM,
    async ({ page, harness }) => {
      await open(page, harness);
      await at(page, 0, 0).click();
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await expectAccessible(page, '.dialog');
      await sheet.getByRole('searchbox').fill('unrecorded');
      await expect(sheet.getByRole('term')).toContainText([
        'Clear to unrecorded',
        'Next unrecorded cell',
      ]);
      await sheet.getByRole('searchbox').fill('ctrl+z');
      await expect(sheet.getByRole('term')).toContainText(['Undo']);
      await sheet.getByRole('searchbox').fill('add items');
      await expect(sheet.getByText('no key')).toBeVisible();
      await sheet.getByRole('searchbox').fill('qqqq');
      await expect(sheet.getByRole('status').first()).toHaveText('No command fits “qqqq”.');
      await page.keyboard.press('Escape');
      await expect(at(page, 0, 0)).toBeFocused();
    },
  );

  test('single keys are exchanged and turned off, and stay so', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 1, 1).click();
    await page.keyboard.press('F1');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByLabel('TRUE, problem found', { exact: true }).fill('N');
    await expect(sheet.getByText('N is given to two commands.')).toBeVisible();
    await expect(sheet.getByLabel('TRUE, problem found', { exact: true })).toHaveValue('T');
    await sheet.getByLabel('TRUE, problem found', { exact: true }).fill('p');
    await expect(sheet.getByLabel('TRUE, problem found', { exact: true })).toHaveValue('P');
    await page.keyboard.press('Escape');
    await expect(at(page, 1, 1)).toBeFocused();
    await page.keyboard.press('p');
    await expect(at(page, 1, 1)).toHaveAttribute('aria-label', /: TRUE, problem found/);
    await page.keyboard.press('Delete');
    await page.keyboard.press('t');
    await expect(at(page, 1, 1)).toHaveAttribute('aria-label', /: unrecorded/);
    await page.reload();
    await at(page, 1, 1).click();
    await page.keyboard.press('F1');
    await expect(sheet.getByLabel('TRUE, problem found', { exact: true })).toHaveValue('P');
    await sheet.getByLabel('Single letters and signs are commands').uncheck();
    await page.keyboard.press('Escape');
    await expect(at(page, 1, 1)).toBeFocused();
    const before = await focused(page);
    await page.keyboard.press('p');
    await page.keyboard.press('f');
    await page.keyboard.press('?');
    await expect(sheet).toHaveCount(0);
    expect(await focused(page)).toBe(before);
    await page.keyboard.press('F1');
    await sheet.getByRole('button', { name: 'Reset to defaults' }).click();
    await page.keyboard.press('Escape');
    await expect(at(page, 1, 1)).toBeFocused();
    await page.keyboard.press('t');
    await expect(at(page, 1, 1)).toHaveAttribute('aria-label', /: TRUE, problem found/);
  });
});

test('a narrow window keeps every command within reach: what has no room stands under More', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 640, height: 800 });
  await open(page, harness);
  await at(page, 0, 0).click();
  const toolbar = page.locator('.mx-toolbar');
  for (const name of ['Undo', 'Evidence panel', 'More', 'Add items', 'Run'])
    await expect(toolbar.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
  await expect(toolbar.getByRole('button', { name: 'Export…' })).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(640);
  await toolbar.getByRole('button', { name: 'More' }).click();
  await expect(page.getByRole('menuitem', { name: 'Export…' })).toBeVisible();
  await page.getByRole('menuitem', { name: 'Find…' }).click();
  await expect(
    page.getByRole('search', { name: 'Find', exact: true }).getByRole('textbox'),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(at(page, 0, 0)).toBeFocused();
  await expect(toolbar.getByRole('button', { name: 'Undo' })).toHaveAttribute(
    'title',
    /^Undo \((Ctrl|⌘)\+Z\)$/,
  );
});
