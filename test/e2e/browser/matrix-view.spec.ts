import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { axe } from './support/axe.ts';
import { at, open, test } from './support/harness.ts';

const look = async (page: Page, name: string | RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'View options' }).click();
  await page.getByRole('radio', { name }).or(page.getByRole('checkbox', { name })).click();
  await page.keyboard.press('Escape');
};

/**
 * The filter with all its parts, a hidden rule, a sort: every chip and every open thing of this
 * topic.
 */
async function fullView(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Columns/ }).click();
  await page.getByRole('list', { name: 'Rules' }).getByRole('checkbox').nth(5).uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Menu of Mycoplasma detected' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'unrecorded first' }).click();
  await page.getByRole('button', { name: /^Filter/ }).click();
  await page.getByRole('checkbox', { name: 'have unrecorded' }).check();
}

for (const media of [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { forcedColors: 'active' },
] as const) {
  test(
    `axe finds nothing with filter, sort and menu open: ${Object.values(media)[0]}`,
    IN_LONG_FORM,
    async ({ page, harness }) => {
      test.setTimeout(90_000);
      await page.emulateMedia(media);
      await open(page, harness, '?rows=4');
      const check = async (): Promise<void> => {
        const { violations } = await axe(page)
          .include('.mx-editor')
          .include('.popup')
          .exclude('.mx-panel')
          .exclude('[data-base-ui-focus-guard]')
          .disableRules('region')
          .analyze();
        expect(
          violations.map(({ id, nodes }) => ({
            id,
            nodes: nodes.map((node) => node.html.slice(0, 200)),
          })),
        ).toEqual([]);
      };
      await fullView(page);
      await check();
      await page.keyboard.press('Escape');
      await page.locator('.ag-header-cell.mx-head-rule').nth(1).focus();
      await page.keyboard.press('Alt+ArrowDown');
      await page.getByRole('menu').waitFor();
      await check();
    },
  );
}

test(
  'rows have three heights, remembered; the cell in focus stays in focus',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 2, 1).click();
    const height = async (): Promise<number> =>
      (await page.locator('.ag-row[row-index="2"]').boundingBox())!.height;
    for (const [name, pixels] of [
      ['Compact', 20],
      ['Tall', 40],
      ['Default', 28],
      ['Compact', 20],
    ] as const) {
      await look(page, name);
      await expect.poll(height).toBe(pixels);
    }
    await page.reload();
    await page.getByRole('grid').waitFor();
    await expect.poll(height).toBe(20);
    await expect(at(page, 2, 1)).toBeFocused();
  },
);

test('at twice the size nothing is lost: no part lies outside the window, and cells can be recorded', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await open(page, harness);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  for (const control of await page
    .locator('.mx-toolbar :is(button, input):not([aria-hidden]):visible')
    .all())
    await expect(control).toBeInViewport({ ratio: 1 });
  await at(page, 1, 1).click();
  await page.keyboard.press('n');
  await expect(at(page, 1, 1)).toHaveAttribute('aria-label', /NA, not available$/);
  await page.keyboard.press('End');
  await expect(page.locator('.mx-cell:focus')).toBeInViewport({ ratio: 0.9 });
});

test('without fills, the states are told by letter and border; in print the fills stay', async ({
  page,
  harness,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(page, harness);
  const borders = await page.evaluate(() =>
    ['FALSE', 'TRUE', 'NA', 'unrecorded'].map((state) => {
      const mark = document.querySelector<HTMLElement>(
        `.mx-cell .outcome-mark[data-state=${state}]`,
      )!;
      const own = getComputedStyle(mark);
      const before = getComputedStyle(mark, '::before');
      return `${mark.textContent}|${own.borderTopWidth} ${own.borderTopStyle}|${before.display === 'none' ? '' : before.borderTopLeftRadius}`;
    }),
  );
  expect(new Set(borders).size).toBe(4);
  const run = await page
    .getByRole('button', { name: 'Run', exact: true })
    .evaluate((button) => [
      getComputedStyle(button).backgroundColor,
      getComputedStyle(button.querySelector('svg')!).color,
    ]);
  expect(new Set(run).size, 'the sign of Run stands out from its ground').toBe(2);
  await page.emulateMedia({ media: 'print', forcedColors: 'none' });
  expect(
    await page.evaluate(() =>
      getComputedStyle(
        document.querySelector('.mx-cell .outcome-mark[data-state=TRUE]')!,
        '::before',
      ).getPropertyValue('print-color-adjust'),
    ),
  ).toBe('exact');
});

test('the screen-reader view reads 50 items a page with every rule in the document, and is remembered', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 900, height: 700 });
  await open(page, harness, '?scene=large&rows=120&rules=40');
  await look(page, /^Screen-reader view/);
  const pages = page.getByRole('navigation', { name: 'Pages of items' });
  await expect(pages.getByRole('status')).toHaveText('Items 1 to 50 of 120');
  await expect(page.locator('.ag-row[row-index="0"] .mx-cell')).toHaveCount(40);
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '121');
  await pages.getByRole('button', { name: 'Next 50' }).click();
  await expect(pages.getByRole('status')).toHaveText('Items 51 to 100 of 120');
  await at(page, 50, 0).click();
  await page.keyboard.press('t');
  await expect(at(page, 50, 0)).toHaveAttribute(
    'aria-label',
    /^item_00051, .*: TRUE, problem found$/,
  );
  // The keys go on over the border of the page.
  await page.keyboard.press('ArrowUp');
  await expect(pages.getByRole('status')).toHaveText('Items 1 to 50 of 120');
  await expect(at(page, 49, 0)).toBeFocused();
  await page.reload();
  await expect(pages).toBeVisible();
});
