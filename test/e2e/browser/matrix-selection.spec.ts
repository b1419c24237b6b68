import { expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import {
  at,
  cell,
  confirmReplacing,
  focused,
  open,
  selectedCount,
  test,
} from './support/harness.ts';

const MYCOPLASMA = 'mycoplasma_detected';
const A03 = 'DEMO1-g1-A03';
const sizeTold = (page: Page, text: string): Locator =>
  page.locator('.mx-selected').getByText(text, { exact: true });

async function middle(target: Locator): Promise<{ x: number; y: number }> {
  const box = (await target.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await middle(from), await middle(to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 4 });
  await page.mouse.up();
}

test.describe('several blocks', () => {
  test('Ctrl+click and Ctrl+drag add blocks, a key sets them all, one undo takes it back', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await at(page, 2, 2).click({ modifiers: ['Shift'] });
    await page.keyboard.down('Control');
    await at(page, 4, 4).click();
    await drag(page, at(page, 6, 1), at(page, 7, 2));
    await page.keyboard.up('Control');
    expect(await selectedCount(page)).toBe(9 + 1 + 4);
    await expect(at(page, 6, 1)).toBeFocused();
    await expect(sizeTold(page, '14 cells selected')).toBeVisible();
    await expect(page.getByTestId('mx-live')).toHaveText('14 cells selected in 3 blocks');
    await page.keyboard.press('t');
    await expect(
      page.locator('.mx-cell[aria-selected=true][aria-label*=": TRUE, problem found"]'),
    ).toHaveCount(14);
    await page.keyboard.press('Control+z');
    await expect(page.locator('.mx-status')).toContainText('Undone: Set 14 cells to TRUE');
    expect(await selectedCount(page)).toBe(14);
  });

  test('Ctrl+click takes a selected cell away; overlapping blocks count and are set once', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await at(page, 2, 2).click({ modifiers: ['Shift'] });
    await at(page, 1, 1).click({ modifiers: ['Control'] });
    expect(await selectedCount(page)).toBe(8);
    await expect(at(page, 1, 1)).toHaveAttribute('aria-selected', 'false');
    expect(await focused(page)).not.toBe(await at(page, 1, 1).getAttribute('aria-label'));
    await page.keyboard.down('Control');
    await drag(page, at(page, 3, 1), at(page, 1, 3));
    await page.keyboard.up('Control');
    expect(await selectedCount(page)).toBe(8 + 6);
    await expect(sizeTold(page, '14 cells selected')).toBeVisible();
    await page.keyboard.press('Escape');
    expect(await selectedCount(page)).toBe(1);
  });

  test('Ctrl+click on headings adds items and rules, and takes them away', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('rowheader').nth(1).click();
    await page
      .getByRole('rowheader')
      .nth(3)
      .click({ modifiers: ['Control'] });
    expect(await selectedCount(page)).toBe(26);
    await page
      .getByRole('columnheader', { name: 'Mycoplasma detected' })
      .click({ modifiers: ['Control'] });
    await expect(sizeTold(page, '48 cells selected')).toBeVisible();
    await page
      .getByRole('rowheader')
      .nth(1)
      .click({ modifiers: ['Control'] });
    await expect(sizeTold(page, '35 cells selected')).toBeVisible();
    await expect(cell(page, A03, MYCOPLASMA)).toHaveAttribute('aria-selected', 'true');
  });

  test('Shift with click or arrows extends the active block and keeps the others', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await at(page, 3, 3).click({ modifiers: ['Control'] });
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    expect(await selectedCount(page)).toBe(5);
    for (const modifiers of [['Shift'], ['Shift', 'Control']] as const) {
      await at(page, 5, 5).click({ modifiers: [...modifiers] });
      expect(await selectedCount(page)).toBe(10);
    }
    await page.keyboard.press('ArrowUp');
    expect(await selectedCount(page)).toBe(1);
  });
});

test.describe('one key over many recorded cells', () => {
  test('after a click on a heading asks first, and changes nothing without a yes', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('columnheader', { name: 'Mycoplasma detected' }).click();
    const first = cell(page, A03, MYCOPLASMA);
    const before = await first.getAttribute('aria-label');
    const question = page.getByRole('alertdialog', { name: /^Replace \d+ recorded cells\?$/ });
    await page.keyboard.press('n');
    await expect(question).toBeVisible();
    await expectAccessible(page, '[role=alertdialog]');
    await page.keyboard.press('Escape');
    await expect(question).toHaveCount(0);
    expect(await first.getAttribute('aria-label')).toBe(before);
    await page.keyboard.press('n');
    await question.getByRole('button', { name: /^Replace/ }).click();
    await expect(
      page.locator('.mx-cell[aria-label*="mycoplasma_detected: "]:not([aria-label*=" NA,"])'),
    ).toHaveCount(0);
    // Said in sight, and taken back beside it.
    await expect(page.locator('.mx-news')).toContainText(/^\d+ recorded cells replaced/);
    await page.locator('.mx-news').getByRole('button', { name: 'Undo' }).click();
    await expect(first).toHaveAttribute('aria-label', before!);
  });
});

test.describe('whole items, rules, all', () => {
  test('Shift+Space takes items, Ctrl+Space rules, and the focus stays on its cell', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 3, 3).click();
    await page.keyboard.press('Shift+Space');
    expect(await selectedCount(page)).toBe(13);
    await expect(at(page, 3, 3)).toBeFocused();
    await page.keyboard.press('Shift+ArrowDown');
    expect(await selectedCount(page)).toBe(26);
    await expect(at(page, 3, 3)).toBeFocused();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Space');
    await expect(sizeTold(page, '24 cells selected')).toBeVisible();
    await page.keyboard.press('Shift+ArrowLeft');
    await expect(sizeTold(page, '48 cells selected')).toBeVisible();
    await expect(page.getByTestId('mx-live')).toHaveText('48 cells selected, 24 items by 2 rules');
  });

  test('Ctrl+A takes all shown and leaves focus and scroll alone; after a key and its undo it is as it was', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=large&rows=400&rules=10');
    await at(page, 0, 0).click();
    await page.keyboard.press('Control+End');
    const scrolled = await page.getByRole('grid').evaluate((element) => element.scrollTop);
    await page.keyboard.press('Control+a');
    await expect(sizeTold(page, '4,000 cells selected')).toBeVisible();
    await expect(at(page, 399, 9)).toBeFocused();
    await page.keyboard.press('f');
    await confirmReplacing(page);
    await expect(page.locator('.mx-selected .mx-count').first()).toHaveText('4,000');
    await expect(at(page, 399, 9)).toBeFocused();
    await page.keyboard.press('Control+z');
    await expect(page.locator('.mx-status')).toContainText('Undone: Set 4,000 cells to FALSE');
    await expect(sizeTold(page, '4,000 cells selected')).toBeVisible();
    await expect(at(page, 399, 9)).toBeFocused();
    expect(await page.getByRole('grid').evaluate((element) => element.scrollTop)).toBe(scrolled);
  });

  test('Tab and Enter go round inside what is selected, from block to block', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 1, 1).click();
    await at(page, 2, 2).click({ modifiers: ['Shift'] });
    for (const [key, row, column] of [
      ['Tab', 1, 2],
      ['Tab', 2, 1],
      ['Shift+Tab', 1, 2],
      ['Shift+Tab', 1, 1],
      ['Enter', 2, 1],
      ['Enter', 1, 2],
      ['Enter', 2, 2],
      ['Shift+Enter', 1, 2],
    ] as const) {
      await page.keyboard.press(key);
      await expect(at(page, row, column), key).toBeFocused();
      expect(await selectedCount(page), key).toBe(4);
    }
    await at(page, 5, 0).click({ modifiers: ['Control'] });
    await page.keyboard.press('Tab');
    await expect(at(page, 1, 1)).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(at(page, 5, 0)).toBeFocused();
    expect(await selectedCount(page)).toBe(5);
  });
});

test.describe('kept by id', () => {
  const names = (page: Page): Promise<string[]> =>
    page
      .locator('.mx-cell[aria-selected=true]')
      .evaluateAll((cells) =>
        cells.map((element) => element.getAttribute('aria-label')!.split(':')[0]!).toSorted(),
      );

  test('through a sort, a filter and rows that come in above', async ({ page, harness }) => {
    await open(page, harness, '?rows=12');
    await at(page, 1, 1).click();
    await at(page, 4, 2).click({ modifiers: ['Shift'] });
    const before = await names(page);
    const focus = await focused(page);
    await page.evaluate(() =>
      (
        window as unknown as { session: { receiveItems(edits: unknown[]): void } }
      ).session.receiveItems([{ do: 'add', item_uid: 'new', before: 'DEMO1-g1-A03' }]),
    );
    await expect(page.getByRole('rowheader').first()).toContainText('new');
    expect(await names(page)).toEqual(before);
    expect(await focused(page)).toBe(focus);
    await page.getByRole('button', { name: 'Sort' }).click();
    const order = await page.getByRole('rowheader').allTextContents();
    await page.getByLabel('Label, Z to A').click();
    await expect.poll(() => page.getByRole('rowheader').allTextContents()).not.toEqual(order);
    await page.keyboard.press('Escape');
    expect(await names(page)).toEqual(before);
    await page.getByRole('searchbox').fill('A0');
    await expect.poll(() => page.getByRole('rowheader').count()).toBeLessThan(12);
    const kept = await names(page);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.filter((name) => !before.includes(name))).toEqual([]);
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(13);
    expect(await names(page)).toEqual(kept);
  });
});

test.describe('drag', () => {
  test('a press at the border scrolls nothing until the pointer moves', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=large&rows=500&rules=60');
    const grid = (await page.getByRole('grid').boundingBox())!;
    const first = await middle(at(page, 1, 1));
    await page.mouse.move(first.x, grid.y + grid.height - 30);
    await page.mouse.down();
    // Far longer than a click, and many frames.
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          let left = 20;
          const frame = (): void => {
            left -= 1;
            if (left === 0) resolve();
            else requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        }),
    );
    await page.mouse.up();
    expect(await page.getByRole('grid').evaluate((element) => element.scrollTop)).toBe(0);
    await expect(page.locator('[role=gridcell][aria-selected=true]')).toHaveCount(1);
  });

  test(
    'scrolls on in both directions and marks no text',
    IN_LONG_FORM,
    async ({ page, harness }) => {
      await open(page, harness, '?scene=large&rows=500&rules=60');
      const start = await middle(at(page, 1, 1));
      const grid = (await page.getByRole('grid').boundingBox())!;
      await page.mouse.move(start.x, start.y);
      await page.mouse.down();
      await page.mouse.move(grid.x + grid.width - 6, grid.y + grid.height - 6, { steps: 4 });
      const scrolled = (): Promise<number[]> =>
        page.getByRole('grid').evaluate((element) => [element.scrollLeft, element.scrollTop]);
      await expect.poll(async () => Math.min(...(await scrolled()))).toBeGreaterThan(200);
      const [farLeft] = await scrolled();
      const frozen = (await page.locator('.ag-cell-last-left-pinned').first().boundingBox())!;
      await page.mouse.move(frozen.x + frozen.width - 20, grid.y + grid.height / 2, { steps: 4 });
      await expect.poll(async () => (await scrolled())[0]).toBeLessThan(farLeft!);
      await page.mouse.up();
      await expect(page.locator('.mx-selected')).toContainText(/cells selected/);
      expect(await page.evaluate(() => getSelection()?.toString() ?? '')).toBe('');
    },
  );
});
