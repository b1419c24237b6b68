import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { findCalc, openCalc } from '../../support/calc.ts';
import { SHEET_CELLS, SHEET_WORD, sheetFromCalc } from '../../support/calc-sheet.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import {
  command,
  createListener,
  focusedNode,
  listen,
  pasteFrom,
  pointed,
  press,
  tabTo,
} from '../../support/listening.ts';
import { cellName, createCase, fromPage, openCase, PROFILE, RULES, test } from './studio.ts';

interface Stored {
  items: {
    item_uid: string;
    evidence: { rule_uid: string; raw_outcome: string | null; notes?: string | null }[];
  }[];
}
/** Outcomes as the server has them, by item and rule. */
async function storedCells(page: Page, caseUid: string): Promise<(string | null)[][]> {
  const { value } = await fromPage<Stored>(
    page,
    'GET',
    `cases/${caseUid}/evidence?profile_uid=${PROFILE}&limit=200`,
  );
  return value.items.map(({ evidence }) =>
    RULES.map((rule) => evidence.find((entry) => entry.rule_uid === rule)?.raw_outcome ?? null),
  );
}

const onCell = (page: Page, item: string, rule: number, key: 'T' | 'F' | 'N' | null) =>
  expect
    .poll(() => focusedNode(page))
    .toMatchObject({ role: 'gridcell', name: cellName(item, RULES[rule]!, key) });

let program: string | undefined;
test.beforeAll(() => {
  test.setTimeout(1_300_000);
  program = findCalc();
});

/** What messages call the first rule. */
const RULE_NAME = 'Parent genotype unavailable';

test('paste from Calc, correct, run: by keys alone', async ({ open }) => {
  test.skip(program === undefined, 'LibreOffice Calc is not installed.');
  test.setTimeout(180_000);
  const calc = await openCalc(program!);
  const sheet = await sheetFromCalc(calc, RULES).finally(() => calc.close());
  const { page } = await open();
  await createCase(page, 'sheet', 0);
  await listen(page);
  await page.goto(`app://studio/studio/cases/sheet?profile=${PROFILE}@1.1`);
  const hear = createListener(page);
  await expect(page.getByText('No items yet')).toBeVisible({ timeout: 20_000 });

  await command(page, 'add items');
  await expect
    .poll(() => focusedNode(page))
    .toMatchObject({ role: 'textbox', name: 'Item IDs, one a line' });
  await pasteFrom(page, { text: sheet.items });
  await tabTo(page, 'button', 'Add 6 items');
  await press(page, 'Enter');
  await hear('6 items added');
  await onCell(page, 'SEPT2', 0, null);

  await pasteFrom(page, sheet);
  await expect
    .poll(() => focusedNode(page))
    .toMatchObject({
      role: 'dialog',
      name: 'Paste into the matrix',
      description: '7 rows by 7 columns. 27 cells would change.',
    });
  await tabTo(page, 'combobox', `“${SHEET_WORD}” maps to`);
  await press(page, 'Enter');
  await expect
    .poll(() => focusedNode(page))
    .toMatchObject({ role: 'option', name: expect.stringMatching(/^FALSE/) });
  await press(page, 'ArrowDown', 'Enter');
  await hear(/^Newly recorded 29/);
  await press(page, 'Control+Enter');
  await hear('29 cells pasted');

  await press(page, 'Control+f');
  await page.keyboard.type('candidate');
  await hear('1 of 2: Rett candidate, label');
  await press(page, 'Escape', 'n');
  await hear(cellName('Rett candidate', RULE_NAME, 'N'));
  await press(page, 'ArrowDown', 't');
  await hear(cellName('Dravet candidate', RULE_NAME, 'T'));
  await press(page, 'Control+z');
  await hear(/^Undone: /);
  await onCell(page, 'SCN1A', 0, 'F');
  await press(page, 'Control+y');
  await hear(/^Redone: /);
  await onCell(page, 'SCN1A', 0, 'T');

  await command(page, 'run');
  await expect.poll(() => focusedNode(page)).toMatchObject({ role: 'dialog', name: 'Run' });
  await tabTo(page, 'button', 'Run');
  await press(page, 'Enter');
  await expect
    .poll(() => focusedNode(page), { timeout: 20_000 })
    .toMatchObject({ role: 'heading', name: expect.stringMatching(/^Run of /) });
  expect(await pointed(page)).toEqual([]);

  const meant = SHEET_CELLS.map((row) =>
    row.map((word) => (word === SHEET_WORD ? 'TRUE' : word === '' ? null : word)),
  );
  meant[3]![0] = 'NA';
  meant[4]![0] = 'TRUE';
  const { value: run } = await fromPage<{ frozen: { raw: unknown } }>(
    page,
    'GET',
    `runs/${page.url().split('/').at(-1)}`,
  );
  expect(run.frozen.raw).toEqual(meant);
  expect((await storedCells(page, 'sheet')).toSorted()).toEqual(meant.toSorted());
});

test(
  'a block is filled by keys, the menu of a cell opens by keys, a reload keeps the place, a file is read',
  IN_LONG_FORM,
  async ({ open, data }) => {
    test.setTimeout(120_000);
    const { page } = await open();
    await createCase(page, 'block', 40);
    await listen(page);
    const grid = await openCase(page, 'block');
    const hear = createListener(page);
    await tabTo(page, 'gridcell', cellName('item_001', RULES[0], null), 60);
    await press(page, 't');
    await hear(cellName('item_001', RULE_NAME, 'T'));
    await press(page, 'Shift+ArrowDown', 'Shift+ArrowDown');
    await hear('3 cells selected, 3 items by 1 rule');
    await press(page, 'Control+d');
    await hear('Fill 2 cells down: 2 cells changed');
    await expect
      .poll(async () => (await storedCells(page, 'block')).map((row) => row[0]).slice(0, 4))
      .toEqual(['TRUE', 'TRUE', 'TRUE', null]);

    await press(page, 'Escape', 'ArrowDown', 'Shift+F10');
    await expect(page.getByRole('menu')).toBeVisible();
    await expect
      .poll(() => focusedNode(page))
      .toMatchObject({ role: 'menu', name: 'Commands for the selection' });
    await press(page, 'Escape');
    await expect(page.getByRole('menu')).toHaveCount(0);
    await expect(grid.locator(':focus')).toHaveRole('gridcell');

    await press(page, 'Control+End');
    await onCell(page, 'item_040', 4, null);
    await page.reload();
    await expect(page.getByRole('gridcell', { selected: true })).toHaveAccessibleName(
      cellName('item_040', RULES[4], null),
      { timeout: 20_000 },
    );
    await expect(page.getByRole('gridcell', { selected: true })).toBeInViewport();

    const file = path.join(data, 'block.csv');
    writeFileSync(file, `item_uid,${RULES[1]}\nitem_001,FALSE\nitem_002,NA\n`);
    const chooser = page.waitForEvent('filechooser');
    await command(page, 'import a file');
    const dialog = page.getByRole('dialog', { name: /^Import/ });
    await tabTo(page, 'button', /^Choose a file/);
    await press(page, 'Enter');
    await (await chooser).setFiles(file);
    await expect(dialog).toContainText('block.csv');
  },
);
