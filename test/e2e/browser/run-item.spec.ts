import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { createCase, PROFILE, RULES, send, test, uids } from './support/studio.ts';

const OUTCOMES = ['FALSE', 'FALSE', 'TRUE', 'NA', null] as const;

test(
  'a run explains itself: figures of chosen items, saved with its hash, and each item by its rules',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    const items = uids(6).map((item_uid, row) => ({
      item_uid,
      label: `Candidate ${row + 1}`,
      evidence: RULES.map((rule_uid, column) => ({
        rule_uid,
        raw_outcome: OUTCOMES[(row + 2 * column) % (row + 2)] ?? null,
        ...(column === 0 && { source_value: '0/1', notes: 'Read twice.' }),
      })),
    }));
    await createCase(studio, key, 'explained', items, { title: 'Explained' });
    const body = { case_uid: 'explained', profile_uid: PROFILE };
    await send(studio, key, 'POST', 'runs', { ...body, run_uid: 'run_before' });
    await send(studio, key, 'POST', 'evidence', {
      ...body,
      items: [{ item_uid: 'item_006', evidence: [{ rule_uid: RULES[2], raw_outcome: 'FALSE' }] }],
    });
    const run = await send(studio, key, 'POST', 'runs', { ...body, run_uid: 'run_after' });
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/runs/run_after`);

    // The items are a forest; they can be put into case order by keys.
    const table = page.getByRole('grid');
    const first = table.getByRole('row').nth(1);
    await expect(first).toContainText('Candidate 1');
    await table.getByRole('columnheader', { name: 'Mean' }).click();
    await expect(first).not.toContainText('Candidate 1');
    await page.getByRole('button', { name: 'Case order' }).press('Enter');
    await expect(first).toContainText('Candidate 1');

    // What is ticked there is drawn, is in the table behind, and is saved with run and hash.
    await table
      .getByRole('row', { name: /Candidate 3/ })
      .getByRole('checkbox')
      .check();
    await table
      .getByRole('row', { name: /Candidate 6/ })
      .getByRole('checkbox')
      .check();
    const figure = page.getByRole('figure', { name: 'Posterior densities' });
    await expect(figure.getByRole('img', { name: /of the 2 chosen items/ })).toBeVisible();
    const saved = async (name: string): Promise<Buffer> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        figure.getByRole('button', { name }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/^run_after-posterior-densities\.(svg|png)$/);
      return readFileSync(await file.path());
    };
    const svg = (await saved('Save SVG')).toString('utf8');
    for (const said of [
      'run_after',
      run.content_hash,
      'not establish truth',
      'Candidate 3 and 1 more',
    ])
      expect(svg).toContain(said);
    expect(svg).not.toMatch(/class=|NaN/);
    expect((await saved('Save PNG')).subarray(1, 4).toString()).toBe('PNG');
    await figure.getByRole('button', { name: 'Show as table' }).click();
    await expect(figure.getByRole('row')).toHaveCount(3);

    const sure = page.getByRole('region', { name: 'How sure is it' });
    await expect(sure.getByRole('table', { name: 'The result without each rule' })).toBeVisible();
    await sure.getByLabel('Own prior, a').fill('0.1');
    await expect(sure.getByText('Must be at least 0.25.')).toBeVisible();
    await expect(sure.getByRole('rowheader', { name: /^Own/ })).toHaveCount(0);
    await expectAccessible(page);

    // Enter opens the item: what was found, what proves it, what would raise it, what was before.
    await table
      .getByRole('row', { name: /Candidate 6/ })
      .getByRole('gridcell')
      .nth(1)
      .click({ position: { x: 200, y: 10 } });
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/runs\/run_after\/item\?uid=item_006$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Candidate 6' })).toBeFocused();
    const rules = page.getByRole('table', { name: 'Rules of this item' });
    await expect(rules.getByRole('row')).toHaveCount(6);
    await expect(rules.getByRole('row').nth(1)).toContainText(/0\/1.*Read twice\./);
    await expect(
      page.getByText(/would, with its evidence present, raise the mean from/),
    ).toBeVisible();
    await expect(
      page.getByRole('table', { name: 'Earlier runs of this item' }).getByRole('row').nth(1),
    ).toContainText(/run_before.*\+0\.\d/);
    const slider = page.getByRole('slider', { name: 'Probability of more than' });
    await slider.press('Home');
    await expect(page.getByText('0.00: 1.000 for this item')).toBeVisible();
    await expectAccessible(page);
  },
);
