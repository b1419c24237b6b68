import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { createEvidenceServer } from '../../../src/server/server.ts';
import { CHROMIUM_ARGS, findChromium } from '../../support/chromium.ts';
import { bootServer } from '../../support/server.ts';
import { ROOT } from '../../support/served.ts';
import {
  cell,
  cellAt,
  createCase,
  openCase,
  PROFILE,
  RECONNECTED,
  RULES,
  SAVED,
  status,
  storedCells,
  test,
  uids,
} from './support/studio.ts';

test.use({
  serviceWorkers: 'allow',
  // Only the whole browser says whether a page can be installed.
  launchOptions: { executablePath: findChromium(), args: [...CHROMIUM_ARGS] },
});
test.describe.configure({ timeout: 90_000 });

const BUILT = path.join(ROOT, 'out/renderer');

/**
 * Resolves when a service worker has every file and answers for this page, which may have been on
 * its way while the worker took over.
 */
async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  if (await page.evaluate(() => navigator.serviceWorker.controller === null)) await page.reload();
}

/** Paths in all caches of the origin. */
const cached = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys())
        paths.push(new URL(request.url).pathname);
    return paths;
  });

test('the studio starts without its server, takes edits, and keeps nothing of the API; signed out, it shows nothing', async ({
  page,
  context,
  studio,
}) => {
  const key = await studio.key();
  await createCase(
    studio,
    key,
    'kept',
    uids(3).map((item_uid) => ({ item_uid })),
  );
  await studio.signIn(page);
  await openCase(page, studio, 'kept');
  await kept(page);
  const paths = await cached(page);
  expect(paths.filter((one) => !one.startsWith('/assets/'))).toEqual(['/studio']);
  expect(paths).toHaveLength(readdirSync(path.join(BUILT, 'assets')).length + 1);

  const cdp = await context.newCDPSession(page);
  expect((await cdp.send('Page.getAppManifest')).errors).toEqual([]);
  // The one thing in the way is the test's own window, which is a private one.
  await expect
    .poll(async () =>
      (await cdp.send('Page.getInstallabilityErrors')).installabilityErrors.map(
        (error) => error.errorId,
      ),
    )
    .toEqual(['in-incognito']);

  await studio.served.kill('SIGKILL');
  await page.close();
  const second = await context.newPage();
  await openCase(second, studio, 'kept');
  await cellAt(second, 'item_002', RULES[0]).click();
  await second.keyboard.press('t');
  await expect(status(second)).toHaveText(/^1 change pending/);
  await second.goto(`${studio.url}/studio`);
  await expect(second.getByRole('link', { name: 'Project of kept' })).toBeVisible();
  await studio.restart();
  await openCase(second, studio, 'kept');
  await expect(status(second)).toHaveText(SAVED, RECONNECTED);
  expect([...(await storedCells(studio, key, 'kept')).keys()]).toEqual([`item_002 ${RULES[0]}`]);

  await second.goto(`${studio.url}/account`);
  await second.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(second.getByRole('heading', { name: 'Sign in to Evidence Studio' })).toBeVisible();
  await studio.served.kill('SIGKILL');
  await second.goto(`${studio.url}/studio`);
  await expect(second.getByText('The server cannot be reached').first()).toBeVisible();
  await expect(second.getByText('Project of kept')).toHaveCount(0);
  await second.goto(`${studio.url}/studio/cases/kept?profile=${PROFILE}@1.1`);
  await expect(second.getByText('The server cannot be reached').first()).toBeVisible();
  await expect(second.getByRole('gridcell')).toHaveCount(0);
});

/** The same pages under other names, as a later build has them. */
function laterBuild(folder: string): void {
  cpSync(BUILT, folder, { recursive: true });
  const names = readdirSync(path.join(folder, 'assets'));
  const worker = path.join(folder, 'service-worker.js');
  const build = /BUILD="([\w-]+)"/.exec(readFileSync(worker, 'utf8'))?.[1] ?? '';
  const later = (text: string): string =>
    names.reduce(
      (changed, name) => changed.replaceAll(name, `later-${name}`),
      text.replaceAll(build, `later${build}`),
    );
  for (const file of [
    worker,
    path.join(folder, 'index.html'),
    ...names.map((name) => path.join(folder, 'assets', name)),
  ])
    writeFileSync(file, later(readFileSync(file, 'utf8')));
  for (const name of names)
    renameSync(path.join(folder, 'assets', name), path.join(folder, 'assets', `later-${name}`));
}

test('a new version: the open window goes on with its own files, is told, and loads it with every edit', async ({
  page,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'later-build-'));
  laterBuild(folder);
  const first = await bootServer({ deps: { rendererRoot: BUILT } });
  const { url, port } = first.server;
  const studio = { url } as Parameters<typeof openCase>[1];
  try {
    const project = await first.call('POST', '/api/v1/projects', { body: { name: 'Versions' } });
    await first.call('POST', '/api/v1/cases', {
      body: { project_id: project.body.project_id, case_uid: 'versions', profile_uid: PROFILE },
    });
    await first.call('POST', '/api/v1/evidence', {
      body: {
        case_uid: 'versions',
        profile_uid: PROFILE,
        items: uids(2).map((item_uid) => ({ item_uid })),
      },
    });
    await page.goto(await createSignInLink(first.deps, url));
    await openCase(page, studio, 'versions');
    await kept(page);

    await first.server.close();
    await cellAt(page, 'item_001', RULES[0]).click();
    await page.keyboard.press('t');
    const second = await createEvidenceServer({ ...first.deps, rendererRoot: folder }, { port });
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    const notice = page
      .getByRole('status')
      .filter({ hasText: 'A newer version of the studio is ready' });
    await expect(notice).toHaveCount(0);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await expect(notice).toBeVisible(RECONNECTED);

    // A page of the former build that was not opened yet: the server does not have its file any
    // more.
    await page
      .getByRole('navigation', { name: 'Studio' })
      .getByRole('link', { name: 'Profiles' })
      .click();
    await page.getByRole('button', { name: 'New profile' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await page.goBack();
    await page.goBack();
    await second.close();
    await cellAt(page, 'item_002', RULES[1]).click();
    await page.keyboard.press('n');
    await expect(status(page)).toHaveText(/^1 change pending/);
    await notice.getByRole('button', { name: 'Load it' }).click();
    await expect(cell(page, 'item_002', RULES[1], 'NA')).toBeVisible({ timeout: 15_000 });
    await expect(notice).toHaveCount(0);
    expect(
      await page.evaluate(() => document.querySelector('script[src]')?.getAttribute('src')),
    ).toContain('later-');

    const third = await createEvidenceServer({ ...first.deps, rendererRoot: folder }, { port });
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    // The former build goes once no window shows it.
    await page.reload();
    await expect
      .poll(async () =>
        (await cached(page)).filter((one) => one.startsWith('/assets/') && !one.includes('later-')),
      )
      .toEqual([]);
    await third.close();
  } finally {
    await first.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
