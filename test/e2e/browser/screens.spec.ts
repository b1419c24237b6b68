import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { IN_LONG_FORM, IS_LONG, lengthOf } from '../../support/length.ts';
import { callInProcess } from '../../support/in-process.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { axe, axeFaults, OF_COLOURS } from './support/axe.ts';

/*
 * Every page as readers with other windows see it. `SHOTS=folder` keeps pictures of all of them,
 * in three sizes, both schemes and forced colours, and both languages.
 */
const ROOT = path.resolve(import.meta.dirname, '../../..');
const SHOTS = process.env['SHOTS'];
/** CSS pixels: a phone, and a window of 1280 x 720 at 200 %. */
const NARROW = [
  { width: 400, height: 800 },
  { width: 640, height: 360 },
];
const WIDE = { width: 1_280, height: 800 };
const SIZES = [{ width: 1_440, height: 900 }, { width: 1_024, height: 720 }, NARROW[0]!];

let server: TestServer;
/** Name of a page -> its address. */
let pages: Map<string, string>;

test.describe.configure({ timeout: lengthOf(600_000, 3_600_000) });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  await buildIfNeeded();
  server = await bootServer({ deps: { rendererRoot: path.join(ROOT, 'out/renderer') } });
  const call = async (method: string, address: string, body?: object) => {
    const answer = await callInProcess(server.server, method, `/api/v1/${address}`, {
      ...(body !== undefined && { body }),
    });
    expect(answer.status, address).toBeLessThan(300);
    return answer.body;
  };
  const { project, case_uid, profile_uid } = await call('POST', 'sample', {});
  const { data: runs } = await call('GET', 'runs');
  const { items } = await call('GET', `cases/${case_uid}/evidence?profile_uid=${profile_uid}`);
  const { item_uid, evidence } = items[1];
  const { rule_uid } = evidence[0];
  await call('POST', `cases/${case_uid}/evidence`, {
    profile_uid,
    outcomes: [{ item_uid, rule_uid, raw_outcome: 'TRUE', notes: 'Looked at again.' }],
  });
  const { run_uid } = await call('POST', 'runs', { case_uid, profile_uid });
  const run = `/studio/runs/${run_uid}`;
  const underProfile = `?profile=${profile_uid}@1.0`;
  pages = new Map([
    ['projects', '/studio'],
    ['project', `/studio/projects/${project.project_id}`],
    ['case', `/studio/cases/${case_uid}`],
    ['carry-forward', `/studio/cases/${case_uid}/carry-forward`],
    ['suggestions', `/studio/cases/${case_uid}/suggestions${underProfile}`],
    ['discussion', `/studio/cases/${case_uid}/discussion${underProfile}`],
    ['rounds', `/studio/cases/${case_uid}/rounds${underProfile}`],
    ['agents', '/studio/agents'],
    ['runs', '/studio/runs'],
    ['run', run],
    ['item', `${run}/item?uid=${encodeURIComponent(item_uid)}`],
    ['compare', `${run}/compare?with=${runs[0].run_uid}`],
    ['report', `${run}/report`],
    ['profiles', '/studio/profiles'],
    ['profile', `/studio/profiles/${profile_uid}`],
    ['compare-versions', '/studio/profiles/trio_rare_disease/compare'],
    ['sync', '/studio/sync'],
    ['account', '/account'],
    ['nowhere', '/studio/nowhere'],
  ]);
});
test.afterAll(() => server.close());

const signIn = async (page: Page): Promise<void> => {
  await page.goto(await createSignInLink(server.deps, server.url));
  await page.getByRole('heading', { level: 1 }).waitFor();
};

/** A page that a busy machine opens. */
const OPENS = { timeout: 30_000 };

async function open(page: Page, address: string): Promise<void> {
  await page.goto(server.url + address);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible(OPENS);
  await expect(page.locator('.skeleton')).toHaveCount(0, OPENS);
}

/** What reaches out of the window at the side, where nobody scrolls. */
const reachingOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.body.querySelectorAll('*')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .slice(0, 5)
      .map((element) => `${element.tagName} ${element.className}`);
  });

/** In CI these pages stand for all others where it is about colours. */
const OF_MOST_COLOURS = new Set(['projects', 'case', 'runs', 'run']);

test('no page is wider than a narrow window, or one at 200 %, and axe finds nothing on any', async ({
  page,
}) => {
  await signIn(page);
  const found: string[] = [];
  for (const [name, address] of pages) {
    await page.setViewportSize(NARROW[0]!);
    await open(page, address);
    for (const size of NARROW) {
      await page.setViewportSize(size);
      for (const what of await reachingOut(page)) found.push(`${name} ${size.width}: ${what}`);
    }
    await page.setViewportSize(WIDE);
    // In the long form, with all that can be opened, below.
    if (!IS_LONG)
      for (const fault of await axeFaults(
        page,
        undefined,
        OF_MOST_COLOURS.has(name) ? {} : { schemes: ['light'], withoutColours: true },
      ))
        found.push(`${name}: ${fault}`);
  }
  expect(found).toEqual([]);
});

/** Rows of the matrix that are seen whole, above what stands below them. */
const wholeRows = (page: Page, below = '.mx-status'): Promise<number> =>
  page.evaluate((selector) => {
    const end = document.querySelector(selector)!.getBoundingClientRect().top;
    const rows = [...document.querySelectorAll('[role=gridcell][aria-colindex="1"]')];
    return rows.filter((row) => row.getBoundingClientRect().bottom <= end + 1).length;
  }, below);

test('a matrix has room for its rows beside all that stands above them', async ({ page }) => {
  await signIn(page);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await open(page, pages.get('case')!);
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(20);
  await page.setViewportSize({ width: 1_280, height: 720 });
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(14);
  // The same window at 200 %, where the matrix is wider than that.
  await page.setViewportSize(NARROW[1]!);
  await expect.poll(() => wholeRows(page, '.ag-body-horizontal-scroll')).toBeGreaterThanOrEqual(5);
  const header = page.locator('.page-head');
  for (const button of await header.getByRole('button').all()) {
    await button.focus();
    await expect(button).toBeInViewport({ ratio: 0.9 });
  }
});

/** What opens a menu, a list or a dialog without doing anything. */
const OPENERS = 'button:is([aria-haspopup], [role=combobox]):not([disabled])';
const DIALOGS = /…$|^(New project|New case|Run|Add items|Keyboard shortcuts|Create key)$/;
const OPENED = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** `open`: a menu or a list is open, which stands beside the page's landmarks. */
async function faults(page: Page, where: string, open = false): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const look = axe(page);
    if (colorScheme === 'dark') look.withRules(OF_COLOURS);
    else
      look.options({
        resultTypes: ['violations'],
        rules: { 'target-size': { enabled: true }, region: { enabled: !open } },
      });
    const { violations } = await look.analyze();
    found.push(
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, html }) =>
            `${where} ${colorScheme} ${id}: ${target.join(' ')} ${html.slice(0, 120)}`,
        ),
      ),
    );
  }
  return found;
}

test(
  'axe finds nothing on any page, nor in any menu, list or dialog',
  IN_LONG_FORM,
  async ({ page }) => {
    await signIn(page);
    const found = new Set<string>();
    for (const [name, address] of pages) {
      await open(page, address);
      for (const fault of await faults(page, name)) found.add(fault);
      const openers = page
        .locator(OPENERS)
        .or(page.getByRole('button', { name: DIALOGS, disabled: false }));
      const count = await openers.count();
      for (let at = 0; at < Math.min(count, 25); at += 1) {
        const opener = openers.nth(at);
        if (!(await opener.isVisible())) continue;
        const label =
          (await opener.getAttribute('aria-label')) ?? (await opener.textContent()) ?? '';
        await opener.click();
        const opened = page.locator(OPENED).filter({ visible: true }).first();
        await opened.waitFor({ timeout: 2_000 }).catch(() => undefined);
        if (await opened.isVisible())
          for (const fault of await faults(page, `${name} > ${label.trim()}`, true))
            found.add(fault);
        await open(page, address);
      }
    }
    expect([...found]).toEqual([]);
  },
);

test('pictures of every page', async ({ browser }) => {
  test.skip(SHOTS === undefined, 'SHOTS names a folder for them.');
  mkdirSync(SHOTS!, { recursive: true });
  for (const locale of ['en-GB', 'de-DE'])
    for (const size of SIZES)
      for (const scheme of ['light', 'dark', 'forced'] as const) {
        const context = await browser.newContext({
          locale,
          viewport: size,
          ...(scheme === 'forced' ? { forcedColors: 'active' } : { colorScheme: scheme }),
        });
        const page = await context.newPage();
        await signIn(page);
        for (const [name, address] of pages) {
          await open(page, address);
          const file = `${name}-${size.width}-${scheme}-${locale.slice(0, 2)}.png`;
          await page.screenshot({ path: path.join(SHOTS!, file) });
        }
        await context.close();
      }
});
