import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { Contested } from '../../../src/shared/contract/v1/contested.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { lengthOf } from '../../support/length.ts';
import { cli, makeStudioKey, serve, type Served } from '../../support/served.ts';
import { cell, createCase, fromPage, openCase, PROFILE, RULES, test } from './studio.ts';

/** Beside the one that is edited while both are connected. */
const ITEMS = lengthOf(40, 200);
const CELLS = (ITEMS * RULES.length).toLocaleString('en');

async function keyOf(url: string, folder: string, user: string): Promise<string> {
  await cli([
    'key',
    'create',
    '--name',
    'first',
    '--user',
    user,
    '--role',
    'member',
    '--data',
    folder,
  ]);
  return makeStudioKey(url, folder, user);
}

const status = async (page: Page): Promise<UplinkStatus> =>
  (await fromPage<UplinkStatus>(page, 'GET', 'uplink')).value;
const wake = (page: Page): Promise<unknown> => fromPage(page, 'POST', 'uplink/sync', {});

async function connect(page: Page, url: string, key: string): Promise<void> {
  const { status: code, value } = await fromPage<UplinkStatus>(page, 'PUT', 'uplink', { url, key });
  expect(code, JSON.stringify(value)).toBe(200);
  // Not packaged: nothing is put into the system's key store, and the studio says so.
  expect(value.connection).toMatchObject({ url, key_kept: 'memory' });
}

/** Every cell of the case by the same outcome, as one gesture with a reason. */
async function recordAll(
  page: Page,
  caseUid: string,
  items: readonly string[],
  raw_outcome: string,
  reason: string,
): Promise<void> {
  const rows = items.map((item_uid) => ({
    item_uid,
    evidence: RULES.map((rule_uid) => ({ rule_uid, raw_outcome })),
  }));
  expect(
    (
      await fromPage(page, 'POST', 'evidence', {
        case_uid: caseUid,
        profile_uid: PROFILE,
        items: rows,
        reason,
      })
    ).status,
  ).toBe(200);
}

async function contested(page: Page, caseUid: string): Promise<Contested[]> {
  const all: Contested[] = [];
  let cursor = '';
  for (;;) {
    const { value } = await fromPage<{ data: Contested[]; next_cursor: string | null }>(
      page,
      'GET',
      `cases/${caseUid}/contested?profile_uid=${PROFILE}&limit=200${cursor}`,
    );
    all.push(...value.data);
    if (value.next_cursor === null) return all;
    cursor = `&cursor=${encodeURIComponent(value.next_cursor)}`;
  }
}

/**
 * Who sent a change and when it was received differ by store; all else is the same on both
 * desktops.
 */
const withoutReceipts = ({ heads, ...rest }: Contested): unknown => ({
  ...rest,
  heads: heads.map(({ received_at: _, sent_by: __, ...head }) => head),
});

test('two desktops and a hosted server: an edit comes over; what is edited on both offline contests and is settled', async ({
  open,
  elsewhere,
}) => {
  test.setTimeout(180_000);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'studio-hosted-'));
  let hosted: Served = await serve(folder);
  try {
    const [ada, ben] = [
      await keyOf(hosted.url, folder, 'Ada'),
      await keyOf(hosted.url, folder, 'Ben'),
    ];
    const one = await open();
    const [live, ...items] = await createCase(one.page, 'shared', 1 + ITEMS);
    await connect(one.page, hosted.url, ada);
    const [{ project_id }] = (await status(one.page)).projects as [
      UplinkStatus['projects'][number],
    ];
    await fromPage(one.page, 'PUT', `uplink/projects/${project_id}`, { shared: true });
    await expect
      .poll(async () => (await status(one.page)).links.map(({ state }) => state))
      .toEqual(['equal', 'equal']);

    const two = await open({}, elsewhere);
    await connect(two.page, hosted.url, ben);
    await expect
      .poll(async () => (await status(two.page)).projects)
      .toMatchObject([{ project_id, here: false, there: true, shared: false }]);
    await fromPage(two.page, 'PUT', `uplink/projects/${project_id}`, { shared: true });
    await expect
      .poll(
        async () =>
          (await fromPage(two.page, 'GET', `cases/shared/evidence?profile_uid=${PROFILE}&limit=1`))
            .status,
      )
      .toBe(200);

    const [here, there] = [await openCase(one.page, 'shared'), await openCase(two.page, 'shared')];
    const delays: number[] = [];
    for (const rule of RULES.slice(0, 3)) {
      await cell(here, live as string, rule, null).click();
      await one.page.keyboard.press('t');
      await expect(cell(here, live as string, rule, 'T')).toBeVisible();
      const began = performance.now();
      await expect(cell(there, live as string, rule, 'T')).toBeVisible();
      delays.push(Math.round(performance.now() - began));
    }
    console.log(`from the cell on one desktop's screen to the other's: ${delays.join(', ')} ms`);

    const { port } = new URL(hosted.url);
    await hosted.kill('SIGTERM');
    await recordAll(one.page, 'shared', items, 'TRUE', 'Read in the report');
    await recordAll(two.page, 'shared', items, 'FALSE', 'Seen in the raw data');
    await expect.poll(async () => (await status(one.page)).state).toBe('offline');
    expect((await status(one.page)).totals.waiting).toBeGreaterThan(0);
    hosted = await serve(folder, ['--port', port]);
    for (const { page } of [one, two]) await wake(page);
    for (const { page } of [one, two]) {
      await expect
        .poll(async () => (await contested(page, 'shared')).length, {
          timeout: 60_000,
          intervals: [500],
        })
        .toBe(ITEMS * RULES.length);
      await expect
        .poll(async () => (await status(page)).links.every(({ state }) => state === 'equal'), {
          timeout: 20_000,
        })
        .toBe(true);
    }

    const [mine, theirs] = [
      await contested(one.page, 'shared'),
      await contested(two.page, 'shared'),
    ];
    expect(theirs.map(withoutReceipts)).toEqual(mine.map(withoutReceipts));
    for (const { heads } of mine)
      expect(
        heads
          .map(
            ({ by, reason, value }) =>
              `${by}: ${String((value as { raw_outcome: string }).raw_outcome)}, ${reason}`,
          )
          .toSorted(),
      ).toEqual(['Ada: TRUE, Read in the report', 'Ben: FALSE, Seen in the raw data']);

    await cell(here, live as string, RULES[0], 'T').click();
    await one.page.keyboard.press('Alt+r');
    const review = one.page.getByRole('dialog', { name: 'Resolve conflicts' });
    await expect(review.getByRole('row', { name: /^Recorded by/ })).toContainText('Ben');
    await one.page.keyboard.press('b');
    await expect(review.getByRole('status').filter({ hasText: 'would be resolved' })).toContainText(
      `${CELLS} cells of ${CELLS} would be resolved`,
      { timeout: 20_000 },
    );
    await review.getByLabel('Rule', { exact: true }).click();
    await one.page.getByRole('option', { name: 'TRUE (problem found) wins' }).click();
    await review.getByLabel('Reason').fill('We looked at both together.');
    await review.getByRole('button', { name: `Resolve ${CELLS} cells` }).click();
    await expect(review).toContainText('No conflicts', { timeout: 20_000 });
    for (const { page } of [one, two])
      await expect
        .poll(async () => (await contested(page, 'shared')).length, {
          timeout: 30_000,
          intervals: [500],
        })
        .toBe(0);
    await one.page.keyboard.press('Escape');
    for (const grid of [here, there])
      await expect(cell(grid, items[0] as string, RULES[0], 'T')).toBeVisible({ timeout: 20_000 });
  } finally {
    await hosted.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
