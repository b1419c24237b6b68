import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import type { MemorySession } from '../../support/memory-session.ts';
import { expectAccessible } from './support/axe.ts';
import { at, cell, open, test } from './support/harness.ts';

const SCENE = '?scene=contested&rows=200&rules=5';
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Resolve conflicts' });
const list = (page: Page) => page.getByRole('listbox', { name: 'Conflicts' });
const current = (page: Page) => list(page).getByRole('option', { selected: true });
const compared = (page: Page) => page.getByRole('region', { name: 'Values side by side' });
const why = (page: Page) => dialog(page).getByLabel('Reason');
const contests = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { session: MatrixSession }).session.contestCount());

test.describe('conflicts in the grid', () => {
  test('have a sign, say so, are counted, and stepped through by keys', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const contested = page.locator('[role=gridcell][aria-label$=", conflict"]');
    await expect(contested).toHaveCount(1);
    expect(
      await contested.evaluate((element) => getComputedStyle(element, '::before').clipPath),
    ).toContain('polygon');
    await expect(
      page.locator('.mx-tools').getByRole('button', { name: '1 conflict' }),
    ).toBeVisible();
    await at(page, 9, 0).click();
    await page.keyboard.press('c');
    await expect(contested).toBeFocused();
    await open(page, harness, '?scene=contested&rows=3&rules=2');
    await at(page, 1, 1).click();
    await page.keyboard.press('c');
    await expect(at(page, 2, 0)).toBeFocused();
    await page.keyboard.press('Shift+C');
    await page.keyboard.press('Shift+C');
    await expect(at(page, 1, 0)).toBeFocused();
  });
});

test.describe('the review', () => {
  test('is opened by button, key and palette, begins at the cell in focus and gives the focus back', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=contested&rows=4&rules=3');
    await at(page, 2, 1).click();
    await page.keyboard.press('Alt+r');
    await expect(current(page)).toContainText('item_00003');
    await expect(list(page)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(at(page, 2, 1)).toBeFocused();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('resolve conflicts');
    await page.keyboard.press('Enter');
    await expect(list(page)).toBeFocused();
    await page.keyboard.press('Escape');
    for (const way of [['.mx-tools .btn:has-text("12 conflicts")'], ['.mx-save', '.mx-figure']]) {
      for (const button of way) await page.locator(button).click();
      await expect(list(page)).toBeFocused();
      await page.keyboard.press('Escape');
    }
  });

  test('shows all values side by side with author, time, reason, source, provenance and notes, and says what differs', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=contested&rows=4&rules=5');
    await page.locator('.mx-save').click();
    await page.locator('.mx-figure').click();
    const rows = (name: string) =>
      compared(page).getByRole('row', { name: new RegExp(`^${name}`) });
    await expect(rows('Outcome')).toContainText('differs');
    await expect(rows('Outcome')).toContainText('FALSE, evidence present');
    await expect(rows('Outcome')).toContainText('TRUE, problem found');
    await expect(rows('Provenance')).toContainText('scanner 2');
    await expect(rows('Notes')).toContainText('read twice');
    await expect(rows('Recorded by')).toContainText('Ada');
    await expect(rows('Reason given')).toContainText('scanned again');
    await expect(rows('When')).toContainText(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}/);
    await expect(dialog(page)).toContainText('the choice changes the result');
    // Outcomes first, then sources, then notes.
    const kinds = await list(page).locator('.mx-contests-kind').allTextContents();
    expect(kinds).toEqual(
      kinds.toSorted(
        (a, b) =>
          ['outcomes differ', 'sources differ', 'notes differ'].indexOf(a) -
          ['outcomes differ', 'sources differ', 'notes differ'].indexOf(b),
      ),
    );
    await list(page).focus();
    await page.keyboard.press('End');
    await expect(compared(page).getByRole('row', { name: /^Notes/ })).toContainText('not read');
  });

  test('what is stored late leaves the reason that is being typed for another', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=contested&rows=4&rules=3');
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    await page.evaluate(() => {
      const shown = window as unknown as { session: MatrixSession; letGo: () => void };
      const { session } = shown;
      const settle = session.settle.bind(session);
      const gate = Promise.withResolvers<void>();
      shown.letGo = gate.resolve;
      session.settle = async (...words) => {
        await gate.promise;
        return settle(...words);
      };
    });
    await page.keyboard.press('2');
    await page.keyboard.press('r');
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await list(page).getByRole('option').nth(2).click();
    await page.keyboard.press('r');
    await page.keyboard.type('Of th');
    await page.evaluate(() => (window as unknown as { letGo: () => void }).letGo());
    await expect(dialog(page)).toContainText('11 conflicts');
    await page.keyboard.type('e third');
    await expect(why(page)).toHaveValue('Of the third');
    expect(await contests(page)).toBe(11);
  });

  test('settles by keys alone: a number, a reason, Enter, and the next one is there, with no reason yet', async ({
    page,
    harness,
  }) => {
    await open(page, harness, SCENE);
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    await expect(dialog(page)).toContainText('1 of 1,000 conflicts');
    await page.keyboard.press('2');
    await expect(compared(page).getByRole('radio', { name: /^Value 2: TRUE/ })).toBeChecked();
    await page.keyboard.press('r');
    await page.keyboard.type('the scan is sharper');
    await page.keyboard.press('Enter');
    await expect(list(page)).toBeFocused();
    await expect(dialog(page)).toContainText('1 of 999 conflicts');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('1');
    await page.keyboard.press('Control+Shift+S');
    await expect(why(page)).toBeFocused();
    await expect(dialog(page)).toContainText('1 of 999 conflicts');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(why(page)).toHaveValue('the scan is sharper');
    await page.keyboard.press('Control+Shift+S');
    await expect(dialog(page)).toContainText('1 of 998 conflicts');
    await page.keyboard.press('Control+z');
    await expect(dialog(page)).toContainText('of 999 conflicts');
    await page.keyboard.press('Escape');
    await expect(cell(page, 'item_00001', 'cell_line_identity_mismatch')).toHaveAttribute(
      'aria-label',
      'item_00001, cell_line_identity_mismatch: TRUE, problem found',
    );
    const reason = await page.evaluate(
      async () =>
        (
          await (window as unknown as { session: MatrixSession }).session.history({
            item: 'item_00001',
            rule: 'cell_line_identity_mismatch',
          })
        ).steps[0]?.reason,
    );
    expect(reason).toBe('the scan is sharper');
  });

  test('settles with a value of one’s own, never without a reason', async ({ page, harness }) => {
    await open(page, harness, '?scene=contested&rows=4&rules=3');
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('e');
    await expect(dialog(page).getByRole('group', { name: 'Another value' })).toBeVisible();
    await dialog(page)
      .getByRole('group', { name: 'Another value' })
      .getByRole('radio', { name: 'NA, not available' })
      .check();
    await dialog(page).getByLabel('Reported value').fill('gel 7');
    await expect(dialog(page).getByRole('button', { name: 'Resolve', exact: true })).toBeDisabled();
    await why(page).fill('neither is right');
    await dialog(page).getByRole('button', { name: 'Resolve', exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', / NA, not available$/);
    expect(
      await page.evaluate(
        () => (window as unknown as { session: MatrixSession }).session.detail(0, 0).source_value,
      ),
    ).toBe('gel 7');
  });

  test('keeps its place when news comes, and drops a choice whose values are others now', async ({
    page,
    harness,
  }) => {
    await open(page, harness, SCENE);
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    for (let step = 0; step < 30; step += 1) await page.keyboard.press('j');
    const name = await current(page).textContent();
    const top = () => current(page).evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    await page.keyboard.press('2');
    const receive = (row: number, column: number) =>
      page.evaluate(
        ([r, c]) => {
          const { session } = window as unknown as { session: MemorySession };
          session.receive([
            {
              item: session.items[r!]!.item_uid,
              rule: session.rules[c!]!,
              raw_outcome: 'NA',
              contested: [
                { raw_outcome: 'TRUE', by: 'Dora' },
                { raw_outcome: 'FALSE', by: 'Eve' },
              ],
            },
          ]);
        },
        [row, column],
      );
    // Elsewhere: place and choice stay.
    await receive(0, 0);
    await expect(compared(page).getByRole('radio', { checked: true })).toHaveCount(1);
    // Others settle what stands above: the row stays where it is on screen.
    await page.evaluate(async () => {
      const { session } = window as unknown as { session: MemorySession };
      const settlings = session
        .contests()
        .slice(0, 20)
        .map(({ reg }) => ({
          reg,
          heads: session.headsOf(reg).map(({ entry }) => entry),
          value: session.headsOf(reg)[0]!.value,
        }));
      await session.settle(settlings, 'elsewhere', 'Settle');
    });
    await expect(dialog(page)).toContainText('11 of 980 conflicts');
    expect(await current(page).textContent()).toBe(name);
    expect(Math.abs((await top()) - before)).toBeLessThan(60);
    // Here: the choice is gone, and that is said.
    const place = await page.evaluate((text) => {
      const { session } = window as unknown as { session: MemorySession };
      const contest = session.contests()[10]!;
      return text!.includes(contest.item)
        ? [session.rowOf(contest.item), session.columnOf(contest.rule!)]
        : null;
    }, name);
    await receive(place![0]!, place![1]!);
    await expect(dialog(page).getByRole('alert')).toContainText('Another value was recorded since');
    await expect(compared(page).getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(compared(page).getByRole('columnheader')).toHaveCount(4);
    await expect(dialog(page).getByRole('button', { name: 'Resolve', exact: true })).toBeDisabled();
  });
});

test.describe('many at once', () => {
  test('by each rule, previewed, with one reason, and one undo brings all back', async ({
    page,
    harness,
  }) => {
    await open(page, harness, SCENE);
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('b');
    const bulk = dialog(page).getByRole('region', { name: 'Resolve many by a rule' });
    const choose = async (label: string, option: string): Promise<void> => {
      await bulk.getByLabel(label, { exact: true }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    };
    await expect(bulk.getByRole('status')).toContainText('0 become FALSE');
    await choose('Rule', 'Take what is shown now');
    await expect(bulk.getByRole('status')).toContainText('1,000 cells of 1,000 would be resolved');
    await choose('Rule', 'Take one author’s value');
    await choose('Author', 'Ada');
    await expect(bulk.getByRole('status')).toContainText('1,000 cells of 1,000');
    await choose('Rule', 'Take mine');
    const text = await bulk.getByRole('status').textContent();
    expect(text).toContain('1,000 cells of 1,000');
    await choose('Of', 'The rule Cell line identity mismatch');
    await expect(bulk.getByRole('status')).toContainText('200 cells of 200');
    await choose('Of', 'All conflicts');
    await choose('Rule', 'NA (not available) and unrecorded lose');
    const settled = Number(
      /^([\d,]+) cells/
        .exec((await bulk.getByRole('status').textContent()) ?? '')?.[1]
        ?.replace(',', ''),
    );
    expect(settled).toBeGreaterThan(100);
    expect(settled).toBeLessThan(1_000);
    await why(page).fill('NA says nothing');
    await dialog(page)
      .getByRole('button', { name: `Resolve ${settled} cells` })
      .click();
    await expect(dialog(page)).toContainText(`${1_000 - settled} conflicts`);
    expect(await contests(page)).toBe(1_000 - settled);
    await page.keyboard.press('Control+z');
    await expect.poll(() => contests(page)).toBe(1_000);
    await page.keyboard.press('Control+y');
    await expect.poll(() => contests(page)).toBe(1_000 - settled);
  });

  test('of the selected cells only; what has other values since is left and told', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?scene=contested&rows=8&rules=4');
    await at(page, 0, 0).click();
    await at(page, 1, 1).click({ modifiers: ['Shift'] });
    await page.keyboard.press('Alt+r');
    await page.keyboard.press('b');
    await dialog(page).getByLabel('Of', { exact: true }).click();
    await page.getByRole('option', { name: 'The cells selected in the matrix' }).click();
    await dialog(page).getByLabel('Rule', { exact: true }).click();
    await page.getByRole('option', { name: 'Take what is shown now' }).click();
    await expect(dialog(page)).toContainText('4 cells of 4 would be resolved');
    await page.evaluate(() => {
      const { session } = window as unknown as { session: MemorySession };
      session.receive([
        {
          item: session.items[0]!.item_uid,
          rule: session.rules[0]!,
          raw_outcome: 'NA',
          contested: [{ raw_outcome: 'TRUE', by: 'Dora' }],
        },
      ]);
    });
    await expect(dialog(page)).toContainText('1 cell of this preview has other values since');
    await why(page).fill('read again');
    await dialog(page).getByRole('button', { name: 'Resolve 4 cells' }).click();
    await expect(dialog(page)).toContainText('1 choice not applied');
    expect(await contests(page)).toBe(29);
  });
});

for (const [what, key] of [
  ['one by one', 'e'],
  ['many at once', 'b'],
] as const)
  test(`axe finds nothing in the review, ${what}`, IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, '?scene=contested&rows=4&rules=3');
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+r');
    await page.keyboard.press(key);
    await why(page).fill('why');
    await expectAccessible(page, '[role=dialog]');
  });
