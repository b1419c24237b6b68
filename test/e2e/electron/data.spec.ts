import { expect } from '@playwright/test';
import { killDesktop } from '../../support/electron.ts';
import {
  cell,
  cellName,
  chooseInMenu,
  createCase,
  fromPage,
  type Key,
  openCase,
  PROFILE,
  RAW,
  RULES,
  test,
} from './studio.ts';

const KEYS: readonly Key[] = ['F', 'T', 'N'];
const keyFor = (row: number, column: number): Key => KEYS[(row * 2 + column) % 3] ?? 'F';

test('a case filled by keyboard is all there after the process was killed as soon as it said "saved"', async ({
  open,
}) => {
  const { app, page } = await open();
  const items = await createCase(page, 'keyboard', 6);
  const grid = await openCase(page, 'keyboard');
  await cell(grid, 'item_001', RULES[0], null).click();
  for (let row = 0; row < items.length; row += 1) {
    for (let column = 0; column < RULES.length; column += 1) {
      await page.keyboard.press(keyFor(row, column).toLowerCase());
      if (column < RULES.length - 1) await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Home');
  }
  const last = cellName('item_006', RULES[4], keyFor(5, 4));
  // Both in one look, and then no further word with the page.
  await page.waitForFunction(
    (name) =>
      document.querySelector(`[role=gridcell][aria-label="${name}"]`) !== null &&
      /Saved on this computer/.test(document.body.innerText),
    last,
    { polling: 5 },
  );
  await killDesktop(app);

  const again = await open();
  const stored = await fromPage<{
    summary: { recorded: number };
    items: { item_uid: string; evidence: { rule_uid: string; raw_outcome: string | null }[] }[];
  }>(again.page, 'GET', `cases/keyboard/evidence?profile_uid=${PROFILE}`);
  const found = stored.value.items.map((item) => item.evidence.map((entry) => entry.raw_outcome));
  expect(found).toEqual(
    items.map((_, row) => RULES.map((_rule, column) => RAW[keyFor(row, column)])),
  );
  const shown = await openCase(again.page, 'keyboard');
  for (const [row, item] of items.entries())
    for (const [column, rule] of RULES.entries())
      await expect(cell(shown, item, rule, keyFor(row, column))).toBeVisible();
});

test('undo in the menu is the editor’s, and a text field’s own while one is being typed in', async ({
  running: { app, page },
}) => {
  await createCase(page, 'undo', 2);
  const grid = await openCase(page, 'undo');
  await cell(grid, 'item_001', RULES[0], null).click();
  await page.keyboard.press('t');
  await expect(cell(grid, 'item_001', RULES[0], 'T')).toBeVisible();
  await chooseInMenu(app, 'Undo');
  await expect(cell(grid, 'item_001', RULES[0], null)).toBeVisible();
  await chooseInMenu(app, 'Redo');
  await expect(cell(grid, 'item_001', RULES[0], 'T')).toBeVisible();

  const filter = page.getByRole('searchbox', { name: 'Filter items' });
  await filter.click();
  await page.keyboard.type('item');
  await chooseInMenu(app, 'Undo');
  await expect(filter).not.toHaveValue('item');
  await filter.fill('');
  await expect(cell(grid, 'item_001', RULES[0], 'T')).toBeVisible();
});

test('the menu finds in the editor, opens the list of commands, and says where a command means nothing', async ({
  running: { app, page },
}) => {
  await chooseInMenu(app, 'Find…');
  await expect(page.getByText('Open a case and choose a cell first.')).toBeVisible();
  await createCase(page, 'menu', 2);
  const grid = await openCase(page, 'menu');
  await cell(grid, 'item_001', RULES[0], null).click();
  await chooseInMenu(app, 'Find…');
  await page.keyboard.type('item_002');
  await expect(page.getByRole('search', { name: 'Find', exact: true })).toContainText('1 of 1');
  await page.keyboard.press('Escape');
  await chooseInMenu(app, 'TRUE: Problem Found');
  await expect(cell(grid, 'item_002', RULES[0], 'T')).toBeVisible();
  await chooseInMenu(app, 'All Commands…');
  await expect(page.getByRole('dialog', { name: 'Commands' }).getByRole('combobox')).toBeFocused();
});

test('the menu leads to every place of the studio', async ({ running: { app, page } }) => {
  for (const [label, address] of [
    ['Profiles', '/studio/profiles'],
    ['Runs', '/studio/runs'],
    ['Account and API Keys', '/account'],
    ['Projects', '/studio'],
  ] as const) {
    await chooseInMenu(app, label);
    await expect.poll(() => new URL(page.url()).pathname).toBe(address);
  }
});
