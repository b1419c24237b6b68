import path from 'node:path';
import { expect, type Page, type Request, test } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { expectAccessible } from './support/axe.ts';

// Lists with more rows than a page, from a real server.
const ROOT = path.resolve(import.meta.dirname, '../../..');
const CASES = 120;
const titleOf = (n: number): string => `Case number ${String(n).padStart(3, '0')}`;

let server: TestServer;
let projectId: string;

test.beforeAll(async () => {
  await buildIfNeeded();
  server = await bootServer({ deps: { rendererRoot: path.join(ROOT, 'out/renderer') } });
  const post = async (address: string, body: object) =>
    (await server.call('POST', `/api/v1/${address}`, { body })).body;
  projectId = (await post('projects', { name: 'Many cases' })).project_id as string;
  for (let n = 1; n <= CASES; n += 1)
    await post('cases', { project_id: projectId, case_uid: `many-${n}`, title: titleOf(n) });
});
test.afterAll(() => server.close());

test.beforeEach(async ({ page }) => {
  await page.goto(await createSignInLink(server.deps, server.url));
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
});

/** Requests for lists of cases, as far as they have been sent. */
function listsOfCases(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request: Request) => {
    const url = new URL(request.url());
    // Each test comes from the start page, which lists cases itself.
    if (url.pathname === '/api/v1/cases' && new URL(page.url()).pathname !== '/studio')
      sent.push(url.search);
  });
  return sent;
}

const rows = (page: Page) => page.getByRole('region', { name: 'Cases' }).getByRole('rowheader');

test('a project shows one page of its cases, asks for no other, and goes on by keyboard', async ({
  page,
}) => {
  const sent = listsOfCases(page);
  await page.goto(`${server.url}/studio/projects/${projectId}`);
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toHaveText(titleOf(1));
  await expect(page.getByText('Cases 1–50')).toBeVisible();
  expect(sent).toHaveLength(1);
  expect(new URLSearchParams(sent[0]).get('limit')).toBe('50');

  const next = page.getByRole('button', { name: 'Next' });
  await next.focus();
  await page.keyboard.press('Enter');
  await expect(rows(page).first()).toHaveText(titleOf(51));
  await expect(next).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByRole('status').filter({ hasText: 'Cases 101–120' })).toBeVisible();
  await expect(next).toBeFocused();
  await expect(next).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(20);
  expect(sent).toHaveLength(3);
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(rows(page).first()).toHaveText(titleOf(51));
  await expectAccessible(page);
});

test('the server sorts and searches', IN_LONG_FORM, async ({ page }) => {
  await page.goto(`${server.url}/studio/projects/${projectId}`);
  await expect(rows(page)).toHaveCount(50);
  const heading = page.getByRole('columnheader', { name: 'Case' });
  const sort = heading.getByRole('button');
  await sort.focus();
  await page.keyboard.press('Enter');
  await expect(heading).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Enter');
  await expect(heading).toHaveAttribute('aria-sort', 'descending');
  await expect(rows(page).first()).toHaveText(titleOf(CASES));
  await expect(sort).toBeFocused();

  await page.getByRole('searchbox', { name: 'Search cases' }).fill('NUMBER 07');
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).first()).toHaveText(titleOf(79));
  await expectAccessible(page);
  await page.getByRole('searchbox', { name: 'Search cases' }).fill('nothing like it');
  await expect(page.getByRole('heading', { name: 'No case matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(rows(page)).toHaveCount(50);
});

test(
  'the runs page chooses a case by asking the server, and lists no cases before',
  IN_LONG_FORM,
  async ({ page }) => {
    const sent = listsOfCases(page);
    await page.goto(`${server.url}/studio/runs`);
    await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible();
    expect(sent).toEqual([]);
    await page.getByRole('combobox', { name: 'Case' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: 'All cases' })).toBeVisible();
    await expect(page.getByText('There are more: type to search.')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.type('many-117');
    await expect(page.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${server.url}/studio/runs?case=many-117`);
    await expect(page.getByRole('combobox', { name: 'Case' })).toContainText(titleOf(117));
    await expect(page.getByRole('heading', { name: 'No run matches' })).toBeVisible();
    expect(sent.map((search) => new URLSearchParams(search).get('limit'))).toEqual(
      sent.map(() => '20'),
    );
  },
);

test(
  'without the server a list shows what was opened here, sorted and paged, and says so',
  IN_LONG_FORM,
  async ({ page }) => {
    await page.goto(`${server.url}/studio/projects/${projectId}`);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(rows(page).first()).toHaveText(titleOf(51));
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('columnheader', { name: 'Case' }).getByRole('button').click();
    await expect(page.getByText('Only what was opened here is listed')).toBeVisible();
    await expect(rows(page)).toHaveCount(50);
    await expect(rows(page).first()).toHaveText(titleOf(1));
    await page.getByRole('button', { name: 'Next' }).click();
    await expect(rows(page)).toHaveCount(50);
    await expect(rows(page).first()).toHaveText(titleOf(51));
    await page.getByRole('searchbox', { name: 'Search cases' }).fill('number 099');
    await expect(rows(page)).toHaveText([titleOf(99)]);
  },
);
