import { type BrowserContext, expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { wireChange } from '../../support/sync-change.ts';
import { expectAccessible } from './support/axe.ts';
import {
  cell,
  cellAt,
  createCase,
  goOffline,
  goOnline,
  openCase,
  PROFILE,
  RECONNECTED,
  RULES,
  send,
  status,
  statusDetails,
  test,
  type Studio,
  uids,
} from './support/studio.ts';

const CASE = 'two-people';
const ITEMS = uids(200);
const CELLS = ITEMS.length * RULES.length;

/** A person at a computer of their own. */
async function sitDown(context: BrowserContext, studio: Studio, name: string): Promise<Page> {
  const page = await context.newPage();
  await studio.signIn(page, name);
  await openCase(page, studio, CASE);
  await page
    .getByLabel('Ask why before a recorded outcome changes')
    .or(page.getByRole('gridcell').first())
    .first()
    .click();
  await page.getByLabel('Ask why before a recorded outcome changes').check();
  return page;
}

async function setAll(page: Page, key: string, why: string): Promise<void> {
  await page.getByRole('gridcell').first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press(key);
  await page
    .getByRole('dialog', { name: /^Why are 1,000 recorded outcomes changed/ })
    .getByLabel('Reason')
    .fill(why);
  await page.keyboard.press('Enter');
  await expect(status(page)).toContainText(/changes? pending/);
}

const toReview = async (page: Page, count: string) =>
  expect(await statusDetails(page)).toContainText(
    `${count} ${count === '1' ? 'conflict' : 'conflicts'}`,
    RECONNECTED,
  );
const verified = async (page: Page) =>
  expect(await statusDetails(page)).toContainText('In sync', RECONNECTED);

async function pages(studio: Studio, key: string, address: string): Promise<any[]> {
  const all: any[] = [];
  let cursor: string | null = null;
  do {
    const page: any = await send(
      studio,
      key,
      'GET',
      `${address}&limit=200${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    all.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

/** How many cells have each value on screen: of all, whatever is drawn. */
const counts = (page: Page): Promise<string[]> =>
  page.locator('.mx-totals .mx-count').allTextContents();
/** Two logs with the same changes have the same sums in all buckets. */
const digest = async (studio: Studio, key: string): Promise<any> =>
  (await send(studio, key, 'GET', `sync/cases/${CASE}/digest?buckets=1`)).buckets;

test(
  'two people edit the same 1,000 cells offline for different reasons: all of it is in history, contested, and settled in bulk',
  IN_LONG_FORM,
  async ({ browser, studio }) => {
    test.setTimeout(300_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      CASE,
      ITEMS.map((item_uid) => ({
        item_uid,
        evidence: RULES.map((rule_uid) => ({ rule_uid, raw_outcome: 'NA' as const })),
      })),
    );
    const [hers, his] = [await browser.newContext(), await browser.newContext()];
    const [ada, ben] = [await sitDown(hers, studio, 'Ada'), await sitDown(his, studio, 'Ben')];

    await Promise.all([hers, his].map(goOffline));
    await setAll(ada, 't', 'The gel shows no band.');
    await setAll(ben, 'f', 'The reads cover it.');
    await goOnline(hers);
    await expect(status(ada)).toHaveText(/^Saved/, RECONNECTED);
    await goOnline(his);
    for (const page of [ada, ben]) {
      await toReview(page, '1,000');
      await verified(page);
    }
    expect(await counts(ada)).toEqual(await counts(ben));

    // Every cell: both values, each with its author and reason, and the one that both had seen.
    const contested = await pages(studio, key, `cases/${CASE}/contested?profile_uid=${PROFILE}`);
    expect(contested).toHaveLength(CELLS);
    for (const { heads } of contested) {
      expect(
        heads.map((head: any) => [head.value.raw_outcome, head.by, head.reason]).sort(),
      ).toEqual([
        ['FALSE', 'Ben', 'The reads cover it.'],
        ['TRUE', 'Ada', 'The gel shows no band.'],
      ]);
    }
    for (const item of [ITEMS[0]!, ITEMS[99]!, ITEMS[199]!]) {
      for (const rule of RULES) {
        const steps = await pages(
          studio,
          key,
          `cases/${CASE}/history?profile_uid=${PROFILE}&item_uid=${item}&rule_uid=${rule}`,
        );
        expect(steps.map((step) => [step.new.raw_outcome, step.current]).sort()).toEqual([
          ['FALSE', true],
          ['NA', false],
          ['TRUE', true],
        ]);
      }
    }

    // The list of cases says so, and leads there.
    await ada.getByRole('link', { name: `Project of ${CASE}` }).click();
    await ada.getByRole('link', { name: '1,000 conflicts', exact: true }).click();

    // Settled at once by a rule, seen before it is done.
    const review = ada.getByRole('dialog', { name: 'Resolve conflicts' });
    await expect(review.getByRole('row', { name: /^Recorded by/ })).toContainText('Ada');
    await expect(review.getByRole('row', { name: /^Recorded by/ })).toContainText('Ben');
    await ada.keyboard.press('b');
    await expect(review.getByRole('status').filter({ hasText: 'would be resolved' })).toContainText(
      '1,000 cells of 1,000 would be resolved',
    );
    await review.getByLabel('Rule', { exact: true }).click();
    await ada.getByRole('option', { name: 'Take theirs' }).click();
    await expect(review).toContainText('1,000 become FALSE');
    await review.getByLabel('Reason').fill('We looked at both together.');
    await review.getByRole('button', { name: 'Resolve 1,000 cells' }).click();
    await expect(review).toContainText('No conflicts', RECONNECTED);
    await ada.keyboard.press('Escape');
    for (const page of [ada, ben]) {
      await toReview(page, '0');
      await verified(page);
      expect(await counts(page)).toEqual(['1,000', '0', '0', '0']);
    }
    expect(await pages(studio, key, `cases/${CASE}/contested?profile_uid=${PROFILE}`)).toEqual([]);

    // Taken back: the same contest, and the same authors; then settled again.
    await ada.getByRole('gridcell').first().click();
    await ada.keyboard.press('Control+z');
    for (const page of [ada, ben]) await toReview(page, '1,000');
    const again = await pages(studio, key, `cases/${CASE}/contested?profile_uid=${PROFILE}`);
    expect(again).toHaveLength(CELLS);
    for (const { heads } of again)
      expect(
        heads
          .map((head: any) => [head.value.raw_outcome, head.by, head.reason, head.restored?.by])
          .sort(),
      ).toEqual([
        ['FALSE', 'Ben', 'The reads cover it.', 'Ada'],
        ['TRUE', 'Ada', 'The gel shows no band.', 'Ada'],
      ]);
    await ada.keyboard.press('Control+y');
    for (const page of [ada, ben]) {
      await toReview(page, '0');
      await verified(page);
      expect(await counts(page)).toEqual(['1,000', '0', '0', '0']);
    }

    // A third window reads it all anew: the same, with the same log.
    const before = await digest(studio, key);
    const third = await browser.newContext();
    const cem = await third.newPage();
    await studio.signIn(cem, 'Cem');
    await openCase(cem, studio, CASE);
    await toReview(cem, '0');
    expect(await counts(cem)).toEqual(['1,000', '0', '0', '0']);
    expect(await digest(studio, key)).toEqual(before);
    await Promise.all([hers, his, third].map((context) => context.close()));
  },
);

test(
  'an item is removed while somebody records in it: both are told, and the removal can be taken back or kept',
  IN_LONG_FORM,
  async ({ browser, studio }) => {
    test.setTimeout(120_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      CASE,
      uids(3).map((item_uid) => ({
        item_uid,
        evidence: RULES.map((rule_uid) => ({ rule_uid, raw_outcome: 'NA' as const })),
      })),
    );
    const [hers, his] = [await browser.newContext(), await browser.newContext()];
    const [ada, ben] = [await hers.newPage(), await his.newPage()];
    for (const [page, name] of [
      [ada, 'Ada'],
      [ben, 'Ben'],
    ] as const) {
      await studio.signIn(page, name);
      await openCase(page, studio, CASE);
    }
    await Promise.all([hers, his].map(goOffline));
    await cellAt(ada, 'item_002', RULES[0]).click();
    await ada.keyboard.press('Alt+Delete');
    await ada.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await cellAt(ben, 'item_002', RULES[1]).click();
    await ben.keyboard.press('t');
    await Promise.all([hers, his].map(goOnline));
    for (const page of [ada, ben]) await toReview(page, '1');
    await expect(cellAt(ben, 'item_002', RULES[1])).toHaveCount(0);
    // A window that reads it all anew is told too.
    const third = await browser.newContext();
    const cem = await third.newPage();
    await studio.signIn(cem, 'Cem');
    await openCase(cem, studio, CASE);
    await toReview(cem, '1');
    await third.close();

    await ben.getByRole('gridcell').first().click();
    await ben.keyboard.press('Alt+r');
    const review = ben.getByRole('dialog', { name: 'Resolve conflicts' });
    await expect(
      review.getByRole('region', { name: 'Recorded without seeing the removal' }),
    ).toContainText('Parent genotypes do not fit recessive modelTRUE, problem found');
    await expect(
      review.getByRole('row', { name: 'Parent genotypes do not fit recessive model' }),
    ).toContainText(/Ben\s*\d{4}-\d{2}-\d{2} \d{2}:\d{2}/);
    await expect(review).toContainText(
      /It was removed by Ada, \d{4}-\d{2}-\d{2} \d{2}:\d{2}, who had not seen/,
    );
    await expectAccessible(ben, '[role=dialog]');
    await ben.keyboard.press('1');
    await ben.keyboard.press('r');
    await ben.keyboard.type('The lane was read again.');
    await ben.keyboard.press('Enter');
    await expect(review).toContainText('No conflicts');
    await ben.keyboard.press('Escape');
    for (const page of [ada, ben]) {
      await toReview(page, '0');
      await expect(cell(page, 'item_002', RULES[1], 'TRUE')).toHaveCount(1);
    }
    await Promise.all([hers, his].map((context) => context.close()));
  },
);

test(
  'a case, and a project, that two people named without seeing each other shows both names with their authors, and is resolved for a reason',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const key = await studio.key();
    await createCase(studio, key, CASE, [{ item_uid: 'a' }]);
    const unseen = ['The first title', 'The second title'].map((title) =>
      wireChange(CASE, 'usr_elsewhere', [
        { op: 'set', parents: [], reg: 'case/title', value: title },
      ]),
    );
    await send(studio, await studio.studioKey(), 'POST', `sync/cases/${CASE}/push`, {
      protocol: 1,
      changes: unseen,
    });
    await studio.signIn(page, 'Ada');
    await openCase(page, studio, CASE);
    await page.getByRole('button', { name: 'Resolve 1 conflict' }).click();
    const dialog = page.getByRole('dialog', { name: 'Title of the case' });
    for (const [name, text] of [
      ['Value', 'The first title'],
      ['Value', 'The second title'],
      ['Written by', 'usr_elsewhere'],
    ] as const)
      await expect(dialog.getByRole('row', { name: new RegExp(`^${name}`) })).toContainText(text);
    await expect(dialog.getByRole('row', { name: /^When/ })).toContainText(
      /\d{4}-\d{2}-\d{2} \d{2}:\d{2}/,
    );
    await expectAccessible(page, '[role=dialog]');
    await expect(dialog.getByRole('button', { name: 'Resolve' })).toBeDisabled();
    await dialog.getByRole('radio', { name: /The first title$/ }).check();
    await dialog.getByLabel('Reason').fill('as on the request form');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1, name: 'The first title' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Resolve 1 conflict' })).toHaveCount(0);
    expect((await send(studio, key, 'GET', `cases/${CASE}/contested-fields`)).fields).toEqual([]);

    // The same of its project, and on the page of that.
    const [project] = (await send(studio, key, 'GET', 'projects')).data;
    const names = ['The first name', 'The second name'].map((name) =>
      wireChange(`@project/${project.project_id}`, 'usr_elsewhere', [
        { op: 'set', parents: [], reg: 'project/name', value: name },
      ]),
    );
    await send(
      studio,
      await studio.studioKey(),
      'POST',
      `sync/cases/${encodeURIComponent(`@project/${project.project_id}`)}/push`,
      { protocol: 1, changes: names },
    );
    await page.goto(`${studio.url}/studio/projects/${project.project_id}`);
    await page.getByRole('button', { name: 'Resolve 1 conflict' }).click();
    const ofProject = page.getByRole('dialog', { name: 'Name of the project' });
    await ofProject.getByRole('radio', { name: /The first name$/ }).check();
    await ofProject.getByLabel('Reason').fill('as in the grant');
    await page.keyboard.press('Enter');
    await expect(ofProject).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1, name: 'The first name' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Resolve 1 conflict' })).toHaveCount(0);
  },
);
