import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { axeFaults } from './support/axe.ts';
import {
  at,
  cell,
  confirmReplacing,
  focused,
  open,
  selectedCount,
  test,
} from './support/harness.ts';

const A03 = 'DEMO1-g1-A03';
const IDENTITY = 'cell_line_identity_mismatch';
const MYCOPLASMA = 'mycoplasma_detected';

test.describe('roles and names', () => {
  test('the matrix is a named grid whose cells say item, rule, value and meaning', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const grid = page.getByRole('grid', { name: 'Evidence matrix' });
    await expect(grid).toHaveAttribute('aria-multiselectable', 'true');
    await expect(grid).toHaveAttribute('aria-rowcount', '25');
    await expect(
      page.getByRole('gridcell', {
        name: `${A03}, ${IDENTITY}: FALSE, evidence present`,
        exact: true,
      }),
    ).toBeVisible();
    await expect(
      page.locator('[role=gridcell][aria-label$=": TRUE, problem found"]').first(),
    ).toHaveText('T');
    await expect(
      page.locator('[role=gridcell][aria-label$=": NA, not available"]').first(),
    ).toHaveText('NA');
    await expect(page.locator('[role=gridcell][aria-label$=": unrecorded"]').first()).toHaveText(
      '',
    );
    await expect(page.locator('[role=gridcell][aria-label$=", conflict"]')).toHaveCount(1);
    await expect(
      page.getByRole('columnheader', { name: 'Cell line identity mismatch' }),
    ).toBeVisible();
    await expect(page.getByRole('rowheader').first()).toContainText(A03);
  });

  test('axe finds nothing', async ({ page, harness }) => {
    // Every kind of cell, few of each: axe looks at every mark.
    await open(page, harness, '?rows=6');
    await at(page, 0, 4).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('form', { name: 'Resolve the conflict' }).waitFor();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  test('axe finds nothing in the dialogs', IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, '?rows=6');
    for (const name of ['Keyboard shortcuts', 'Add items']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog', { name }).waitFor();
      expect(await axeFaults(page, '[role=dialog]')).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
  });
});

test.describe('recording', () => {
  test('T, F, N and Delete set the focused cell', async ({ page, harness }) => {
    await open(page, harness);
    const target = cell(page, A03, IDENTITY);
    await target.click();
    for (const [key, words] of [
      ['t', 'TRUE, problem found'],
      ['N', 'NA, not available'],
      ['Delete', 'unrecorded'],
      ['f', 'FALSE, evidence present'],
    ] as const) {
      await page.keyboard.press(key);
      await expect(target).toHaveAttribute('aria-label', `${A03}, ${IDENTITY}: ${words}`);
    }
    await expect(page.getByTestId('mx-live')).toContainText(
      'DEMO1 g1 clone A03, Cell line identity mismatch: FALSE, evidence present',
    );
    await expect(page.locator('input.ag-input-field-input, .ag-cell-inline-editing')).toHaveCount(
      0,
    );
  });

  test('a key sets the whole block, one undo takes it back', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await at(page, 2, 1).click({ modifiers: ['Shift'] });
    expect(await selectedCount(page)).toBe(6);
    await page.keyboard.press('t');
    await expect(
      page.locator('.mx-cell[aria-selected=true][aria-label$=": TRUE, problem found"]'),
    ).toHaveCount(6);
    await expect(page.getByText('6 cells selected', { exact: true })).toBeVisible();
    await page.keyboard.press('Control+z');
    await expect(
      page.locator('.mx-cell[aria-selected=true][aria-label$=": TRUE, problem found"]'),
    ).toHaveCount(0);
    await expect(
      page.getByRole('contentinfo', { name: 'Counts' }).or(page.locator('.mx-status')),
    ).toContainText('Undone: Set 6 cells to TRUE');
    await page.keyboard.press('Control+Shift+z');
    await expect(
      page.locator('.mx-cell[aria-selected=true][aria-label$=": TRUE, problem found"]'),
    ).toHaveCount(6);
  });

  test('letters with Ctrl, Alt or Meta record nothing', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    for (const key of ['Alt+t', 'Control+Alt+t', 'Meta+t']) await page.keyboard.press(key);
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', / FALSE, /);
    await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  });

  test('progress of the row, of the rule and of the case follow', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('Delete');
    await expect(page.locator('.ag-row[row-index="0"] .mx-progress-text')).toHaveText('12/13');
    await expect(page.getByText('276 of 312 recorded')).toBeVisible();
  });

  test('the focus advances as chosen, also after a reload', async ({ page, harness }) => {
    await open(page, harness);
    await page.getByRole('button', { name: 'View options' }).click();
    await page.getByRole('radio', { name: 'down' }).check();
    await page.reload();
    await at(page, 0, 0).click();
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await expect(at(page, 2, 0)).toBeFocused();
    await expect(at(page, 1, 0)).toHaveAttribute('aria-label', / TRUE, /);
  });

  test('a failed write is told and nothing claims to be saved', async ({ page, harness }) => {
    await open(page, harness);
    await page.evaluate(() =>
      (window as unknown as { session: { failNextWrite(m: string): void } }).session.failNextWrite(
        'the disk is full',
      ),
    );
    await at(page, 0, 0).click();
    await page.keyboard.press('t');
    await expect(page.getByText('Not saved: the disk is full').first()).toBeVisible();
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', / FALSE, /);
  });
});

test.describe('keyboard', () => {
  test('arrows, corners, edges and pages', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    const steps: [string, number, number][] = [
      ['ArrowDown', 1, 0],
      ['ArrowRight', 1, 1],
      ['ArrowLeft', 1, 0],
      ['ArrowLeft', 1, 0],
      ['End', 1, 12],
      ['Home', 1, 0],
      ['Control+End', 23, 12],
      ['Control+Home', 0, 0],
      ['Enter', 1, 0],
      ['Shift+Enter', 0, 0],
      ['Tab', 0, 1],
      ['End', 0, 12],
      ['Tab', 1, 0],
      ['Shift+Tab', 0, 12],
    ];
    for (const [key, row, column] of steps) {
      await page.keyboard.press(key);
      await expect(at(page, row, column), key).toBeFocused();
      expect(await selectedCount(page), key).toBe(1);
    }
    await page.keyboard.press('PageDown');
    const label = await focused(page);
    await page.keyboard.press('PageUp');
    await expect(at(page, 0, 12)).toBeFocused();
    expect(label).not.toBe(await focused(page));
    await expect(at(page, 0, 12)).toBeInViewport();
  });

  test('shift extends, Ctrl+A takes all, Escape goes back to one', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 1, 1).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    expect(await selectedCount(page)).toBe(4);
    await expect(at(page, 1, 1)).toBeFocused();
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Shift+ArrowUp');
    expect(await selectedCount(page)).toBe(4);
    await expect(page.getByTestId('mx-live')).toHaveText('4 cells selected, 2 items by 2 rules');
    await page.keyboard.press('Escape');
    expect(await selectedCount(page)).toBe(1);
    await page.keyboard.press('Control+a');
    await expect(page.getByText('312 cells selected', { exact: true })).toBeVisible();
  });

  test('U goes to the next unrecorded cell', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('u');
    expect(await focused(page)).toContain(': unrecorded');
  });

  test('up from the first row goes to the headings, down comes back; a heading selects its rule', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 2).click();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('columnheader', { name: 'Guide target not unique' })).toBeFocused();
    await expect(page.getByRole('tooltip')).toContainText('Guide target not unique');
    await page.keyboard.press('Space');
    await expect(page.getByText('24 cells selected', { exact: true })).toBeVisible();
    await page.keyboard.press('n');
    await confirmReplacing(page);
    await expect(page.getByRole('columnheader', { name: 'Guide target not unique' })).toBeFocused();
    await expect(at(page, 5, 2)).toHaveAttribute('aria-label', /NA, not available$/);
    await page.keyboard.press('ArrowDown');
    await expect(at(page, 0, 2)).toBeFocused();
    expect(await selectedCount(page)).toBe(1);
  });

  test('Tab leaves the matrix at its last cell: no trap', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('[role=grid]') === null)).toBe(
      true,
    );
  });

  test('F6 goes round filter, matrix and panel', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('F6');
    await expect(page.getByRole('radio', { name: 'FALSE, evidence present' })).toBeFocused();
    await page.keyboard.press('F6');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.press('F6');
    await expect(at(page, 0, 0)).toBeFocused();
  });

  test('? opens the sheet made of the actions', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet).toContainText('Clear to unrecorded');
    await page.keyboard.press('Escape');
    await expect(at(page, 0, 0)).toBeFocused();
  });
});

test.describe('pointer', () => {
  test('dragging selects a block', async ({ page, harness }) => {
    await open(page, harness);
    const [from, to] = [await at(page, 2, 1).boundingBox(), await at(page, 5, 4).boundingBox()];
    await page.mouse.move(from!.x + 10, from!.y + 10);
    await page.mouse.down();
    await page.mouse.move(to!.x + 8, to!.y + 8, { steps: 8 });
    await page.mouse.up();
    expect(await selectedCount(page)).toBe(16);
    await expect(at(page, 2, 1)).toBeFocused();
    expect(await page.evaluate(() => getSelection()?.toString() ?? '')).toBe('');
  });

  test('dragging past the border scrolls on', async ({ page, harness }) => {
    await open(page, harness, '?scene=large&rows=500&rules=8');
    const from = await at(page, 1, 1).boundingBox();
    const grid = await page.getByRole('grid').boundingBox();
    await page.mouse.move(from!.x + 10, from!.y + 10);
    await page.mouse.down();
    await page.mouse.move(from!.x + 10, grid!.y + grid!.height - 4, { steps: 4 });
    await expect
      .poll(() => page.getByRole('grid').evaluate((element) => element.scrollTop))
      .toBeGreaterThan(300);
    await page.mouse.up();
    await page.keyboard.press('n');
    await expect(page.locator('.mx-selected')).toContainText(/\d+ cells selected/);
  });

  test('a row heading selects its item, a rule heading its rule', async ({ page, harness }) => {
    await open(page, harness);
    await page.getByRole('rowheader').nth(3).click();
    expect(await selectedCount(page)).toBe(13);
    await page
      .getByRole('rowheader')
      .nth(5)
      .click({ modifiers: ['Shift'] });
    await expect(page.getByText('39 cells selected', { exact: true })).toBeVisible();
    await page.getByRole('columnheader', { name: 'Mycoplasma detected' }).click();
    await expect(page.getByText('24 cells selected', { exact: true })).toBeVisible();
    await page.keyboard.press('Delete');
    await confirmReplacing(page);
    await expect(cell(page, A03, MYCOPLASMA)).toHaveAttribute('aria-label', /: unrecorded$/);
  });

  test('the card of a rule comes on hover, can be entered, and goes with Escape', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('columnheader', { name: 'Mycoplasma detected' }).hover();
    const card = page.getByRole('tooltip');
    await expect(card).toBeVisible();
    await expect(card).toContainText('FALSE evidence present');
    await card.hover();
    await page.waitForTimeout(300);
    await expect(card).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(card).toHaveCount(0);
  });

  test('a heading that comes to lie under a resting pointer shows no card', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    const heading = page.getByRole('columnheader', { name: 'Mycoplasma detected' });
    const box = (await heading.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.reload();
    await heading.waitFor();
    await page.waitForTimeout(400);
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await page.mouse.move(box.x + box.width / 2 + 2, box.y + box.height / 2);
    await expect(page.getByRole('tooltip')).toBeVisible();
  });

  test('a press on the card leaves the focus in its cell', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 2, 1).click();
    await page.getByRole('columnheader', { name: 'Mycoplasma detected' }).hover();
    await page.getByRole('tooltip').getByText('FALSE').first().click();
    await page.keyboard.press('n');
    await expect(at(page, 2, 1)).toHaveText('NA');
  });
});

test.describe('panel', () => {
  test('follows the focus, and emphasises the meaning that is recorded', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    const panel = page.getByRole('complementary', { name: 'Evidence of the cell' });
    await expect(panel.getByRole('heading', { name: 'Cell line identity mismatch' })).toBeVisible();
    await expect(panel.getByRole('radio', { name: 'FALSE, evidence present' })).toHaveAttribute(
      'aria-checked',
      'true',
    );
    await expect(panel.getByLabel('Reported value')).toHaveValue('16 of 16 loci match');
    await page.keyboard.press('ArrowRight');
    await expect(panel.getByRole('heading', { name: 'Mycoplasma detected' })).toBeVisible();
    await expect(panel.getByLabel('Reported value')).toHaveValue('');
  });

  test('outcome buttons record; arrows among them only move', async ({ page, harness }) => {
    await open(page, harness);
    const target = cell(page, A03, MYCOPLASMA);
    await target.click();
    await page.keyboard.press('F6');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('radio', { name: 'TRUE, problem found' })).toBeFocused();
    await expect(target).toHaveAttribute('aria-label', /FALSE/);
    await page.keyboard.press('Space');
    await expect(target).toHaveAttribute('aria-label', /TRUE, problem found$/);
  });

  test('F2 edits the reported value; leaving the field saves it as one gesture', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await cell(page, A03, MYCOPLASMA).click();
    await page.keyboard.press('F2');
    await expect(page.getByLabel('Reported value')).toBeFocused();
    await page.keyboard.type('not detected, 2 of 2');
    await at(page, 4, 4).click();
    await expect(at(page, 4, 4)).toBeFocused();
    await cell(page, A03, MYCOPLASMA).click();
    await expect(page.getByLabel('Reported value')).toHaveValue('not detected, 2 of 2');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByLabel('Reported value')).toHaveValue('');
    await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  });

  test('whoever comes into the panel before it has followed writes to the cell that has the focus', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    await expect(page.locator('.mx-panel .mx-uid').first()).toContainText(A03);
    await page.getByRole('textbox', { name: 'Notes' }).waitFor();
    // Within one task, so that no timer can have run between.
    await page.evaluate(
      ([item, rule]) => {
        const target = document.querySelector<HTMLElement>(
          `[role=gridcell][aria-label^="${item}, ${rule}: "]`,
        )!;
        target.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0, buttons: 1 }));
        target.focus();
        document.querySelectorAll<HTMLElement>('.mx-panel textarea')[1]!.focus();
      },
      [A03, MYCOPLASMA],
    );
    await page.keyboard.type('for this one');
    await page.keyboard.press('Control+Enter');
    await expect(page.locator('.mx-panel-head')).toContainText('Mycoplasma detected');
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue('for this one');
    await cell(page, A03, IDENTITY).click();
    await expect(page.locator('.mx-panel-head')).toContainText('Cell line identity mismatch');
    await expect(page.getByRole('textbox', { name: 'Notes' })).not.toHaveValue('for this one');
  });

  test('Ctrl+Enter saves notes, Escape gives an edit up and then returns to the matrix', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 1).click();
    const notes = page.getByLabel('Notes');
    await notes.fill('Checked twice');
    await notes.press('Control+Enter');
    await expect(at(page, 0, 1)).toHaveAttribute('data-noted', '');
    await notes.fill('Something else');
    await notes.press('Escape');
    await expect(notes).toHaveValue('Checked twice');
    await notes.press('Escape');
    await expect(at(page, 0, 1)).toBeFocused();
    await page.keyboard.press('t');
    await expect(at(page, 0, 1)).toHaveAttribute('aria-label', /TRUE/);
  });

  test('letters typed in a field record nothing', async ({ page, harness }) => {
    await open(page, harness);
    await at(page, 0, 1).click();
    await page.getByLabel('Notes').pressSequentially('tfn');
    await expect(at(page, 0, 1)).toHaveAttribute('aria-label', /FALSE/);
  });

  test('provenance is a text or four parts', async ({ page, harness }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    await expect(page.getByLabel('Locator')).toHaveValue('row 1');
    await page.getByLabel('Method').fill('STR, 15 loci');
    await page.getByLabel('Date').fill('2025-04-03');
    await at(page, 6, 6).click();
    await cell(page, A03, IDENTITY).click();
    await expect(page.getByLabel('Method')).toHaveValue('STR, 15 loci');
    await expect(page.getByLabel('Date')).toHaveValue('2025-04-03');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByLabel('Date')).toHaveValue('2025-04-02');
  });

  test('history lists who did what and restores', async ({ page, harness }) => {
    await open(page, harness);
    const target = cell(page, A03, IDENTITY);
    await target.click();
    await page.keyboard.press('t');
    const history = page.getByRole('region', { name: 'History of this cell' });
    await expect(history.getByRole('listitem')).toHaveCount(2);
    await expect(history).toContainText('TRUE, problem found');
    await history.getByRole('button', { name: /^Restore this/ }).click();
    await expect(target).toHaveAttribute('aria-label', /FALSE, evidence present$/);
    await expect(page.getByLabel('Reported value')).toHaveValue('16 of 16 loci match');
    await expect(history).toContainText('Restored from');
  });

  test('is closed, opened by Space, and its width moves with the keys', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.getByRole('button', { name: 'Close the evidence panel' }).click();
    await expect(page.getByRole('complementary')).toHaveCount(0);
    await expect(at(page, 0, 0)).toBeFocused();
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary');
    await expect(panel).toBeVisible();
    const before = (await panel.boundingBox())!.width;
    await page.getByRole('separator', { name: 'Width of the evidence panel' }).press('ArrowLeft');
    await expect.poll(async () => (await panel.boundingBox())!.width).toBeGreaterThan(before);
  });
});

test.describe('toolbar', () => {
  test('filters by text and by state, and always tells how many are shown', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await expect(page.getByText('24 of 24 items shown')).toBeVisible();
    await page.getByRole('searchbox').fill('clone A0');
    await expect(page.getByText('4 of 24 items shown', { exact: true })).toBeVisible();
    await expect(page.locator('.ag-row')).toHaveCount(4);
    await page.getByRole('searchbox').fill('zzz');
    await expect(page.getByText('No item passes the filter.')).toBeVisible();
    await page.locator('.mx-nothing').getByRole('button', { name: 'Clear filter' }).click();
    await expect(at(page, 0, 0)).toBeFocused();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('checkbox', { name: 'have conflicts' }).check();
    await expect(page.getByText('1 of 24 items shown', { exact: true })).toBeVisible();
  });

  test('a conflict is resolved in the panel; its row stays until the filter is applied again', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('checkbox', { name: 'have conflicts' }).check();
    await page.locator('.mx-cell[data-contested]').click();
    await page.keyboard.press('n');
    await expect(page.locator('.mx-cell[data-contested]')).toHaveAttribute(
      'aria-label',
      /NA, not available, conflict$/,
    );
    const form = page.getByRole('form', { name: 'Resolve the conflict' });
    // A choice that was made before would go when this value comes.
    await expect(form.getByRole('radio', { name: /NA, not available.*shown now/ })).toBeVisible();
    await form.getByRole('radio', { name: /TRUE, problem found/ }).check();
    await expect(page.getByRole('button', { name: 'Resolve', exact: true })).toBeDisabled();
    await page.getByLabel('Reason').fill('Second reading of the same gel');
    await page.getByLabel('Reason').press('Enter');
    await expect(page.locator('.mx-cell[data-contested]')).toHaveCount(0);
    await expect(page.getByText('1 of 24 items shown', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Apply again' }).click();
    await expect(page.getByText('0 of 24 items shown', { exact: true })).toBeVisible();
  });

  test('says where the work is saved', async ({ page, harness }) => {
    await open(page, harness);
    const set = (status: object): Promise<void> =>
      page.evaluate(
        (value) =>
          (
            window as unknown as { session: { setSaveStatus(s: object): void } }
          ).session.setSaveStatus(value),
        status,
      );
    await set({ waiting: 14, oldest: Date.now() - 190_000, connection: 'offline' });
    await expect(page.getByText('14 changes pending, oldest 3 min')).toBeVisible();
    await set({ problem: 'The disk is full.' });
    await expect(page.getByText('The disk is full. 14 changes not sent.')).toBeVisible();
    await expect(page.getByRole('status').getByText('The disk is full.')).toHaveCount(1);
    await set({
      problem: null,
      waiting: 0,
      oldest: null,
      connection: 'online',
      savedAt: Date.now(),
    });
    await expect(page.getByText(/^Saved on this computer \d\d:\d\d$/)).toBeVisible();
  });

  test('adds items from a pasted list and shows what it refuses', async ({ page, harness }) => {
    await page.goto(`${harness.url}?scene=empty`);
    await page.getByRole('heading', { name: 'No items yet' }).waitFor();
    await expect(page.getByRole('button', { name: 'Run' })).toBeDisabled();
    await page.locator('.mx-empty').getByRole('button', { name: 'Add items' }).click();
    await page.getByLabel('Item IDs, one a line').fill('a-1\tFirst\na-2\na-2\nbad\u200bone\n');
    await page.getByRole('button', { name: 'Add 2 items' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add items' });
    await expect(dialog).toContainText('2 items added');
    await expect(dialog.getByRole('row')).toHaveCount(3);
    await expect(dialog).toContainText('Stands on line 2 already.');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(
      page.getByRole('gridcell', { name: 'a-1, cell_line_identity_mismatch: unrecorded' }),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Run' }).click();
    await expect(page.getByTestId('runs')).toHaveText('1');
  });
});

test('news from elsewhere is drawn at once and moves nothing', async ({ page, harness }) => {
  await open(page, harness);
  await at(page, 3, 3).click();
  const before = await focused(page);
  await page.evaluate(() => {
    const { session } = window as unknown as {
      session: {
        receive(c: object[]): void;
        apply(edit: object): Promise<unknown>;
        items: { item_uid: string }[];
        rules: string[];
      };
    };
    session.receive([
      {
        item: session.items[0]!.item_uid,
        rule: session.rules[0],
        raw_outcome: 'TRUE',
        contested: true,
      },
    ]);
    return session.apply({
      label: 'Elsewhere',
      items: [{ do: 'add', item_uid: 'from-elsewhere' }],
    });
  });
  await expect(cell(page, A03, IDENTITY)).toHaveAttribute(
    'aria-label',
    /TRUE, problem found, conflict$/,
  );
  await expect(page.getByText('25 of 25 items shown')).toBeVisible();
  expect(await focused(page)).toBe(before);
});

test('takes names that every object has for names like others', async ({ page, harness }) => {
  await open(page, harness, '?scene=inherited');
  await expect(page.getByRole('columnheader')).toHaveCount(6);
  for (const item of ['constructor', '__proto__', 'hasOwnProperty']) {
    await cell(page, item, 'constructor').click();
    await page.keyboard.press('t');
    await expect(cell(page, item, 'constructor')).toHaveAttribute('aria-label', /TRUE/);
  }
  const widthOf = async (rule: string): Promise<number> =>
    (await cell(page, 'constructor', rule).boundingBox())?.width ?? 0;
  // The room is shared out in whole pixels.
  expect(Math.abs((await widthOf('constructor')) - (await widthOf('rule_two')))).toBeLessThan(2);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('n');
  await expect(cell(page, '__proto__', 'rule_three')).toHaveAttribute('aria-label', /NA/);
  await page.keyboard.press('Control+z');
  await expect(cell(page, '__proto__', 'rule_three')).toHaveAttribute('aria-label', /unrecorded/);
});
