import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { createCase, RULES, test } from './support/studio.ts';

const SHEET = [
  ['Variant ID', 'Gene', ...RULES].join(','),
  ...['NM_1:c.7A>G', 'NM_2:c.12del', 'NM_3:c.40dup'].map((id, row) =>
    [id, 'GENE1', ...RULES.map((_, column) => ['FALSE', 'TRUE', 'NA'][(row + column) % 3])].join(
      ',',
    ),
  ),
].join('\n');
const FILE = { name: 'family_7.csv', mimeType: 'text/csv', buffer: Buffer.from(SHEET) };
/** Clicks from the first page to the report. */
const MOST_ACTS = 10;

test(
  'a new person comes from a sheet to a printed report within a few clicks',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    await studio.enter(page);
    let acts = 0;
    const click = async (
      role: 'button' | 'combobox' | 'option' | 'link',
      name: string | RegExp,
    ) => {
      acts += 1;
      await page.getByRole(role, { name, exact: typeof name === 'string' }).click();
    };
    acts += 1;
    await page.getByLabel('Import a file…').setInputFiles(FILE);
    const dialog = page.getByRole('dialog', { name: 'Import family_7.csv' });
    await expect(dialog.getByLabel('Title')).toHaveValue('family 7');
    await expectAccessible(page, '[role=dialog]');
    await click('combobox', 'Evidence profile');
    await click('option', /^Trio rare disease/);
    await click('button', 'Create case and import');
    await click('button', /^Import \d/);
    await click('button', 'Done');
    await expect(page.getByRole('heading', { level: 1, name: 'family 7' })).toBeVisible();
    await expect(page.getByText('15 of 15 recorded')).toBeVisible();
    await click('button', 'Run');
    acts += 1;
    await page.getByRole('dialog', { name: 'Run' }).getByRole('button', { name: 'Run' }).click();
    await click('link', 'Report');
    await page.getByRole('article', { name: 'Report' }).waitFor();
    expect((await page.pdf({ preferCSSPageSize: true })).subarray(0, 4).toString()).toBe('%PDF');
    expect(acts).toBeLessThanOrEqual(MOST_ACTS);
  },
);

test(
  'a matrix of another profile is imported under that one, wherever it is dropped',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    await createCase(studio, await studio.key(), 'there', [], {
      title: 'There already',
    });
    const drop = async (profile_uid: string, rule_uid: string): Promise<void> => {
      const text = JSON.stringify({
        ...{ case_uid: 'c', profile_uid, standard: 'SGA-QEM-1.0' },
        items: [{ item_uid: 'clone 7' }],
        outcomes: [{ item_uid: 'clone 7', rule_uid, raw_outcome: 'FALSE' }],
      });
      const data = await page.evaluateHandle((content) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], 'qem-matrix.json'));
        return transfer;
      }, text);
      await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    };
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/there`);
    await page.getByText('No items yet').waitFor();
    await drop('nobody_has_this', 'any_rule');
    const dialog = page.getByRole('dialog', { name: 'Import a file' });
    await expect(dialog.getByText('This studio does not have the profile')).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await drop('crispr_edit_evidence', 'cell_line_identity_mismatch');
    await dialog.getByRole('button', { name: /^Open this case under CRISPR/ }).click();
    await dialog.getByRole('button', { name: /^Import \d/ }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText(/^1 of \d+ recorded$/)).toBeVisible();
    await page.goto(`${studio.url}/studio/profiles`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await drop('crispr_edit_evidence', 'cell_line_identity_mismatch');
    await expect(
      page
        .getByRole('dialog', { name: 'Import qem-matrix.json' })
        .getByRole('combobox', { name: 'Evidence profile' }),
    ).toContainText('CRISPR');
  },
);

test(
  'a file that is dropped on any page goes into a case that there is',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    await createCase(studio, await studio.key(), 'there', [], { title: 'There already' });
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/profiles`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const data = await page.evaluateHandle(
      ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name));
        return transfer;
      },
      [FILE.name, SHEET] as const,
    );
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    const dialog = page.getByRole('dialog', { name: 'Import family_7.csv' });
    await dialog.getByRole('combobox', { name: 'Into' }).click();
    await page.getByRole('option', { name: 'There already' }).click();
    await dialog.getByRole('button', { name: 'Open case and import' }).click();
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText('15 of 15 recorded')).toBeVisible();
  },
);
