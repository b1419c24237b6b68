import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { type ProfileDocument, profileDigest } from '../../../src/shared/domain/profile.ts';
import { wireChange } from '../../support/sync-change.ts';
import { expectAccessible } from './support/axe.ts';
import { send, status, type Studio, test } from './support/studio.ts';
import { asProfile } from '../../support/ids.ts';

const WAIT = { timeout: 20_000 };
const CASE = 'two-documents';
const NAME = 'clone_checks@1.0';
const rule = (ruleUid: string, ruleOrder: number) => ({
  ruleUid,
  ruleOrder,
  name: ruleUid,
  description: 'd',
  evidenceMeaning: 'It is there.',
  problemMeaning: 'It is missing.',
  notAvailableMeaning: 'Nobody can say.',
});
const document = (description: string, rules: readonly string[]): ProfileDocument => ({
  name: 'Clone checks',
  profileUid: asProfile('clone_checks'),
  version: '1.0',
  visibility: 'private',
  domain: 'crispr',
  standard: 'SGA-QEM-1.0',
  standardVersion: '1.0',
  description,
  scope: 'For edited clones.',
  maintainer: 'The lab',
  rules: rules.map((uid, index) => rule(uid, index + 1)),
});
const A = document('Made in the first laboratory.', ['no_locus_read', 'no_off_target']);
const B = document('Made in the second laboratory.', [
  'no_locus_read',
  'no_off_target',
  'mixed_clone',
]);
const digestOf = (one: ProfileDocument): string => profileDigest(one, nodeHasher);

const shoot = async (page: Page, name: string): Promise<void> => {
  if (process.env['SHOTS'] !== undefined)
    await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true });
};

/** Changes as this person's other computer would bring them. */
async function push(
  page: Page,
  stream: string,
  entries: readonly { op: string; parents: string[]; reg: string; value: unknown }[],
): Promise<void> {
  const user = await page.evaluate(
    async () =>
      ((await (await fetch('/api/v1/session')).json()) as { user: { user_id: string } }).user
        .user_id,
  );
  const body = JSON.stringify({
    protocol: 1,
    changes: entries.map((entry) => wireChange(stream, user, [entry])),
  });
  const pushed = await page.evaluate(
    async ([path, text]) =>
      (
        await fetch(path as string, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: text as string,
        })
      ).status,
    [`/api/v1/sync/cases/${encodeURIComponent(stream)}/push`, body],
  );
  expect(pushed).toBe(200);
}

/** Both documents under one version, and a case that was recorded under either. */
async function bothDocuments(page: Page, studio: Studio): Promise<string> {
  const key = await studio.key();
  const { project_id } = await send(studio, key, 'POST', 'projects', { name: 'Two laboratories' });
  await send(studio, key, 'POST', 'cases', { project_id, case_uid: CASE, title: 'Two documents' });
  await send(studio, key, 'POST', 'evidence', {
    case_uid: CASE,
    profile_uid: 'trio_rare_disease',
    items: [{ item_uid: 'clone-1', evidence: [] }],
  });
  await send(studio, key, 'POST', 'profiles', A);
  await studio.enter(page);
  await push(page, '@profiles', [
    {
      op: 'announce',
      parents: [],
      reg: `profile/${NAME}`,
      value: { digest: digestOf(B), document: B },
    },
  ]);
  await push(
    page,
    CASE,
    [A, B].map((one) => ({
      op: 'set',
      parents: [],
      reg: `document/${NAME}`,
      value: { digest: digestOf(one) },
    })),
  );
  return key;
}

test(
  'a matrix that was recorded under two documents says so, is resolved by keyboard, and is then recorded into',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await bothDocuments(page, studio);
    await page.goto(`${studio.url}/studio/cases/${CASE}?profile=${NAME}`);
    await expect(
      page.getByText('People recorded this matrix under different documents of version 1.0'),
    ).toBeVisible(WAIT);
    await expect(page.getByRole('grid', { name: 'Evidence matrix' })).toBeVisible(WAIT);
    await expectAccessible(page);
    await shoot(page, 'document-contested');

    await page.getByRole('button', { name: 'Resolve the conflict…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Document of version 1.0' });
    await expect(dialog.getByText('Made in the first laboratory.')).toBeVisible();
    await expect(dialog.getByText('Made in the second laboratory.')).toBeVisible();
    await dialog.getByRole('radio').nth(0).focus();
    await page.keyboard.press('Space');
    const takesB = await dialog
      .getByRole('cell', { name: 'Made in the second laboratory.' })
      .evaluate((cell) => (cell as HTMLTableCellElement).cellIndex === 2);
    if (takesB) await page.keyboard.press('ArrowRight');
    await expectAccessible(page);
    await shoot(page, 'document-dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Agreed on the phone');
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden(WAIT);
    await expect(page.getByText('This matrix uses')).toBeVisible(WAIT);
    await expect
      .poll(
        async () =>
          (
            await send(
              studio,
              key,
              'GET',
              `cases/${CASE}/document?profile_uid=clone_checks&profile_version=1.0`,
            )
          ).state,
      )
      .toBe('named');
    expect(
      (
        await send(
          studio,
          key,
          'GET',
          `cases/${CASE}/document?profile_uid=clone_checks&profile_version=1.0`,
        )
      ).digest,
    ).toBe(digestOf(B));

    await expect(page.getByRole('columnheader', { name: /mixed_clone/ })).toBeVisible(WAIT);
    // The page learns of the resolution before the matrix does, which takes no keys until then.
    await expect(page.locator('[role=grid][aria-readonly=true]')).toHaveCount(0, WAIT);
    await page.getByRole('gridcell', { name: /mixed_clone/ }).click();
    await page.keyboard.press('t');
    await expect(status(page)).toHaveText(/^Saved/, WAIT);
    await expect
      .poll(
        async () =>
          (
            await send(
              studio,
              key,
              'GET',
              `cases/${CASE}/evidence?profile_uid=clone_checks&profile_version=1.0`,
            )
          ).summary.problem_found,
      )
      .toBe(1);
  },
);

test(
  'the page of profiles lists both documents, and a person settles by keyboard which of them the version is',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await bothDocuments(page, studio);
    await page.goto(`${studio.url}/studio/profiles`);
    const table = page.getByRole('table', { name: 'Documents that need a decision' });
    await expect(table.getByRole('row')).toHaveCount(3, WAIT);
    await expectAccessible(page);
    await shoot(page, 'profiles-undecided');
    await table.getByRole('button', { name: new RegExp(digestOf(B).slice(7, 15)) }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Decide which document is the version' })
      .getByRole('textbox', { name: 'Reason' })
      .fill('The protocol of both');
    await page.keyboard.press('Enter');
    await expect(table.getByText('is the version', { exact: true })).toBeVisible(WAIT);
    await page.goto(`${studio.url}/studio/profiles/clone_checks`);
    await expect(page.getByText('set aside')).toBeVisible(WAIT);
    await expect(
      page
        .getByRole('cell', { name: 'Made in the second laboratory.' })
        .or(page.getByText('Made in the second laboratory.'))
        .first(),
    ).toBeVisible();
    await shoot(page, 'profile-settled');
    expect(
      (await send(studio, key, 'GET', 'profiles/clone_checks?profile_version=1.0')).description,
    ).toBe(B.description);
  },
);
