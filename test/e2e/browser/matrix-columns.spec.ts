import { expect, type Locator, type Page } from '@playwright/test';
import { at, cell, confirmReplacing, open, test } from './support/harness.ts';

const A03 = 'DEMO1-g1-A03';
const MYCOPLASMA = 'mycoplasma_detected';

const heading = (page: Page, name: string): Locator =>
  page.getByRole('columnheader', {
    name: new RegExp(`^${name.replaceAll(/[()]/g, String.raw`\$&`)}`),
  });
/** Rules as they stand on screen, from left to right. */
const rules = (page: Page): Promise<(string | null)[]> =>
  page
    .locator('.mx-head-rule')
    .evaluateAll((all) =>
      all
        .toSorted((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)
        .map((one) => one.getAttribute('col-id')),
    );
const choose = async (page: Page, name: string, row: string): Promise<void> => {
  await heading(page, name).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByRole('menuitem', { name: row, exact: true }).click();
};

test.describe('columns', () => {
  test('a rule is hidden, and the chip tells and brings it back; its cells keep what they hold', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await choose(page, 'Mycoplasma detected', 'Hide');
    await expect(heading(page, 'Mycoplasma detected')).toHaveCount(0);
    await expect(page.getByText('1 rule hidden')).toBeVisible();
    await expect(page.getByText('12 of 13 rules', { exact: true })).toBeVisible();
    await at(page, 0, 0).click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('n');
    await expect(page.getByText('12 cells selected', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Show all rules' }).click();
    await expect(cell(page, A03, MYCOPLASMA)).toHaveAttribute(
      'aria-label',
      /FALSE, evidence present$/,
    );
  });

  test('a frozen rule stands first and stays while the others scroll; clicks meet the right cells', async ({
    page,
    harness,
  }) => {
    await page.setViewportSize({ width: 900, height: 700 });
    await open(page, harness);
    await choose(page, 'Off-target edit', 'Freeze at the left');
    expect((await rules(page))[0]).toBe('off_target_edit_detected');
    await page.getByRole('grid').evaluate((element) => element.scrollTo(600, 0));
    const target = cell(page, 'DEMO1-g1-A07', 'off_target_edit_detected');
    await expect(target).toBeInViewport();
    await target.click();
    await expect(target).toBeFocused();
    await page.keyboard.press('t');
    await expect(target).toHaveAttribute('aria-label', /TRUE, problem found$/);
    await page.keyboard.press('ArrowRight');
    await expect(cell(page, 'DEMO1-g1-A07', 'cell_line_identity_mismatch')).toBeFocused();
  });

  test('a rule moves by its menu, and by dragging its handle; Escape gives a drag up', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const before = await rules(page);
    await choose(page, 'Mycoplasma detected', 'Move left');
    await page.keyboard.press('Escape');
    expect((await rules(page)).slice(0, 2)).toEqual([before[1], before[0]]);
    const grip = heading(page, 'Zygosity unresolved').locator('.mx-rule-grip');
    const to = (await heading(page, 'Guide target not unique').boundingBox())!;
    await grip.hover();
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + 40, { steps: 3 });
    await page.mouse.move(to.x + 4, to.y + 40, { steps: 3 });
    await expect(page.locator('.mx-drop')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect((await rules(page))[2]).toBe(before[2]);
    await grip.hover();
    await page.mouse.down();
    await page.mouse.move(to.x + 30, to.y + 40, { steps: 3 });
    await page.mouse.move(to.x + 4, to.y + 40, { steps: 3 });
    await page.mouse.up();
    expect((await rules(page)).slice(0, 4)).toEqual([
      before[1],
      before[0],
      'zygosity_unresolved',
      before[2],
    ]);
    await page.reload();
    await page.getByRole('grid').waitFor();
    expect((await rules(page)).slice(0, 3)).toEqual([before[1], before[0], 'zygosity_unresolved']);
  });

  test('a click on the handle selects the rule, and the keys mean it wherever the focus was', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('searchbox').focus();
    await heading(page, 'Mycoplasma detected').locator('.mx-rule-grip').click();
    await expect(heading(page, 'Mycoplasma detected')).toBeFocused();
    await page.keyboard.press('n');
    await confirmReplacing(page);
    await expect(cell(page, 'DEMO1-g1-A07', 'mycoplasma_detected')).toHaveAttribute(
      'aria-label',
      /NA, not available$/,
    );
  });

  test('a width is drawn at the border of the heading, set by the menu, and given back', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const target = heading(page, 'Mycoplasma detected');
    const width = async (): Promise<number> => (await target.boundingBox())!.width;
    const before = await width();
    const box = (await target.boundingBox())!;
    await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 60, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBeGreaterThan(before + 40);
    const drawn = await width();
    await choose(page, 'Mycoplasma detected', 'Wider');
    await expect.poll(width).toBeGreaterThan(drawn + 10);
    await page.getByRole('menuitem', { name: 'Default width' }).click();
    await expect.poll(width).toBeLessThan(drawn - 20);
  });

  test('the height of the headings is drawn at their border, kept, and given back by a double click', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const target = heading(page, 'Mycoplasma detected');
    const height = async (): Promise<number> => (await target.boundingBox())!.height;
    const before = await height();
    const box = (await target.boundingBox())!;
    const border = { x: box.x + box.width / 2, y: box.y + box.height };
    await page.mouse.move(border.x, border.y);
    await page.mouse.down();
    await page.mouse.move(border.x, border.y + 50, { steps: 4 });
    await page.mouse.up();
    await expect.poll(height).toBeGreaterThan(before + 40);
    const drawn = await height();
    await page.reload();
    await expect.poll(height).toBe(drawn);
    await page.mouse.dblclick(border.x, border.y + drawn - before);
    await expect.poll(height).toBe(before);
  });

  test('the popover finds rules, hides those found, and puts all back as in the profile', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('searchbox', { name: 'Find a rule' }).fill('guide');
    await expect(page.getByRole('list', { name: 'Rules' }).getByRole('listitem')).toHaveCount(2);
    await page.getByRole('button', { name: 'Hide these' }).click();
    await expect(page.getByText('2 rules hidden')).toBeVisible();
    await page.getByRole('button', { name: 'As in the profile' }).click();
    await expect(page.getByText('2 rules hidden')).toHaveCount(0);
  });

  test('a heading tells the counts of its rule; its card stays when asked to, and goes with Escape', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await expect(
      heading(
        page,
        'Guide target not unique: 18 FALSE (evidence present), 6 TRUE (problem found), 0 NA (not available), 0 unrecorded',
      ),
    ).toBeVisible();
    await choose(page, 'Guide target not unique', "Show the rule's card");
    const card = page.getByRole('dialog', { name: 'Rule' });
    await expect(card).toContainText('24 of 24 recorded');
    await expect(card).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
    await expect(heading(page, 'Guide target not unique')).toBeFocused();
  });
});
