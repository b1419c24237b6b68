import { expect, type Locator, type Page } from '@playwright/test';
import { lengthOf, seedOf } from '../../support/length.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { seeded, type Random } from '../../support/random.ts';
import type { ServedHarness } from '../harness/serve.ts';
import { at, cell, open, test } from './support/harness.ts';
import { waitFrames, whereKeysGo } from './support/keys-ahead.ts';

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

/** The page anew, of which the editor remembers nothing. */
async function openAnew(page: Page, harness: ServedHarness, query: string): Promise<void> {
  if (page.url().startsWith(harness.url)) await page.evaluate(() => localStorage.clear());
  await open(page, harness, query);
}

const frames = (page: Page, does: keyof Frames): Promise<void> =>
  page.evaluate((name) => (window as unknown as { frames: Frames }).frames[name](), does);

/** Every item with all that is recorded of it, as text. */
const recorded = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { session } = window as unknown as { session: MatrixSession };
    return session.items.map(({ item_uid, label }, row) =>
      JSON.stringify([
        item_uid,
        label,
        session.rules.map((_, column) => [
          session.state(row, column),
          session.detail(row, column).source_value,
          session.detail(row, column).notes,
        ]),
      ]),
    );
  });

const dialog = (page: Page) => page.getByRole('dialog');
const field = (page: Page) => dialog(page).getByRole('textbox');
const choice = (page: Page) => dialog(page).getByRole('combobox');

/** The keys that open something, and what is typed into; a menu and a question have no such field. */
type Opener = readonly [keys: string, typed?: (page: Page) => Locator];
const OPENERS: readonly Opener[] = [
  ['Control+k', choice],
  ['Control+f', (page) => page.getByLabel('Find in the matrix')],
  ['Alt+Insert', (page) => field(page).first()],
  ['F2', (page) => page.getByLabel('Reported value')],
  ['Shift+F10'],
  ...lengthOf<readonly Opener[]>(
    [],
    [
      ['Control+g', choice],
      ['Control+Shift+g', choice],
      ['Control+h', (page) => dialog(page).getByLabel('Find')],
      ['Shift+F2', (page) => dialog(page).getByLabel('Label')],
      ['Control+F2', (page) => page.getByLabel('Notes')],
      ['?', (page) => dialog(page).getByRole('searchbox')],
      ['Alt+Delete'],
      ['Alt+r'],
    ],
  ),
];

test('what is typed before a dialog has been drawn is its own, never a cell’s', async ({
  page,
  harness,
}) => {
  test.setTimeout(120_000);
  await slowFrames(page);
  for (const [keys, typed] of OPENERS)
    await test.step(keys, async () => {
      await openAnew(page, harness, '?scene=contested&rows=4&rules=3');
      await at(page, 0, 0).click();
      const before = await recorded(page);
      await frames(page, 'hold');
      await page.keyboard.press(keys);
      await page.keyboard.type('tfn');
      await frames(page, 'release');
      if (typed !== undefined) await expect(typed(page)).toHaveValue(/tfn/);
      expect(await recorded(page)).toEqual(before);
    });
});

test('what is typed after a dialog has been closed is the cell’s again', async ({
  page,
  harness,
}) => {
  await slowFrames(page);
  for (const keys of ['Control+k', 'Alt+Insert', ...lengthOf([], ['?', 'Alt+Delete'])])
    await test.step(keys, async () => {
      await openAnew(page, harness, '');
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

test('an item that is added has the focus before the next key', async ({ page, harness }) => {
  await slowFrames(page);
  await open(page, harness);
  await at(page, 0, 0).click();
  await page.keyboard.press('Alt+Insert');
  await page.keyboard.type('NEW-1');
  await frames(page, 'hold');
  await page.keyboard.press('Enter');
  await page.keyboard.press('t');
  await frames(page, 'release');
  await expect(cell(page, 'NEW-1', 'cell_line_identity_mismatch')).toHaveAttribute(
    'aria-label',
    /: TRUE, problem found/,
  );
});

test('a closed panel takes what is typed as soon as it is asked for', async ({ page, harness }) => {
  await slowFrames(page);
  await open(page, harness);
  await page.getByRole('button', { name: 'Close the evidence panel' }).click();
  await at(page, 0, 0).click();
  await frames(page, 'hold');
  await page.keyboard.press('F2');
  await page.keyboard.type('tfn');
  await frames(page, 'release');
  await expect(page.getByLabel('Reported value')).toHaveValue(/tfn/);
});

/** Not Tab: at the end of a dialog the library lets it rest for a frame. */
const KEYS = [
  ...['t', 'f', 'n', 'u', 'c', 'x', 'a', 'e', 'r', 'j', '1', '2', '?', 'Space', 'Delete'],
  ...['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft', 'Home', 'End', 'Backspace', 'Control+a'],
  ...['Shift+ArrowDown', 'Shift+ArrowRight', 'Alt+Shift+ArrowDown', 'Control+d', 'Control+z'],
  ...['Control+y', 'Enter', 'Enter', 'Escape', 'Escape', 'Control+k', 'Control+g', 'Control+h'],
  ...['Alt+r', 'Alt+r', 'Alt+Insert', 'Alt+Insert', 'Shift+F2', 'F2', 'Control+F2', 'Shift+F10'],
  ...['Alt+Delete', 'Alt+ArrowDown'],
];

/** With a pause after each key, or several of them in one frame. */
async function press(page: Page, keys: readonly string[], ahead: Random | null): Promise<void> {
  for (const key of keys) {
    if (ahead?.chance(0.3) === true) {
      await frames(page, 'release');
      await waitFrames(page, 0);
    }
    if (ahead !== null) await frames(page, 'hold');
    await page.keyboard.press(key);
    if (ahead === null) await waitFrames(page, 80);
  }
  await frames(page, 'release');
  await waitFrames(page, 400);
}

const PLAYS = lengthOf(1, 60);
const FIRST = seedOf();
for (let seed = FIRST; seed < FIRST + PLAYS; seed += 1)
  test(`keys do the same however fast they are pressed, seed ${seed}`, async ({
    page,
    harness,
  }) => {
    await slowFrames(page);
    const random = seeded(seed);
    const keys = Array.from({ length: 4 + random.int(9) }, () => random.pick(KEYS));
    const play = async (ahead: Random | null): Promise<string[]> => {
      await openAnew(page, harness, '?scene=contested&rows=5&rules=3');
      await at(page, 1, 1).click();
      await waitFrames(page, 300);
      await press(page, keys, ahead);
      return [...(await recorded(page)), ...(await whereKeysGo(page))];
    };
    const slowly = await play(null);
    expect(await play(random), keys.join(' ')).toEqual(slowly);
  });
