import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  errors,
  expect,
  type ElectronApplication,
  type Locator,
  type Page,
  test as base,
} from '@playwright/test';
import { launchDesktop } from '../../support/electron.ts';

export interface Studio {
  app: ElectronApplication;
  page: Page;
  data: string;
}

interface Fixtures {
  /** A data folder that is gone after the test. */
  data: string;
  /** A second one, as on another computer. */
  elsewhere: string;
  /**
   * Opens the application on a data folder, the test's own if not said; what is still open at the
   * end is closed.
   */
  open(env?: Record<string, string>, folder?: string, args?: readonly string[]): Promise<Studio>;
  /**
   * The application that the tests of a worker share: on its projects, for tests that leave its one
   * window open. A start costs more than most of them.
   */
  running: Studio;
}

/**
 * Electron 33 of the check runtime has neither SQLite 3.51.3 nor an Electron major that is
 * supported.
 */
export const CHECK_ENV = { EVIDENCE_STUDIO_ALLOW_OLD_SQLITE: '1' };

/**
 * Without its loader Playwright may attach while the first window is being made, and then waits for
 * ever: one more try, with a fresh process.
 */
async function launch(
  data: string,
  env: Record<string, string>,
  args: readonly string[],
): Promise<ElectronApplication> {
  const options = { data, args, env: { ...CHECK_ENV, EVIDENCE_STUDIO_PORT: '0', ...env } };
  try {
    return await launchDesktop(options);
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    base.info().setTimeout(base.info().timeout + 60_000);
    return launchDesktop(options);
  }
}

async function withFolder(provide: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-e2e-'));
  await provide(folder);
  rmSync(folder, { recursive: true, force: true });
}

async function firstPage(app: ElectronApplication): Promise<Page> {
  const page = await app.firstWindow();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  return page;
}

export const test = base.extend<Fixtures, { shared: Studio }>({
  // Playwright reads the names of the fixtures used off this very pattern.
  async data({}, provide) {
    await withFolder(provide);
  },
  async elsewhere({}, provide) {
    await withFolder(provide);
  },
  open: async ({ data }, provide) => {
    const opened = new Map<ElectronApplication, ReturnType<ElectronApplication['process']>>();
    await provide(async (env = {}, folder = data, args = []) => {
      const app = await launch(folder, env, args);
      opened.set(app, app.process());
      return { app, page: await firstPage(app), data: folder };
    });
    for (const [app, child] of opened)
      if (child.exitCode === null && child.signalCode === null) await app.close();
  },
  shared: [
    async ({}, provide) => {
      await withFolder(async (data) => {
        const app = await launch(data, {}, []);
        await provide({ app, page: await firstPage(app), data });
        await app.close();
      });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  running: async ({ shared }, provide) => {
    // While something is being stored the page stays.
    await expect(() => shared.page.goto('app://studio/studio')).toPass();
    await expect(shared.page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible();
    await provide(shared);
  },
});

export interface Discovery {
  url: string;
  pid: number;
  instance_id: string;
  started_at: string;
}
export function discovery(data: string): Discovery {
  return JSON.parse(readFileSync(path.join(data, 'server.json'), 'utf8')) as Discovery;
}

/** A request of the page itself, as the person at the window. */
export function fromPage<T>(
  page: Page,
  method: string,
  address: string,
  body?: unknown,
): Promise<{ status: number; value: T }> {
  return page.evaluate(
    async ([verb, to, sent]) => {
      const response = await fetch(`/api/v1/${to}`, {
        method: verb,
        ...(sent === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }),
      });
      return { status: response.status, value: (await response.json()) as T };
    },
    [method, address, body] as const,
  );
}

/** A program's `POST` to the application's own server; it must be taken. */
export async function sendAs(
  data: string,
  key: string,
  address: string,
  body: unknown,
): Promise<void> {
  const response = await fetch(`${discovery(data).url}/api/v1/${address}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  expect([response.ok, answer]).toEqual([true, answer]);
}

export const PROFILE = 'trio_rare_disease';
export const RULES = [
  'parents_genotype_missing',
  'parents_misfit_recessive_model',
  'pair_phase_conflict',
  'de_novo_origin_open',
  'unaffected_relative_same_genotype',
] as const;

/** A case with empty rows `item_001`..., through the API as the window's own person. */
export async function createCase(page: Page, caseUid: string, items: number): Promise<string[]> {
  const uids = Array.from(
    { length: items },
    (_, index) => `item_${String(index + 1).padStart(3, '0')}`,
  );
  const project = await fromPage<{ project_id: string }>(page, 'POST', 'projects', {
    name: `Project of ${caseUid}`,
  });
  expect(
    (
      await fromPage(page, 'POST', 'cases', {
        project_id: project.value.project_id,
        case_uid: caseUid,
      })
    ).status,
  ).toBe(201);
  expect(
    (
      await fromPage(page, 'POST', 'evidence', {
        case_uid: caseUid,
        profile_uid: PROFILE,
        items: uids.map((item_uid) => ({ item_uid })),
      })
    ).status,
  ).toBe(200);
  return uids;
}

export async function openCase(page: Page, caseUid: string): Promise<Locator> {
  await page.goto(`app://studio/studio/cases/${caseUid}`);
  const grid = page.getByRole('grid', { name: 'Evidence matrix' });
  await expect(grid).toBeVisible();
  await expect(grid.getByRole('gridcell').first()).toBeVisible();
  return grid;
}

/** Clicks an entry of the application's menu. */
export const chooseInMenu = (app: ElectronApplication, label: string): Promise<void> =>
  app.evaluate(
    ({ Menu }, name) =>
      void Menu.getApplicationMenu()
        ?.items.flatMap((item) => item.submenu?.items ?? [])
        .find((item) => item.label === name)
        ?.click(),
    label,
  );

const WORDS = {
  F: 'FALSE, evidence present',
  T: 'TRUE, problem found',
  N: 'NA, not available',
} as const;
export type Key = keyof typeof WORDS;
export const RAW: Record<Key, string> = { F: 'FALSE', T: 'TRUE', N: 'NA' };
export function cellName(item: string, rule: string, key: Key | null): string {
  return `${item}, ${rule}: ${key === null ? 'unrecorded' : WORDS[key]}`;
}
export function cell(grid: Locator, item: string, rule: string, key: Key | null): Locator {
  return grid.getByRole('gridcell', { name: cellName(item, rule, key), exact: true });
}
