import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { writeXlsx } from '../../../src/renderer/files/xlsx-write.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { cell, focused, open, test } from './support/harness.ts';

/** The harness puts it there. */
type Opened = { session: MatrixSession };
const dialog = (page: Page): Locator => page.getByRole('dialog', { name: 'Import a file' });
const importButton = (page: Page): Locator => button(page, /^(Import|Nothing to import)/);
const button = (page: Page, name: string | RegExp): Locator =>
  dialog(page).getByRole('button', { name });
const rows = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as Opened).session.items.length);

/** Through the real file chooser. */
async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  await page.getByRole('button', { name: 'Import a file' }).first().click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog(page).getByText('Choose a file').click(),
  ]);
  await chooser.setFiles({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(content),
  });
}
async function pick(page: Page, label: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option }).first().click();
}
const sum = (page: Page, name: string): Locator =>
  dialog(page).locator('.tr-sums > div').filter({ hasText: name }).locator('dd');

test('a file by keys alone: words are asked about, nothing is guessed, one undo takes all back', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await choose(
    page,
    'clones.csv',
    Buffer.from(
      'Made in the lab;;;\r\nitem_uid;label;mycoplasma_detected;Notes of ours\r\nDEMO1-g1-A03;;yes;x\r\nSEPT2;caf\u00e9;no;x\r\n2-Sep;;WAHR;x\r\n2-Sep;;TRUE;x\r\n',
      'latin1',
    ),
  );
  // Assumed, so how it was read is open.
  await expect(dialog(page).getByRole('combobox', { name: 'Encoding' })).toHaveText(
    'Windows-1252, Western',
  );
  await expect(dialog(page).getByRole('combobox', { name: 'Delimiter' })).toHaveText('Semicolon');
  await pick(page, 'Headings are in', 'Row 2');
  await expect(dialog(page).getByRole('cell', { name: 'café' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: /Use column D/ })).toHaveText(
    'Item: field “Notes of ours”',
  );
  await expect(dialog(page).getByText('2 values are not mapped yet.')).toBeVisible();
  await expect(importButton(page)).toBeDisabled();
  await dialog(page).getByRole('radio', { name: 'evidence present' }).press('Space');
  await expect(dialog(page).getByText('2 cells with TRUE or FALSE are read as')).toBeVisible();
  await expect(sum(page, 'Items added')).toHaveText('2');
  await expect(dialog(page).getByText('The item is already in row 5.')).toBeVisible();
  await expect(
    dialog(page).locator('summary', { hasText: '1 name probably changed by a spreadsheet' }),
  ).toBeVisible();
  expect(await rows(page)).toBe(24);
  await importButton(page).press('Enter');
  await expect(dialog(page).getByText('2 items added')).toBeVisible();
  await button(page, 'Done').press('Enter');
  await expect(page.getByText('of 26 items shown')).toBeVisible();
  const detail = await page.evaluate(() => {
    const { session } = window as unknown as Opened;
    return [
      session.state(session.rowOf('2-Sep'), session.columnOf('mycoplasma_detected')),
      session.detail(session.rowOf('SEPT2'), session.columnOf('mycoplasma_detected')).source_value,
      session.items.at(-2)?.label,
    ];
  });
  // What a German spreadsheet writes for TRUE is turned by the switch too, and that was said.
  expect(detail).toEqual(['FALSE', 'no', 'café']);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('of 24 items shown')).toBeVisible();
});

test(
  'an export read again changes nothing, in every format',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await open(page, harness);
    for (const format of ['XLSX', 'CSV', 'TSV']) {
      await page.getByRole('button', { name: 'Export…' }).click();
      await pick(page, 'Format', format);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`memory_matrix.${format.toLowerCase()}`);
      await expect(page.getByText('The file is ready.')).toBeVisible();
      await page.getByRole('button', { name: 'Done' }).click();
      await choose(page, download.suggestedFilename(), await readFile(await download.path()));
      await expect(importButton(page)).toHaveText('Nothing to import');
      await expect(importButton(page)).toBeDisabled();
      await expect(sum(page, 'Unchanged')).toHaveText('277');
      await button(page, 'Cancel').click();
    }
  },
);

test('a binary matrix comes with its description, and keeps apart what its zeros are', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await page.getByRole('button', { name: 'Export…' }).click();
  await pick(page, 'What', /^Binary matrix/);
  await pick(page, 'Format', 'CSV');
  const [matrix] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  const [side] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save memory_binary.json' }).click(),
  ]);
  const lines = (await readFile(await matrix.path(), 'utf8')).split('\r\n');
  const description = JSON.parse(await readFile(await side.path(), 'utf8')) as {
    standard: string;
    dimensions: unknown;
    raw_outcomes: { rows: string[] };
  };
  expect(description).toMatchObject({
    standard: 'SGA-QEM-1.0',
    dimensions: { items: 24, rules: 13 },
  });
  for (const [row, letters] of description.raw_outcomes.rows.entries())
    expect(lines[row + 1]?.split(',').slice(1).join('')).toBe(
      [...letters].map((letter) => (letter === 'F' ? '1' : '0')).join(''),
    );
});

test('a file dropped on an empty case', async ({ page, harness }) => {
  await page.goto(`${harness.url}?scene=empty`);
  await expect(page.getByRole('button', { name: 'Import a file', exact: true })).toBeVisible();
  const book = await writeXlsx(
    [
      {
        name: 'Items',
        rowCount: 2,
        columns: [
          { header: 'item_uid', cells: ['SEPT2', '00123'] },
          { header: 'guide', cells: ['1-2', '=1+1'] },
        ],
      },
    ],
    createPace(),
  );
  const bytes = [...new Uint8Array(await book.arrayBuffer())];
  const data = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], 'items.xlsx'));
    return transfer;
  }, bytes);
  await page.dispatchEvent('.mx-editor', 'dragover', { dataTransfer: data });
  await expect(page.locator('.mx-editor')).toHaveAttribute('data-dropping');
  await page.dispatchEvent('.mx-editor', 'drop', { dataTransfer: data });
  await dialog(page).getByText('How the file is read').click();
  await expect(dialog(page).getByRole('combobox', { name: 'Sheet' })).toHaveText('Items');
  await pick(page, /Use column B/, 'Item: field “guide”');
  await expect(dialog(page).getByText('Chosen by you')).toBeVisible();
  await button(page, 'Import 2 items').click();
  await button(page, 'Done').click();
  await expect(cell(page, '00123', 'mycoplasma_detected')).toBeVisible();
  expect(
    await page.evaluate(() =>
      (window as unknown as Opened).session.items.map((item) => [item.item_uid, item.metadata]),
    ),
  ).toEqual([
    ['SEPT2', { guide: '1-2' }],
    ['00123', { guide: '=1+1' }],
  ]);
});

test(
  'what cannot be read is told, and the columns of the last time are known again',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await open(page, harness);
    await choose(page, 'old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0]));
    await expect(dialog(page).getByRole('alert')).toContainText('.xls file of an old Excel');
    await button(page, 'Cancel').click();
    await choose(page, 'a.csv', 'plate,ours\nx,TRUE\nx,TRUE\n');
    await expect(
      dialog(page).getByText('No column is used as the item’s ID.').first(),
    ).toBeVisible();
    await expect(importButton(page)).toBeDisabled();
    await pick(page, /Use column A/, 'Item: ID');
    await pick(page, /Use column B/, /^Rule: Mycoplasma detected/i);
    await importButton(page).click();
    await button(page, 'Done').click();
    await choose(page, 'b.csv', 'plate,ours\ny,NA\n');
    await expect(
      dialog(page).getByText('Used as last time for these headings, values'),
    ).toBeVisible();
    await expect(page.getByRole('combobox', { name: /Use column B/ })).toHaveText(
      /^Rule: Mycoplasma/i,
    );
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    expect(await focused(page)).toBe('Import a file…');
  },
);

for (const theme of ['light', 'dark']) {
  test(`axe finds nothing in any step: ${theme}`, IN_LONG_FORM, async ({ page, harness }) => {
    await open(page, harness, `?theme=${theme}`);
    const check = (): Promise<void> => expectAccessible(page, '[role=dialog]');
    await page.getByRole('button', { name: 'Export…' }).click();
    await check();
    await page.keyboard.press('Escape');
    await choose(
      page,
      'a.csv',
      'item_uid,label,mycoplasma_detected\n2-Sep,a,yes\nDEMO1-g1-A07,x,TRUE\n\ufffd,y,TRUE\n',
    );
    await importButton(page).waitFor();
    await check();
    await dialog(page).getByRole('radio', { name: 'evidence present' }).click();
    await dialog(page).getByText('How the file is read').click();
    await dialog(page).getByText('yes (1), TRUE (2)').click();
    await pick(page, '“TRUE” in mycoplasma_detected maps to', /^NA/);
    await expect(dialog(page).getByText('are not read as they stand')).toBeVisible();
    await expect(importButton(page)).toBeEnabled();
    await check();
  });
}

test(
  '20,000 rows can be stopped in the middle, and then be read',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    test.setTimeout(180_000);
    await open(page, harness, '?scene=large&rows=100&rules=6');
    const rules = await page.evaluate(() => [...(window as unknown as Opened).session.rules]);
    const words = ['TRUE', 'FALSE', 'NA', ''];
    const file = await writeXlsx(
      [
        {
          name: 'M',
          rowCount: 20_000,
          columns: [
            { header: 'item_uid', cells: Array.from({ length: 20_000 }, (_, row) => `new_${row}`) },
            ...rules.map((header, column) => ({
              header,
              codes: Uint8Array.from({ length: 20_000 }, (_, row) => (row + column) % 4),
              words,
            })),
          ],
        },
      ],
      createPace(),
    );
    const bytes = Buffer.from(await file.arrayBuffer());
    await choose(page, 'large.xlsx', bytes);
    await button(page, 'Stop').click();
    await expect(dialog(page).getByText('Choose a file')).toBeVisible();
    expect(await rows(page)).toBe(100);
    await button(page, 'Cancel').click();
    await choose(page, 'large.xlsx', bytes);
    await expect(sum(page, 'Cells newly recorded')).toHaveText('90,000', { timeout: 60_000 });
    await button(page, /^Import 20,000 items/).click();
    await expect(dialog(page).getByText('90,000 cells written')).toBeVisible({ timeout: 60_000 });
    expect(await rows(page)).toBe(20_100);
  },
);
