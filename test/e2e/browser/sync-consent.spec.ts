import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { createCase, openSyncPart, send, test, uids } from './support/studio.ts';

test.describe.configure({ timeout: 150_000 });
const SLOW = { timeout: 30_000 };

test(
  'another hosted server takes the place of one that is gone: the page counts what was not sent and asks what becomes of it, by keys alone',
  IN_LONG_FORM,
  async ({ page, start, studio }) => {
    const first = await start();
    const second = await start();
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'shared',
      uids(2).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openSyncPart(page, studio.url, 'Hosted server');
    const connect = async (url: string, secret: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Address' }).fill(url, SLOW);
      await page.getByLabel('API key').fill(secret);
      await page.keyboard.press('Enter');
    };
    await connect(first.url, await first.studioKey());
    await page.getByRole('switch', { name: /^Share Project of shared with/ }).press('Space', SLOW);
    const line = page
      .getByRole('table', { name: 'Synced data', exact: true })
      .getByRole('row', { name: /Case shared/ });
    await expect(line).toContainText('in sync', SLOW);
    await first.served.kill('SIGKILL');
    await send(studio, key, 'POST', 'cases/shared/evidence', {
      profile_uid: 'crispr_edit_evidence',
      items: [{ item_uid: 'alone' }],
    });
    await expect(page.getByRole('heading', { name: 'Pending for a hosted server' })).toBeVisible(
      SLOW,
    );

    await page.getByRole('button', { name: 'Disconnect…' }).press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).press('Enter');
    await expect(
      page.getByText(/of shared projects (is|are) on no hosted server as far as is known/),
    ).toBeVisible(SLOW);
    await expect(
      page.getByText(/pending for 127\.0\.0\.1:\d+.*this studio is not connected/).first(),
    ).toBeVisible(SLOW);

    await connect(second.url, await second.studioKey());
    const choices = page.getByRole('group', { name: 'Unsent work of somebody else' });
    await expect(choices).toBeVisible(SLOW);
    await expect(choices.getByRole('alert')).toContainText('has not been sent');
    await expect(page.getByRole('button', { name: 'Connect', exact: true })).toBeDisabled();
    await expectAccessible(page);
    await page.screenshot({ path: test.info().outputPath('consent.png'), fullPage: true });
    const downloading = page.waitForEvent('download');
    await choices.getByRole('button', { name: 'Export unsent changes' }).press('Enter');
    const saved = JSON.parse(
      await (await import('node:fs/promises')).readFile(await (await downloading).path(), 'utf8'),
    ) as { changes: { change: string }[] };
    expect(saved.changes.some(({ change }) => change.includes('alone'))).toBe(true);

    await choices.getByRole('radio', { name: /^That was me/ }).focus();
    await page.keyboard.press('Space');
    await expect(choices.getByRole('radio', { name: /^That was me/ })).toHaveAccessibleDescription(
      /Both names stay/,
    );
    await page.getByRole('button', { name: 'Connect', exact: true }).press('Enter');
    await page.getByRole('switch', { name: /^Share Project of shared with/ }).press('Space', SLOW);
    await expect(line).toContainText('in sync', SLOW);
    await expect(page.getByRole('heading', { name: 'Pending for a hosted server' })).toHaveCount(
      0,
      SLOW,
    );
    expect(
      (
        await send(
          second,
          await second.key(),
          'GET',
          'cases/shared/evidence?profile_uid=crispr_edit_evidence',
        )
      ).items.map((item: { item_uid: string }) => item.item_uid),
    ).toContain('alone');
  },
);
