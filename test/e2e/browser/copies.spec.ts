import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { call } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import {
  ANN,
  BEN,
  CANARIES,
  createCanaries,
  goTo,
  holdPushes,
  type Hosted,
  kept,
  letPushes,
  readable,
  test,
} from './support/hosted.ts';
import { cellAt, openSyncPart, PROFILE, RULES, status } from './support/studio.ts';

test.use({ serviceWorkers: 'allow' });
test.describe.configure({ timeout: 120_000 });

const SLOW = { timeout: 20_000 };
const SAVED = /^Saved/;
const cells = (page: Page) => page.getByRole('gridcell');

/**
 * Ann is signed in, and her window has had the case, its lists and an edit of hers on the screen.
 */
async function open(page: Page, hosted: Hosted): Promise<string> {
  await hosted.setUp(page);
  const key = await hosted.key(page);
  await createCanaries(hosted, key);
  await page.goto(`${hosted.url}/studio/runs`);
  await page.goto(`${hosted.url}/studio`);
  await expect(page.getByText(CANARIES.project).first()).toBeVisible(SLOW);
  await goTo(page, hosted);
  await expect(cells(page).first()).toBeVisible(SLOW);
  await cellAt(page, 'item_002', RULES[0]).click();
  await page.keyboard.press('t');
  await expect(status(page)).toHaveText(SAVED, SLOW);
  return key;
}

/**
 * The session of the browser ends without its doing, and the open window hears of it: it asks
 * whenever somebody comes back to it, and every minute.
 */
async function endSession(page: Page, hosted: Hosted): Promise<void> {
  await page.context().request.post(`${hosted.url}/sign-out`, { headers: { origin: hosted.url } });
  await comeBack(page);
}
const comeBack = (page: Page): Promise<unknown> =>
  page.evaluate(() => window.dispatchEvent(new Event('focus')));

async function signOut(page: Page, hosted: Hosted): Promise<void> {
  await page.goto(`${hosted.url}/account`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(/\/login/, SLOW);
}

test(
  'while somebody is signed in nothing that this browser stores can be read, and after Sign out nothing is there',
  IN_LONG_FORM,
  async ({ page, hosted }) => {
    await open(page, hosted);
    const before = await readable(page, hosted.url);
    expect(before.records).toBeGreaterThan(10);
    expect(before.found).toEqual([]);
    // Written while it was open, and readable by the window itself.
    await goTo(page, hosted);
    await expect(page.getByText(CANARIES.label).first()).toBeVisible(SLOW);
    await signOut(page, hosted);
    const after = await readable(page, hosted.url);
    expect(after.found).toEqual([]);
    expect(after.databases.filter((name) => !name.endsWith('-keys'))).toEqual([]);
  },
);

test(
  'with the session gone and the server away nothing opens',
  IN_LONG_FORM,
  async ({ page, context, hosted }) => {
    await open(page, hosted);
    await kept(page);
    await goTo(page, hosted);
    await expect(cells(page).first()).toBeVisible(SLOW);
    // The session ends at the server, as it does when an owner disables somebody: this browser is not
    // asked.
    await endSession(page, hosted);
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible(SLOW);
    await expect(page.getByText(CANARIES.label)).toHaveCount(0);
    await hosted.stop();
    await page.close();
    const second = await context.newPage();
    await goTo(second, hosted);
    await expect(second.getByText('The server cannot be reached').first()).toBeVisible(SLOW);
    await expect(cells(second)).toHaveCount(0);
    await expect(second.getByText(CANARIES.label)).toHaveCount(0);
  },
);

/** Types an outcome, which this browser alone has from then on. */
async function writeUnsent(page: Page, hosted: Hosted): Promise<void> {
  await holdPushes(page.context());
  await goTo(page, hosted);
  await cellAt(page, 'item_002', RULES[1]).click();
  await page.keyboard.press('n');
  await expect(status(page)).toContainText('1 change', SLOW);
}
const outcomeAt = async (hosted: Hosted, key: string): Promise<unknown> => {
  const { body } = await call(
    hosted.url,
    key,
    'GET',
    `/api/v1/cases/${CANARIES.caseUid}/evidence?profile_uid=${PROFILE}`,
  );
  return body.items
    .find((item: { item_uid: string }) => item.item_uid === 'item_002')
    .evidence.find((entry: { rule_uid: string }) => entry.rule_uid === RULES[1])?.raw_outcome;
};

test(
  'Sign out does not lose what is unsent: it is sent first, or saved in a file that was read back',
  IN_LONG_FORM,
  async ({ page, context, hosted }) => {
    const key = await open(page, hosted);
    await writeUnsent(page, hosted);
    await page.goto(`${hosted.url}/account`);
    const leave = page.getByRole('button', { name: 'Sign out', exact: true });
    await leave.click();
    const dialog = page.getByRole('dialog', { name: 'Sign out?' });
    await expect(dialog).toContainText('1 change is in this browser alone');
    await expect(dialog.getByRole('button', { name: 'Sign out' })).toBeDisabled();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the export' }).click();
    const file = (await (await download).path()) ?? '';
    expect(readFileSync(file, 'utf8')).toContain('item_002');
    await dialog.getByLabel('Choose the saved file').setInputFiles({
      name: 'other.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{}'),
    });
    await expect(dialog.getByRole('alert')).toContainText('holds 0 of 1 change');
    await expect(dialog.getByRole('button', { name: 'Sign out' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Stay signed in' }).click();

    // The way out of it: the server takes it.
    await letPushes(context);
    await leave.click();
    await dialog
      .getByRole('button', { name: 'Send now' })
      .click()
      .catch(() => undefined);
    await expect(
      dialog.getByText('Everything is sent.').or(page.getByRole('heading', { name: 'Sign in' })),
    ).toBeVisible(SLOW);
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(/\/login/, SLOW);
    expect(await outcomeAt(hosted, key)).toBe('NA');
    expect((await readable(page, hosted.url)).found).toEqual([]);
  },
);

test(
  'a view saved in one window is in the other, and both keep what the other saves',
  IN_LONG_FORM,
  async ({ page, context, hosted }) => {
    await open(page, hosted);
    const other = await context.newPage();
    await goTo(other, hosted);
    await expect(cells(other).first()).toBeVisible(SLOW);
    const views = async (window: Page, name?: string): Promise<string[]> => {
      await window.getByRole('button', { name: 'Views' }).click();
      const popover = window.getByRole('dialog', { name: 'Views' });
      if (name !== undefined) {
        await popover.getByLabel('Name of the present view').fill(name);
        await window.keyboard.press('Enter');
        await expect(popover.getByRole('button', { name, exact: true })).toBeVisible();
      }
      const names = await popover.locator('.mx-view').allTextContents();
      await window.keyboard.press('Escape');
      return names;
    };
    expect(await views(page, 'of one')).toEqual(['of one']);
    await expect.poll(() => views(other), SLOW).toEqual(['of one']);
    expect(await views(other, 'of the other')).toEqual(['of one', 'of the other']);
    await expect.poll(() => views(page), SLOW).toEqual(['of one', 'of the other']);
    await page.reload();
    await expect(cells(page).first()).toBeVisible(SLOW);
    expect(await views(page)).toEqual(['of one', 'of the other']);
  },
);

test('what is saved in a file may be taken away', IN_LONG_FORM, async ({ page, hosted }) => {
  await open(page, hosted);
  await writeUnsent(page, hosted);
  await page.goto(`${hosted.url}/account`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out?' });
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save the export' }).click();
  await dialog
    .getByLabel('Choose the saved file')
    .setInputFiles((await (await download).path()) ?? '');
  await expect(dialog.getByText('The file holds this change.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login/, SLOW);
  const left = await readable(page, hosted.url);
  expect([left.found, left.databases.filter((name) => !name.endsWith('-keys'))]).toEqual([[], []]);
});

test(
  'a session that ends under an open window keeps its unsent work sealed, for nobody but the same person',
  IN_LONG_FORM,
  async ({ page, context, browser, hosted }) => {
    const key = await open(page, hosted);
    const bens = await browser.newContext();
    await hosted.join(page, await bens.newPage(), BEN);
    await bens.close();
    await writeUnsent(page, hosted);
    await endSession(page, hosted);
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible(SLOW);
    await expect(page.getByText('1 pending change is stored encrypted')).toBeVisible(SLOW);
    await expect(cells(page)).toHaveCount(0);
    await expectAccessible(page);
    const sealed = await readable(page, hosted.url);
    expect([sealed.found, sealed.records > 10]).toEqual([[], true]);

    // Ben sees nothing of it, and what Ben sees is sealed for Ben.
    await hosted.signIn(page, BEN);
    await letPushes(context);
    await goTo(page, hosted);
    await expect(cellAt(page, 'item_002', RULES[1])).toHaveAccessibleName(/unrecorded/, SLOW);
    await openSyncPart(page, hosted.url, 'Details');
    await expect(page.getByText('No changes are pending.')).toBeVisible(SLOW);
    await expect(page.getByText('Ann')).toHaveCount(0);
    expect(await outcomeAt(hosted, key)).toBeUndefined();
    await signOut(page, hosted);
    expect((await readable(page, hosted.url)).found).toEqual([]);

    await hosted.signIn(page, ANN);
    await expect.poll(() => outcomeAt(hosted, key), SLOW).toBe('NA');
  },
);

test(
  'somebody else signs in beside an open window: it shows nothing more',
  IN_LONG_FORM,
  async ({ page, context, browser, hosted }) => {
    await open(page, hosted);
    const bens = await browser.newContext();
    await hosted.join(page, await bens.newPage(), BEN);
    await context.addCookies(await bens.cookies());
    await bens.close();
    await comeBack(page);
    await expect(page.getByRole('heading', { name: 'Somebody else is signed in' })).toBeVisible(
      SLOW,
    );
    await expect(cells(page)).toHaveCount(0);
  },
);

test(
  'without the server the copy opens for a limited time, whatever the clock is set to',
  IN_LONG_FORM,
  async ({ page, context, startHosted }) => {
    const hosted = await startHosted({ EVIDENCE_STUDIO_OFFLINE_HOURS: '2' });
    await open(page, hosted);
    await kept(page);
    await hosted.stop();
    const at = Date.now();
    const openAt = async (time: number): Promise<Page> => {
      const other = await context.newPage();
      await other.clock.setFixedTime(time);
      await goTo(other, hosted);
      return other;
    };
    await page.close();
    const early = await openAt(at + 1.9 * 3_600_000);
    await expect(early.getByText(CANARIES.label).first()).toBeVisible(SLOW);
    await early.close();
    const back = await openAt(at + 3_600_000);
    await expect(back.getByRole('heading', { name: 'Sign in to see your work' })).toBeVisible(SLOW);
    await back.close();
    const late = await openAt(at + 1.8 * 3_600_000);
    await expect(late.getByRole('heading', { name: 'The server cannot be reached' })).toBeVisible(
      SLOW,
    );
    await late.close();
    await hosted.restart({ EVIDENCE_STUDIO_OFFLINE_HOURS: '2' });
    const again = await context.newPage();
    await goTo(again, hosted);
    await expect(again.getByText(CANARIES.label).first()).toBeVisible(SLOW);
  },
);

test(
  'where copies are forbidden nothing outlives the window, which asks before it is closed with unsent work',
  IN_LONG_FORM,
  async ({ page, context, startHosted }) => {
    const hosted = await startHosted({ EVIDENCE_STUDIO_OFFLINE_COPIES: 'off' });
    const key = await open(page, hosted);
    const inside = await context.newPage();
    const now = await readable(inside, hosted.url);
    expect([now.found, now.records > 10]).toEqual([[], true]);
    const asks = (): Promise<boolean> =>
      page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await asks()).toBe(false);
    await holdPushes(context);
    await cellAt(page, 'item_002', RULES[1]).click();
    await page.keyboard.press('n');
    await expect(status(page)).toContainText('1 change', SLOW);
    expect(await asks()).toBe(true);

    // The session ends: the window keeps the one copy there is, shows nothing of it, and sends it
    // when the person is back.
    await endSession(page, hosted);
    await expect(page.getByText('1 pending change is in this window alone')).toBeVisible(SLOW);
    await expect(cells(page)).toHaveCount(0);
    expect(await asks()).toBe(true);
    await letPushes(context);
    await hosted.signIn(inside, ANN);
    await comeBack(page);
    await expect(cells(page).first()).toBeVisible(SLOW);
    await expect.poll(() => outcomeAt(hosted, key), SLOW).toBe('NA');
    await expect.poll(asks, SLOW).toBe(false);

    await inside.close();
    await kept(page);
    await page.close();
    await hosted.stop();
    const second = await context.newPage();
    await goTo(second, hosted);
    await expect(second.getByText('The server cannot be reached').first()).toBeVisible(SLOW);
    await expect(cells(second)).toHaveCount(0);
  },
);
