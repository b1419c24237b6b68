import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { verifyRun } from '../../../src/shared/domain/run.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { expectAccessible } from './support/axe.ts';

// The pages as built for release, from a real server with its own policy headers. No answer is made
// up.
const ROOT = path.resolve(import.meta.dirname, '../../..');
const SAMPLE_CASE = 'sample-demo1-knockout';
const PROJECT_NAME = 'Neuromuscular trios';

let server: TestServer;
let page: Page;
let complaints: string[] = [];

// One story in one window: each test goes on from what the one before has made. Axe on a whole run
// takes long on a busy machine.
test.describe.configure({ mode: 'serial', timeout: 90_000 });
/** Storing the whole studio takes as long as a page does. */
const KEPT_OUT = 'Service Worker registration blocked by Playwright';

test.beforeAll(async ({ browser }) => {
  await buildIfNeeded();
  server = await bootServer({ deps: { rendererRoot: path.join(ROOT, 'out/renderer') } });
  await openWindow(browser, 'block');
});
test.afterAll(() => server.close());

async function signIn(): Promise<void> {
  await page.goto(await createSignInLink(server.deps, server.url));
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
}

async function openWindow(browser: Browser, serviceWorkers: 'allow' | 'block'): Promise<void> {
  page = await (await browser.newContext({ serviceWorkers })).newPage();
  // Violations of the content policy come as console errors too.
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && text !== KEPT_OUT) complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await signIn();
}

test.afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

/**
 * By its link beside every page. It is there when its own heading is, not that of the page before.
 */
async function openPage(name: string, heading = name): Promise<void> {
  await page.getByRole('navigation', { name: 'Studio' }).getByRole('link', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeFocused();
}

/** Answers of the server that a test provokes; they are no complaints. */
function forgive(pattern: RegExp): void {
  complaints = complaints.filter((text) => !pattern.test(text));
}

test('the first start offers a project or the sample, and makes neither by itself', async () => {
  await expect(page.getByRole('heading', { name: 'Start with a project' })).toBeVisible();
  expect((await server.call('GET', '/api/v1/projects')).body.data).toEqual([]);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Open the sample project' }).click();
  await expect(page).toHaveURL(`${server.url}/studio/cases/${SAMPLE_CASE}`);
  await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeVisible();
  await expect(page).toHaveTitle('DEMO1 knock-out clones (sample data) · Evidence Studio');
  await expect(page.getByRole('button', { name: /to review$/ })).toHaveCount(0);
});

test('a project: an empty name is refused here, a taken one by the server, both at the field', async () => {
  await openPage('Projects');
  await page.getByRole('button', { name: 'New project' }).click();
  const dialog = page.getByRole('dialog', { name: 'New project' });
  const name = dialog.getByLabel('Name');
  await expect(name).toBeFocused();
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await expect(name).toHaveAccessibleDescription('Must not be empty.');
  await expectAccessible(page);
  await name.fill(PROJECT_NAME);
  await dialog.getByRole('combobox', { name: 'Domain' }).click();
  await page.getByRole('option', { name: 'Clinical genetics' }).click();
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await expect(page.getByRole('heading', { level: 1, name: PROJECT_NAME })).toBeFocused();

  await openPage('Projects');
  await page.getByRole('button', { name: 'New project' }).click();
  await name.fill(PROJECT_NAME);
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await expect(name).toHaveAccessibleDescription('A project with this name exists already.');
  await page.keyboard.press('Escape');
  forgive(/412/);
});

test('a case without a profile asks for one before its matrix opens, and keeps it', async () => {
  await page.getByRole('link', { name: PROJECT_NAME }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New case' }).click();
  const dialog = page.getByRole('dialog', { name: 'New case' });
  const id = dialog.getByLabel('ID', { exact: true });
  await id.fill('trio 1');
  await dialog.getByRole('button', { name: 'Create case' }).click();
  await expect(id).toHaveAccessibleDescription(/Must be 1 to 128 letters/);
  await id.fill('');
  await dialog.getByLabel('Title').fill('Trio one');
  await expect(id).toHaveValue('trio-one');
  await id.fill('trio:1');
  await dialog.getByLabel('Title').fill('Trio one, the first');
  await expect(id).toHaveValue('trio:1');
  await dialog.getByLabel('Title').fill('Trio one');
  await dialog.getByRole('button', { name: 'Create case' }).click();
  await expect(page.getByRole('heading', { name: 'Choose a profile' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Trio rare disease: recessive candidates' }).check();
  await page.getByRole('button', { name: 'Use this profile' }).click();
  await expect(page.getByText('No items yet')).toBeVisible();
  expect(
    (await server.call('GET', '/api/v1/cases')).body.data.find(
      (entry: { case_uid: string }) => entry.case_uid === 'trio:1',
    ),
  ).toMatchObject({ title: 'Trio one', profile_uid: 'trio_rare_disease', profile_version: '1.1' });
  await page.reload();
  await expect(page.getByText('No items yet')).toBeVisible();
});

test('another profile is offered where the matrix was; giving it up goes back to the cell', async () => {
  await page.goto(`${server.url}/studio/cases/${SAMPLE_CASE}`);
  await page.getByRole('gridcell').nth(20).click();
  await page.getByRole('button', { name: 'Change profile…' }).click();
  await expect(
    page.getByRole('heading', { name: 'Open the matrix under another profile' }),
  ).toBeFocused();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('.mx-cell:focus')).toHaveCount(1);
});

/** A second reader sends a problem found, without having seen what is recorded there. */
async function recordUnseen(item: string): Promise<void> {
  const unseen = unseenOutcome(
    { profile: 'crispr_edit_evidence', version: '1.0', rule: 'zygosity_unresolved', item },
    'TRUE',
  );
  const pushed = await server.call('POST', `/api/v1/sync/cases/${SAMPLE_CASE}/push`, {
    key: server.syncKey,
    body: { protocol: 1, changes: [wireChange(SAMPLE_CASE, 'second reader', [unseen])] },
  });
  expect(pushed.status).toBe(200);
}

/** An agent asks about a cell and suggests another outcome for it, while the matrix is open. */
async function askAndSuggest(): Promise<void> {
  const profile = { profile_uid: 'crispr_edit_evidence', profile_version: '1.0' };
  const at = { item_uid: 'DEMO1-g1-A03', rule_uid: 'zygosity_unresolved' };
  const place = { on: 'cell', ...profile, ...at };
  const asked = await server.call('POST', `/api/v1/cases/${SAMPLE_CASE}/threads`, {
    body: { place, kind: 'query', text: 'Was the copy number counted?' },
  });
  const suggested = await server.call('POST', `/api/v1/cases/${SAMPLE_CASE}/suggestions`, {
    body: { ...profile, suggestions: [{ ...at, raw_outcome: 'NA', quote: 'No copy number.' }] },
  });
  expect([asked.status, suggested.status]).toEqual([201, 200]);
}

test('a run: the checklist before, the sentence after, and a record that stands by itself', async () => {
  await page.goto(`${server.url}/studio/cases/${SAMPLE_CASE}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Run' });
  await expect(dialog.getByText('35 cells not recorded')).toBeVisible();
  await expect(dialog.getByText(/^\d+ of 45 problems have no notes/)).toBeVisible();
  // What a second reader sends now belongs to what is about to be frozen.
  await recordUnseen('DEMO1-g1-A07');
  await expect(dialog.getByText(/^\d+ of 46 problems have no notes/)).toBeVisible();
  await expect(dialog.getByText('1 conflict', { exact: true })).toBeVisible();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'changes the result' })).toHaveCount(
    1,
  );
  await askAndSuggest();
  await expect(dialog.getByText('1 query is not closed')).toBeVisible();
  await dialog.getByRole('button', { name: 'Resolve 1 conflict' }).click();
  const review = page.getByRole('dialog', { name: 'Resolve conflicts' });
  await expect(review.getByRole('region', { name: 'Values side by side' })).toContainText(
    'shown now',
  );
  await expect(review.getByRole('listbox')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: '1 suggestion' })).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const accept = dialog.getByRole('checkbox', {
    name: 'Freeze the values shown in spite of conflicts',
  });
  await accept.check();
  await dialog.getByLabel('Reason').fill('The second reader had no copy number.');
  const added = dialog.getByText('Conflicts have been added since.');
  await expect(added).toHaveCount(0);
  await recordUnseen('DEMO1-g1-A03');
  await expect(dialog.getByText('2 conflicts', { exact: true })).toBeVisible();
  await expect(added).toBeVisible();
  await dialog.getByRole('button', { name: 'Run' }).click();
  await expect(accept).not.toBeChecked();
  await accept.check();
  await dialog.getByLabel('Reason').fill('The second reader had no copy number.');
  await expectAccessible(page);
  await dialog.getByLabel('Prior alpha').fill('11');
  await dialog.getByRole('button', { name: 'Run' }).click();
  await expect(dialog.getByLabel('Prior alpha')).toHaveAccessibleDescription(/Must be at most 10/);
  await dialog.getByLabel('Prior alpha').fill('1');
  await dialog.getByRole('button', { name: 'Run' }).click();

  await expect(page).toHaveURL(/\/studio\/runs\/run_[0-9a-z]+$/);
  await expect(
    page.getByText(
      /^Across 24 items under CRISPR edit evidence: clones and pools 1\.0, mean evidence sufficiency 0\.\d\d; items spread from .* \(2\.5%–97\.5% quantiles of item means; not a credible interval\)\.$/,
    ),
  ).toBeVisible();
  await expect(page.getByText('it does not establish truth, pathogenicity')).toBeVisible();
  await expectAccessible(page);
  // At twice the size the page scrolls down alone.
  const full = page.viewportSize()!;
  await page.setViewportSize({ width: 640, height: 360 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    .toBe(true);
  await page.setViewportSize(full);

  await page.getByRole('button', { name: 'Verify now' }).click();
  await expect(page.getByText('Content hash: matches')).toBeVisible();
  await expect(page.getByText('Result: recomputed and equal')).toBeVisible();
  await expect(
    page.getByText(
      'The stored bytes match the content hash. The server computed the same result from them.',
    ),
  ).toBeVisible();

  const [json] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const record: unknown = JSON.parse(readFileSync(await json.path(), 'utf8'));
  expect(verifyRun(record, nodeHasher)).toMatchObject({
    content_hash: { ok: true },
    recomputed: { ok: true },
  });
  const uid = new URL(page.url()).pathname.split('/').at(-1) as string;
  const { recorders } = (await server.call('GET', `/api/v1/runs/${uid}/recorders`)).body;
  expect(record).toEqual({ ...(await server.call('GET', `/api/v1/runs/${uid}`)).body, recorders });
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect([json.suggestedFilename(), csv.suggestedFilename()]).toEqual([
    `${uid}.evidence-run.json`,
    `${uid}.csv`,
  ]);
  expect(readFileSync(await csv.path(), 'utf8').split('\r\n')).toHaveLength(26);
});

test('every chart of a run has its table', async () => {
  await openPage('Runs');
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: /^Run of/ })).toBeFocused();
  const rules = page.getByRole('figure', { name: 'Rules' });
  await rules.getByRole('button', { name: 'Show as table' }).click();
  await expect(
    rules.getByRole('row', { name: /Cell line identity mismatch/ }).getByRole('cell'),
  ).toHaveText(['1', '21', '1', '2', '0']);
  const matrix = page.getByRole('figure', { name: 'Matrix as frozen' });
  await matrix.getByRole('button', { name: 'Show as table' }).click();
  await expect(
    matrix
      .getByRole('row', { name: /DEMO1-g1-A03/ })
      .getByRole('cell')
      .first(),
  ).toHaveText('FFALSE, evidence present');
  await expectAccessible(page);

  const items = page.getByRole('grid');
  await page.getByLabel('Filter items by label or ID').fill('g3');
  await expect(page.getByText('6 of 24 shown')).toBeVisible();
  await items.getByRole('columnheader', { name: 'Mean' }).click();
  await expect(items.getByRole('columnheader', { name: 'Mean' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
});

test('runs are listed and filtered, and the filter stands in the address', async () => {
  await page.goto(`${server.url}/studio/runs?case=trio:1`);
  await expect(page.getByRole('heading', { name: 'No run matches' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Case' }).click();
  await page.getByRole('option', { name: /DEMO1 knock-out/ }).click();
  await expect(page).toHaveURL(`${server.url}/studio/runs?case=${SAMPLE_CASE}`);
  await expect(page.getByRole('row')).toHaveCount(3);
  await expectAccessible(page);
});

test('a profile shows the three meanings of each rule and its digest', async () => {
  await openPage('Profiles', 'Evidence profiles');
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Domain' }).click();
  await page.getByRole('option', { name: 'Clinical genetics' }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('link', { name: 'Trio rare disease: recessive candidates' }).click();
  const row = page.getByRole('row', { name: /Parent genotype unavailable/ });
  await expect(row.getByRole('cell')).toHaveText([
    '1',
    /Both parents have a genotype call/,
    /At least one parent has no sample/,
    /were not examined/,
  ]);
  await expect(page.getByText(/^sha256:[0-9a-f]{64}$/)).toBeVisible();
  await expectAccessible(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export JSON' }).click(),
  ]);
  expect(JSON.parse(readFileSync(await file.path(), 'utf8'))).toEqual(
    (await server.call('GET', '/api/v1/profiles/trio_rare_disease')).body,
  );
});

test('a key is shown once, works, and stops working when it is revoked', async () => {
  await openPage('Account');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('lab agent');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Key "lab agent"' });
  const key = await dialog.getByLabel('API key').inputValue();
  await expect(dialog.getByText(`${server.url}/api/v1/projects`)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  expect((await server.call('GET', '/api/v1/projects', { key })).status).toBe(200);
  await dialog.getByRole('button', { name: 'I have copied the key' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  const row = page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /lab agent/ });
  await expect(row).toContainText('active');

  await page.getByRole('button', { name: 'Revoke lab agent' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(row).toContainText('revoked');
  expect((await server.call('GET', '/api/v1/projects', { key })).body.error).toBe('key_revoked');
  await expectAccessible(page);
});

test('an unknown address, an unknown run and an unknown case are pages, not blank windows', async () => {
  await page.goto(`${server.url}/studio/nowhere`);
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  await page.goto(`${server.url}/studio/runs/run_nothing`);
  await expect(page.getByText('There is nothing at this address')).toBeVisible();
  await page.goto(`${server.url}/studio/cases/nothing`);
  await expect(page.getByText('There is no case with this ID')).toBeVisible();
  forgive(/404/);
});

test('signing out ends the session of this browser', async () => {
  await openPage('Account');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to Evidence Studio' })).toBeVisible();
  forgive(/401/);
});

test('dark is a choice that is remembered, and the first Tab skips to the content', async () => {
  await signIn();
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('link', { name: PROJECT_NAME }).waitFor();
  await expectAccessible(page);
  await page.goto(`${server.url}/studio/profiles/trio_rare_disease`);
  await page.getByRole('row', { name: /Parent genotype unavailable/ }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.locator('#content')).toBeFocused();
});

test('without the server, which does not come back, the pages show what this computer keeps, and say so', async ({
  browser,
}) => {
  await openWindow(browser, 'allow');
  await expect(page.getByRole('link', { name: PROJECT_NAME })).toBeVisible();
  // It takes the page over once it has stored every file.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await server.close();
  await openPage('Runs');
  await openPage('Projects');
  await expect(page.getByText('Shown is the copy stored on this computer')).toBeVisible();
  await expect(page.getByRole('link', { name: PROJECT_NAME })).toBeVisible();
  forgive(/Failed to load resource/);
});
