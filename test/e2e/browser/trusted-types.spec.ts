import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { createSetupToken } from '../../../src/server/auth/setup-token.ts';
import { freePort } from '../../support/postgres.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { bootServer, type TestServer } from '../../support/server.ts';

// The pages as built, from a hosted server with its own policy headers, in a browser that holds
// them to Trusted Types.
const ROOT = path.resolve(import.meta.dirname, '../../..');
const OWNER = {
  team: 'Sequencing',
  name: 'Ada',
  email: 'ada@example.org',
  password: 'seven purple rivers turn',
};
const CASE = 'sample-demo1-knockout';
const PROFILE = 'crispr_edit_evidence';

let server: TestServer;
let violations: string[];
let complaints: string[];
test.use({ serviceWorkers: 'allow' });
test.describe.configure({ timeout: 120_000 });
test.beforeAll(async () => {
  const port = await freePort();
  server = await bootServer({
    deps: { rendererRoot: path.join(ROOT, 'out/renderer'), home: 'hosted' },
    server: { port, publicUrl: new URL(`http://127.0.0.1:${port}`) },
  });
});
test.afterAll(() => server.close());
test.beforeEach(async ({ page }) => {
  [violations, complaints] = [[], []];
  await page.exposeFunction('tellViolation', (text: string) => void violations.push(text));
  await page.addInitScript(() =>
    document.addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective, blockedURI, sample, sourceFile }) =>
        Reflect.get(
          globalThis,
          'tellViolation',
        )(`${location.pathname}: ${effectiveDirective} ${blockedURI} ${sample} ${sourceFile}`),
    ),
  );
  page.on('pageerror', (error) => complaints.push(error.message));
});
test.afterEach(() => expect([violations, complaints]).toEqual([[], []]));

/** Whether text becomes HTML or a script's address on this page. */
const takesText = (page: Page) =>
  page.evaluate(() => {
    const takes = (set: () => void): boolean => {
      try {
        set();
        return true;
      } catch (error) {
        if (error instanceof TypeError) return false;
        throw error;
      }
    };
    return {
      html: takes(() => void (document.createElement('div').innerHTML = '<b>x</b>')),
      worker: takes(() => void new Worker('/assets/none.js')),
      script: takes(() => void (document.createElement('script').src = '/assets/none.js')),
    };
  });

test(
  'every page of a hosted server runs under Trusted Types without a violation; text becomes no HTML and no script',
  IN_LONG_FORM,
  async ({ page, context }) => {
    const { url } = server;
    await page.goto(`${url}/setup`);
    for (const [label, value] of [
      ['Setup token', (await createSetupToken(server.deps)) ?? ''],
      ['Name of the team', OWNER.team],
      ['Your name', OWNER.name],
      ['E-mail', OWNER.email],
      ['Password', OWNER.password],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.getByRole('button', { name: 'Set up' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.getByRole('button', { name: 'Open the sample project' }).click();
    await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeVisible();
    const { body } = await server.call('GET', `/api/v1/runs?case_uid=${CASE}`, {
      key: null,
      headers: {
        cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
      },
    });
    const run = body.data[0].run_uid as string;

    // HTML from a spreadsheet is read by the other policy.
    await page.getByRole('grid', { name: 'Evidence matrix' }).getByRole('gridcell').nth(3).click();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData(
        'text/html',
        '<table><tr><td>TRUE</td></tr></table><img src=x onerror=alert(1)>',
      );
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });

    const pages = [
      ['/studio', 'Projects'],
      ['/studio/runs', 'Runs'],
      [`/studio/runs/${run}`, undefined],
      [`/studio/runs/${run}/report`, undefined],
      [`/studio/cases/${CASE}`, undefined],
      [`/studio/cases/${CASE}/carry-forward`, undefined],
      ['/studio/profiles', 'Profiles'],
      [`/studio/profiles/${PROFILE}`, undefined],
      [`/studio/profiles/${PROFILE}/compare`, undefined],
      ['/studio/sync', 'Sync'],
      ['/account', undefined],
      ['/studio/nothing/here', undefined],
    ] as const;
    for (const [address, heading] of pages) {
      await page.goto(url + address);
      await expect(
        page
          .getByRole('heading', { level: 1, ...(heading !== undefined && { name: heading }) })
          .first(),
      ).toBeVisible();
      await page.waitForLoadState('networkidle');
    }
    // Each try below is a violation by itself; what the pages did before is what counts.
    expect(violations).toEqual([]);
    expect(await takesText(page)).toEqual({ html: false, worker: false, script: false });
    await expect.poll(() => violations.length).toBe(3);
    violations = [];
  },
);

test('an invitation leaves the address bar before anything else happens, and its token is in no request line', async ({
  page,
  browser,
}) => {
  const { store } = server.deps;
  const { invite } = await import('../../../src/server/auth/invite.ts');
  const link = await store.transact(
    async (writer) =>
      (
        await invite(writer, server.deps, server.url, {
          account_id: store.local.account_id,
          role: 'member',
          name: null,
          user_id: null,
          created_by: null,
          expires_at: '2099-01-01T00:00:00.000Z',
        })
      ).url,
    '*',
  );
  const token = link.split('#')[1]!;
  const heard: string[] = [];
  page.on('request', (request) =>
    heard.push(`${request.url().split('#')[0]} ${request.headers()['referer'] ?? ''}`),
  );
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1, name: /^Join / })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: /^Join / })).toBeVisible();
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain(token);
  for (const one of heard) expect(one).not.toContain(token);
  // Without scripts the link is typed in.
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const quiet = await plain.newPage();
  await quiet.goto(`${server.url}/join`);
  await quiet.getByLabel('Invitation').fill(link);
  await quiet.getByRole('button', { name: 'Open' }).click();
  await expect(quiet.getByRole('heading', { level: 1, name: /^Join / })).toBeVisible();
  await plain.close();
});
