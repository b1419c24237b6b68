/** Takes numbered pictures of the way "paste from a sheet, correct two cells, run". */
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { SHEET_CELLS, SHEET_ITEMS, SHEET_WORD } from '../test/support/calc-sheet.ts';
import { call, cli, type Served } from '../test/support/served.ts';

const PROFILE = 'trio_rare_disease';
/** More rows than the sheet of the tests has, so that the matrix looks like one. */
const GENES = [
  'SEPT7',
  'MARCHF5',
  'KMT2D',
  'CHD8',
  'ARID1B',
  'POGZ',
  'DYRK1A',
  'SYNGAP1',
  'PTEN',
  'NSD1',
  'CREBBP',
  'EP300',
  'SETD5',
  'ANKRD11',
  'DDX3X',
  'TCF4',
];

interface Way {
  page: Page;
  shoot: (name: string) => Promise<void>;
}

const ITEMS = [
  ...SHEET_ITEMS.map(([uid, label]) => [uid, label]),
  ...GENES.map((uid, row) => [uid, `candidate ${row + 7}`]),
];

/** A case with its items and no evidence; its profile's version, and the rules in order. */
async function makeCase(
  { url }: Served,
  key: string,
): Promise<{ version: string; rules: string[] }> {
  const { body } = await call(url, key, 'GET', `/api/v1/profiles/${PROFILE}`);
  const rules = body.rules as { ruleUid: string }[];
  const project = (await call(url, key, 'POST', '/api/v1/projects', { name: 'Trios' })).body;
  await call(url, key, 'POST', '/api/v1/cases', {
    project_id: project.project_id,
    case_uid: 'way',
    title: 'Trio 14, candidates',
    profile_uid: PROFILE,
  });
  await call(url, key, 'POST', '/api/v1/evidence', {
    case_uid: 'way',
    profile_uid: PROFILE,
    items: ITEMS.map(([item_uid, label]) => ({ item_uid, label })),
  });
  return { version: body.version, rules: rules.map(({ ruleUid }) => ruleUid) };
}

async function openCase({ page, shoot }: Way, rules: readonly string[]): Promise<void> {
  const tour = page.getByRole('button', { name: 'Skip' });
  await page.getByRole('grid', { name: 'Evidence matrix' }).waitFor();
  if (await tour.isVisible()) await tour.click();
  await page.locator(`[role=gridcell][aria-label^="SEPT2, ${rules[0]}: "]`).click();
  await page.mouse.move(800, 20);
  await shoot('way-1-empty');
}

async function paste({ page, shoot }: Way, rules: readonly string[]): Promise<void> {
  const rows = ITEMS.map(([uid], row) => [uid, ...SHEET_CELLS[row % SHEET_CELLS.length]!]);
  await page.evaluate(
    (text) => navigator.clipboard.writeText(text),
    [['item_uid', ...rules], ...rows].map((line) => line.join('\t')).join('\n'),
  );
  await page.keyboard.press('Control+v');
  const dialog = page.getByRole('dialog', { name: 'Paste into the matrix' });
  await dialog.waitFor();
  const word = dialog.getByRole('combobox', { name: `“${SHEET_WORD}” maps to` });
  for (
    let tabs = 0;
    tabs < 10 && !(await word.evaluate((element) => element === document.activeElement));
    tabs += 1
  )
    await page.keyboard.press('Tab');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await shoot('way-2-preview');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /^FALSE/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor({ state: 'hidden' });
  await shoot('way-3-pasted');
}

async function correctAndRun({ page, shoot }: Way): Promise<void> {
  await page.keyboard.press('Control+f');
  await page.keyboard.type('Rett');
  await page.getByRole('search', { name: 'Find', exact: true }).getByText('1 of 1').waitFor();
  await shoot('way-4-found');

  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('t');
  await page.keyboard.press('Control+F2');
  await page.keyboard.type('Mother not sequenced; asked for on 12 March.');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Escape');
  await shoot('way-5-corrected');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('run');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Run' }).getByRole('button', { name: 'Run' }).click();
  await page.getByText(/^Across \d+ items under /).waitFor();
  await page.mouse.move(800, 20);
  await shoot('way-6-run');
}

export async function shootTheWay(
  browser: Browser,
  { server, data, key, folder }: { server: Served; data: string; key: string; folder: string },
): Promise<void> {
  const { version, rules } = await makeCase(server, key);
  const context = await browser.newContext({
    viewport: { width: 1600, height: 1000 },
    permissions: ['clipboard-read', 'clipboard-write'],
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto((await cli(['sign-in', '--data', data])).trim());
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  await page.goto(`${server.url}/studio/cases/way?profile=${PROFILE}@${version}`);
  const shoot = async (name: string): Promise<void> => {
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
  };
  await openCase({ page, shoot }, rules);
  await paste({ page, shoot }, rules);
  await correctAndRun({ page, shoot });
  await context.close();
}
