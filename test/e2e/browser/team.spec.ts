import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { lengthOf } from '../../support/length.ts';
import { freePort, type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { call, type Served, serve } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import { keepServerLogs } from './support/server-log.ts';
import { cell, cellAt, openCase, PROFILE, RULES, status, uids } from './support/studio.ts';

test.use({ serviceWorkers: 'allow' });
test.describe.configure({ timeout: 180_000 });

const ANN = { name: 'Ann Mokri', email: 'ann@lab.example', password: 'violet harbour 71 spoons' };
const BEN = { name: 'Ben Okafor', email: 'ben@lab.example', password: 'granite 5 lanterns uphill' };
const SLOW = { timeout: 20_000 };

let data: string;
let postgres: RunningPostgres;
let served: Served;
let url: string;
test.beforeAll(async () => {
  data = mkdtempSync(path.join(tmpdir(), 'team-'));
  postgres = await startPostgres();
  const port = String(await freePort());
  served = await serve(data, ['--port', port, '--database-url', postgres.url], {
    EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  ({ url } = served);
});
test.afterEach(({}, info) => keepServerLogs(info, [served]));
test.afterAll(async () => {
  await served.kill('SIGTERM');
  await postgres.stop();
  rmSync(data, { recursive: true, force: true });
});

/** On a phone a page scrolls down, never sideways. */
async function expectNarrow(page: Page): Promise<void> {
  const usual = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBe(390);
  if (usual !== null) await page.setViewportSize(usual);
}

/** What changes something, and is not a viewer's to do. */
const WRITES =
  /^(New (project|profile|case|version)|Edit|Import|Duplicate|Add items|Run$|Undo|Invite|Rename|Change role|Open the sample|Carry)/;

/** A browser of somebody else's. */
const newPage = async (browser: Browser): Promise<Page> =>
  (
    await browser.newContext({ serviceWorkers: 'allow', viewport: { width: 1280, height: 800 } })
  ).newPage();
const row = (page: Page, table: string, name: string | RegExp) =>
  page.getByRole('table', { name: table, exact: true }).getByRole('row', { name });
const signIn = async (page: Page, { email, password }: typeof ANN): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'I have copied the key' }).click();
  return key;
}

/** A page of another site that links here. */
async function linkFromElsewhere(page: Page, target: string): Promise<void> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(`<a href="${target}">the run</a>`),
  ).listen(0, 'localhost');
  await new Promise((resolve) => server.once('listening', resolve));
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  await page.getByRole('link', { name: 'the run' }).click();
  await page.waitForURL(`${url}/**`);
  server.close();
}

test('a team from nothing: setup, a key, an invitation, two people in one matrix, a link to a run, revocation, gone', async ({
  page,
  browser,
}) => {
  await page.goto(url);
  await expect(page).toHaveURL(`${url}/setup`);
  await expectAccessible(page);
  await page.getByLabel('Setup token').fill(/token there: (\S+)/.exec(served.output())?.[1] ?? '');
  await page.getByLabel('Name of the team').fill('Variant lab');
  await page.getByLabel('Your name').fill(ANN.name);
  await page.getByLabel('E-mail').fill(ANN.email);
  await page.getByLabel('Password').fill(ANN.password);
  await page.getByRole('button', { name: 'Set up' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible(SLOW);
  expect((await fetch(`${url}/setup`)).status).toBe(404);
  await page.goto(`${url}/setup`);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'To the studio' }).click();

  await page.getByRole('link', { name: 'Account', exact: true }).click();
  await expect(page.getByText(`Signed in as ${ANN.name} (${ANN.email}), owner`)).toBeVisible();
  const key = await createKey(page, 'night batch');
  const send = async (target: string, body: unknown) => {
    const answer = await call(url, key, 'POST', `/api/v1/${target}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const { project_id } = await send('projects', { name: 'Trios' });
  await send('cases', { project_id, case_uid: 'trio-1', profile_uid: PROFILE });
  await send('evidence', {
    case_uid: 'trio-1',
    profile_uid: PROFILE,
    items: uids(3).map((item_uid) => ({ item_uid })),
  });
  const { run_uid } = await send('runs', { case_uid: 'trio-1', profile_uid: PROFILE });

  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByLabel('Who it is for').fill('Ben');
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click();
  const invitation = await page.getByLabel('Invitation link').inputValue();
  expect(invitation).toContain(`${url}/join#`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'I have copied the link' }).click();
  await expect(row(page, 'Open invitations', /Ben/)).toContainText('Member');

  const second = await newPage(browser);
  await second.goto(invitation);
  await expectAccessible(second);
  await second.getByLabel('Your name').fill(BEN.name);
  await second.getByLabel('E-mail').fill(BEN.email);
  await second.getByLabel('Password').fill(BEN.password);
  await second.getByRole('button', { name: 'Join' }).click();
  await expect(second.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible(SLOW);
  await expect(second.getByRole('link', { name: 'Trios' })).toBeVisible();

  // What one records, the other sees without asking.
  await openCase(page, { url } as Parameters<typeof openCase>[1], 'trio-1');
  await openCase(second, { url } as Parameters<typeof openCase>[1], 'trio-1');
  for (const [who, other] of [
    [page, BEN.name],
    [second, ANN.name],
  ] as const)
    await expect(who.getByText(`Also here: ${other}`)).toBeVisible(SLOW);
  await cellAt(second, 'item_002', RULES[0]).click();
  await second.keyboard.press('t');
  await expect(status(second)).toHaveText(/^Saved on the server/, SLOW);
  await expect(cell(page, 'item_002', RULES[0], 'TRUE')).toBeVisible(SLOW);

  // A link to a run: from another site to whoever is signed in, over the sign-in page to everybody
  // else.
  await second.evaluate(() => navigator.serviceWorker.ready);
  await linkFromElsewhere(second, `${url}/studio/runs/${run_uid}`);
  await expect(page.getByText(`Also here: ${BEN.name}`)).toHaveCount(0, SLOW);
  await expect(second).toHaveURL(`${url}/studio/runs/${run_uid}`);
  await expect(second.getByText('it does not establish truth, pathogenicity')).toBeVisible(SLOW);
  const third = await newPage(browser);
  await third.goto(`${url}/studio/runs/${run_uid}?show=table`);
  await expect(third).toHaveURL(
    `${url}/login?next=${encodeURIComponent(`/studio/runs/${run_uid}?show=table`)}`,
  );
  await expectAccessible(third);
  await signIn(third, { ...BEN, password: 'granite 5 lanterns downhill' });
  await expect(third.getByRole('alert')).toBeVisible();
  await expect(third.getByLabel('Password')).toBeFocused();
  await expect(third.getByLabel('Password')).toHaveAccessibleDescription(
    'The e-mail address or the password is not right.',
  );
  await expect(third.getByLabel('E-mail')).toHaveValue(BEN.email);
  await expectAccessible(third);
  await signIn(third, BEN);
  await expect(third).toHaveURL(`${url}/studio/runs/${run_uid}?show=table`);
  await expect(third.getByText('it does not establish truth, pathogenicity')).toBeVisible(SLOW);

  // Signed in twice; one is ended from the other.
  await second.goto(`${url}/account`);
  await expect(second.getByRole('button', { name: 'Invite' })).toHaveCount(0);
  await expect(second.getByRole('table', { name: 'API keys' })).toHaveCount(0);
  await second.getByRole('button', { name: /^Sign out .* on / }).click();
  await expect(
    second.getByRole('table', { name: 'Where you are signed in' }).getByRole('row'),
  ).toHaveCount(2);
  await third.goto(`${url}/studio`);
  await expect(third).toHaveURL(`${url}/login`);
  const bens = await createKey(second, 'ben’s script');
  await expect(row(second, 'API keys', /ben’s script/)).toContainText('active');
  expect((await call(url, bens, 'GET', '/api/v1/projects')).status).toBe(200);

  await page.goto(`${url}/account`);
  await expect(row(page, 'Members', /Ben Okafor/)).toContainText('Member');
  await expect(page.getByRole('table', { name: 'Open invitations' })).toHaveCount(0);
  await expect(row(page, 'API keys', /ben’s script/)).toContainText(BEN.name);
  await expectAccessible(page);
  await expectNarrow(page);
  await page.getByRole('button', { name: 'Revoke ben’s script' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(row(page, 'API keys', /ben’s script/)).toContainText('revoked');
  const refused = await call(url, bens, 'GET', '/api/v1/projects');
  expect([refused.status, refused.body.error]).toEqual([401, 'key_revoked']);

  // A viewer reads; somebody who was removed finds nothing.
  await openCase(second, { url } as Parameters<typeof openCase>[1], 'trio-1');
  await page.getByRole('button', { name: `Change the role of ${BEN.name}` }).click();
  await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /^Viewer/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await expect(page.getByText(`${BEN.name} has the role viewer.`)).toBeVisible();
  await expect(row(page, 'Members', /Ben Okafor/)).toContainText('Viewer');
  await second.reload();
  await expect(cellAt(second, 'item_001', RULES[0])).toBeVisible(SLOW);
  await expect(second.getByText('Read only.')).toHaveCount(1);
  await expect(second.getByRole('button', { name: WRITES })).toHaveCount(0);
  await cellAt(second, 'item_001', RULES[0]).click();
  const outcomes = second.getByRole('radiogroup', { name: 'Outcome' });
  await expect(outcomes).toHaveAttribute('aria-readonly', 'true');
  await outcomes.getByRole('radio', { name: /^TRUE/ }).click({ force: true });
  await cellAt(second, 'item_001', RULES[0]).click({ button: 'right' });
  await expect(second.getByRole('menuitem', { name: 'Copy', exact: true })).toBeVisible();
  await expect(
    second.getByRole('menuitem', { name: /^(TRUE|Paste|Fill|Edit the item|Remove)/ }),
  ).toHaveCount(0);
  await second.keyboard.press('Escape');
  await expectAccessible(second);
  await cellAt(second, 'item_001', RULES[0]).click();
  await second.keyboard.press('t');
  await expect(second.getByText('You are a viewer here').first()).toBeVisible(SLOW);
  await expect(cell(second, 'item_001', RULES[0], null)).toBeVisible();

  await second.goto(`${url}/studio`);
  await expect(second.getByRole('status').filter({ hasText: 'Viewer: reads only' })).toBeVisible();
  await expect(second.getByRole('link', { name: 'Trios' })).toBeVisible();
  for (const address of [
    `/studio/projects/${project_id}`,
    ...lengthOf(
      [],
      [
        '/studio',
        '/studio/profiles',
        `/studio/profiles/${PROFILE}`,
        `/studio/runs/${run_uid}`,
        '/studio/cases/trio-1',
      ],
    ),
    '/account',
  ]) {
    await second.goto(url + address);
    await expect(second.getByRole('heading', { level: 1 })).toBeVisible(SLOW);
    await expect(second.locator('.skeleton')).toHaveCount(0);
    await expect(second.getByRole('button', { name: WRITES })).toHaveCount(0);
    await expectNarrow(second);
  }

  await page.getByRole('button', { name: `Remove ${BEN.name}` }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove member' }).click();
  await expect(page.getByText(`${BEN.name} has been removed.`)).toBeVisible();
  await expect(row(page, 'Members', /Ben Okafor/)).toHaveCount(0);
  await second.goto(`${url}/studio/cases/trio-1`);
  await expect(second).toHaveURL(/\/login/);
  await signIn(second, BEN);
  await expect(second.getByRole('alert')).toContainText('no team');
  await second.goto(invitation);
  await expect(second.getByRole('heading', { name: 'This link cannot be used' })).toBeVisible();

  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(`${url}/login`);
});
