import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import {
  cell,
  cellAt,
  createCase,
  focusedName,
  goOffline,
  goOnline,
  historyOf,
  LETTER,
  openCase,
  RECONNECTED,
  RULES,
  SAVED,
  shownMatrix,
  status,
  statusDetails,
  storedCells,
  storedHistory,
  test,
  type Raw,
  uids,
} from './support/studio.ts';

const RAWS: readonly Raw[] = ['TRUE', 'FALSE', 'NA'];
const rawOf = (row: number, column: number, shift = 0): Raw =>
  RAWS[(row * 2 + column + shift) % 3] as Raw;
const matrixOf = (items: readonly string[], shift = 0): Raw[][] =>
  items.map((_, row) => RULES.map((_rule, column) => rawOf(row, column, shift)));
const HOUR = 3_600_000;

/** Focuses the first cell of the row and types all of it. */
async function typeRow(page: Page, item: string, cells: readonly Raw[]): Promise<void> {
  await cellAt(page, item, RULES[0]).click();
  for (const [column, raw] of cells.entries()) {
    await page.keyboard.press(LETTER[raw]);
    if (column < cells.length - 1) await page.keyboard.press('ArrowRight');
  }
}

test('an hour without the server: everything stays, says that it waits, and arrives once', async ({
  page,
  context,
  studio,
}) => {
  test.setTimeout(90_000);
  const key = await studio.key();
  const items = uids(6);
  await createCase(
    studio,
    key,
    'away',
    items.map((item_uid) => ({ item_uid })),
  );
  // The page's clock starts an hour back, so that the hour away ends at the server's present.
  await page.clock.install({ time: Date.now() - HOUR });
  await studio.signIn(page);
  await openCase(page, studio, 'away');
  await expect(status(page)).not.toContainText('Offline');
  const top = () => page.getByRole('grid').evaluate((grid) => grid.getBoundingClientRect().top);
  const settled = await top();

  await goOffline(context);
  for (const [row, cells] of matrixOf(items).entries())
    await typeRow(page, items[row] as string, cells);
  await cellAt(page, 'item_003', RULES[1]).click();
  await expect(page.getByRole('complementary', { name: 'Evidence of the cell' })).toContainText(
    'Item 3 of 6, rule 2 of 5',
  );
  await page.getByRole('textbox', { name: 'Notes' }).fill('Read twice, away from the network.');
  await page.keyboard.press('Control+Enter');
  expect(await shownMatrix(page, items)).toEqual(matrixOf(items));
  await expect(status(page)).toHaveText(/^31 changes pending, oldest \d+ s$/);
  await page.clock.fastForward(HOUR);
  await expect(status(page)).toHaveText(/^31 changes pending, oldest 60 min$/);
  expect(await top()).toBe(settled);
  expect((await storedCells(studio, key, 'away')).size).toBe(0);

  await expect(await statusDetails(page)).toContainText('0 unsaved', { timeout: 15_000 });
  await page.reload();
  await expect(page.getByRole('gridcell').first()).toBeVisible({ timeout: 15_000 });
  await expect.poll(() => shownMatrix(page, items)).toEqual(matrixOf(items));
  await cellAt(page, 'item_003', RULES[1]).click();
  await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue(
    'Read twice, away from the network.',
  );
  await expect(historyOf(page)).toContainText("only this window's pending changes are listed");
  await expect(status(page)).toHaveText(/^31 changes pending, oldest 6\d min$/);

  await goOnline(context);
  const back = performance.now();
  await expect(status(page)).toHaveText(SAVED, RECONNECTED);
  const took = performance.now() - back;
  const stored = await storedCells(studio, key, 'away');
  expect(stored.size).toBe(30);
  for (const [row, item] of items.entries()) {
    for (const [column, rule] of RULES.entries()) {
      expect(stored.get(`${item} ${rule}`)).toMatchObject({
        raw_outcome: rawOf(row, column),
        contested: false,
        notes:
          item === 'item_003' && rule === RULES[1] ? 'Read twice, away from the network.' : null,
      });
      const steps = await storedHistory(studio, key, 'away', item, rule);
      expect(steps.map((step) => step.field).toSorted(), `${item} ${rule}`).toEqual(
        item === 'item_003' && rule === RULES[1] ? ['notes', 'outcome'] : ['outcome'],
      );
    }
  }
  console.log(
    `offline: 31 changes of an hour away saved ${Math.round(took)} ms after the server was back`,
  );
});

test(
  'the server process is killed while cells are typed, and started again: nothing is lost',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(120_000);
    const key = await studio.key();
    const items = uids(8);
    await createCase(
      studio,
      key,
      'killed',
      items.map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'killed');
    let kills: Promise<void> = Promise.resolve();
    const typed = matrixOf(items, 1);
    for (const [row, cells] of typed.entries()) {
      // In the middle of rows 2, 4 and 6 the process goes; a row later it is back.
      if ([1, 3, 5].includes(row))
        kills = kills
          .then(() => new Promise<void>((resolve) => setTimeout(resolve, 60)))
          .then(() => studio.served.kill('SIGKILL'));
      if ([2, 4, 6].includes(row)) kills = kills.then(() => studio.restart());
      await typeRow(page, items[row] as string, cells);
    }
    await kills;
    expect(await shownMatrix(page, items)).toEqual(typed);
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    const stored = await storedCells(studio, key, 'killed');
    expect(
      items.map((item) => RULES.map((rule) => stored.get(`${item} ${rule}`)?.raw_outcome)),
    ).toEqual(typed);
    for (const item of items)
      for (const rule of RULES)
        expect(
          await storedHistory(studio, key, 'killed', item, rule),
          `${item} ${rule}`,
        ).toHaveLength(1);

    // What was said to be saved is there after a kill without any warning.
    await cellAt(page, 'item_001', RULES[0]).click();
    await page.keyboard.press(LETTER[rawOf(0, 0, 2)]);
    await expect
      .poll(async () => [
        await cell(page, 'item_001', RULES[0], rawOf(0, 0, 2)).count(),
        SAVED.test((await status(page).textContent()) ?? ''),
      ])
      .toEqual([1, true]);
    await studio.served.kill('SIGKILL');
    await studio.restart();
    expect((await storedCells(studio, key, 'killed')).get(`item_001 ${RULES[0]}`)).toMatchObject({
      raw_outcome: rawOf(0, 0, 2),
    });
  },
);

test(
  'two tabs on one case show each other’s edits, and one goes on when the other closes',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'tabs',
      uids(3).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'tabs');
    const second = await context.newPage();
    await openCase(second, studio, 'tabs');

    const delays: number[] = [];
    for (const [from, to, item] of [
      [page, second, 'item_001'],
      [second, page, 'item_002'],
    ] as const) {
      await from.bringToFront();
      await cellAt(from, item, RULES[0]).click();
      const began = performance.now();
      await from.keyboard.press('t');
      await expect(cell(to, item, RULES[0], 'TRUE')).toBeVisible();
      delays.push(Math.round(performance.now() - began));
      await expect(status(from)).toHaveText(SAVED);
      await expect(status(to)).toHaveText(SAVED);
    }
    // The first tab leads: with it gone, the second speaks to the server.
    await page.close();
    await second.bringToFront();
    await cellAt(second, 'item_003', RULES[0]).click();
    await second.keyboard.press('n');
    await expect(status(second)).toHaveText(SAVED, RECONNECTED);
    await expect
      .poll(
        async () =>
          [...(await storedCells(studio, key, 'tabs')).values()].map((entry) => entry.raw_outcome),
        RECONNECTED,
      )
      .toEqual(['TRUE', 'TRUE', 'NA']);
    console.log(`tabs: an edit is in the other tab after ${delays.join(' and ')} ms`);
  },
);

test(
  'the browser throws its storage away under the open page: what is typed then is saved all the same',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'cleared',
      uids(3).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'cleared');
    await typeRow(page, 'item_001', ['TRUE', 'NA']);
    await expect(status(page)).toHaveText(SAVED);
    const cdp = await context.newCDPSession(page);
    await cdp.send('Storage.clearDataForOrigin', { origin: studio.url, storageTypes: 'indexeddb' });
    await typeRow(page, 'item_002', ['FALSE', 'TRUE', 'NA']);
    const want = [
      ['TRUE', 'NA', null, null, null],
      ['FALSE', 'TRUE', 'NA', null, null],
    ];
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    await expect
      .poll(async () => (await storedCells(studio, key, 'cleared')).size, RECONNECTED)
      .toBe(5);
    expect(await shownMatrix(page, ['item_001', 'item_002'])).toEqual(want);
    await page.reload();
    await expect(page.getByRole('gridcell').first()).toBeVisible({ timeout: 15_000 });
    await expect.poll(() => shownMatrix(page, ['item_001', 'item_002'])).toEqual(want);
  },
);

test(
  'the stored copy of the browser is disposable: deleted, it is rebuilt from the server',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    const items = uids(4);
    await createCase(
      studio,
      key,
      'rebuilt',
      items.map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'rebuilt');
    for (const [row, cells] of matrixOf(items).entries())
      await typeRow(page, items[row] as string, cells);
    await expect(status(page)).toHaveText(SAVED);

    await page.goto(`${studio.url}/docs`);
    const left = await page.evaluate(async () => {
      for (const { name } of await indexedDB.databases()) {
        await new Promise((resolve, reject) => {
          const request = indexedDB.deleteDatabase(name ?? '');
          request.addEventListener('success', resolve);
          request.addEventListener('error', reject);
        });
      }
      return (await indexedDB.databases()).length;
    });
    expect(left).toBe(0);
    await openCase(page, studio, 'rebuilt');
    await expect.poll(() => shownMatrix(page, items)).toEqual(matrixOf(items));

    await typeRow(page, 'item_004', ['NA', 'NA', 'NA', 'NA', 'NA']);
    expect(await focusedName(page)).toContain('item_004');
    await expect(status(page)).toHaveText(SAVED);
    const stored = await storedCells(studio, key, 'rebuilt');
    expect(RULES.map((rule) => stored.get(`item_004 ${rule}`).raw_outcome)).toEqual([
      'NA',
      'NA',
      'NA',
      'NA',
      'NA',
    ]);
  },
);

test(
  'the matrix stands still while a key is saved, at any width',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const key = await studio.key();
    const [item] = uids(1) as [string];
    await createCase(studio, key, 'still', [{ item_uid: item }]);
    await studio.signIn(page);
    await openCase(page, studio, 'still');
    for (const width of [1_920, 1_600, 1_520, 1_400, 1_200, 1_000, 800]) {
      await page.setViewportSize({ width, height: 900 });
      await cellAt(page, item, RULES[0]).click();
      await page.evaluate(() => {
        const heights: number[] = [];
        Object.assign(window, { heights });
        new ResizeObserver(([entry]) => void heights.push(entry?.contentRect.height ?? 0)).observe(
          document.querySelector('.mx-field')!,
        );
      });
      for (const raw of RAWS) {
        await page.keyboard.press(LETTER[raw]);
        await expect(status(page)).toHaveText(SAVED);
        await expect(cell(page, item, RULES[0], raw)).toBeVisible();
        await page.waitForTimeout(100);
      }
      expect(
        await page.evaluate(
          () => new Set((window as unknown as { heights: number[] }).heights).size,
        ),
        `${width} px`,
      ).toBe(1);
    }
  },
);
