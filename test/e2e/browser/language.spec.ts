import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { expectAccessible } from './support/axe.ts';

// A reader whose browser asks for German, and one of them who would rather have English.
const ROOT = path.resolve(import.meta.dirname, '../../..');
const CASE = 'sample-demo1-knockout';
/** Words that no German sentence has; the sample's own titles are English. */
const ENGLISH = /\b(?:the|of|and|by|with|not|no|is)\b/i;

let server: TestServer;

test.use({ locale: 'de-DE' });

test.beforeAll(async () => {
  await buildIfNeeded();
  server = await bootServer({ deps: { rendererRoot: path.join(ROOT, 'out/renderer') } });
});
test.afterAll(() => server.close());

/** The sample, which a person makes, with its run; answers the run's id. */
async function makeSample(page: Page): Promise<string> {
  const made = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' };
    return (await fetch('/api/v1/sample', { method: 'POST', headers, body: '{}' })).status;
  });
  expect(made).toBe(201);
  return (await server.call('GET', '/api/v1/runs')).body.data[0].run_uid as string;
}

/** What the page itself says: headings and buttons, without what somebody recorded. */
async function expectGerman(page: Page): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  const own = await page.locator('h2, th[scope=col], button:not([role=radio])').allInnerTexts();
  expect(own.filter((text) => ENGLISH.test(text))).toEqual([]);
  await expectAccessible(page);
}

/** Names and headings of the run's items that their column cuts off, or breaks within a word. */
const cutOff = (page: Page): Promise<string[]> =>
  page
    .locator('.ag-header-cell-text, .interval-axis > span, .items-chosen, .item-label')
    .evaluateAll((all) =>
      all
        .filter((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
          const isBroken = lines.size > element.textContent.split(/\s/).length;
          return isBroken || element.scrollWidth > element.clientWidth + 1;
        })
        .map(({ textContent }) => textContent),
    );

test('projects, a case and a run are in the language of the browser, or in the chosen one', async ({
  page,
}) => {
  await page.goto(`${server.url}/studio`);
  await expect(page.getByRole('heading', { name: 'Bei Evidence Studio anmelden' })).toBeVisible();
  await page.goto(await createSignInLink(server.deps, server.url));
  await page.getByRole('heading', { level: 1, name: 'Projekte' }).waitFor();
  const runUid = await makeSample(page);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Zuletzt bearbeitete Fälle' })).toBeVisible();
  await expectGerman(page);

  await page.goto(`${server.url}/studio/cases/${CASE}`);
  await page.getByRole('button', { name: 'Läufe (1)' }).waitFor();
  await page.getByRole('grid').waitFor();
  await expectGerman(page);

  await page.goto(`${server.url}/studio/runs/${runUid}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await expectGerman(page);
  expect(await cutOff(page)).toEqual([]);

  await page.getByRole('button', { name: 'Darstellung und Sprache' }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  const places = page.getByRole('navigation', { name: 'Studio' });
  await expect(places.getByRole('link', { name: 'Runs' })).toBeVisible();
  await page.locator('.ag-header-cell-text').first().waitFor();
  expect(await cutOff(page)).toEqual([]);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.goto(`${server.url}/studio/sync`);
  await expect(page.getByRole('heading', { level: 1, name: 'Sync' })).toBeVisible();
  await expect(places.getByRole('link', { name: 'Projects', exact: true })).toBeVisible();
});
