import { expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { createPace } from '../../../src/renderer/files/pace.ts';
import { writeXlsx } from '../../../src/renderer/files/xlsx-write.ts';
import { commentOf, HEADINGS, type MessyRow, messyRows } from '../../fixtures/messy-variants.ts';
import { blocksOf } from '../../support/bgzip.ts';
import { expectAccessible } from './support/axe.ts';
import { test } from './support/harness.ts';

/** The harness puts it there. */
type Opened = { session: MatrixSession };
const MOST_ACTS = 10;

/** A person before the page: each click or drop is an act. */
class Person {
  acts = 0;
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog', { name: 'Import a file' });
  }

  async click(target: Locator): Promise<void> {
    this.acts += 1;
    await target.click();
  }

  async drop(name: string, content: Uint8Array): Promise<void> {
    this.acts += 1;
    const data = await this.page.evaluateHandle(
      ([title, bytes]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(bytes)], title));
        return transfer;
      },
      [name, [...content]] as const,
    );
    await this.page.dispatchEvent('.mx-editor', 'drop', { dataTransfer: data });
  }

  /** What yes, 1, + or TRUE means in a column. */
  async says(heading: string, meaning: 'evidence present' | 'problem found'): Promise<void> {
    const group = this.dialog.getByRole('group', { name: new RegExp(`means in ${heading}$`) });
    await this.click(group.getByRole('radio', { name: new RegExp(`^${meaning}`) }));
  }

  async import(): Promise<void> {
    await this.click(this.dialog.getByRole('button', { name: /^Import \d/ }));
    await this.click(this.dialog.getByRole('button', { name: 'Done' }));
    await expect(this.dialog).toHaveCount(0);
  }
}

const csvOf = (rows: readonly MessyRow[]): Uint8Array =>
  new TextEncoder().encode(
    [
      HEADINGS.join(';'),
      ...rows.map(({ id, fields, outcomes }, row) =>
        [id, ...fields, ...outcomes, commentOf(row)].join(';'),
      ),
    ].join('\r\n'),
  );

async function xlsxOf(rows: readonly MessyRow[]): Promise<Uint8Array> {
  const cells = rows.map(({ id, fields, outcomes }, row) => [
    id,
    ...fields,
    ...outcomes,
    commentOf(row),
  ]);
  const sheet = {
    name: 'Reader 2',
    rowCount: rows.length,
    columns: HEADINGS.map((header, column) => ({
      header,
      cells: cells.map((texts) => texts[column] ?? ''),
    })),
  };
  return new Uint8Array(await (await writeXlsx([sheet], createPace())).arrayBuffer());
}

const matrix = (page: Page) =>
  page.evaluate(() => {
    const { session } = window as unknown as Opened;
    return Object.fromEntries(
      session.items.map((item, row) => [
        item.item_uid,
        session.rules.map((_, column) => session.state(row, column)),
      ]),
    );
  });
const expectedOf = (rows: readonly MessyRow[]) =>
  Object.fromEntries(rows.map(({ id, expected }) => [id, expected]));

test(
  'a messy sheet is the matrix within ten acts, and so is the second reader’s workbook',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await page.goto(`${harness.url}?scene=trio`);
    await page.getByText('No items yet').waitFor();
    const first = new Person(page);
    const rows = messyRows();
    await first.drop('variants.csv', csvOf(rows));
    const { dialog } = first;
    await expect(dialog.getByText('Heading says Variant ID; 40 different values')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Import', exact: false })).toBeDisabled();
    await expectAccessible(page, '[role=dialog]');
    await first.says('Parent genotype unavail.', 'problem found');
    await first.says('Fits recessive model', 'evidence present');
    await first.says('Comp het phase', 'evidence present');
    await first.says('De-novo not excluded', 'problem found');
    await first.click(dialog.getByRole('combobox', { name: /^All 3 values/ }));
    await first.click(page.getByRole('option', { name: /^NA/ }));
    await first.import();
    expect(first.acts).toBeLessThanOrEqual(MOST_ACTS);
    expect(await matrix(page)).toEqual(expectedOf(rows));
    expect(
      await page.evaluate(() => {
        const { session } = window as unknown as Opened;
        return [session.items[7]?.metadata, session.detail(7, 1)];
      }),
    ).toEqual([
      {
        Gene: 'BRCA2',
        'HGVS c.': 'c.149A>G',
        'HGVS p.': 'p.Arg27His',
        'gnomAD AF': '0.00104',
      },
      {
        source_value: rows[7]!.outcomes[1],
        notes: null,
        provenance: expect.objectContaining({
          source: 'variants.csv',
          locator: 'line 9, column 7',
          method: 'import',
        }),
      },
    ]);

    const theirs = messyRows((row, column) => row % 9 === 4 && column === 2);
    const sent = theirs.map((row) => ({ ...row, id: row.id === 'VAR_007' ? 'VAR_7' : row.id }));
    const second = new Person(page);
    await second.drop('second reader.xlsx', await xlsxOf(sent));
    await expect(dialog.getByText('Used as last time for these headings, values')).toBeVisible();
    await second.click(dialog.getByRole('radio', { name: /^Overwrite/ }));
    await second.click(dialog.getByRole('button', { name: 'Use VAR_007' }));
    await expect(
      dialog.locator('summary', { hasText: /recorded values? overwritten/ }),
    ).toBeVisible();
    await second.import();
    expect(second.acts).toBeLessThanOrEqual(MOST_ACTS);
    expect(await matrix(page)).toEqual(expectedOf(theirs));
  },
);

test(
  'a packed VCF file and a pasted table come in as well',
  IN_LONG_FORM,
  async ({ page, harness }) => {
    await page.goto(`${harness.url}?scene=trio`);
    await page.getByText('No items yet').waitFor();
    const person = new Person(page);
    const { dialog } = person;
    const vcf = [
      '##fileformat=VCFv4.3',
      '##INFO=<ID=AF,Number=A,Type=Float,Description="Allele frequency">',
      '##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth">',
      '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
      '7\t100\t.\tA\tC,G\t.\tPASS\tAF=0.10,2e-4;DP=30',
      '7\t200\t.\tA\tC\t.\tq10\tAF=0.5;DP=3',
    ].join('\n');
    await person.drop('calls.vcf.gz', blocksOf(vcf, 80));
    await expect(dialog.getByRole('button', { name: 'Import 3 items' })).toBeVisible();
    await dialog.getByRole('checkbox', { name: /^Only records that passed/ }).check();
    await dialog.getByRole('checkbox', { name: /^DP/ }).check();
    await dialog.getByRole('button', { name: 'Read again' }).click();
    await expect(dialog.getByText('1 record not asked for')).toBeVisible();
    await expectAccessible(page, '[role=dialog]');
    await dialog.getByRole('button', { name: 'Import 2 items' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Import a file' }).first().click();
    await dialog.getByText('Choose a file').waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', 'uid\tgene\n7-100-A-C\tCFTR\n');
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    });
    await dialog.getByRole('button', { name: 'Import 1 item' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(
      await page.evaluate(() =>
        (window as unknown as Opened).session.items.map(({ item_uid, metadata }) => [
          item_uid,
          metadata,
        ]),
      ),
    ).toEqual([
      ['7-100-A-C', { AF: '0.10', DP: '30', gene: 'CFTR' }],
      ['7-100-A-G', { AF: '2e-4', DP: '30' }],
    ]);
  },
);
