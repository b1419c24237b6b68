import { readFileSync, writeFileSync } from 'node:fs';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { cli } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import {
  cell,
  cellAt,
  createCase,
  goOffline,
  goOnline,
  openCase,
  RECONNECTED,
  RULES,
  SAVED,
  status,
  statusDetails,
  storedCells,
  storedHistory,
  test,
  type Studio,
  uids,
} from './support/studio.ts';

test.describe.configure({ timeout: 120_000 });

const SLOW = { timeout: 20_000 };
const inBar = (page: Page): Locator => page.getByRole('link', { name: /^Sync: / });
const row = (page: Page, table: string, name: string | RegExp): Locator =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row', { name });

async function openSync(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/studio/sync`);
  await expect(page.getByRole('heading', { level: 1, name: 'Sync' })).toBeVisible(SLOW);
}

/** A user of that name, made where there is none, with this role. */
async function giveRole(studio: Studio, name: string, role: string): Promise<void> {
  await cli([
    'key',
    'create',
    '--name',
    'role',
    '--user',
    name,
    '--role',
    role,
    '--data',
    studio.data,
  ]);
}
async function signInAs(page: Page, studio: Studio, name: string, role = 'member'): Promise<void> {
  await giveRole(studio, name, role);
  await studio.enter(page, name);
}

/** Everything goes through but what the window wants to save. */
const holdPushes = (context: BrowserContext): Promise<unknown> =>
  context.route('**/push', (route) => route.abort());
const letPushes = (context: BrowserContext): Promise<void> => context.unroute('**/push');

async function type(page: Page, item: string, column: number, key: 't' | 'f' | 'n'): Promise<void> {
  await cellAt(page, item, RULES[column] ?? '').click();
  await page.keyboard.press(key);
}

/** Every text that an element has shown, in order. */
async function listen(page: Page, selector: string): Promise<() => Promise<string[]>> {
  await page.evaluate((css) => {
    const said: string[] = [];
    Object.assign(window, { said });
    const read = (): void => {
      const text = document.querySelector(css)?.textContent ?? '';
      if (said.at(-1) !== text) said.push(text);
    };
    read();
    new MutationObserver(read).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
    });
  }, selector);
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}

test(
  'offline: what is pending is counted in the editor, in the bar and on the page; after it never a moment of "all changes saved"',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'away',
      uids(3).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'away');
    await type(page, 'item_001', 0, 't');
    await expect(status(page)).toHaveText(SAVED, SLOW);
    await goOffline(context);
    await type(page, 'item_001', 0, 'n');
    await type(page, 'item_002', 1, 'f');
    await expect(status(page)).toHaveText(/^2 changes pending, oldest \d+ s$/, SLOW);
    await expect(await statusDetails(page)).toContainText(
      /0 .*not on this computer’s disk.*2 .*pending for the server.*0 .*conflicts.*0 .*set aside or rejected/,
    );
    await expect(page.getByTestId('sync-news').last()).toHaveText('Changes are pending.');
    await expect(inBar(page)).toHaveText('2 pending');

    await inBar(page).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Sync' })).toBeVisible();
    await expect(row(page, 'Pending changes', /item_001/)).toContainText(
      /parents_genotype_missing.*Outcome.*TRUE.*NA/,
    );
    await expect(row(page, 'Pending changes', /item_002/)).toContainText(
      /Outcome.*unrecorded.*FALSE/,
    );
    await expect(row(page, 'Local copies', /away/)).toContainText('you');

    // The page that made them is not open: they go all the same.
    const said = await listen(page, '.sync-state');
    await goOnline(context);
    await expect(inBar(page)).toHaveText('All changes saved', RECONNECTED);
    expect(
      [...(await storedCells(studio, key, 'away')).values()]
        .map((entry) => entry.raw_outcome)
        .toSorted(),
    ).toEqual(['FALSE', 'NA']);
    const texts = await said();
    expect(
      texts.slice(0, -1).every((text) => /^\d pending$/.test(text)),
      texts.join(' | '),
    ).toBe(true);
    await expect(page.getByText('No changes are pending.')).toBeVisible();
  },
);

test(
  'signed out: it stops at once, asks nothing but who is signed in, keeps the work, and goes on after signing in',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'out',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await signInAs(page, studio, 'Ann');
    await openCase(page, studio, 'out');
    await type(page, 'item_001', 0, 't');
    await expect(status(page)).toHaveText(SAVED, SLOW);
    await context.request.post(`${studio.url}/sign-out`, { headers: { origin: studio.url } });
    await type(page, 'item_002', 0, 'n');
    await expect(status(page)).toContainText(
      'You are signed out. Your changes are kept in this window',
      SLOW,
    );
    await expect(status(page)).toContainText('1 change not sent.');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await type(page, 'item_002', 1, 'n');
    await expect(status(page)).toContainText('2 changes not sent.');
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect.poll(() => asked.includes('/api/v1/session'), SLOW).toBe(true);
    expect(asked.filter((path) => path.includes('/sync/cases/'))).toEqual([]);
    expect((await storedCells(studio, key, 'out')).size).toBe(1);

    const other = await context.newPage();
    await signInAs(other, studio, 'Ann');
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    expect((await storedCells(studio, key, 'out')).size).toBe(3);
  },
);

test(
  'another user signs in here: the work of the first is never sent in the other’s name, is shown as theirs, and goes when they are back',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'shared',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await signInAs(page, studio, 'Ann');
    await openCase(page, studio, 'shared');
    await holdPushes(context);
    await type(page, 'item_001', 0, 't');
    await expect(status(page)).toHaveText(/^1 change pending/, SLOW);

    const second = await context.newPage();
    await signInAs(second, studio, 'Ben');
    await letPushes(context);
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(page.getByText('Read only.')).toBeVisible(SLOW);
    await expect(status(page)).toContainText('Ben is signed in here now');
    await openCase(second, studio, 'shared');
    // Ben has a copy of his own, without what Ann has not sent.
    await expect(cell(second, 'item_001', RULES[0], null)).toBeVisible();
    await type(second, 'item_002', 0, 'f');
    await expect(status(second)).toHaveText(SAVED, SLOW);
    expect([...(await storedCells(studio, key, 'shared')).keys()]).toEqual([
      `item_002 ${RULES[0]}`,
    ]);
    await openSync(second, studio.url);
    await expect(row(second, 'Changes set aside or rejected', /shared/)).toContainText(
      /Ann.*1.*set aside.*Never sent under another name/,
    );
    await expect(inBar(second)).toHaveText('1 set aside');

    await signInAs(second, studio, 'Ann');
    await openCase(second, studio, 'shared');
    await expect(status(second)).toHaveText(SAVED, RECONNECTED);
    await expect(cell(second, 'item_001', RULES[0], 'TRUE')).toBeVisible();
    const [step] = await storedHistory(studio, key, 'shared', 'item_001', RULES[0]);
    expect(step).toMatchObject({ by: 'Ann', current: true });
  },
);

test(
  'a viewer reads from the start: the grid says so, keys say why, copying works',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(studio, key, 'seen', [
      { item_uid: 'item_001', evidence: [{ rule_uid: RULES[0], raw_outcome: 'TRUE' }] },
    ]);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInAs(page, studio, 'Vera', 'viewer');
    const grid = await openCase(page, studio, 'seen');
    await expect(grid).toHaveAttribute('aria-readonly', 'true');
    await expect(page.getByText('You are a viewer here')).toBeVisible();
    await expect(
      page.getByRole('button', { name: /^(Add items|Run|Undo|Import a file…)$/ }),
    ).toHaveCount(0);
    await type(page, 'item_001', 0, 'n');
    await expect(page.locator('.mx-news')).toContainText('Read only. You are a viewer here');
    await expect(cell(page, 'item_001', RULES[0], 'TRUE')).toBeVisible();
    await cellAt(page, 'item_001', RULES[0]).click();
    await page.keyboard.press('Control+c');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('TRUE');
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveAttribute('readonly', '');
    await expectAccessible(page);
  },
);

test(
  'the role is lost with work unsent: it is set aside, exported, and discarded only after the export was read back; by keys alone',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'lost',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await signInAs(page, studio, 'Ann', 'member');
    const grid = await openCase(page, studio, 'lost');
    await holdPushes(context);
    await type(page, 'item_001', 0, 't');
    await expect(status(page)).toHaveText(/^1 change pending/, SLOW);
    await giveRole(studio, 'Ann', 'viewer');
    await letPushes(context);
    await expect(grid).toHaveAttribute('aria-readonly', 'true', SLOW);
    await expect(status(page)).toContainText('1 change', SLOW);
    await expect(inBar(page)).toHaveText('1 set aside');
    expect((await storedCells(studio, key, 'lost')).size).toBe(0);

    await openSync(page, studio.url);
    await expect(row(page, 'Changes set aside or rejected', /lost/)).toContainText(
      /you.*1.*set aside/,
    );
    await expect(row(page, 'What these changes recorded', /item_001/)).toContainText(
      /unrecorded.*TRUE/,
    );
    await expectAccessible(page);
    await page
      .getByRole('button', { name: 'Discard the changes of lost that are set aside' })
      .focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Discard 1 change of lost?' });
    const discard = dialog.getByRole('button', { name: 'Discard 1 change' });
    await expect(discard).toBeDisabled();
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the export' }).focus();
    await page.keyboard.press('Enter');
    const file = await (await downloading).path();
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    expect(saved.changes).toMatchObject([
      {
        case_uid: 'lost',
        user_name: 'Ann',
        state: 'blocked',
        readable: [{ item: 'item_001', rule: RULES[0], field: 'outcome', old: null, new: 'TRUE' }],
      },
    ]);
    expect(JSON.parse(saved.changes[0].change).entries[0].value.raw_outcome).toBe('TRUE');
    // A file that holds something else does not open the way.
    const other = `${file}.json`;
    writeFileSync(
      other,
      JSON.stringify({ ...saved, changes: [{ ...saved.changes[0], change: '{}' }] }),
    );
    const choose = dialog.getByLabel('Choose the saved file, so that it can be checked');
    await choose.setInputFiles(other);
    await expect(dialog.getByText('This file holds none of these changes.')).toBeVisible();
    await expect(discard).toBeDisabled();
    await choose.setInputFiles(file);
    await expect(dialog.getByText('The file holds this change.')).toBeVisible();
    await expectAccessible(page);
    await discard.focus();
    await page.keyboard.press('Enter');
    await expect(
      page.getByText('Nothing is set aside, and the server has rejected nothing.'),
    ).toBeVisible(SLOW);
    await openCase(page, studio, 'lost');
    await expect(cell(page, 'item_001', RULES[0], null)).toBeVisible(SLOW);
  },
);

test('three tabs: one speaks to the server, all show the same, and where the leading one crashes with work under way the next goes on at once', async ({
  page,
  context,
  studio,
}) => {
  const key = await studio.key();
  await createCase(
    studio,
    key,
    'tabs',
    uids(4).map((item_uid) => ({ item_uid })),
  );
  await studio.signIn(page);
  await openCase(page, studio, 'tabs');
  const tabs = [page, await context.newPage(), await context.newPage()] as const;
  for (const tab of tabs.slice(1)) await openCase(tab, studio, 'tabs');
  const senders: string[] = [];
  tabs.forEach((tab, at) =>
    tab.on('request', (request) =>
      request.url().endsWith('/push') ? senders.push(`tab ${at}`) : undefined,
    ),
  );
  for (const [at, tab] of tabs.entries()) {
    await tab.bringToFront();
    await type(tab, `item_00${at + 1}`, 0, 't');
    for (const other of tabs)
      await expect(cell(other, `item_00${at + 1}`, RULES[0], 'TRUE')).toBeVisible(SLOW);
  }
  for (const tab of tabs) await expect(status(tab)).toHaveText(SAVED, SLOW);
  expect(new Set(senders)).toEqual(new Set(['tab 0']));

  // The leading tab's push is on its way when its process dies.
  let arrived = (): void => {};
  const held = new Promise<void>((resolve) => (arrived = resolve));
  await context.route('**/push', async (route) => {
    if (route.request().frame().page() !== tabs[0]) return route.continue();
    arrived();
    return undefined;
  });
  await tabs[1].bringToFront();
  await type(tabs[1], 'item_004', 0, 'n');
  await held;
  const crash = context.newCDPSession(tabs[0]).then((session) => session.send('Page.crash'));
  crash.catch(() => undefined);
  const began = performance.now();
  await expect(status(tabs[1])).toHaveText(SAVED, RECONNECTED);
  console.log(
    `tabs: work of a crashed leader saved by another after ${Math.round(performance.now() - began)} ms`,
  );
  await expect(cell(tabs[2], 'item_004', RULES[0], 'NA')).toBeVisible(SLOW);
  expect((await storedCells(studio, key, 'tabs')).size).toBe(4);
  expect(await storedHistory(studio, key, 'tabs', 'item_004', RULES[0])).toHaveLength(1);
  await type(tabs[2], 'item_004', 1, 'f');
  await expect(cell(tabs[1], 'item_004', RULES[1], 'FALSE')).toBeVisible(SLOW);
  await expect(status(tabs[2])).toHaveText(SAVED, RECONNECTED);
});

test(
  'a full device stops taking edits visibly and takes them again; a damaged unsent change is listed and kept; damaged rows are read anew',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'store',
      uids(3).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    const grid = await openCase(page, studio, 'store');
    await type(page, 'item_001', 0, 't');
    await expect(status(page)).toHaveText(SAVED, SLOW);
    // Chromium counts in steps of a megabyte and more, so the page's own storage says no.
    await page.evaluate(() => {
      const { add, put } = IDBObjectStore.prototype;
      const full = (): never => {
        throw new DOMException('full', 'QuotaExceededError');
      };
      Object.assign(IDBObjectStore.prototype, { add: full, put: full });
      Object.assign(window, {
        makeRoom: () => Object.assign(IDBObjectStore.prototype, { add, put }),
      });
    });
    await type(page, 'item_001', 1, 't');
    await expect(status(page)).toContainText('This device is full', SLOW);
    await expect(grid).toHaveAttribute('aria-readonly', 'true');
    await expect(cell(page, 'item_001', RULES[1], null)).toBeVisible();
    await page.evaluate(() => (window as unknown as { makeRoom: () => void }).makeRoom());
    await expect(grid).not.toHaveAttribute('aria-readonly', 'true', SLOW);
    await type(page, 'item_001', 1, 'n');
    await expect(status(page)).toHaveText(SAVED, SLOW);

    await holdPushes(context);
    await type(page, 'item_002', 0, 't');
    await expect(status(page)).toHaveText(/^1 change pending/, SLOW);
    // Without a page of the studio, so that nothing is under way: one unsent change and one block of
    // cells get other bytes.
    await page.goto(`${studio.url}/docs`);
    await page.evaluate(async () => {
      const open = indexedDB.open('evidence-studio');
      await new Promise((resolve) => open.addEventListener('success', resolve));
      const stores = open.result.transaction(['outbox', 'blocks'], 'readwrite');
      const change = (name: string, damage: (value: any) => unknown): Promise<unknown> =>
        new Promise((resolve) => {
          const cursor = stores.objectStore(name).openCursor();
          cursor.addEventListener('success', () => {
            if (cursor.result === null) return;
            cursor.result.update(damage(cursor.result.value)).addEventListener('success', resolve);
          });
        });
      await change('outbox', (value) => ({ ...value, text: value.text.replace('TRUE', 'FALSE') }));
      await change('blocks', (value) => ({
        ...value,
        raw: new Uint8Array(value.raw.length).fill(9),
      }));
      open.result.close();
    });
    await letPushes(context);
    await openCase(page, studio, 'store');
    await expect(cell(page, 'item_001', RULES[1], 'NA')).toBeVisible(SLOW);
    await expect(status(page)).toContainText('1 of your changes was refused', RECONNECTED);
    await openSync(page, studio.url);
    await expect(row(page, 'Changes set aside or rejected', /store/)).toContainText(
      /rejected.*damaged/,
    );
    expect((await storedCells(studio, key, 'store')).size).toBe(2);
  },
);
