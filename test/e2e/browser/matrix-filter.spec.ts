import { expect, type Page } from '@playwright/test';
import { at, cell, focused, open, test } from './support/harness.ts';

const A03 = 'DEMO1-g1-A03';
const GUIDE = 'guide_target_not_unique';

const openFilter = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Filter/ }).click();
const uids = (page: Page): Promise<(string | null)[]> =>
  page.locator('.mx-item-uid').allTextContents();

test.describe('the filter', () => {
  test('joins its parts by and; each has a chip with its way out', async ({ page, harness }) => {
    await open(page, harness);
    await openFilter(page);
    await page.getByRole('checkbox', { name: 'have unrecorded' }).check();
    await expect(page.getByText('17 of 24 items shown')).toBeVisible();
    await page.getByRole('checkbox', { name: 'have notes' }).check();
    await page.getByLabel('Rule', { exact: true }).click();
    await page.getByRole('option', { name: 'Guide target not unique' }).click();
    await page.getByRole('checkbox', { name: 'TRUE, problem found' }).check();
    await page.keyboard.press('Escape');
    const chips = page.getByRole('group', { name: 'What is shown' });
    await expect(chips).toContainText('Has unrecorded');
    await expect(chips).toContainText('Guide target not unique: TRUE');
    await expect(
      page.locator(`.mx-cell[aria-label*=", ${GUIDE}: "]:not([aria-label*=": TRUE"])`),
    ).toHaveCount(0);
    const few = await page.locator('.mx-shown strong').textContent();
    await chips.getByRole('button', { name: 'Remove: Guide target not unique' }).click();
    await expect(page.locator('.mx-shown strong')).not.toHaveText(few!);
    await chips.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page.getByText('24 of 24 items shown')).toBeVisible();
    await expect(chips).toHaveCount(0);
    await expect(page.locator('.mx-cell:focus')).toHaveCount(1);
  });

  test('rows stay while they are worked on; Apply again takes those that no longer pass', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await openFilter(page);
    await page.getByRole('checkbox', { name: 'have conflicts' }).check();
    await page.keyboard.press('Escape');
    await expect(page.getByText('1 of 24 items shown')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Apply again' })).toHaveCount(0);
    await page
      .getByRole('group', { name: 'What is shown' })
      .getByRole('button', { name: 'Remove: Has conflicts' })
      .click();
    await expect(page.getByText('24 of 24 items shown')).toBeVisible();
  });

  test('a reload comes back to the cell, the filter, the sort, the columns and the place', async ({
    page,
    harness,
  }) => {
    await page.setViewportSize({ width: 1000, height: 620 });
    await open(page, harness);
    await openFilter(page);
    await page.getByRole('checkbox', { name: 'have unrecorded' }).check();
    await page.keyboard.press('Escape');
    await page.locator('.ag-header-cell.mx-head-rule').nth(2).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitemcheckbox', { name: 'TRUE (problem found) first' }).click();
    await at(page, 3, 2).click();
    await page.keyboard.press('PageDown');
    await expect(page.locator('.mx-cell:focus')).toHaveCount(1);
    const before = await focused(page);
    const top = await page.getByRole('grid').evaluate((element) => element.scrollTop);
    expect(top).toBeGreaterThan(0);
    // Written a moment after the last step, as a crash would have to leave it.
    await expect
      .poll(() =>
        page.evaluate(
          () =>
            (
              JSON.parse(localStorage.getItem('evidence-studio.places') ?? '[]') as {
                scroll: { top: number };
              }[]
            )[0]?.scroll.top,
        ),
      )
      .toBe(top);
    await page.reload();
    await page.getByRole('grid').waitFor();
    await expect.poll(() => focused(page)).toBe(before);
    await expect(page.getByText('17 of 24 items shown')).toBeVisible();
    await expect(
      page.getByRole('columnheader', { name: /^Guide target not unique/ }),
    ).toHaveAttribute('aria-sort', 'descending');
    expect(await page.getByRole('grid').evaluate((element) => element.scrollTop)).toBe(top);
  });

  test('a page that goes before its scrolling was drawn comes back to the row it had scrolled to', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=contested&rows=200&rules=5');
    await at(page, 0, 0).click();
    await expect(page.locator('.mx-cell:focus')).toHaveCount(1);
    // A window that is covered draws nothing, and hears of no scroll.
    const top = await page.evaluate(() => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'End',
          code: 'End',
          ctrlKey: true,
          bubbles: true,
          cancelable: true,
        }),
      );
      const shown = document.querySelector('[role=grid]')?.scrollTop;
      window.dispatchEvent(new PageTransitionEvent('pagehide'));
      const [place] = JSON.parse(localStorage.getItem('evidence-studio.places') ?? '[]') as {
        scroll: { top: number };
      }[];
      return { shown, written: place?.scroll.top };
    });
    expect(top.shown).toBeGreaterThan(1_000);
    expect(top.written).toBe(top.shown);
  });
});

test.describe('sorting', () => {
  test('by a rule is a picture: recording moves nothing until it is applied again', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('button', { name: 'Menu of Guide target not unique' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'TRUE (problem found) first' }).click();
    await expect(
      page.getByRole('columnheader', {
        name: /^Guide target not unique: .*sorted, TRUE \(problem found\) first$/,
      }),
    ).toHaveAttribute('aria-sort', 'descending');
    const sorted = await uids(page);
    expect(sorted[0]).not.toBe(A03);
    await cell(page, A03, GUIDE).click();
    await page.keyboard.press('t');
    // How many rows are drawn beyond those in sight is not the matter.
    const rows = await uids(page);
    expect(rows).toEqual(sorted.slice(0, rows.length));
    expect(rows.length).toBeGreaterThan(sorted.length - 3);
    await page.getByRole('button', { name: 'Apply again' }).click();
    await expect.poll(async () => (await uids(page)).slice(0, 12)).toContain(A03);
    await expect(cell(page, A03, GUIDE)).toBeFocused();
    await page.getByRole('button', { name: 'Back to the order of the case' }).click();
    expect((await uids(page))[0]).toBe(A03);
  });

  test('by label and by the share recorded, from the heading and from the toolbar', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('columnheader', { name: 'Item' }).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('menuitemcheckbox', { name: 'Label, Z to A' }).click();
    await expect(page.getByRole('columnheader', { name: 'Item' })).toHaveAttribute(
      'aria-sort',
      'descending',
    );
    await expect(page.getByRole('columnheader', { name: 'Item' })).toBeFocused();
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('radio', { name: 'Least recorded first' }).check();
    await page.keyboard.press('Escape');
    await expect(page.locator('.ag-row[row-index="0"] .mx-progress-text')).toHaveText('7/13');
    await expect(page.getByRole('columnheader', { name: 'Recorded', exact: true })).toHaveAttribute(
      'aria-sort',
      'ascending',
    );
  });
});

test('a saved view is applied, renamed and deleted, and stays over a reload', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await openFilter(page);
  await page.getByRole('checkbox', { name: 'have problem found' }).check();
  await page.keyboard.press('Escape');
  const shown = await page.locator('.mx-shown').textContent();
  const views = page.getByRole('button', { name: 'Views' });
  await views.click();
  await page.getByLabel('Name of the present view').fill('Problems');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Problems', exact: true })).toHaveAttribute(
    'aria-current',
    'true',
  );
  await page.getByRole('button', { name: 'All items and rules' }).click();
  await expect(page.getByText('24 of 24 items shown')).toBeVisible();
  await page.reload();
  await views.click();
  await page.getByRole('button', { name: 'Rename Problems' }).click();
  await page.getByLabel('New name').fill('Doubts');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('button', { name: 'Doubts', exact: true }).click();
  await expect(page.locator('.mx-shown')).toHaveText(shown!);
  await page.getByRole('button', { name: 'Delete Doubts' }).click();
  await expect(page.getByRole('list', { name: 'Saved views' }).getByRole('listitem')).toHaveCount(
    0,
  );
});
