import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { commitmentOf } from '../../../src/sync/layers/rounds.ts';
import { layerStream } from '../../../src/sync/register.ts';
import { asCase, asUser } from '../../support/ids.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { expectAccessible } from './support/axe.ts';
import {
  cellAt,
  createCase,
  goOffline,
  goOnline,
  openCase,
  PROFILE,
  RULES,
  send,
  test,
  uids,
} from './support/studio.ts';

const CANARY = 'canary-of-the-first-recorder';

/** From here on it is noted if a page of this window shows a cell of the record. */
async function watchCells(page: Page): Promise<() => Promise<boolean>> {
  const watch = (): void => {
    const look = (): void => {
      if (document.querySelector('[role=gridcell]') !== null)
        sessionStorage.setItem('shown', 'yes');
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });
  };
  await page.addInitScript(watch);
  return () => page.evaluate(() => sessionStorage.getItem('shown') === 'yes');
}

test('YR7 a person who is to record a matrix independently is shown it nowhere, from that moment on', async ({
  page,
  context,
  studio,
}) => {
  const key = await studio.key();
  const items = uids(2).map((item_uid) => ({
    item_uid,
    evidence: [{ rule_uid: RULES[0], raw_outcome: 'TRUE' as const }],
  }));
  await createCase(studio, key, 'apart', items);
  const run = await send(studio, key, 'POST', 'runs', {
    case_uid: 'apart',
    profile_uid: PROFILE,
  });
  await studio.signIn(page);
  await openCase(page, studio, 'apart');
  await page.getByRole('button', { name: 'Run', exact: true }).click();

  const other = await context.newPage();
  await other.goto(`${studio.url}/studio/cases/apart/rounds?profile=${PROFILE}@1.1`);
  await other.getByRole('button', { name: 'Open a recording…' }).click();
  const dialog = other.getByRole('dialog', { name: 'Open an independent recording' });
  await dialog.getByLabel('Title').fill('First reading');
  for (const recorder of await dialog.getByRole('checkbox').all()) await recorder.check();
  await dialog.getByRole('button', { name: 'Open', exact: true }).click();

  const hidden = page.getByText('until "First reading" is released.');
  await expect(hidden).toBeVisible();
  await expect(page.locator('[role=gridcell], [role=dialog]')).toHaveCount(0);

  // Not for a moment, and not where the server cannot be asked.
  const wasShown = await watchCells(page);
  await page.reload();
  await expect(hidden).toBeVisible();
  await goOffline(context);
  await page.reload();
  await expect(hidden).toBeVisible();
  await goOnline(context);
  await page.goto(`${studio.url}/studio/runs/${run.run_uid}/compare?with=_now`);
  await expect(hidden).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Changed cells' })).toHaveCount(0);
  expect(await wasShown()).toBe(false);

  // Once it is released it is there again, by itself.
  await page.goto(`${studio.url}/studio/cases/apart?profile=${PROFILE}@1.1`);
  await expect(hidden).toBeVisible();
  await other.getByRole('button', { name: 'Release…' }).click();
  const release = other.getByRole('dialog', { name: 'Release First reading' });
  await release.getByLabel('Reason').fill('It is not needed.');
  await release.getByRole('button', { name: 'Release' }).click();
  await expect(cellAt(page, 'item_001', RULES[0]!)).toBeVisible();
  expect(await wasShown()).toBe(true);

  // One that hides nothing is named before a run, also where its dialog is open already.
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const before = page.getByRole('dialog', { name: 'Run' });
  await expect(before.getByRole('button', { name: 'Run' })).toBeVisible();
  const [{ recorders }] = (await send(studio, key, 'GET', 'cases/apart/rounds')).data;
  const opened = await context.request.post(`${studio.url}/api/v1/cases/apart/rounds`, {
    headers: { origin: studio.url },
    data: {
      title: 'Second reading',
      profile_uid: PROFILE,
      recorders: recorders.map(({ recorder }: { recorder: string }) => recorder),
      record: 'shown',
    },
  });
  expect(opened.status()).toBe(201);
  await expect(before.getByText('Second reading')).toBeVisible();
});

test(
  'a person records beside an agent without a byte of what it recorded, then sees how far they agree',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'round',
      uids(2).map((item_uid) => ({ item_uid, label: `Label of ${item_uid}` })),
    );
    await studio.signIn(page);
    const matrix = `?profile=${PROFILE}@1.1`;
    await page.goto(`${studio.url}/studio/cases/round/rounds${matrix}`);
    await expect(page.getByRole('heading', { name: 'No independent recording yet' })).toBeVisible();

    await page.getByRole('button', { name: 'Open a recording…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open an independent recording' });
    await dialog.getByLabel('Title').fill('First reading');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(dialog.getByRole('alert')).toHaveText('Choose at least two.');
    await expect(dialog.getByText('Must be a whole number.')).toBeHidden();
    for (const recorder of await dialog.getByRole('checkbox').all()) await recorder.check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('row', { name: /First reading/ })).toContainText('0 of 2 done');
    await expectAccessible(page);

    const [round] = (await send(studio, key, 'GET', 'cases/round/rounds')).data;
    await send(studio, key, 'POST', `cases/round/rounds/${round.round_id}/evidence`, {
      outcomes: uids(2).map((item_uid) => ({
        item_uid,
        rule_uid: RULES[0],
        raw_outcome: 'FALSE',
        notes: CANARY,
      })),
    });
    await send(studio, key, 'POST', `cases/round/rounds/${round.round_id}/done`, {});

    // Every answer that this window gets until it is done.
    const answers: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/') && !response.url().includes('/events'))
        answers.push(response.text().catch(() => ''));
    });
    await page.goto(`${studio.url}/studio/cases/round${matrix}`);
    await expect(page.getByText('until "First reading" is released.')).toBeVisible();
    await expect(page.getByRole('grid')).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'To your recording' }).click();
    await expect(page.getByText('You record on your own')).toBeVisible();
    const cell = (item: string) =>
      page.getByRole('button', { name: new RegExp(`^${item}, Parent genotype unavailable:`) });
    await expect(cell('item_001')).toHaveAccessibleName(/unrecorded$/);
    await expectAccessible(page);
    await cell('item_001').focus();
    await page.keyboard.press('f');
    await page.keyboard.press('ArrowDown');
    await expect(cell('item_002')).toBeFocused();
    await page.keyboard.press('t');
    await page.getByLabel('Notes').fill('The father is missing.');
    await page.keyboard.press('Tab');
    await expect(page.getByText('2 cells recorded. All changes saved')).toBeVisible();
    // What is recorded is there again.
    await page.reload();
    await expect(cell('item_002')).toHaveAccessibleName(/TRUE, problem found$/);

    // Another item comes before all others while the page still shows the items as they were.
    const comeBack = async (added: string): Promise<() => Promise<void>> => {
      await page
        .getByRole('navigation', { name: 'Breadcrumb' })
        .getByRole('link', { name: 'Independent recording' })
        .click();
      const { promise: isLet, resolve: letThrough } = Promise.withResolvers<void>();
      await page.route('**/cases/round/evidence?*', async (route) => {
        await isLet;
        await route.continue();
      });
      await page.getByRole('link', { name: 'Show', exact: true }).click();
      await expect(cell('item_002')).toBeVisible();
      return async () => {
        const position = -Number(added.slice(-1));
        const items = [{ item_uid: added, position }];
        await send(studio, key, 'POST', 'evidence', {
          case_uid: 'round',
          profile_uid: PROFILE,
          items,
        });
        letThrough();
        await expect(cell(added)).toBeVisible();
        await page.unroute('**/cases/round/evidence?*');
      };
    };
    let more = await comeBack('before_1');
    await page.getByLabel('Notes').pressSequentially('The mother');
    await more();
    await page.keyboard.type(' is missing.');
    await page.keyboard.press('Tab');
    await cell('item_001').focus();
    await expect(page.getByLabel('Notes')).toHaveValue('The mother is missing.');
    more = await comeBack('before_2');
    await cell('item_002').focus();
    await more();
    await expect(cell('item_002')).toBeFocused();
    await page.keyboard.press('n');
    await expect(cell('item_002')).toHaveAccessibleName(/NA, not available$/);
    await expect(cell('item_001')).toHaveAccessibleName(/FALSE, evidence present$/);
    await page.keyboard.press('t');
    await expect(page.getByText('2 cells recorded. All changes saved')).toBeVisible();
    const received = (await Promise.all(answers)).join('\n');
    expect(received).toContain(round.round_id);
    expect(received).not.toContain(CANARY);

    await page.getByRole('button', { name: 'Done…' }).click();
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    const overall = page.getByRole('region', { name: 'Agreement over all cells and by rule' });
    await expect(overall.getByRole('row', { name: /^All cells/ })).toContainText('50%');
    await expect(
      page.getByRole('region', { name: 'Cells in which recorders differ' }),
    ).toContainText('item_002');
    await expectAccessible(page);

    // A run freezes it, and its report says it.
    await page.goto(`${studio.url}/studio/cases/round${matrix}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const run = page.getByRole('dialog', { name: 'Run' });
    await run.getByRole('combobox', { name: 'Agreement of independent recorders' }).click();
    await page.getByRole('option', { name: 'First reading' }).click();
    await run.getByRole('button', { name: 'Run' }).click();
    await expect(overall.getByRole('row', { name: /^All cells/ })).toContainText('50%');
    await page.getByRole('link', { name: 'Report' }).click();
    await expect(page.getByRole('article', { name: 'Report' })).toContainText(
      'They agree on 50% of 2 cells that at least two recorded',
    );
  },
);

test(
  'what a person recorded is still there when they leave the page of their recording and come back',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'left',
      uids(1).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/left/rounds?profile=${PROFILE}@1.1`);
    await page.getByRole('button', { name: 'Open a recording…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open an independent recording' });
    await dialog.getByLabel('Title').fill('Left');
    for (const recorder of await dialog.getByRole('checkbox').all()) await recorder.check();
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    const open = page.getByRole('link', { name: 'Show', exact: true });
    const leave = async (): Promise<void> => {
      await page
        .getByRole('navigation', { name: 'Breadcrumb' })
        .getByRole('link', { name: 'Independent recording' })
        .click();
      await expect(page.getByRole('heading', { name: 'Independent recording' })).toBeVisible();
    };
    const cell = page.getByRole('button', {
      name: new RegExp(`^item_001, Parent genotype unavailable:`),
    });
    await open.click();
    await cell.focus();
    await page.keyboard.press('f');
    await expect(page.getByText('1 cell recorded. All changes saved')).toBeVisible();
    await leave();
    await open.click();
    await expect(cell).toHaveAccessibleName(/FALSE, evidence present$/);

    // The server cannot be reached while the page is left.
    await page.route('**/rounds/*/evidence', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await cell.focus();
    await page.keyboard.press('t');
    await expect(page.getByText('Saving…')).toBeVisible();
    await leave();
    await open.click();
    await expect(cell).toHaveAccessibleName(/TRUE, problem found$/);
    await leave();
    await page.unroute('**/rounds/*/evidence');
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await open.click();
    await expect(page.getByText('1 cell recorded. All changes saved')).toBeVisible();
    await expect(cell).toHaveAccessibleName(/TRUE, problem found$/);
  },
);

test(
  'a person brings their own recording from a file, whole and once, and saves it again',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'carried',
      uids(1).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/carried/rounds?profile=${PROFILE}@1.1`);
    await page.getByRole('button', { name: 'Open a recording…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open an independent recording' });
    await dialog.getByLabel('Title').fill('On the ward');
    for (const recorder of await dialog.getByRole('checkbox').all()) await recorder.check();
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(dialog).toBeHidden();
    const [{ round_id, recorders }] = (await send(studio, key, 'GET', 'cases/carried/rounds')).data;
    const { recorder } = recorders.find((one: { kind: string }) => one.kind === 'human');
    const by = { user: asUser(recorder), kind: 'human', agent: null, key: null } as const;
    const stream = layerStream({ case: asCase('carried'), round: round_id, recorder });
    const place = { profile: PROFILE, version: '1.1', rule: RULES[0], item: 'item_001' };
    const said = wireChange(stream, by, [unseenOutcome(place, 'TRUE')]);
    const { count, sum } = commitmentOf([said.id]);
    const announce = (of: string, reg: string, value: unknown) =>
      wireChange(of, by, [{ op: 'announce', parents: [], reg, value }]);
    const file = {
      format: 'evidence-studio layer 1',
      case_uid: 'carried',
      round_id,
      recorder,
      done: announce('carried', `round/${round_id}/done/${recorder}`, { count, sum }),
      changes: [said, announce(stream, `committed/${sum}/0`, { changes: [said.id] })],
    };

    await page.goto(`${studio.url}/studio/cases/carried/rounds/${round_id}`);
    await expect(page.getByText('You record on your own')).toBeVisible();
    const choose = async (text: string): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Bring from a file…' }).click();
      await (
        await chooser
      ).setFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    };
    const news = page.getByRole('region', { name: 'Notifications' });
    await choose('no JSON');
    await expect(news.getByText('This is no file of an independent recording')).toBeVisible();
    await choose(JSON.stringify({ ...file, changes: file.changes.slice(1) }));
    await expect(
      news.getByText('The changes in the file are not those that the recorder committed to.'),
    ).toBeVisible();
    await choose(JSON.stringify(file));
    await expect(page.getByText('You are done. What was recorded is shown once')).toBeVisible();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    expect(JSON.parse(await readFile(await (await download).path(), 'utf8'))).toEqual(file);
  },
);
