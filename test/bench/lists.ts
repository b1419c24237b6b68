import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Browser, chromium, type Page, type Response } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { call, cli, makeKey, serve, type Served } from '../support/served.ts';
import { fillCase, prepareCase, PROFILE_UID } from './evidence.ts';
import type { Figure } from './figure.ts';
import { median, temporary } from './measure.ts';
import { bytes, CONSTANT, exponentOf, list, milliseconds, type Point } from './sync/growth.ts';
import { statusRows } from './sync/status-rows.ts';

/** Cases of the project, and runs, beside the full page of each that every level has. */
const OTHERS = [1, 1_000, 100_000];
const FULL_PAGE = 60;
const ROUNDS = 3;
const FIRST_KEY = 1_000_000;
const RUN = 'bench-run';

const numbers = (count: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

const SECOND_OF_2026 = `strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' seconds')`;

/** Copies the row of the one case, and of the one run, so many times. */
function addOthers(file: string, count: number): void {
  using db = new DatabaseSync(file);
  const [row] = db.prepare(`SELECT * FROM cases WHERE case_uid = 'bench'`).all();
  const [project, account] = [String(row?.['project_id']), Number(row?.['account'])];
  const zeros = '0'.repeat(64);
  db.exec(`BEGIN;
    INSERT INTO streams (account, stream_pk, name, seq, chain, count, sum, hlc)
      ${numbers(count)} SELECT ${account}, ${FIRST_KEY} + i, 'other-' || i, 0, '${zeros}', 0, '${zeros}', '' FROM n;
    INSERT INTO cases (account, case_pk, case_uid, stream_pk, project_id, title, description,
        case_type, metadata, profile_uid, profile_version, created_at, updated_at)
      ${numbers(count)} SELECT ${account}, ${FIRST_KEY} + i, 'other-' || i, ${FIRST_KEY} + i,
        '${project}', 'Other case ' || i, '', 'case', '{}', '${PROFILE_UID}', '1.0',
        ${SECOND_OF_2026}, ${SECOND_OF_2026} FROM n;
    INSERT INTO runs (account, run_pk, run_uid, case_uid, project_id, profile_uid, profile_version,
        content_hash, entry, created_at)
      ${numbers(count)} SELECT account, ${FIRST_KEY} + i, 'other-run-' || i, 'other-' || i, project_id,
        profile_uid, profile_version, content_hash,
        json_set(entry, '$.run_uid', 'other-run-' || i, '$.case_uid', 'other-' || i), created_at
        FROM n, runs WHERE run_uid = '${RUN}';
    COMMIT`);
}

interface Level {
  others: number;
  server: Served;
  page: Page;
  project: string;
  empty: string;
}

async function makeLevel(folder: string, others: number, browser: Browser): Promise<Level> {
  const data = path.join(folder, String(others));
  mkdirSync(data);
  const key = await makeKey(data);
  const first = await serve(data);
  await prepareCase(first.url, key);
  await fillCase(first.url, key, 1);
  const post = async (address: string, body: object) => {
    const { status, body: answer } = await call(first.url, key, 'POST', `/api/v1/${address}`, body);
    if (status !== 201) throw new Error(JSON.stringify(answer));
    return answer as Record<string, string>;
  };
  await post('runs', { case_uid: 'bench', profile_uid: PROFILE_UID, run_uid: RUN });
  const empty = (await post('projects', { name: 'Empty' }))['project_id']!;
  const { body } = await call(first.url, key, 'GET', '/api/v1/cases/bench');
  await first.kill('SIGTERM');
  addOthers(path.join(data, 'evidence.sqlite'), FULL_PAGE + others);

  const server = await serve(data);
  const context = await browser.newContext({ viewport: { width: 1600, height: 900 } });
  const page = await context.newPage();
  await page.goto((await cli(['sign-in', '--data', data])).trim());
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
  return { others, server, page, project: String(body.project_id), empty };
}

interface Opened {
  ms: number;
  requests: number;
  bytes: number;
}

/** From the navigation's start to the frame in which `ready` is on screen; what that asks for. */
async function open(level: Level, address: string, ready: string): Promise<Opened> {
  const { page, server } = level;
  await page.goto('about:blank');
  const answers: Promise<number>[] = [];
  const take = (response: Response): void => {
    const { pathname } = new URL(response.url());
    // The stream of events has no end.
    if (!pathname.startsWith('/api/') || pathname.endsWith('/events')) return;
    answers.push(
      response.body().then(
        (body) => body.length,
        () => 0,
      ),
    );
  };
  page.on('response', take);
  await page.goto(server.url + address);
  await page
    .locator(ready)
    .first()
    .waitFor({ timeout: 60_000 })
    .catch(async (error: unknown) => {
      console.log(level.others, address, (await page.locator('main').innerText()).slice(0, 1_500));
      throw error;
    });
  const ms = await page.evaluate(
    () => new Promise<number>((done) => requestAnimationFrame(() => done(performance.now()))),
  );
  // What the page asks for after its first picture counts too.
  await page.waitForTimeout(500);
  page.off('response', take);
  const sizes = await Promise.all(answers);
  return { ms, requests: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const PAGES: readonly {
  what: string;
  address: (level: Level) => string;
  ready: string;
}[] = [
  {
    what: 'opening a case of 10,000 cells',
    address: () => `/studio/cases/bench?profile=${PROFILE_UID}@1.0`,
    ready: '[role=gridcell][aria-label*=": FALSE"]',
  },
  {
    what: 'the page of a project',
    address: ({ project }) => `/studio/projects/${project}`,
    ready: '[aria-label="Cases"] tbody tr:nth-child(50)',
  },
  {
    what: 'the runs page',
    address: () => '/studio/runs',
    ready: '[aria-label="Runs"] tbody tr:nth-child(50)',
  },
];
const FLOOR = {
  address: ({ empty }: Level): string => `/studio/projects/${empty}`,
  ready: 'text=No cases yet',
};

const medianOf = (opened: readonly Opened[], of: keyof Opened): number =>
  median(opened.map((one) => one[of]));

function figureOf(
  what: string,
  levels: readonly Level[],
  opened: readonly (readonly Opened[])[],
  floor: readonly (readonly Opened[])[],
): Figure {
  const points = (of: keyof Opened): Point[] =>
    levels.map(({ others }, l) => ({ size: others, value: medianOf(opened[l]!, of) }));
  const [times, sizes, requests] = [points('ms'), points('bytes'), points('requests')];
  const [slower, larger, more] = [times, sizes, requests].map(exponentOf) as [
    number,
    number,
    number,
  ];
  const last = levels.length - 1;
  const base = medianOf(floor[last]!, 'ms');
  return {
    what: `${what}, beside N other cases and runs, p50`,
    ours: `${list(times, milliseconds)}; exponent ${slower.toFixed(2)}`,
    floor: `${milliseconds(base)}, the page of an empty project beside the most`,
    compared:
      `${(times[last]!.value / base).toFixed(2)} times; bytes of answers ` +
      `${list(sizes, bytes)}, exponent ${larger.toFixed(2)}; ` +
      `requests ${list(requests, (value) => value.toFixed(0))}`,
    gate: `exponent of time, bytes and requests at most ${CONSTANT}`,
    met: [slower, larger, more].every((exponent) => exponent <= CONSTANT),
  };
}

/**
 * Pages that show one record or one page of a list, and the sync status that each of them asks for,
 * beside 1, 1,000 and 100,000 others.
 */
export async function listsBench(): Promise<Figure[]> {
  return [...(await pageRows()), ...(await statusRows())];
}

async function pageRows(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...CHROMIUM_ARGS],
    });
    const levels: Level[] = [];
    try {
      for (const others of OTHERS) levels.push(await makeLevel(folder, others, browser));
      const shown = [...PAGES, FLOOR];
      const opened = shown.map(() => levels.map((): Opened[] => []));
      // By turns, so that what else the machine does falls on all alike; the first is not counted.
      for (let round = -1; round < ROUNDS; round += 1)
        for (const [p, { address, ready }] of shown.entries())
          for (const [l, level] of levels.entries()) {
            const one = await open(level, address(level), ready);
            if (round >= 0) opened[p]![l]!.push(one);
          }
      return PAGES.map(({ what }, p) => figureOf(what, levels, opened[p]!, opened[PAGES.length]!));
    } finally {
      await browser.close();
      for (const { server } of levels) await server.kill('SIGTERM');
    }
  });
}
