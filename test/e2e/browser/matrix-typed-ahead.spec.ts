import { expect, type Locator, type Page } from '@playwright/test';
import { lengthOf } from '../../support/length.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { at, open, test } from './support/harness.ts';

test.use({ leavesTraces: true });

interface Frames {
  hold(): void;
  release(): void;
}

/** Frames come late, as on a machine that is busy: what waits for one waits until it is released. */
const slowFrames = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window);
    let isHeld = false;
    let waiting: [number, FrameRequestCallback][] = [];
    let next = -1;
    window.requestAnimationFrame = (callback) => {
      if (!isHeld) return request(callback);
      waiting.push([next, callback]);
      next -= 1;
      return next + 1;
    };
    const cancel = window.cancelAnimationFrame.bind(window);
    window.cancelAnimationFrame = (id) => {
      waiting = waiting.filter(([held]) => held !== id);
      cancel(id);
    };
    (window as unknown as { frames: Frames }).frames = {
      hold: () => {
        isHeld = true;
      },
      release: () => {
        isHeld = false;
        for (const [, callback] of waiting.splice(0)) request(callback);
      },
    };
  });

const frames = (page: Page, does: keyof Frames): Promise<void> =>
  page.evaluate((name) => (window as unknown as { frames: Frames }).frames[name](), does);

/** Everything that is recorded, as text. */
const recorded = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { session } = window as unknown as { session: MatrixSession };
    return JSON.stringify(
      session.items.map((_, row) => session.rules.map((__, column) => session.detail(row, column))),
    );
  });

const dialog = (page: Page) => page.getByRole('dialog');
const field = (page: Page) => dialog(page).getByRole('textbox');
const choice = (page: Page) => dialog(page).getByRole('combobox');

/** The keys that open something, and what is typed into; a menu and a question have no such field. */
const OPENERS: readonly (readonly [keys: string, typed?: (page: Page) => Locator])[] = [
  ['Control+k', choice],
  ['Control+g', choice],
  ['Control+Shift+g', choice],
  ['Control+f', (page) => page.getByLabel('Find in the matrix')],
  ['Control+h', (page) => dialog(page).getByLabel('Find')],
  ['Alt+Insert', (page) => field(page).first()],
  ['Shift+F2', (page) => dialog(page).getByLabel('Label')],
  ['F2', (page) => page.getByLabel('Reported value')],
  ['Control+F2', (page) => page.getByLabel('Notes')],
  ['?', (page) => dialog(page).getByRole('searchbox')],
  ['Shift+F10'],
  ['Alt+Delete'],
  ['Alt+r'],
];

test('what is typed before a dialog has been drawn is its own, never a cell’s', async ({
  page,
  harness,
}) => {
  test.setTimeout(lengthOf(120_000, 240_000));
  await slowFrames(page);
  for (const [keys, typed] of OPENERS)
    await test.step(keys, async () => {
      await open(page, harness, '?scene=contested&rows=4&rules=3');
      await at(page, 0, 0).click();
      const before = await recorded(page);
      await frames(page, 'hold');
      await page.keyboard.press(keys);
      await page.keyboard.type('tfn');
      await frames(page, 'release');
      if (typed !== undefined) await expect(typed(page)).toHaveValue(/tfn/);
      expect(await recorded(page)).toBe(before);
    });
});

test('what is typed after a dialog has been closed is the cell’s again', async ({
  page,
  harness,
}) => {
  await slowFrames(page);
  for (const keys of ['Control+k', '?', 'Alt+Insert', 'Alt+Delete'])
    await test.step(keys, async () => {
      await open(page, harness);
      await at(page, 0, 0).click();
      await page.keyboard.press(keys);
      await expect(page.locator('[role=dialog], [role=alertdialog]')).toBeVisible();
      await frames(page, 'hold');
      await page.keyboard.press('Escape');
      await page.keyboard.press('n');
      await frames(page, 'release');
      await expect(at(page, 0, 0)).toHaveAttribute('aria-label', /: NA, not available/);
    });
});
