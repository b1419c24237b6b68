import { expect, type Locator, type Page } from '@playwright/test';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { at, open, selectedCount, test } from './support/harness.ts';

const uidsShown = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.ag-row')]
      .toSorted((a, b) => Number(a.getAttribute('row-index')) - Number(b.getAttribute('row-index')))
      .map(
        (row) => row.querySelector('.mx-cell')?.getAttribute('aria-label')?.split(', ')[0] ?? '',
      ),
  );
/** What messages call the items. */
const labelsShown = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.ag-row')]
      .toSorted((a, b) => Number(a.getAttribute('row-index')) - Number(b.getAttribute('row-index')))
      .map((row) => row.querySelector('.mx-item-label')?.textContent ?? ''),
  );
const number = (page: Page, row: number): Locator =>
  page.locator(`.ag-row[row-index="${row}"] .mx-heading-number`);
const live = (page: Page): Locator => page.getByTestId('mx-live');

test.describe('items', () => {
  test('what is typed of the next one while one is being stored stays', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=4');
    await page.evaluate(() => {
      const own = globalThis as unknown as { session: MatrixSession; store: () => void };
      const { session } = own;
      const apply = session.apply.bind(session);
      const stored = new Promise<void>((resolve) => {
        own.store = resolve;
      });
      session.apply = async (edit) => {
        const done = await apply(edit);
        await stored;
        return done;
      };
    });
    await at(page, 1, 2).click();
    await page.keyboard.press('Alt+Insert');
    const dialog = page.getByRole('dialog', { name: 'Add an item' });
    const id = dialog.getByLabel('ID', { exact: true });
    const label = dialog.getByLabel('Label');
    await id.fill('first');
    await label.fill('One');
    await dialog.getByRole('button', { name: 'Add another' }).click();
    await id.fill('second');
    await label.fill('Another');
    await page.evaluate(() => (globalThis as unknown as { store: () => void }).store());
    await expect(dialog.getByText('One was added.')).toBeVisible();
    await expect(id).toHaveValue('second');
    await expect(label).toHaveValue('Another');
    await dialog.getByRole('button', { name: 'Add another' }).click();
    await expect(dialog.getByText('Another was added.')).toBeVisible();
    await expect(id).toHaveValue('');
    await expect(label).toHaveValue('');
  });

  test('one is added before the selected one, and its first cell has the focus', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=4');
    const [first, second] = await uidsShown(page);
    await at(page, 1, 2).click();
    await page.keyboard.press('Alt+Insert');
    const dialog = page.getByRole('dialog', { name: 'Add an item' });
    await dialog.getByLabel('ID', { exact: true }).fill('2-Sep');
    await expect(dialog.getByText('Looks like a date')).toBeVisible();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog).toBeVisible();
    await dialog.getByLabel('ID', { exact: true }).fill(first ?? '');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect(dialog.getByText('Is in the matrix already.')).toBeVisible();
    await dialog.getByLabel('ID', { exact: true }).fill('SEPTIN2');
    await dialog.getByLabel('Label').fill('Septin 2');
    await dialog.getByRole('button', { name: 'Add field' }).click();
    await page.keyboard.type('dose');
    await dialog.getByLabel('Type of dose').selectOption('number');
    await dialog.getByLabel('Value of dose').fill('0,5');
    await page.keyboard.press('Enter');
    await expect(
      dialog.getByText('Write a number with a point, such as 0.5; or choose Text.'),
    ).toBeVisible();
    await dialog.getByLabel('Value of dose').fill('0.5');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    expect((await uidsShown(page)).slice(0, 3)).toEqual([first, 'SEPTIN2', second]);
    await expect(page.locator('.mx-cell[aria-label^="SEPTIN2, "]').nth(2)).toBeFocused();
    expect(
      await page.evaluate(
        () =>
          (globalThis as unknown as { session: { items: { metadata: unknown }[] } }).session
            .items[1]?.metadata,
      ),
    ).toEqual({ dose: 0.5 });
    await page.keyboard.press('Control+z');
    expect((await uidsShown(page)).slice(0, 2)).toEqual([first, second]);
  });

  test('label, type and metadata are edited; the uid is not; several get one type', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=4');
    await at(page, 0, 0).click();
    await page.keyboard.press('Shift+F2');
    const dialog = page.getByRole('dialog', { name: 'Edit the item' });
    await expect(dialog.getByLabel('Label')).toBeFocused();
    await expect(
      dialog.getByText('Cannot be changed: history, runs and agents know the item by it.'),
    ).toBeVisible();
    await expect(dialog.getByRole('textbox', { name: 'ID', exact: true })).toHaveCount(0);
    await dialog.getByLabel('Label').fill('Another label');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('rowheader').first()).toContainText('Another label');
    await expect(at(page, 0, 0)).toBeFocused();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+F2');
    const several = page.getByRole('dialog', { name: 'Edit 2 items' });
    await several.getByLabel('Type').fill('control');
    await several.getByRole('button', { name: 'Set the type' }).click();
    await expect(several).toHaveCount(0);
    expect(
      await page.evaluate(() =>
        (
          globalThis as unknown as { session: { items: { item_type: string }[] } }
        ).session.items.map((item) => item.item_type),
      ),
    ).toEqual([
      'control',
      'control',
      expect.not.stringMatching('control'),
      expect.not.stringMatching('control'),
    ]);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('rowheader').first()).not.toContainText('Another label');
  });

  test('a pasted list keeps its order, is checked line by line, and is one step', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=3');
    const before = await uidsShown(page);
    await page.getByRole('button', { name: 'Add items' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add items' });
    await dialog
      .getByLabel('Item IDs, one a line')
      .fill(`n1\tLabel 1\tclone\n${before[0]}\nn1\n1-Mar\nn2`);
    await expect(
      dialog.getByRole('region', { name: 'Refused lines' }).getByRole('row'),
    ).toHaveCount(3);
    await expect(dialog.getByRole('region', { name: 'Flagged lines' })).toContainText('1-Mar');
    await dialog.getByRole('button', { name: 'Add 2 items' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await uidsShown(page)).toEqual([...before, 'n1', 'n2']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.locator('.ag-row')).toHaveCount(3);
  });

  test('a list pasted into an empty case opens the form with it, a wider table the import', async ({
    page,
    harness,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${harness.url}?scene=empty`);
    await page.getByText('No items yet').waitFor();
    const paste = async (text: string): Promise<void> => {
      await page.evaluate((value) => navigator.clipboard.writeText(value), text);
      await page.keyboard.press('Control+v');
    };
    await paste(
      'item_uid\tlabel\tmycoplasma_detected\tguide_target_not_unique\nn1\tOne\tTRUE\tNA\n',
    );
    const wizard = page.getByRole('dialog', { name: 'Import a file' });
    await expect(wizard).toContainText('pasted.tsv');
    // While the file is being read there is only Stop; after it, the keys are the dialog's.
    await wizard.getByRole('button', { name: 'Another file' }).waitFor();
    await page.keyboard.press('Escape');
    await expect(wizard).toHaveCount(0);
    await paste('n1\tLabel 1\nn2');
    const dialog = page.getByRole('dialog', { name: 'Add items' });
    await expect(dialog.getByLabel('Item IDs, one a line')).toHaveValue('n1\tLabel 1\nn2');
    await dialog.getByRole('button', { name: 'Add 2 items' }).click();
    await page.getByRole('grid', { name: 'Evidence matrix' }).waitFor();
    expect(await uidsShown(page)).toEqual(['n1', 'n2']);
    await page.getByRole('button', { name: 'Add items' }).first().click();
    await expect(dialog.getByLabel('Item IDs, one a line')).toHaveValue('');
  });

  test('a uid as long as can be stays inside the window, whatever asks about it', async ({
    page,
    harness,
  }) => {
    await page.setViewportSize({ width: 640, height: 360 });
    await open(page, harness, '?rows=3');
    await page.evaluate(() =>
      (
        globalThis as unknown as { session: { apply(edit: object): Promise<unknown> } }
      ).session.apply({ label: 'Long', items: [{ do: 'add', item_uid: 'L'.repeat(256) }] }),
    );
    for (const keys of ['Alt+Delete', 'Shift+F2', 'Shift+F10']) {
      await at(page, 3, 0).click();
      await page.keyboard.press('t');
      await page.keyboard.press(keys);
      await expect(
        page.locator('[role=alertdialog], [role=dialog].dialog, [role=menu]').last(),
      ).toBeInViewport({ ratio: 1 });
      await page.keyboard.press('Escape');
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(
      true,
    );
  });

  test('rows are moved by keys and by "Move to…"; the focus goes along', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=5');
    const [a, b, c, d, e] = await uidsShown(page);
    const labels = await labelsShown(page);
    await at(page, 1, 1).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Alt+Shift+ArrowDown');
    expect(await uidsShown(page)).toEqual([a, d, b, c, e]);
    await expect(at(page, 2, 1)).toBeFocused();
    expect(await selectedCount(page)).toBe(2);
    await page.keyboard.press('Alt+Shift+ArrowUp');
    await page.keyboard.press('Alt+Shift+ArrowUp');
    await page.keyboard.press('Alt+Shift+ArrowUp');
    expect(await uidsShown(page)).toEqual([b, c, a, d, e]);
    await expect(live(page)).toContainText('Already first');
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await at(page, 0, 0).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Move to');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Move ${labels[1]}` });
    await dialog.getByLabel(/Row number/).fill('4');
    await page.keyboard.press('Enter');
    expect(await uidsShown(page)).toEqual([c, a, d, b, e]);
  });

  test('selected rows are dragged by their number, with a line where they will stand; Escape leaves them', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=6');
    const [a, b, c, d, e, f] = await uidsShown(page);
    await number(page, 0).click();
    await number(page, 1).click({ modifiers: ['Shift'] });
    const from = (await number(page, 0).boundingBox())!;
    const to = (await number(page, 4).boundingBox())!;
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 12, from.y + 40, { steps: 3 });
    await page.mouse.move(to.x + 12, to.y + 4, { steps: 4 });
    await expect(page.getByText('Move 2 items')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.locator('.mx-drop')).toHaveCount(0);
    await page.mouse.up();
    expect(await uidsShown(page)).toEqual([a, b, c, d, e, f]);

    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 12, to.y + 4, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => uidsShown(page)).toEqual([c, d, a, b, e, f]);
    await page.keyboard.press('Control+z');
    await expect.poll(() => uidsShown(page)).toEqual([a, b, c, d, e, f]);
    await number(page, 0).click();
    await expect(page.locator('.mx-cell[aria-selected=true]')).toHaveCount(13);
  });

  test('rows scroll under a drag that reaches the border', async ({ page, harness }) => {
    await open(page, harness, '?scene=large&rows=300&rules=4');
    await number(page, 0).click();
    const from = (await number(page, 0).boundingBox())!;
    const grid = (await page.locator('.mx-field').boundingBox())!;
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 10, grid.y + grid.height + 10, { steps: 5 });
    await expect
      .poll(
        () =>
          page.evaluate(() =>
            Math.max(
              ...[...document.querySelectorAll('.ag-row')].map((row) =>
                Number(row.getAttribute('row-index')),
              ),
            ),
          ),
        { timeout: 15_000 },
      )
      .toBeGreaterThan(40);
    await page.mouse.up();
    await expect(live(page)).toHaveText(/^Candidate 1 is now item \d+$/);
    await expect(page.locator('.mx-cell[aria-label^="item_00001, "]').first()).toBeFocused();
  });

  test('removing asks where cells are recorded, and undo and the list of removed items bring back', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '?rows=4');
    const [a, b] = await uidsShown(page);
    const [label] = await labelsShown(page);
    await at(page, 0, 0).click();
    await page.keyboard.press('Alt+Delete');
    const question = page.getByRole('alertdialog', { name: `Remove ${label}?` });
    await expect(question).toContainText(/\d+ cells of it are recorded/);
    await question.getByRole('button', { name: 'Remove' }).click();
    expect((await uidsShown(page))[0]).toBe(b);
    await expect(page.getByText(`${label} removed with`).first()).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Removed items');
    await page.keyboard.press('Enter');
    const list = page.getByRole('dialog', { name: 'Removed items' });
    await list.getByRole('button', { name: `Restore ${label}` }).click();
    await expect(list).toHaveCount(0);
    expect((await uidsShown(page)).at(-1)).toBe(a);
    await expect(page.locator(`.mx-cell[aria-label^="${a}, "]`).first()).toHaveAttribute(
      'aria-label',
      / FALSE, /,
    );

    await page.evaluate(() =>
      (
        globalThis as unknown as { session: { apply(edit: unknown): Promise<unknown> } }
      ).session.apply({ label: '', items: [{ do: 'add', item_uid: 'empty' }] }),
    );
    await page.locator('.mx-cell[aria-label^="empty, "]').first().click();
    await page.keyboard.press('Alt+Delete');
    await expect(page.locator('.mx-cell[aria-label^="empty, "]')).toHaveCount(0);
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await page.keyboard.press('Alt+Insert');
    await page
      .getByRole('dialog', { name: 'Add an item' })
      .getByLabel('ID', { exact: true })
      .fill('empty');
    await expect(page.getByText('This item was removed before')).toBeVisible();
  });

  test('axe finds nothing in the forms', IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, '?rows=4');
    await at(page, 0, 0).click();
    for (const [key, name] of [
      ['Alt+Insert', 'Add an item'],
      ['Shift+F2', 'Edit the item'],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog', { name });
      await dialog.getByRole('button', { name: 'Add field' }).click();
      await expectAccessible(page, '[role=dialog]');
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
  });
});
