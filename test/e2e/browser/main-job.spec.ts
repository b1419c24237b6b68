import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { command } from '../../support/served.ts';
import {
  cell,
  cellName,
  createCase,
  focusedName,
  LETTER,
  PROFILE,
  type Raw,
  RULES,
  SAVED,
  send,
  shownMatrix,
  status,
  storedCells,
  test,
  typeCells,
} from './support/studio.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/reference');
const [header, ...lines] = readFileSync(path.join(FIXTURES, 'm12x5_raw.csv'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.trim().split(','));
const ITEMS = lines.map(([item]) => item as string);
const MATRIX = lines.map(([, ...cells]) => cells as Raw[]);
const [EXPECTED] = JSON.parse(readFileSync(path.join(FIXTURES, 'm12x5_expected.json'), 'utf8'));
const CASE = {
  case_uid: 'trio-12x5',
  title: 'Twelve candidates',
  description: 'Typed once, posted once.',
  case_type: 'variant_review',
};

/** The drawings and headings of the items' table that reach beyond their cell or its content. */
const cutDrawings = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cut: string[] = [];
    for (const drawing of document.querySelectorAll('.ag-cell svg, .ag-header-cell svg')) {
      const cell = drawing.closest('.ag-cell, .ag-header-cell')!.getBoundingClientRect();
      const { left, right } = drawing.getBoundingClientRect();
      if (left < cell.left || right > cell.right) cut.push(`${right - cell.right} px of a drawing`);
    }
    for (const heading of document.querySelectorAll('.ag-header-cell-text, .interval-axis'))
      if (heading.scrollWidth > heading.clientWidth) cut.push(heading.textContent);
    return cut;
  });

/** Drops a small table on the bar of the window. */
async function dropFile(page: Page): Promise<void> {
  const dataTransfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['sample,note\na,b\n'], 'table.csv'));
    return transfer;
  });
  await page.dispatchEvent('header.bar', 'drop', { dataTransfer });
}

test('the main job: typed by keyboard and posted by an agent, the same evidence has the same hash', async ({
  page,
  start,
}) => {
  test.setTimeout(120_000);
  expect(header?.slice(1)).toEqual([...RULES]);
  const studio = await start();
  const began = performance.now();
  await studio.enter(page);

  // A file dropped here asks which case it is for.
  await dropFile(page);
  await page
    .getByRole('dialog', { name: /^Import / })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await page.getByRole('button', { name: 'New project' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Trios');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Trios' })).toBeVisible();

  await page.getByRole('button', { name: 'New case' }).click();
  const dialog = page.getByRole('dialog', { name: 'New case' });
  await dialog.getByLabel('Title').fill(CASE.title);
  await dialog.getByLabel('ID', { exact: true }).fill(CASE.case_uid);
  await dialog.getByLabel('Description').fill(CASE.description);
  await dialog.getByLabel('Type').fill(CASE.case_type);
  await dialog.getByRole('combobox', { name: 'Evidence profile' }).click();
  await page.getByRole('option', { name: /^Trio rare disease/ }).click();
  await dialog.getByRole('button', { name: 'Create case' }).click();
  await expect(page.getByRole('heading', { level: 1, name: CASE.title })).toBeVisible();

  await page.getByText('No items yet').waitFor();
  await dropFile(page);
  const importing = page.getByRole('dialog', { name: 'Import a file' });
  await expect(importing.getByText('Heading says sample; 1 different value')).toBeVisible();
  await importing.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Add items' }).last().click();
  await page.getByLabel('Item IDs, one a line').focus();
  await page.evaluate(
    (text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
      document.execCommand('insertText', false, text);
    },
    `${ITEMS.join('\n')}\n`,
  );
  await page.getByRole('button', { name: 'Add 12 items' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('gridcell', { name: /: unrecorded$/ })).toHaveCount(60);

  // From here to the run no pointer: the first items take the focus into the matrix.
  await expect.poll(() => focusedName(page)).toBe(cellName('item_001', RULES[0], null));
  const typing = performance.now();
  for (const row of MATRIX.slice(0, 6)) await typeCells(page, row);
  // The other half with arrows, from the right end of each row to the left and back.
  for (const [row, cells] of MATRIX.slice(6).entries()) {
    const order = row % 2 === 0 ? cells : cells.toReversed();
    for (const [index, raw] of order.entries()) {
      await page.keyboard.press(LETTER[raw]);
      if (index < order.length - 1)
        await page.keyboard.press(row % 2 === 0 ? 'ArrowRight' : 'ArrowLeft');
    }
    await page.keyboard.press('ArrowDown');
  }
  const typed = performance.now();
  await expect(cell(page, 'item_001', 'parents_genotype_missing', 'FALSE')).toHaveAccessibleName(
    'item_001, parents_genotype_missing: FALSE, evidence present',
  );
  expect(await shownMatrix(page, ITEMS)).toEqual(MATRIX);
  await expect(status(page)).toHaveText(SAVED);
  const saved = performance.now();

  const before = await shownMatrix(page, ITEMS);
  for (let back = 0; back < 3; back += 1) await page.keyboard.press('Control+z');
  await expect(cell(page, 'item_012', RULES[2], null)).toBeVisible();
  // The last row was typed from right to left.
  expect((await shownMatrix(page, ITEMS))[11]).toEqual([null, null, null, 'NA', 'NA']);
  for (let forth = 0; forth < 3; forth += 1) await page.keyboard.press('Control+y');
  await expect.poll(() => shownMatrix(page, ITEMS)).toEqual(before);
  await expect(status(page)).toHaveText(SAVED);
  const key = await studio.key();
  const stored = await storedCells(studio, key, CASE.case_uid);
  expect(
    ITEMS.map((item) => RULES.map((rule) => stored.get(`${item} ${rule}`)?.raw_outcome)),
  ).toEqual(MATRIX);

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog', { name: 'Run' }).getByRole('button', { name: 'Run' }).click();
  await expect(page).toHaveURL(/\/studio\/runs\/run_[0-9a-z]+$/);
  await expect(page.getByText(/^Across 12 items under /)).toBeVisible();
  const ran = performance.now();

  const shown = (value: number): string => value.toFixed(3);
  const { global, items } = EXPECTED;
  const number = (name: string) =>
    page.locator('.number', { has: page.getByText(name, { exact: true }) });
  await expect(number('Mean sufficiency')).toContainText(shown(global.mean_theta));
  await expect(number('Median')).toContainText(shown(global.median_theta));
  await expect(number('95% range of items')).toContainText(
    `${shown(global.lower_theta)} – ${shown(global.upper_theta)}`,
  );
  for (const item of items) {
    const row = page.getByRole('row', { name: new RegExp(`^${item.item_id} `) }).first();
    for (const value of [item.theta_mean, item.theta_lower, item.theta_upper])
      await expect(row).toContainText(shown(value));
    await expect(row).toContainText(item.percentile.toFixed(1));
  }
  expect(await cutDrawings(page)).toEqual([]);

  const [json] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const file = path.join(studio.data, 'downloaded.json');
  await json.saveAs(file);
  const verified = await command(['verify', file]);
  expect(verified, verified.stderr).toMatchObject({ code: 0 });
  const record = JSON.parse(readFileSync(file, 'utf8'));
  for (const [name, value] of Object.entries({
    mean_theta: global.mean_theta,
    median_theta: global.median_theta,
    lower_theta: global.lower_theta,
    upper_theta: global.upper_theta,
  }))
    expect(record.result.global[name]).toBeCloseTo(value as number, 12);
  for (const [index, item] of items.entries()) {
    const got = record.result.items[index];
    expect([got.item_uid, got.k, got.m]).toEqual([item.item_id, item.k, item.m]);
    for (const name of ['theta_mean', 'theta_lower', 'theta_upper', 'percentile'])
      expect(got[name]).toBeCloseTo(item[name], 12);
  }
  record.frozen.raw[0][0] = 'TRUE';
  writeFileSync(file, JSON.stringify(record));
  expect((await command(['verify', file])).code).toBe(1);

  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const table = readFileSync(await csv.path(), 'utf8')
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  expect(table.map((line) => line[0])).toEqual(['item_uid', ...ITEMS]);
  expect(Number(table[1]?.[(table[0] as string[]).indexOf('theta_lower')])).toBeCloseTo(
    items[0].theta_lower,
    12,
  );

  const other = await start();
  const agent = await other.key();
  await createCase(
    other,
    agent,
    CASE.case_uid,
    ITEMS.map((item_uid, row) => ({
      item_uid,
      evidence: RULES.map((rule_uid, column) => ({
        rule_uid,
        raw_outcome: (MATRIX[row] as Raw[])[column] as Raw,
      })),
    })),
    CASE,
  );
  const run = await send(other, agent, 'POST', 'runs', {
    case_uid: CASE.case_uid,
    profile_uid: PROFILE,
  });
  expect(run.frozen).toEqual({ ...record.frozen, raw: MATRIX });
  expect(run.content_hash).toBe(record.content_hash);
  console.log(
    `main job: 60 cells typed in ${Math.round(typed - typing)} ms, saved ${Math.round(saved - typed)} ms later, first page to result ${Math.round(ran - began)} ms; ${run.content_hash}`,
  );
});

test(
  'what is typed moves on by itself where the person wants that',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'advance',
      ['item_001', 'item_002', 'item_003'].map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/advance`);
    await page.getByRole('button', { name: 'View options' }).click();
    await page.getByRole('radio', { name: 'right' }).check();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'View options' })).toBeFocused();
    for (
      let presses = 0;
      presses < 4 && !(await focusedName(page))?.startsWith('item_');
      presses += 1
    )
      await page.keyboard.press('F6');
    await page.keyboard.type('tfntf');
    expect(await focusedName(page)).toBe(cellName('item_001', RULES[4], 'FALSE'));
    expect(await shownMatrix(page, ['item_001'])).toEqual([
      ['TRUE', 'FALSE', 'NA', 'TRUE', 'FALSE'],
    ]);
    await expect(status(page)).toHaveText(SAVED);
    expect((await storedCells(studio, key, 'advance')).size).toBe(5);
  },
);
