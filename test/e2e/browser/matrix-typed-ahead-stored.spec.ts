import { expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM, lengthOf, seedOf } from '../../support/length.ts';
import { type Random, seeded } from '../../support/random.ts';
import { holdDisk, letGoOfDisk } from './support/held-disk.ts';
import { waitFrames, whereKeysGo } from './support/keys-ahead.ts';
import {
  cellAt,
  createCase,
  openCase,
  RULES,
  SAVED,
  shownMatrix,
  status,
  storedCells,
  type Studio,
  test,
  uids,
} from './support/studio.ts';

/** What takes the focus while something is being stored, and where letters go then. */
const TAKES: readonly (readonly [keys: string, typed?: (page: Page) => Locator])[] = [
  ['F2', (page) => page.getByLabel('Reported value')],
  ['Shift+F10'],
  ['Control+k', (page) => page.getByRole('dialog').getByRole('combobox')],
  ...lengthOf([], [
    ['Control+F2', (page: Page) => page.getByLabel('Notes')],
    ['Control+f', (page: Page) => page.getByLabel('Find in the matrix')],
  ] as const),
];

const ACTS = ['Control+z', 'Alt+Delete', ...lengthOf([], ['Control+y', 'Alt+Shift+ArrowDown'])];

test('what is stored late leaves the focus where the person has taken it', async ({
  page,
  studio,
}) => {
  test.setTimeout(120_000);
  const key = await studio.key();
  const items = uids(12);
  await createCase(
    studio,
    key,
    'late',
    items.map((item_uid) => ({ item_uid })),
  );
  await studio.signIn(page);
  await openCase(page, studio, 'late');
  for (const rule of RULES) {
    await cellAt(page, items[0]!, rule).click();
    await page.keyboard.press('n');
  }
  await expect(status(page)).toHaveText(SAVED);
  let row = 1;
  for (const act of ACTS)
    for (const [takes, typed] of TAKES)
      await test.step(`${act}, then ${takes}`, async () => {
        if (act === 'Alt+Delete') row += 1;
        await cellAt(page, items[row]!, RULES[2]).click();
        await holdDisk(page);
        await page.keyboard.press(act);
        await page.keyboard.press(takes);
        await page.keyboard.type('tf');
        const before = await whereKeysGo(page);
        await letGoOfDisk(page);
        await expect(status(page)).toHaveText(SAVED);
        await waitFrames(page, 50);
        await page.keyboard.type('t');
        if (typed === undefined) expect((await whereKeysGo(page)).at(-1)).toBe('a menu');
        else {
          await expect(typed(page)).toHaveValue('tft');
          expect(await whereKeysGo(page)).toEqual(before);
        }
        expect(JSON.stringify(await shownMatrix(page, items))).not.toMatch(/TRUE|FALSE/);
        for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
      });
});

test('a word that is no outcome is taken back alone, however long the disk takes', async ({
  page,
  studio,
}) => {
  const key = await studio.key();
  const items = uids(3);
  await createCase(
    studio,
    key,
    'word',
    items.map((item_uid) => ({ item_uid })),
  );
  await studio.signIn(page);
  await openCase(page, studio, 'word');
  const [first, , third] = items.map((item) => cellAt(page, item, RULES[0]));
  await first!.click();
  await holdDisk(page);
  await page.keyboard.type('fail');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('t');
  await letGoOfDisk(page);
  await expect(status(page)).toHaveText(SAVED);
  await expect
    .poll(() => shownMatrix(page, items))
    .toEqual([null, 'TRUE', null].map((raw) => [raw, null, null, null, null]));

  // The beginning of a word is none any more once something is done by pointer.
  await first!.click();
  await page.keyboard.type('tr');
  await third!.click();
  await waitFrames(page, 1_200);
  await expect(third!).toBeFocused();
  expect(await shownMatrix(page, items)).toEqual(
    ['TRUE', 'TRUE', null].map((raw) => [raw, null, null, null, null]),
  );
});

const KEYS = [
  ...['t', 'f', 'n', 't', 'f', 'n', 'u', 'x', '1', '2', '?', 'Space', 'Delete', 'Backspace'],
  ...['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft', 'Home', 'End', 'Control+a', 'Control+d'],
  ...['Shift+ArrowDown', 'Shift+ArrowRight', 'Alt+Shift+ArrowDown', 'Alt+Delete', 'Alt+ArrowDown'],
  ...['Enter', 'Enter', 'Escape', 'Escape', 'Control+k', 'Control+g', 'Control+h', 'Alt+r'],
  ...['Shift+F2', 'F2', 'Control+F2', 'Control+f', 'Shift+F10'],
];

/** With a pause after each key, or several of them while the disk is busy. */
async function press(page: Page, keys: readonly string[], ahead: Random | null): Promise<void> {
  let isHeld = false;
  for (const key of keys) {
    if (ahead?.chance(0.25) === true) {
      if (isHeld) await letGoOfDisk(page);
      isHeld = false;
      await waitFrames(page, ahead.int(30));
    }
    if (!isHeld && ahead?.chance(0.8) === true) {
      await holdDisk(page);
      isHeld = true;
    }
    await page.keyboard.press(key);
    if (ahead === null) await waitFrames(page, 120);
  }
  if (isHeld) await letGoOfDisk(page);
  await waitFrames(page, 400);
}

/** What is on record of a case of its own after keys, and where the next key goes. */
async function play(
  [page, studio, key]: readonly [Page, Studio, string],
  caseUid: string,
  keys: readonly string[],
  ahead: Random | null,
): Promise<unknown> {
  const items = ['A', 'B', 'C', 'D'];
  await createCase(
    studio,
    key,
    caseUid,
    items.map((item_uid, at) => ({
      item_uid,
      evidence: [{ rule_uid: RULES[at]!, raw_outcome: 'NA', notes: `note ${at}` }],
    })),
  );
  await openCase(page, studio, caseUid);
  await cellAt(page, 'B', RULES[1]).click();
  await waitFrames(page, 300);
  await press(page, keys, ahead);
  const where = await whereKeysGo(page);
  await expect(status(page)).toHaveText(SAVED, { timeout: 20_000 });
  const cells = await storedCells(studio, key, caseUid);
  const recorded = [...cells].map(
    ([cell, { raw_outcome, source_value, notes }]) =>
      `${cell} ${raw_outcome} ${source_value} ${notes}`,
  );
  return { where, recorded: recorded.toSorted(), shown: await shownMatrix(page, items) };
}

const PLAYS = 60;
test('keys do the same however long the disk takes', IN_LONG_FORM, async ({ page, studio }) => {
  test.setTimeout(PLAYS * 60_000);
  const key = await studio.key();
  await studio.signIn(page);
  for (let seed = seedOf(); seed < seedOf() + PLAYS; seed += 1) {
    const random = seeded(seed);
    const keys = Array.from({ length: 4 + random.int(9) }, () => random.pick(KEYS));
    const slowly = await play([page, studio, key], `slowly-${seed}`, keys, null);
    const ahead = await play([page, studio, key], `ahead-${seed}`, keys, random);
    expect(ahead, `seed ${seed}: ${keys.join(' ')}`).toEqual(slowly);
  }
});
