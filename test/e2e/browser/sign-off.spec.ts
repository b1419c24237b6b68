import { type BrowserContext, expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
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
  type Studio,
  test,
  uids,
} from './support/studio.ts';
import { paste } from './support/paste.ts';

/** As an owner in another window. */
async function move(context: BrowserContext, studio: Studio, to: object): Promise<void> {
  const moved = await context.request.post(`${studio.url}/api/v1/cases/approved/stage`, {
    headers: { origin: studio.url },
    data: { ...to, reason: 'r' },
  });
  expect(moved.status()).toBe(200);
}

test('Z4 an open matrix knows at once that its case is approved, and that it is open again', async ({
  page,
  context,
  studio,
}) => {
  const key = await studio.key();
  await createCase(studio, key, 'approved', [{ item_uid: 'item_001' }]);
  const { run_uid } = await send(studio, key, 'POST', 'runs', {
    case_uid: 'approved',
    profile_uid: PROFILE,
  });
  await studio.signIn(page);
  await openCase(page, studio, 'approved');
  const first = cellAt(page, 'item_001', RULES[0]);
  await first.click();
  await move(context, studio, { stage: 'in_review' });
  await move(context, studio, { stage: 'approved', run_uid });
  await expect(page.getByRole('button', { name: 'Stage of the case: Approved' })).toBeVisible();
  await page.keyboard.press('f');
  await expect(page.getByText(/^Suggested, not recorded/)).toBeVisible();
  await expect(first).toHaveAccessibleName(/unrecorded/);
  await move(context, studio, { stage: 'amended' });
  await expect(page.getByRole('button', { name: 'Stage of the case: Amended' })).toBeVisible();
  await first.click();
  await page.keyboard.press('t');
  await expect(first).toHaveAccessibleName(/TRUE/);
});

test(
  'a case is reviewed, approved and its run signed by keyboard',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'approve',
      uids(3).map((item_uid) => ({ item_uid, label: item_uid })),
    );
    const run = await send(studio, key, 'POST', 'runs', {
      case_uid: 'approve',
      profile_uid: PROFILE,
    });
    await studio.signIn(page);
    await openCase(page, studio, 'approve');
    await page.getByRole('button', { name: 'Stage of the case: In progress' }).press('Enter');
    const facts = page.getByRole('dialog', { name: 'Stage of the case' });
    await expectAccessible(page);
    await facts.getByRole('button', { name: 'Send to review…' }).press('Enter');
    await page.getByRole('textbox', { name: 'Reason' }).fill('All is recorded');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stage of the case: In review' }).press('Enter');
    await expect(facts.getByText('All is recorded')).toBeVisible();
    await facts.getByRole('button', { name: 'Approve…' }).press('Enter');
    await page.getByRole('combobox', { name: 'Run that is approved' }).press('Enter');
    await page.getByRole('option').first().press('Enter');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Looked at');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Stage of the case: Approved' })).toBeVisible();
    await expect(page.getByText('The case is approved. Outcomes can be suggested')).toBeVisible();

    await page.goto(`${studio.url}/studio/runs/${String(run.run_uid)}`);
    await page.getByRole('button', { name: 'Sign…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign this run' });
    await dialog.getByRole('combobox', { name: 'Meaning' }).press('Enter');
    await page.getByRole('option', { name: /^Approval/ }).press('Enter');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Sign', exact: true }).press('Enter');
    const signatures = page.getByRole('list', { name: 'Signatures' });
    await expect(signatures.getByText('Signature: valid')).toBeVisible();
    await expect(signatures.getByText('I approve this run.')).toBeVisible();
    await expectAccessible(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as bundle (.eln)' }).press('Enter');
    expect((await saving).suggestedFilename()).toBe(`${String(run.run_uid)}.eln`);
  },
);

test(
  'what is typed, pasted or filled in an approved case is suggested, and told at once, also offline',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'approved',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await send(studio, key, 'POST', 'evidence', {
      case_uid: 'approved',
      profile_uid: PROFILE,
      items: [{ item_uid: 'item_001', evidence: [{ rule_uid: RULES[3], raw_outcome: 'FALSE' }] }],
    });
    const { run_uid } = await send(studio, key, 'POST', 'runs', {
      case_uid: 'approved',
      profile_uid: PROFILE,
    });
    await studio.signIn(page);
    for (const to of [{ stage: 'in_review' }, { stage: 'approved', run_uid }])
      await move(context, studio, to);
    await openCase(page, studio, 'approved');
    await expect(page.getByText('Outcomes can be suggested')).toBeVisible();
    await goOffline(context);
    const first = cellAt(page, 'item_001', RULES[0]);
    await first.click();
    await page.keyboard.press('f');
    await expect(page.getByText(/^Suggested, not recorded/)).toBeVisible();
    await expect(first).toHaveAccessibleName(/unrecorded/);
    await page.keyboard.press('Delete');
    await expect(page.getByRole('group', { name: 'Counts' })).toContainText('Read only');
    await cellAt(page, 'item_001', RULES[1]).click();
    await paste(page, 'TRUE\nNA\n');
    await expect(page.getByText(/^Suggested, not recorded.*: 2 cells\.$/)).toBeVisible();
    // Nothing is recorded there to fill from.
    await cellAt(page, 'item_002', RULES[1]).click();
    await page.keyboard.press('Control+d');
    await expect(page.getByText(/^Nothing to suggest: no other outcome/)).toBeVisible();
    await expect(cellAt(page, 'item_002', RULES[1])).toHaveAccessibleName(/unrecorded/);
    await cellAt(page, 'item_001', RULES[3]).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+d');
    await expect(page.getByText(/^Suggested, not recorded.*: 1 cell\.$/)).toBeVisible();
    // What differs from the record is shown first, with what becomes of it; a blank says nothing.
    await cellAt(page, 'item_001', RULES[2]).click();
    await paste(page, '\tNA\tTRUE\n');
    const preview = page.getByRole('dialog', { name: 'Paste into the matrix' });
    await expect(preview.getByText(/^The case is approved: what you paste/)).toBeVisible();
    await expectAccessible(page);
    const sums = preview.getByRole('status', { name: 'What the paste would do' });
    await expect(sums).toContainText('Suggested where nothing is recorded1');
    await expect(sums).toContainText('Suggested beside another outcome1');
    await expect(preview.getByRole('region', { name: 'Cells with another outcome' })).toContainText(
      'NA, not available',
    );
    await expect(preview.getByText('Overwritten')).toHaveCount(0);
    await preview.getByRole('button', { name: 'Suggest 2 outcomes' }).press('Enter');
    await expect(page.getByText(/^Suggested, not recorded.*: 2 cells\.$/)).toBeVisible();
    // To clear a cell is nothing that could be suggested.
    await cellAt(page, 'item_001', RULES[3]).click();
    await paste(page, '\tweird\n');
    await expect(preview.getByText('1 empty cell')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await cellAt(page, 'item_001', RULES[3]).click();
    await paste(page, 'weird\n');
    await preview.getByRole('combobox', { name: '“weird” maps to' }).press('Enter');
    await page.getByRole('option', { name: 'Unrecorded' }).click();
    await expect(sums).toContainText('Left as recorded: only outcomes can be suggested1');
    await expect(preview.getByRole('button', { name: 'Nothing to paste' })).toBeDisabled();
    await expect(preview.getByText('stays FALSE, evidence present')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await cellAt(page, 'item_001', RULES[3]).click();
    await page.locator('.mx-handle').dragTo(cellAt(page, 'item_002', RULES[3]));
    await expect(page.getByText(/^Suggested, not recorded.*: 1 cell\.$/)).toBeVisible();
    await expect(cellAt(page, 'item_001', RULES[3])).toHaveAccessibleName(/FALSE/);
    // A word is no outcome, though its first letter is a key.
    await cellAt(page, 'item_002', RULES[0]).click();
    await page.keyboard.type('fail');
    await expect(page.getByText('“fail” is no outcome', { exact: false })).toBeVisible();
    const suggestions = async (): Promise<Record<string, unknown>[]> =>
      (
        await send(
          studio,
          key,
          'GET',
          `cases/approved/suggestions?profile_uid=${PROFILE}&state=open`,
        )
      ).data;
    expect(await suggestions()).toEqual([]);
    await goOnline(context);
    await expect
      .poll(async () =>
        (await suggestions()).map(({ item_uid, rule_uid, raw_outcome }) =>
          [item_uid, rule_uid, raw_outcome].join(' '),
        ),
      )
      .toEqual(
        expect.arrayContaining([
          `item_001 ${RULES[0]} FALSE`,
          `item_001 ${RULES[1]} TRUE`,
          `item_002 ${RULES[1]} NA`,
          `item_001 ${RULES[3]} NA`,
          `item_001 ${RULES[4]} TRUE`,
          `item_002 ${RULES[3]} FALSE`,
        ]),
      );
    expect(await suggestions()).toHaveLength(6);
  },
);
