import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { cellAt, createCase, openCase, RULES, SAVED, status, test } from './support/studio.ts';

async function saved(
  page: Page,
  press: () => Promise<void>,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), 'utf8'),
  };
}

test(
  'the history of a case is saved by its menu, and the audit trail tells so to the owner alone',
  IN_LONG_FORM,
  async ({ page, studio, browser }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    await createCase(studio, key, 'case-1', [
      {
        item_uid: 'item_001',
        evidence: [{ rule_uid: RULES[0], raw_outcome: 'TRUE', notes: '=1+1' }],
      },
    ]);
    await studio.signIn(page);
    await openCase(page, studio, 'case-1');
    await cellAt(page, 'item_001', RULES[0]).click();
    await page.keyboard.press('f');
    await expect(status(page)).toHaveText(SAVED);

    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Save the history…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the history of this case' });
    await expect(dialog).toBeVisible();
    await expectAccessible(page);
    await page.screenshot({ path: 'test-results/audit-dialog.png' });
    const csv = await saved(page, () => dialog.getByRole('button', { name: 'Save' }).click());
    expect(csv.name).toBe('history_case-1.csv');
    const rows = csv.text.split('\r\n');
    expect(rows[0]).toMatch(/^\ufeffseq,index,at,/);
    expect(rows.filter((row) => row.includes(',outcome,item_001,'))).toEqual([
      expect.stringContaining(',,TRUE,'),
      expect.stringContaining(',TRUE,FALSE,'),
    ]);
    expect(csv.text).toContain("'=1+1");
    await expect(dialog).toHaveCount(0);

    await page.goto(`${studio.url}/account`);
    const trail = page.getByRole('table', { name: 'Audit trail' });
    await expect(trail.getByRole('row').nth(1)).toContainText('Saved the history of a case');
    await expect(trail.getByRole('row', { name: 'Created a key' })).toContainText('(command line)');
    const json = await saved(page, () =>
      page.getByRole('button', { name: 'Save as JSON' }).click(),
    );
    expect(json.name).toBe('audit.json');
    expect(JSON.parse(json.text).events.map((event: { action: string }) => event.action)).toEqual([
      'sign_in.link_created',
      'key.created',
      'sign_in.done',
      'case.exported',
    ]);
    await expect(trail.getByRole('row').nth(1)).toContainText('Saved the audit trail');
    await trail.scrollIntoViewIfNeeded();
    await page.screenshot({ path: 'test-results/audit-trail.png' });
    await expectAccessible(page);

    const other = await (await browser.newContext()).newPage();
    await studio.signIn(other, 'Ben');
    await other.goto(`${studio.url}/account`);
    await expect(other.getByRole('heading', { name: 'Recent events' })).toBeVisible();
    await expect(other.getByRole('heading', { name: 'Audit trail' })).toHaveCount(0);
    await other.context().close();
  },
);
