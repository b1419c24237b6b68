import { type Browser, chromium, type Page } from '@playwright/test';
import { densityCurve, globalPosterior } from '../../src/shared/domain/beta-density.ts';
import {
  computeResult,
  countSizes,
  DEFAULT_SETTINGS,
  resultsByCount,
} from '../../src/shared/domain/result.ts';
import { agreeingRules } from '../../src/shared/domain/rule-agreement.ts';
import {
  countRows,
  evidenceBounds,
  KNOWN_PRIORS,
  movedItem,
  outlineOf,
  withoutEachRule,
} from '../../src/shared/domain/sensitivity.ts';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';
import { call, cli, makeKey, serve } from '../support/served.ts';
import { fillCase, prepareCase, PROFILE_UID } from './evidence.ts';
import type { Figure } from './figure.ts';
import { installBench } from './in-page.ts';
import { median, temporary, time } from './measure.ts';
import { count, matrix } from './result.ts';

const [ITEMS, RULES] = [10_000, 50];
const TURNS = 9;
const ANSWER = 100;
const DRAWN = 300;
const FIGURES = [
  'Density of all items',
  'Credible intervals',
  'All items by rank',
  'Observed proportions',
  'Proportions of the first items',
  'Matrix of the first items',
  'All in one panel',
  'Posterior densities',
] as const;

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) times.push(await time(work));
  return median(times);
}

/**
 * What the pages ask of a run with 10,000 items, each answered from the frozen matrix once more.
 */
async function formulas(): Promise<Figure[]> {
  const input = matrix(ITEMS, RULES);
  const { raw } = input;
  const { present } = countRows(raw);
  const sizes = countSizes(present, RULES);
  const floor = await medianOf(() => count(raw));
  const answers: [string, () => unknown][] = [
    ['the whole result', () => computeResult(input, DEFAULT_SETTINGS)],
    ['bounds of missing evidence', () => evidenceBounds(countRows(raw), RULES, DEFAULT_SETTINGS)],
    [
      'two other priors',
      () =>
        Object.values(KNOWN_PRIORS).map((prior) =>
          outlineOf(present, RULES, { ...DEFAULT_SETTINGS, ...prior }),
        ),
    ],
    ['each rule left out', () => [...withoutEachRule(raw, present, RULES, DEFAULT_SETTINGS)]],
    ['rules that always agree', () => [...agreeingRules(raw, RULES)]],
    ['an item with a rule flipped', () => movedItem(sizes, 12, 13, DEFAULT_SETTINGS)],
    [
      'the density of all items',
      () => densityCurve(globalPosterior(resultsByCount(sizes, DEFAULT_SETTINGS)), 220),
    ],
  ];
  const figures: Figure[] = [];
  for (const [what, answer] of answers) {
    const ours = await medianOf(answer);
    figures.push({
      what: `${what}, 10,000 x 50`,
      ours: `${ours.toFixed(1)} ms`,
      floor: `${floor.toFixed(1)} ms to count the same cells`,
      compared: `${(ours / floor).toFixed(1)} times`,
      gate: `under ${ANSWER} ms`,
      met: ours < ANSWER,
    });
  }
  return figures;
}

/**
 * Milliseconds from choosing a figure to the frame that shows it, and the longest task meanwhile.
 */
async function drawn(page: Page, name: string): Promise<{ ms: number; task: number }> {
  const figure = page.getByRole('figure').first();
  await figure.getByRole('combobox', { name: 'Figure' }).click();
  const option = page.getByRole('option', { name });
  await option.waitFor();
  await page.evaluate((title) => {
    window.bench.longestTask();
    window.addEventListener(
      'click',
      (event) => {
        window.waited = window.bench.painted(
          () => document.querySelector('figure h2')?.textContent === title,
          event.timeStamp,
        );
      },
      { capture: true, once: true },
    );
  }, name);
  await option.click();
  return page.evaluate(async () => ({ ms: await window.waited, task: window.bench.longestTask() }));
}

async function pages(browser: Browser, data: string): Promise<Figure[]> {
  const server = await serve(data);
  try {
    const key = await makeKey(data);
    await prepareCase(server.url, key);
    await fillCase(server.url, key, ITEMS / 200);
    const run = await call(server.url, key, 'POST', '/api/v1/runs', {
      case_uid: 'bench',
      profile_uid: PROFILE_UID,
      run_uid: 'run_bench',
    });
    if (run.status !== 201) throw new Error(JSON.stringify(run.body));
    const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
    page.setDefaultTimeout(120_000);
    await installBench(page);
    const link = /http\S+\/sign-in\?token=\S+/.exec(await cli(['sign-in', '--data', data]))?.[0];
    await page.goto(link ?? '');
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
    await page.goto(`${server.url}/studio/runs/run_bench`);
    await page.getByRole('table', { name: 'The result without each rule' }).waitFor();
    const figures: Figure[] = [];
    for (const name of FIGURES) {
      const times: number[] = [];
      let task = 0;
      for (let turn = 0; turn < 3; turn += 1) {
        const found = await drawn(page, name);
        times.push(found.ms);
        task = Math.max(task, found.task);
        const other = FIGURES[(FIGURES.indexOf(name) + 1) % FIGURES.length];
        if (turn < 2) await drawn(page, other ?? '');
      }
      const ours = median(times);
      figures.push({
        what: `figure “${name}” of 10,000 x 50, chosen to painted`,
        ours: `${ours.toFixed(0)} ms`,
        floor: '',
        compared: `longest task ${task.toFixed(0)} ms`,
        gate: `under ${DRAWN} ms`,
        met: ours < DRAWN,
      });
    }
    return figures;
  } finally {
    await server.kill('SIGKILL');
  }
}

export async function resultsBench(): Promise<Figure[]> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    return [...(await formulas()), ...(await temporary((data) => pages(browser, data)))];
  } finally {
    await browser.close();
  }
}
