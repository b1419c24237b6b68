import { expect, type Page } from '@playwright/test';
import { expectAccessible } from './support/axe.ts';
import type { ItemEdit, MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { at, open, test } from './support/harness.ts';
import { paste } from './support/paste.ts';

const field = (page: Page, row: number, key: string) =>
  page.locator(`.ag-row[row-index="${row}"] [col-id="field:${key}"]`);

test('fields of the items are columns: shown, typed, pasted, sorted, and undone', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?rows=6');
  await page.getByRole('button', { name: 'Columns' }).click();
  const list = page.getByRole('list', { name: 'Fields' });
  for (const name of ['passage', 'batch']) await list.getByRole('checkbox', { name }).click();
  await page.getByRole('button', { name: 'Freeze batch' }).click();
  await page.getByRole('textbox', { name: 'Name of a new field' }).fill('seen');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Suggest these for the profile' })).toBeEnabled();
  await expectAccessible(page, '.popover');
  await page.keyboard.press('Escape');

  const passage = field(page, 0, 'passage');
  await expect(passage).toHaveAttribute('aria-label', 'DEMO1-g1-A03, passage: 12');
  await passage.click();
  await page.keyboard.type('many');
  await page.keyboard.press('Enter');
  await expect(page.locator('.mx-news')).toContainText('passage: Write a number');
  const input = page.getByRole('textbox', { name: 'passage of DEMO1-g1-A03' });
  await expect(input).toHaveAttribute('aria-invalid', 'true');
  await input.fill('14');
  await page.keyboard.press('Enter');
  await expect(field(page, 1, 'passage')).toBeFocused();
  await expect(passage).toHaveText('14');
  await page.keyboard.press('F2');
  await page.keyboard.type('99');
  await page.keyboard.press('Escape');
  await expect(field(page, 1, 'passage')).toHaveText('11');

  await page.keyboard.press('ArrowRight');
  await expect(field(page, 1, 'seen')).toBeFocused();
  await paste(page, '2024-03-01\n2024-03-02');
  await expect(field(page, 2, 'seen')).toHaveText('2024-03-02');
  await page.keyboard.press('ArrowLeft');
  await paste(page, '20\nx');
  const dialog = page.getByRole('dialog', { name: 'Paste into the fields' });
  await expect(dialog.getByRole('region', { name: 'Changes' })).toContainText('Skipped: Write');
  await expectAccessible(page, '[role=dialog]');
  await dialog.getByRole('button', { name: 'Paste 1 field' }).click();
  await expect(field(page, 1, 'passage')).toHaveText('20');
  await expect(page.locator('.mx-panel')).toContainText('2024-03-01');

  await page.getByRole('columnheader', { name: 'passage, field, number' }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await page.getByRole('menuitemcheckbox', { name: 'Highest first' }).click();
  await expect(field(page, 0, 'passage')).toHaveText('20');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+z');
  await expect(field(page, 0, 'passage')).toHaveText('11');
});

test('a field that is being typed stays the item’s own, whatever others do to the rows meanwhile', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?rows=6');
  await page.getByRole('button', { name: 'Columns' }).click();
  const list = page.getByRole('list', { name: 'Fields' });
  await list.getByRole('checkbox', { name: 'batch' }).click();
  await page.keyboard.press('Escape');
  const itemsWith = (value: string): Promise<string[]> =>
    page.evaluate((batch) => {
      const { session } = window as unknown as { session: MatrixSession };
      return session.items
        .filter(({ metadata }) => metadata['batch'] === batch)
        .map(({ item_uid }) => item_uid);
    }, value);
  const change = (items: readonly ItemEdit[]): Promise<unknown> =>
    page.evaluate(
      (edits) =>
        (window as unknown as { session: MatrixSession }).session.apply({
          label: 'By others',
          items: edits,
        }),
      items,
    );
  const own = 'DEMO1-g1-B02';
  const edits: ItemEdit[] = [
    { do: 'add', item_uid: 'new', before: 'DEMO1-g1-A03' },
    { do: 'move', item_uids: ['DEMO1-g1-B11'], before: 'DEMO1-g1-A03' },
    { do: 'remove', item_uid: 'DEMO1-g1-A03' },
    { do: 'move', item_uids: [own], before: null },
    { do: 'set', item_uid: own, label: 'another label' },
  ];
  for (const [at, edit] of edits.entries()) {
    await page.getByRole('gridcell', { name: `${own}, batch: ` }).click();
    await page.keyboard.press('F2');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`first ${at}`);
    await change([edit]);
    await page.keyboard.type(' then');
    await page.keyboard.press('Enter');
    await expect.poll(() => itemsWith(`first ${at} then`), edit.do).toEqual([own]);
  }
  // What is typed of an item that is removed goes with it.
  await page.getByRole('gridcell', { name: `${own}, batch: ` }).click();
  await page.keyboard.type('never');
  await change([{ do: 'remove', item_uid: own }]);
  await page.keyboard.type('tfn');
  await page.keyboard.press('Enter');
  expect(await itemsWith('B1')).toHaveLength(4);
});
