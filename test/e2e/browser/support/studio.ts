import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type BrowserContext,
  expect,
  type Locator,
  type Page,
  test as base,
} from '@playwright/test';
import { call, cli, makeKey, makeStudioKey, type Served, serve } from '../../../support/served.ts';
import { keepServerLogs } from './server-log.ts';

export const PROFILE = 'trio_rare_disease';
export const RULES = [
  'parents_genotype_missing',
  'parents_misfit_recessive_model',
  'pair_phase_conflict',
  'de_novo_origin_open',
  'unaffected_relative_same_genotype',
] as const;
export type Raw = 'TRUE' | 'FALSE' | 'NA';
const WORDS: Record<Raw, string> = {
  FALSE: 'FALSE, evidence present',
  TRUE: 'TRUE, problem found',
  NA: 'NA, not available',
};
export const LETTER: Record<Raw, string> = { FALSE: 'f', TRUE: 't', NA: 'n' };
export const SAVED = /^Saved on this computer/;
/** The server is asked again after at most five seconds; the test machine may be slow. */
export const RECONNECTED = { timeout: 20_000 };

/** One server process on a data folder of its own. `served` changes when it is started again. */
export interface Studio {
  served: Served;
  readonly data: string;
  readonly url: string;
  key(scopes?: string): Promise<string>;
  /** By which a studio may be connected to this one. */
  studioKey(): Promise<string>;
  /**
   * Signs the browser in by a one-time link, as this user or the person of this computer. The page
   * stays where it is.
   */
  signIn(page: Page, user?: string): Promise<void>;
  /** The same in the page, which then shows the projects. */
  enter(page: Page, user?: string): Promise<void>;
  /** Starts a killed server again, on the same port. */
  restart(): Promise<void>;
}

interface Fixtures {
  /** Starts a server; all are ended and their folders removed after the test. */
  start(): Promise<Studio>;
  studio: Studio;
}

/** The whole line of the link that a server prints when it starts, good for one sign-in. */
const PRINTED = /http\S+\/sign-in\?token=[\w-]+(?=\n)/;

async function startStudio(): Promise<Studio> {
  const data = mkdtempSync(path.join(tmpdir(), 'studio-browser-'));
  const served = await serve(data);
  const { url } = served;
  let isUsed = false;
  async function newLink(user: string | undefined): Promise<string> {
    if (user === undefined && !isUsed) {
      isUsed = true;
      await expect.poll(served.output).toMatch(PRINTED);
      return PRINTED.exec(served.output())?.[0] ?? '';
    }
    return (
      /http\S+\/sign-in\?token=\S+/.exec(
        await cli(['sign-in', '--data', data, ...(user === undefined ? [] : ['--user', user])]),
      )?.[0] ?? ''
    );
  }
  const studio: Studio = {
    served,
    data,
    url,
    key: (scopes) => makeKey(data, scopes),
    studioKey: () => makeStudioKey(url, data),
    async signIn(page, user) {
      const answer = await page.context().request.get(await newLink(user), { maxRedirects: 0 });
      expect(answer.status()).toBe(303);
    },
    async enter(page, user) {
      await page.goto(await newLink(user));
      await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible({
        timeout: 15_000,
      });
    },
    async restart() {
      studio.served = await serve(data, ['--port', new URL(url).port]);
    },
  };
  return studio;
}

export const test = base.extend<Fixtures>({
  // Playwright reads the names of the fixtures used off this very pattern.
  async start({}, provide, info) {
    const started: Studio[] = [];
    await provide(async () => {
      const studio = await startStudio();
      started.push(studio);
      return studio;
    });
    await keepServerLogs(
      info,
      started.map(({ served }) => served),
    );
    for (const { served, data } of started) {
      await served.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    }
  },
  studio: async ({ start }, provide) => provide(await start()),
});

/** Opens the page Sync with a part of it that is folded while all is well. */
export async function openSyncPart(page: Page, url: string, part: string): Promise<void> {
  await page.goto(`${url}/studio/sync`);
  const summary = page.locator('summary', { hasText: new RegExp(`^${part}$`) });
  const fold = page.locator('details.fold', { has: summary });
  await fold.waitFor({ timeout: 30_000 });
  if (!(await fold.evaluate((details: HTMLDetailsElement) => details.open))) await summary.click();
}

export const uids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `item_${String(index + 1).padStart(3, '0')}`);

export interface NewItem {
  item_uid: string;
  label?: string;
  evidence?: { rule_uid: string; raw_outcome: Raw | null; notes?: string }[];
}

/** A call that must succeed. */
export async function send(
  studio: Studio,
  key: string,
  method: string,
  address: string,
  body?: unknown,
): Promise<any> {
  const answer = await call(studio.url, key, method, `/api/v1/${address}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

/** A case with rows, made by an agent. */
export async function createCase(
  studio: Studio,
  key: string,
  caseUid: string,
  items: readonly NewItem[],
  about: Record<string, unknown> = {},
): Promise<void> {
  const project = await send(studio, key, 'POST', 'projects', { name: `Project of ${caseUid}` });
  await send(studio, key, 'POST', 'cases', {
    project_id: project.project_id,
    case_uid: caseUid,
    profile_uid: PROFILE,
    ...about,
  });
  await send(studio, key, 'POST', 'evidence', { case_uid: caseUid, profile_uid: PROFILE, items });
}

export async function openCase(page: Page, studio: Studio, caseUid: string): Promise<Locator> {
  await page.goto(
    `${studio.url}/studio/cases/${encodeURIComponent(caseUid)}?profile=${PROFILE}@1.1`,
  );
  const grid = page.getByRole('grid', { name: 'Evidence matrix' });
  await expect(grid.getByRole('gridcell').first()).toBeVisible({ timeout: 15_000 });
  return grid;
}

export const cellName = (item: string, rule: string, raw: Raw | null): string =>
  `${item}, ${rule}: ${raw === null ? 'unrecorded' : WORDS[raw]}`;
/** The cell with exactly this value; part of no test is a cell that has "conflict" after it. */
export const cell = (page: Page, item: string, rule: string, raw: Raw | null): Locator =>
  page.getByRole('gridcell', { name: cellName(item, rule, raw), exact: true });
/** The cell whatever its value. */
export const cellAt = (page: Page, item: string, rule: string): Locator =>
  page.locator(`[role=gridcell][aria-label^=${JSON.stringify(`${item}, ${rule}: `)}]`);
/** The line that says where the work stands. */
export const status = (page: Page): Locator => page.locator('.mx-save');

/** What stands behind the status: how much is not everywhere yet, and whether both sides agree. */
export async function statusDetails(page: Page): Promise<Locator> {
  const details = page.getByRole('dialog', { name: 'Status' });
  if (!(await details.isVisible())) await status(page).click();
  return details;
}
export const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
export const historyOf = (page: Page): Locator =>
  page.getByRole('region', { name: 'History of this cell' });

/**
 * Types a row of outcomes from its first cell on; Tab leads to the next rule, then to the next
 * item.
 */
export async function typeCells(page: Page, cells: readonly Raw[]): Promise<void> {
  for (const raw of cells) {
    await page.keyboard.press(LETTER[raw]);
    await page.keyboard.press('Tab');
  }
}

/**
 * Outcomes as the screen has them, row by row: the letter of each cell's value, null where
 * unrecorded.
 */
export function shownMatrix(page: Page, items: readonly string[]): Promise<(Raw | null)[][]> {
  return page.evaluate(
    ([names, rules]) => {
      const labels = [...document.querySelectorAll('[role=gridcell][aria-label]')].map(
        (element) => element.getAttribute('aria-label') ?? '',
      );
      return names.map((item) =>
        rules.map((rule) => {
          const value = labels
            .find((label) => label.startsWith(`${item}, ${rule}: `))
            ?.slice(`${item}, ${rule}: `.length)
            .split(',')[0];
          return value === undefined || value === 'unrecorded' ? null : (value as Raw);
        }),
      );
    },
    [items, RULES] as const,
  );
}

/** Every cell that the server holds, as `item rule` -> outcome; fails where one is listed twice. */
export async function storedCells(
  studio: Studio,
  key: string,
  caseUid: string,
): Promise<Map<string, any>> {
  const cells = new Map<string, any>();
  let cursor: string | null = null;
  do {
    const page: any = await send(
      studio,
      key,
      'GET',
      `cases/${encodeURIComponent(caseUid)}/evidence?profile_uid=${PROFILE}&limit=200${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    for (const item of page.items) {
      for (const entry of item.evidence) {
        const name = `${item.item_uid} ${entry.rule_uid}`;
        expect(cells.has(name), name).toBe(false);
        cells.set(name, entry);
      }
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
  return cells;
}

export async function storedHistory(
  studio: Studio,
  key: string,
  caseUid: string,
  item: string,
  rule: string,
): Promise<any[]> {
  const query = new URLSearchParams({ profile_uid: PROFILE, item_uid: item, rule_uid: rule });
  return (await send(studio, key, 'GET', `cases/${encodeURIComponent(caseUid)}/history?${query}`))
    .data;
}

/** The pages load, the API does not answer. */
export async function goOffline(context: BrowserContext): Promise<void> {
  await context.route('**/api/**', (route) => route.abort());
}
export const goOnline = (context: BrowserContext): Promise<void> => context.unroute('**/api/**');
