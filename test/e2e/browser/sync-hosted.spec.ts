import { expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { makeKey } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import {
  cellAt,
  createCase,
  openCase,
  openSyncPart,
  RULES,
  send,
  status,
  storedCells,
  test,
  uids,
} from './support/studio.ts';

test.describe.configure({ timeout: 150_000 });

const SLOW = { timeout: 30_000 };
const row = (page: Page, table: string, name: string | RegExp): Locator =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row', { name });

/** Tabs on until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('It cannot be reached by the Tab key.');
}

test(
  'connect, share and disconnect by keys alone; errors stand at their field; the key is nowhere but on its way',
  IN_LONG_FORM,
  async ({ page, start, studio }) => {
    const hosted = await start();
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'shared',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openSyncPart(page, studio.url, 'Hosted server');
    const address = page.getByRole('textbox', { name: 'Address' });
    const secret = page.getByLabel('API key');
    await expect(address).toBeVisible(SLOW);
    await expect(secret).toHaveAttribute('autocomplete', 'off');
    await expect(secret).toHaveAttribute('type', 'password');

    await tabTo(page, address);
    await page.keyboard.type('http://lab.example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.type('evs_0123456789_nonsense');
    await page.keyboard.press('Enter');
    await expect(address).toHaveAttribute('aria-invalid', 'true', SLOW);
    await expect(secret).toHaveValue('');
    await expect(address).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(hosted.url);
    await page.keyboard.press('Tab');
    await page.keyboard.type('evs_0123456789_nonsense');
    await page.keyboard.press('Enter');
    await expect(secret).toHaveAttribute('aria-invalid', 'true', SLOW);
    await expect(secret).toBeFocused();
    await page.keyboard.type(await makeKey(hosted.data, 'read'));
    await page.keyboard.press('Enter');
    await expect(page.getByText(/with a read-only key: nothing is sent from here/)).toBeVisible(
      SLOW,
    );
    const share = page.getByRole('switch', { name: /^Share Project of shared with/ });
    await expect(share).toBeDisabled();
    await expect(share).toHaveAccessibleDescription('(the key is read-only)');
    await page.getByRole('button', { name: 'Change key…' }).press('Enter');
    await tabTo(page, secret);
    const real = await hosted.studioKey();
    await page.keyboard.type(real);
    await page.keyboard.press('Enter');
    await expect(page.getByText(/with a read-only key/)).toHaveCount(0, SLOW);
    expect(await page.content()).not.toContain(real);
    expect(
      await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toContain(real);
    await expect(
      page.getByText(/In a file that only you can read|Sealed by|In memory only/),
    ).toBeVisible();

    await tabTo(page, share);
    await page.keyboard.press('Space');
    await expect(share).toBeChecked(SLOW);
    await expect(row(page, 'Synced data', /Case shared/)).toContainText('in sync', SLOW);
    const there = await hosted.key();
    await expect
      .poll(
        async () =>
          (await send(hosted, there, 'GET', 'cases')).data.map(
            (entry: { case_uid: string }) => entry.case_uid,
          ),
        SLOW,
      )
      .toEqual(['shared']);
    await expectAccessible(page);

    // Both ways are told apart in the editor.
    await openCase(page, studio, 'shared');
    await cellAt(page, 'item_001', RULES[0]).click();
    await page.keyboard.press('t');
    await expect(status(page)).toHaveText(
      /^Saved on this computer \d\d:\d\d · In sync with 127\.0\.0\.1:\d+, verified \d\d:\d\d$/,
      SLOW,
    );
    expect((await storedCells(hosted, there, 'shared')).size).toBe(1);
    await hosted.served.kill('SIGKILL');
    await page.keyboard.press('n');
    await expect(status(page)).toHaveText(
      /^Saved on this computer .* · 1 change pending for 127\.0\.0\.1:\d+, oldest \d+ s; it cannot be reached$/,
      SLOW,
    );
    await page.goto(`${studio.url}/studio/sync`);
    await expect(page.getByText('The server cannot be reached').first()).toBeVisible(SLOW);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save diagnostics' }).click();
    const facts = await (
      await import('node:fs/promises')
    ).readFile(await (await downloading).path(), 'utf8');
    expect(JSON.parse(facts)).toMatchObject({
      window: { links: [{ waiting: 0 }] },
      server: { links: expect.any(Array), failures: expect.any(Array) },
    });
    for (const word of ['item_001', RULES[0], 'Project of', real, '"shared"'])
      expect(facts).not.toContain(word);
    await hosted.restart();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect(row(page, 'Synced data', /Case shared/)).toContainText('in sync', SLOW);
    expect(
      [...(await storedCells(hosted, there, 'shared')).values()].map((entry) => entry.raw_outcome),
    ).toEqual(['NA']);

    const disconnect = page.getByRole('button', { name: 'Disconnect…' });
    await tabTo(page, disconnect);
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Disconnect from the hosted server?' });
    await expect(question).toContainText('Nothing is deleted, here or there.');
    await question.getByRole('button', { name: 'Disconnect' }).press('Enter');
    await expect(page.getByRole('form', { name: 'Connect to a hosted server' })).toBeVisible(SLOW);
    expect((await storedCells(hosted, there, 'shared')).size).toBe(1);
    expect((await storedCells(studio, key, 'shared')).size).toBe(1);
  },
);

test(
  'of many cases the page tells first which are not in sync, lists all by pages, and each case tells its own state',
  IN_LONG_FORM,
  async ({ page, start, studio }) => {
    const hosted = await start();
    const key = await studio.key();
    const { project_id } = await send(studio, key, 'POST', 'projects', { name: 'Many' });
    for (let n = 0; n < 60; n += 1)
      await send(studio, key, 'POST', 'cases', {
        project_id,
        case_uid: `case-${n}`,
        title: `number ${n}`,
        profile_uid: 'trio_rare_disease',
      });
    await studio.signIn(page);
    await openSyncPart(page, studio.url, 'Hosted server');
    await page.getByRole('textbox', { name: 'Address' }).fill(hosted.url);
    await page.getByLabel('API key').fill(await hosted.studioKey());
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: /^Share Many with/ }).click();
    const lines = page.getByRole('navigation', { name: 'Pages of lines' });
    await expect(lines).toContainText('Lines 1–50', SLOW);
    await expect(page.getByRole('table', { name: 'Not in sync' })).toHaveCount(0, SLOW);
    await lines.getByRole('button', { name: 'Next' }).click();
    await expect(row(page, 'Synced data', 'Case number 59')).toContainText('in sync', SLOW);

    await hosted.served.kill('SIGKILL');
    await page.goto(`${studio.url}/studio/cases/case-3`);
    await expect(status(page)).toHaveText(/In sync with 127\.0\.0\.1:\d+|cannot be reached/, SLOW);
    await send(studio, key, 'POST', 'cases/case-3/evidence', {
      profile_uid: 'trio_rare_disease',
      items: [{ item_uid: 'item_001' }],
      outcomes: [],
    });
    await expect(status(page)).toHaveText(/1 change pending for 127\.0\.0\.1:\d+/, SLOW);
    await page.goto(`${studio.url}/studio/sync`);
    await expect(row(page, 'Not in sync', 'Case number 3')).toContainText('pending', SLOW);
    await expectAccessible(page);
    if (process.env['SHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['SHOTS']}/many-links.png`, fullPage: true });
  },
);
