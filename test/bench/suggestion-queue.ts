import type { Page } from '@playwright/test';
import { call } from '../support/served.ts';
import { inFilledCase, keyTimes, openedAfter } from './editor.ts';
import { PROFILE_UID } from './evidence.ts';
import type { Figure } from './figure.ts';
import { median, percentile } from './measure.ts';

const [ITEMS, RULES] = [200, 50];
const [OPENINGS, DECISIONS, TURNS] = [5, 40, 3];
/** Suggestions that the rule means: of these some are accepted by key, or stale by what was typed. */
const BY_RULE = 5_100;

/** 10,000 suggestions, for cells that hold another outcome. */
async function suggest(url: string, key: string): Promise<void> {
  const suggestions = Array.from({ length: ITEMS * RULES }, (_, at) => ({
    item_uid: `item_${String(Math.floor(at / RULES)).padStart(6, '0')}`,
    rule_uid: `rule_number_${(at % RULES) + 1}`,
    raw_outcome: 'NA',
    source_value: `page ${at}`,
    quote: `Not reported, says line ${at}.`,
    confidence: at < BY_RULE ? 0.95 : 0.5,
  }));
  const { body } = await call(url, key, 'POST', '/api/v1/cases/bench/suggestions', {
    profile_uid: PROFILE_UID,
    suggestions,
  });
  if (body.written !== suggestions.length) throw new Error(JSON.stringify(body).slice(0, 500));
}

/** Milliseconds from an act to the frame after the page says what fits. */
async function until(page: Page, says: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate((words) => {
    const seen = new Promise<number>((resolve) => {
      let from = Infinity;
      for (const type of ['keydown', 'click'])
        window.addEventListener(type, ({ timeStamp }) => (from = timeStamp), {
          capture: true,
          once: true,
        });
      const look = (): void => {
        const found = document.querySelector('main')?.textContent ?? '';
        if (from < Infinity && new RegExp(words).test(found))
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
        else requestAnimationFrame(look);
      };
      look();
    });
    Object.assign(window, { seen });
  }, says);
  await act();
  return page.evaluate(() => (window as unknown as { seen: Promise<number> }).seen);
}

/** Suggestions decided one by one, each from its key to the next one on screen. */
async function decideByKey(page: Page, key: 'a' | 's'): Promise<number[]> {
  const times: number[] = [];
  const shown = (): Promise<string> =>
    page.getByRole('article').getByRole('blockquote').innerText();
  for (let turn = 0; turn < DECISIONS; turn += 1) {
    const line = Number(/line (\d+)/.exec(await shown())?.[1]);
    times.push(
      await until(page, `says line ${lineAfter(line)}\\.`, () => page.keyboard.press(key)),
    );
  }
  return times;
}

/** The list is in the order of rule and item. */
const lineAfter = (line: number): number => line + RULES;

/** Milliseconds of accepting by a rule, and of its undo; how many it accepted. */
interface ByRule {
  accept: number;
  undo: number;
  count: string;
}

async function byRule(page: Page): Promise<ByRule> {
  await page.getByRole('button', { name: 'Decide many by a rule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Decide many by a rule' });
  await dialog.getByLabel('Confidence of at least').fill('0.9');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  const button = dialog.getByRole('button', { name: /^Accept [\d,]+$/ });
  const accept = await until(page, '[\\d,]+ accepted, 0 left', () => button.click());
  const news = await page.locator('.suggestion-news').getByRole('status').innerText();
  const undo = await until(page, 'The last decision was taken back', () =>
    page.keyboard.press('Control+z'),
  );
  return { accept, undo, count: /[\d,]+/.exec(news)?.[0] ?? '' };
}

const figure = (what: string, ours: string, met: boolean, gate: string): Figure => ({
  what,
  ours,
  floor: '',
  compared: '',
  gate,
  met,
});
const spread = (times: readonly number[]): string =>
  `p50 ${median(times).toFixed(0)} ms, p95 ${percentile(times, 95).toFixed(0)} ms`;

/** A person at the window before 10,000 suggestions of an agent in a case of 10,000 x 50. */
export function suggestionQueueBench(): Promise<Figure[]> {
  return inFilledCase(suggest, async (page, address) => {
    await openedAfter(page, address.href);
    await page.waitForTimeout(3_000);
    const opened: number[] = [];
    for (let turn = 0; turn < OPENINGS; turn += 1)
      opened.push(await openedAfter(page, address.href));
    await page.getByRole('link', { name: /suggestions/ }).waitFor();
    const typed = await keyTimes(page);
    const queue = new URL(`${address.pathname}/suggestions${address.search}`, address).href;
    const queued: number[] = [];
    for (let turn = 0; turn < OPENINGS; turn += 1)
      queued.push(await openedAfter(page, queue, 'article blockquote'));
    const skipped = await decideByKey(page, 's');
    const accepted = await decideByKey(page, 'a');
    const many: ByRule[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) many.push(await byRule(page));
    const [accept, undo] = (['accept', 'undo'] as const).map((of) =>
      median(many.map((one) => one[of])),
    ) as [number, number];
    return [
      figure(
        'opening the case in the editor, 10,000 suggestions marked in it',
        `${median(opened).toFixed(0)} ms`,
        median(opened) < 1_500,
        'under 1.5 s',
      ),
      figure(
        'keypress to paint in it',
        spread(typed),
        percentile(typed, 95) < 50,
        'p95 under 50 ms',
      ),
      figure(
        'opening their queue, page load included',
        `${median(queued).toFixed(0)} ms`,
        median(queued) < 1_500,
        'under 1.5 s',
      ),
      figure(
        'S to the next suggestion on screen',
        spread(skipped),
        percentile(skipped, 95) < 50,
        'p95 under 50 ms',
      ),
      figure(
        'A to the next suggestion on screen, its decision on disk',
        spread(accepted),
        percentile(accepted, 95) < 150,
        'p95 under 150 ms',
      ),
      figure(
        `${many.at(-1)?.count ?? ''} accepted by a previewed rule in the window`,
        `${accept.toFixed(0)} ms`,
        accept < 2_000,
        'under 2 s',
      ),
      figure('one undo of it', `${undo.toFixed(0)} ms`, undo < 2_000, 'under 2 s'),
    ];
  });
}
