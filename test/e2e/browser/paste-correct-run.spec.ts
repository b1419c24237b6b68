import { expect, type Page } from '@playwright/test';
import { findCalc, openCalc } from '../../support/calc.ts';
import { SHEET_CELLS, SHEET_ITEMS, SHEET_WORD, sheetFromCalc } from '../../support/calc-sheet.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import {
  command,
  createListener,
  focusedNode,
  listen,
  nodeOf,
  pasteFrom,
  pointed,
  press,
  tabTo,
} from '../../support/listening.ts';
import {
  cellName,
  createCase,
  openCase,
  RULES,
  SAVED,
  send,
  status,
  storedCells,
  storedHistory,
  test,
  uids,
} from './support/studio.ts';

const ITEMS = SHEET_ITEMS.map(([uid]) => uid);
/** What messages call the first rule. */
const RULE_NAME = 'Parent genotype unavailable';
const NOTE = 'Checked against the trio call set.';

let program: string | undefined;
test.beforeAll(() => {
  test.setTimeout(1_300_000);
  program = findCalc();
});

/** The dialog that holds the focus; what lies behind it is out of a screen reader's reach. */
async function inDialog(page: Page, name: string): Promise<void> {
  await expect
    .poll(() => nodeOf(page, 'document.activeElement.closest("[role=dialog]") ?? document.body'))
    .toMatchObject({ role: 'dialog', name });
  for (const role of ['grid', 'toolbar', 'navigation', 'search'] as const)
    await expect(page.getByRole(role), role).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0);
}
const onCell = (page: Page, item: string, rule: number, raw: 'TRUE' | 'FALSE' | 'NA' | null) =>
  expect
    .poll(() => focusedNode(page))
    .toMatchObject({ role: 'gridcell', name: cellName(item, RULES[rule]!, raw) });

test(
  'paste from Calc, correct, run: by keys alone, and every step is said',
  IN_LONG_FORM,
  async ({ page, studio, context }) => {
    test.skip(program === undefined, 'LibreOffice Calc is not installed.');
    test.setTimeout(300_000);
    const calc = await openCalc(program!);
    const sheet = await sheetFromCalc(calc, RULES).finally(() => calc.close());
    expect(sheet.text).toContain('SEPT2\tseptin, proband\tFALSE');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = await studio.key();
    await createCase(studio, key, 'sheet', [], { title: 'From a sheet' });
    await listen(page);
    await studio.signIn(page);
    const hear = createListener(page);
    await page.goto(`${studio.url}/studio/cases/sheet`);
    await expect(page.getByText('No items yet')).toBeVisible({ timeout: 20_000 });

    await test.step('items', async () => {
      await command(page, 'add items');
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({ role: 'textbox', name: 'Item IDs, one a line' });
      await inDialog(page, 'Add items');
      await pasteFrom(page, { text: sheet.items });
      await tabTo(page, 'button', 'Add 6 items');
      await press(page, 'Enter');
      await hear('6 items added');
      await onCell(page, 'SEPT2', 0, null);
    });

    await test.step('the matrix as a grid', async () => {
      expect(
        await nodeOf(page, 'document.querySelector("[role=grid],[role=treegrid]")'),
      ).toMatchObject({ role: 'grid', name: 'Evidence matrix', states: { multiselectable: true } });
      const grid = page.getByRole('grid', { name: 'Evidence matrix' });
      await expect(grid).toHaveAttribute('aria-rowcount', '7');
      await expect(grid).toHaveAttribute('aria-colcount', '8');
      await expect(grid.getByRole('rowheader')).toHaveText(
        SHEET_ITEMS.map(([uid, label]) => new RegExp(`${uid}|${label}`)),
      );
      await press(page, 'Shift+ArrowDown', 'Shift+ArrowRight');
      await hear('4 cells selected, 2 items by 2 rules');
      await expect(grid.getByRole('gridcell', { selected: true })).toHaveCount(4);
      await press(page, 'Escape', 'Control+Home');
      await expect(grid.getByRole('gridcell', { selected: true })).toHaveCount(1);
      expect(await focusedNode(page)).toMatchObject({ states: { selected: true } });
    });

    await test.step('paste with a word that is no outcome', async () => {
      await pasteFrom(page, sheet);
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({
          role: 'dialog',
          name: 'Paste into the matrix',
          description: '7 rows by 7 columns. 27 cells would change.',
        });
      await inDialog(page, 'Paste into the matrix');
      await tabTo(page, 'combobox', `“${SHEET_WORD}” maps to`);
      await press(page, 'Enter');
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({ role: 'option', name: expect.stringMatching(/^FALSE/) });
      await press(page, 'ArrowDown');
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({ role: 'option', name: expect.stringMatching(/^TRUE/) });
      await press(page, 'Enter');
      await hear(/^Newly recorded 29 Empty cells 1$/);
      await tabTo(page, 'button', 'Paste 29 cells');
      await press(page, 'Enter');
      await hear('29 cells pasted');
      await expect(page.locator('.mx-status')).toContainText('29 cells pasted');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await onCell(page, 'SEPT2', 0, 'FALSE');
    });

    await test.step('find and correct two cells', async () => {
      await press(page, 'Control+f');
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({ role: 'textbox', name: 'Find in the matrix' });
      await page.keyboard.type('candidate');
      await hear(/^1 of 2: Rett candidate, label$/);
      await press(page, 'Enter');
      await hear(/^2 of 2: Dravet candidate, label$/);
      await press(page, 'Shift+Enter');
      await hear(/^1 of 2: Rett candidate, label$/);
      await press(page, 'Escape');
      await onCell(page, 'MECP2', 0, 'FALSE');
      await press(page, 'n');
      await hear(cellName('Rett candidate', RULE_NAME, 'NA'));
      await press(page, 'ArrowDown', 't');
      await hear(cellName('Dravet candidate', RULE_NAME, 'TRUE'));
      await onCell(page, 'SCN1A', 0, 'TRUE');
    });

    await test.step('undo and redo', async () => {
      await press(page, 'Control+z');
      await hear(/^Undone: Set Dravet candidate, Parent genotype unavailable to TRUE/);
      await onCell(page, 'SCN1A', 0, 'FALSE');
      await press(page, 'Control+y');
      await hear(/^Redone: Set Dravet candidate, Parent genotype unavailable to TRUE/);
      await onCell(page, 'SCN1A', 0, 'TRUE');
    });

    await test.step('a note', async () => {
      await press(page, 'Control+F2');
      await expect.poll(() => focusedNode(page)).toMatchObject({ role: 'textbox', name: 'Notes' });
      await page.keyboard.type(NOTE);
      await press(page, 'Control+Enter');
      await hear(`Notes of Dravet candidate, ${RULE_NAME} saved`);
      await press(page, 'Escape');
      await onCell(page, 'SCN1A', 0, 'TRUE');
      await expect(status(page)).toHaveText(SAVED);
    });

    await test.step('run', async () => {
      await command(page, 'run');
      await expect.poll(() => focusedNode(page)).toMatchObject({ role: 'dialog', name: 'Run' });
      await inDialog(page, 'Run');
      await tabTo(page, 'button', 'Run');
      await press(page, 'Enter');
      await expect(page).toHaveURL(/\/studio\/runs\/run_[0-9a-z]+$/);
      await expect(page.getByText(/^Across 6 items under /)).toBeVisible();
      await hear('Freezing and computing…');
      await expect
        .poll(() => focusedNode(page))
        .toMatchObject({ role: 'heading', name: 'Run of From a sheet' });
    });

    expect(await pointed(page)).toEqual([]);

    const meant = SHEET_CELLS.map((row) =>
      row.map((word) => (word === SHEET_WORD ? 'TRUE' : word === '' ? null : word)),
    );
    meant[3]![0] = 'NA';
    meant[4]![0] = 'TRUE';
    const stored = await storedCells(studio, key, 'sheet');
    expect(
      ITEMS.map((item) => RULES.map((rule) => stored.get(`${item} ${rule}`)?.raw_outcome ?? null)),
    ).toEqual(meant);
    expect(stored.get(`SCN1A ${RULES[0]}`)).toMatchObject({ notes: NOTE });
    expect(stored.get(`MARCH1 ${RULES[3]}`)).toMatchObject({ source_value: SHEET_WORD });
    expect(
      (await storedHistory(studio, key, 'sheet', 'SCN1A', RULES[0])).length,
    ).toBeGreaterThanOrEqual(5);
    const run = await send(studio, key, 'GET', `runs/${page.url().split('/').at(-1)}`);
    expect(run.frozen.raw).toEqual(meant);
    expect(run.result.global).toMatchObject({ n_items: 6, m_rules: 5 });
    expect(
      run.result.items.map(({ item_uid, k }: { item_uid: string; k: number }) => [item_uid, k]),
    ).toEqual(
      ITEMS.map((item, row) => [item, meant[row]!.filter((raw) => raw === 'FALSE').length]),
    );
  },
);

test(
  'the screen-reader view: every row of a page is in the tree, pages and order are said',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(120_000);
    const key = await studio.key();
    const outcomes = ['FALSE', 'TRUE', 'NA', null] as const;
    await createCase(
      studio,
      key,
      'pages',
      uids(60).map((item_uid, row) => ({
        item_uid,
        evidence: RULES.map((rule_uid, column) => ({
          rule_uid,
          raw_outcome: outcomes[(row + column) % 4]!,
        })),
      })),
    );
    await listen(page);
    await studio.signIn(page);
    const grid = await openCase(page, studio, 'pages');
    const hear = createListener(page);
    await tabTo(page, 'gridcell', cellName('item_001', RULES[0], 'FALSE'), 60);
    await command(page, 'screen-reader view');
    await hear('Screen-reader view on: pages of 50 items');
    await onCell(page, 'item_001', 0, 'FALSE');
    await expect(grid).toHaveAttribute('aria-rowcount', '61');
    await expect(grid).toHaveAttribute('aria-colcount', '8');
    await expect(grid.getByRole('gridcell', { name: /^item_\d+, / })).toHaveCount(250);
    await expect(grid.getByRole('rowheader')).toHaveCount(50);

    await press(page, 'Control+End');
    await hear('Items 51 to 60 of 60');
    await onCell(page, 'item_060', 4, null);
    await expect(grid.locator('[role=row]', { has: page.locator(':focus') })).toHaveAttribute(
      'aria-rowindex',
      '61',
    );
    await press(page, 'f');
    await hear(cellName('item_060', 'Unaffected relative is homozygous for the variant', 'FALSE'));
    await press(page, 'Control+Home');
    await hear('Items 1 to 50 of 60');
    await onCell(page, 'item_001', 0, 'FALSE');

    const heading = (rule: number) => grid.locator(`[role=columnheader][col-id="${RULES[rule]}"]`);
    await expect(grid.getByRole('columnheader').first()).toHaveAttribute('aria-sort', 'ascending');
    await command(page, 'sort by this rule, TRUE (problem found) first');
    await hear(/^Items sorted: .*TRUE \(problem found\) first/);
    await expect(heading(0)).toHaveAttribute('aria-sort', 'descending');
    await expect(heading(0)).toHaveAccessibleName(/sorted, TRUE \(problem found\) first/);
    await onCell(page, 'item_001', 0, 'FALSE');
    await press(page, 'Control+Home');
    await onCell(page, 'item_002', 0, 'TRUE');
    await command(page, 'back to the order of the case');
    await hear(/^Items sorted: /);
    await expect(grid.getByRole('columnheader').first()).toHaveAttribute('aria-sort', 'ascending');
    expect(await pointed(page)).toEqual([]);
  },
);
