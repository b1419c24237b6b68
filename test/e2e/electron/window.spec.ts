import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { expect } from '@playwright/test';
import { findElectron, killDesktop } from '../../support/electron.ts';
import {
  cell,
  CHECK_ENV,
  chooseInMenu,
  createCase,
  discovery,
  fromPage,
  openCase,
  RULES,
  test,
} from './studio.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

test('the window opens on the projects of the studio', async ({ running: { page } }) => {
  expect(page.url()).toBe('app://studio/studio');
  await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
});

test('E2 the page runs isolated, in a sandbox, without Node', async ({
  running: { app, page },
}) => {
  const preferences = await app.evaluate(({ webContents }) =>
    (
      webContents.getAllWebContents()[0] as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      }
    ).getLastWebPreferences(),
  );
  expect(preferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
  });
  expect(
    await page.evaluate(() =>
      ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in globalThis),
    ),
  ).toEqual([]);
});

test('E7 the page sees exactly the functions of the contract', async ({
  running: { page, data },
}) => {
  type Host = {
    desktop: {
      platform: string;
      status(): Promise<unknown>;
      openExternal(link: string): Promise<unknown>;
    };
  };
  expect(
    await page.evaluate(() => Object.keys((globalThis as unknown as Host).desktop).toSorted()),
  ).toEqual([
    'examine',
    'onMenuAction',
    'openExternal',
    'platform',
    'savePdf',
    'status',
    'updates',
  ]);
  expect(await page.evaluate(() => (globalThis as unknown as Host).desktop.status())).toMatchObject(
    { version, api_url: discovery(data).url, notices: [] },
  );
  expect(
    await page.evaluate(() =>
      (globalThis as unknown as Host).desktop.openExternal('https://evil.example/').catch(String),
    ),
  ).toContain('invalid_request');
});

test('E3 names made of markup stay text, and nothing breaks the content policy', async ({
  running: { page },
}) => {
  await page.addInitScript(() => {
    (globalThis as unknown as { violations: string[] }).violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      (globalThis as unknown as { violations: string[] }).violations.push(
        `${event.violatedDirective} ${event.blockedURI}`,
      ),
    );
  });
  const markup = '<img src=x onerror=document.title=1><svg/onload=document.title=2>';
  const project = await fromPage<{ project_id: string }>(page, 'POST', 'projects', {
    name: markup,
    description: markup,
  });
  await fromPage(page, 'POST', 'cases', {
    project_id: project.value.project_id,
    case_uid: 'markup',
    title: markup,
    description: markup,
  });
  await fromPage(page, 'POST', 'evidence', {
    case_uid: 'markup',
    profile_uid: 'trio_rare_disease',
    items: [
      {
        item_uid: markup,
        label: markup,
        evidence: [{ rule_uid: 'parents_genotype_missing', raw_outcome: 'TRUE', notes: markup }],
      },
    ],
  });
  for (const address of [
    '/studio',
    `/studio/projects/${project.value.project_id}`,
    '/studio/profiles',
    '/account',
  ]) {
    await page.goto(`app://studio${address}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(
      await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations),
    ).toEqual([]);
  }
  await openCase(page, 'markup');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x');
  expect(await page.title()).not.toMatch(/^[12]$/);
  expect(
    await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations),
  ).toEqual([]);
});

test('E5 the page goes nowhere else and opens no window', async ({ running: { app, page } }) => {
  for (const address of [
    'https://example.com/',
    'file:///etc/passwd',
    'data:text/html,x',
    'app://studio/api/v1/session',
    'app://studio.evil/',
  ]) {
    await page.evaluate((to) => void (location.href = to), address);
    await page.evaluate((to) => void window.open(to), address);
  }
  await page.waitForTimeout(300);
  expect(page.url()).toBe('app://studio/studio');
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('E6 the page gets no permission but to write to the clipboard', async ({
  running: { page },
}) => {
  const states = await page.evaluate(async () => {
    const asked = [
      'geolocation',
      'notifications',
      'clipboard-read',
      'persistent-storage',
    ] as PermissionName[];
    return Promise.all(
      asked.map((name) =>
        navigator.permissions.query({ name }).then(
          ({ state }) => state,
          () => 'unknown',
        ),
      ),
    );
  });
  expect(states.filter((state) => state === 'granted')).toEqual([]);
  expect(
    await page.evaluate(() =>
      navigator.mediaDevices.getUserMedia({ audio: true }).then(
        () => 'granted',
        (error: Error) => error.name,
      ),
    ),
  ).not.toBe('granted');
});

test('E11 a second start ends by itself and brings the first window to the front', async ({
  running: { app, data },
}) => {
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize());
  const second = spawn(findElectron(), ['--no-sandbox', ROOT], {
    env: { ...process.env, ...CHECK_ENV, EVIDENCE_STUDIO_DATA: data },
    stdio: 'ignore',
  });
  const [code] = (await once(second, 'exit')) as [number];
  expect(code).toBe(0);
  await expect
    .poll(() =>
      app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((window) => [window.isMinimized(), window.isVisible()]),
      ),
    )
    .toEqual([[false, true]]);
  expect(discovery(data).pid).toBe(app.process().pid);
});

test('E14 server.json is there while it runs, and nothing of it after quitting; the next start comes back to window and page, also after a kill', async ({
  open,
  data,
}) => {
  const { app, page } = await open();
  const file = path.join(data, 'server.json');
  const { url, pid } = discovery(data);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(pid).toBe(app.process().pid);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await createCase(page, 'open', 2);
  await page.goto('app://studio/studio/profiles?q=trio');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 40, y: 50, width: 900, height: 650 }),
  );
  const closed = app.waitForEvent('close');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await closed;
  expect(existsSync(file)).toBe(false);
  const answer = await new Promise((resolve) => {
    const socket = connect(
      Number(new URL(url).port),
      '127.0.0.1',
      () => (socket.destroy(), resolve('connected')),
    ).on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  expect(answer).toBe('ECONNREFUSED');

  const again = await open();
  expect(again.page.url()).toBe('app://studio/studio/profiles?q=trio');
  expect(
    await again.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
    ),
  ).toMatchObject({ width: 900, height: 650 });
  await openCase(again.page, 'open');
  await killDesktop(again.app);
  expect((await open()).page.url()).toBe('app://studio/studio/cases/open');
});

test('a second window shows the same case, what is recorded in one shows in the other, and either may close', async ({
  running: { app, page },
}) => {
  await createCase(page, 'beside', 2);
  const grid = await openCase(page, 'beside');
  const opened = app.waitForEvent('window');
  await chooseInMenu(app, 'New Window');
  const other = await opened;
  const otherGrid = other.getByRole('grid', { name: 'Evidence matrix' });
  await cell(otherGrid, 'item_001', RULES[0], null).click();
  await other.keyboard.press('t');
  await expect(cell(grid, 'item_001', RULES[0], 'T')).toBeVisible();
  await cell(grid, 'item_002', RULES[1], null).click();
  await page.keyboard.press('n');
  await expect(cell(otherGrid, 'item_002', RULES[1], 'N')).toBeVisible();

  await other.close();
  await page.keyboard.press('f');
  await expect(cell(grid, 'item_002', RULES[1], 'F')).toBeVisible();
  expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
});

test('a page that crashes comes back with what was recorded', async ({ open }) => {
  const { app, page } = await open();
  await createCase(page, 'crash', 2);
  await openCase(page, 'crash');
  await app.evaluate(({ webContents }) =>
    webContents.getAllWebContents()[0]?.forcefullyCrashRenderer(),
  );
  // Playwright has lost its page with the process; the main process has not. A script sent while
  // the page is down is never answered.
  const cells = (): Promise<number> =>
    app.evaluate(async ({ webContents }) => {
      const count = webContents
        .getAllWebContents()[0]
        ?.executeJavaScript(
          'document.querySelectorAll("[role=gridcell]").length',
        ) as Promise<number>;
      return Promise.race([
        count,
        new Promise<number>((resolve) => setTimeout(() => resolve(0), 500)),
      ]);
    });
  await expect.poll(cells, { timeout: 15_000 }).toBeGreaterThan(2);
});
