import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { readZipDirectory, unzip } from '../../../src/renderer/files/zip.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { createCase, PROFILE, RULES, send, test, uids } from './support/studio.ts';

const OUTCOMES = ['FALSE', 'FALSE', 'TRUE', 'NA', null] as const;
const evidence = (row: number) =>
  RULES.map((rule_uid, column) => ({
    rule_uid,
    raw_outcome: OUTCOMES[(row + 2 * column) % 5] ?? null,
    ...(row === 0 && column === 0 && { notes: 'Read **twice**.', source_value: '0/1' }),
  }));

/** How many pages a PDF has. */
const pagesOf = (pdf: Buffer): number =>
  pdf.toString('latin1').match(/\/MediaBox ?\[/g)?.length ?? 0;

/** Whoever is signed in signs a run of this hash as its reviewer. */
async function signRun(page: Page, url: string, runUid: string, hash: string): Promise<void> {
  const answer = await page.context().request.post(`${url}/api/v1/runs/${runUid}/signatures`, {
    headers: { origin: url },
    data: { content_hash: hash, meaning: 'review' },
  });
  expect(answer.status()).toBe(201);
}

test.describe('the report of a run', () => {
  test.setTimeout(90_000);

  test(
    'says what the run says on paper, in letters, with its hash and boundary, and draws no more items than asked',
    IN_LONG_FORM,
    async ({ page, studio }, info) => {
      const key = await studio.key();
      await createCase(
        studio,
        key,
        'paper',
        uids(130).map((item_uid, row) => ({
          item_uid,
          label: `Candidate ${row + 1}`,
          evidence: evidence(row),
        })),
        { title: 'Report <b>case</b>' },
      );
      const run = await send(studio, key, 'POST', 'runs', {
        case_uid: 'paper',
        profile_uid: PROFILE,
        run_uid: 'run_paper',
      });
      await studio.signIn(page);
      for (let signed = 0; signed < 3; signed += 1)
        await signRun(page, studio.url, 'run_paper', run.content_hash);
      await page.goto(`${studio.url}/studio/runs/run_paper`);
      await page.getByRole('link', { name: 'Report', exact: true }).click();
      const report = page.getByRole('article', { name: 'Report' });
      await expect(
        report.getByRole('heading', { level: 1, name: 'Report <b>case</b>' }),
      ).toBeVisible();
      await expect(report).toContainText(run.content_hash);
      await expect(report).toContainText(run.result.interpretation_boundary);
      const signatures = report.getByRole('table', { name: 'Signatures' });
      await expect(signatures.getByRole('row')).toHaveCount(4);
      await expect(signatures).toContainText('Signature: valid');
      await expect(
        report.getByRole('table', { name: 'Rules 1 to 5' }).getByRole('row'),
      ).toHaveCount(131);
      await page.getByRole('combobox', { name: 'Items' }).click();
      await page.getByRole('option', { name: 'First 100' }).click();
      await expect(page).toHaveURL(/items=100/);
      await expect(
        report.getByRole('table', { name: 'Rules 1 to 5' }).getByRole('row'),
      ).toHaveCount(101);
      await expect(
        report.getByText('The first 100 of 130 items are printed.').first(),
      ).toBeVisible();
      await page.getByLabel('Paper').click();
      await page.getByRole('option', { name: 'US Letter' }).click();
      await expect(page).toHaveURL(/paper=letter/);

      await expectAccessible(page);
      await page.emulateMedia({ media: 'print' });
      await expect(page.getByRole('group', { name: 'Report' })).toBeHidden();
      const pdf = await page.pdf({ preferCSSPageSize: true, path: info.outputPath('report.pdf') });
      const text = pdf.toString('latin1');
      expect(text.match(/\/MediaBox \[0 0 612 792\]/g)?.length).toBeGreaterThan(2);

      // What the run says has two pages, however much its annexes have.
      await page.locator('.report-annexes').evaluate((annexes) => annexes.remove());
      expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toBe(2);
    },
  );

  test(
    'is one file that needs nothing else, and an item of it one page with its hash',
    IN_LONG_FORM,
    async ({ page, context, studio }, info) => {
      const key = await studio.key();
      await createCase(
        studio,
        key,
        'file',
        uids(4).map((item_uid, row) => ({ item_uid, evidence: evidence(row) })),
      );
      const run = await send(studio, key, 'POST', 'runs', {
        case_uid: 'file',
        profile_uid: PROFILE,
        run_uid: 'run_file',
      });
      await studio.signIn(page);
      await signRun(page, studio.url, 'run_file', run.content_hash);
      await page.goto(`${studio.url}/studio/runs/run_file/report`);
      await page.getByRole('button', { name: 'Details…' }).click();
      const details = page.getByRole('dialog', { name: 'Details of the report' });
      await details.getByLabel('Question').fill('Is there enough?');
      await details.getByLabel('Lab').fill('A lab');
      await expectAccessible(page, '[role=dialog]');
      await details.getByRole('button', { name: 'Save details' }).click();
      await expect(page.getByRole('article').getByText('Is there enough?')).toBeVisible();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save HTML' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('run_file-report.html');
      const saved = info.outputPath('report.html');
      await file.saveAs(saved);
      const [document] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save DOCX' }).click(),
      ]);
      expect(document.suggestedFilename()).toBe('run_file-report.docx');
      const docx = info.outputPath('report.docx');
      await document.saveAs(docx);
      const blob = new Blob([readFileSync(docx)]);
      const parts = await readZipDirectory(blob);
      let text = '';
      for await (const { bytes } of unzip(blob, parts.get('word/document.xml')!, 1_000_000))
        text += Buffer.from(bytes).toString();
      const words = text.replaceAll(/<[^>]+>/g, '');
      for (const said of [
        'Is there enough?',
        'A lab',
        run.content_hash,
        'item_004',
        'Signature: valid',
      ])
        expect(words).toContain(said);
      expect(words.replaceAll(/\s+/g, ' ')).toContain(run.result.interpretation_boundary);
      expect([...parts.keys()].filter((name) => /^word\/media\/./.test(name))).toHaveLength(1);

      const alone = await context.newPage();
      const asked: string[] = [];
      alone.on('request', (request) => asked.push(request.url()));
      await alone.goto(pathToFileURL(saved).href);
      await expect(alone.getByText('Is there enough?')).toBeVisible();
      await expect(alone.getByText('Signature: valid')).toBeVisible();
      await expect(alone.getByText(run.content_hash).first()).toBeVisible();
      await expect(
        alone.getByRole('img', { name: 'Mean and credible interval of the items of the table' }),
      ).toBeVisible();
      expect(asked).toEqual([pathToFileURL(saved).href]);

      await page.goto(`${studio.url}/studio/runs/run_file/item?uid=item_001`);
      await expect(page.getByText(/^\d of 5 rules met\. Mean evidence sufficiency/)).toBeVisible();
      const shown = await page.locator('code', { hasText: /^sha256:/ }).allTextContents();
      await page.getByRole('link', { name: 'Card' }).click();
      const card = page.getByRole('article', { name: 'Card' });
      for (const hash of shown) await expect(card).toContainText(hash);
      expect(shown).toHaveLength(2);
      await expect(card.getByRole('row', { name: /Parent genotype unavailable/ })).toContainText(
        /FALSE, evidence present.*0\/1.*Read \*\*twice\*\*/,
      );
      await expectAccessible(page);
      expect(pagesOf(await page.pdf({ preferCSSPageSize: true }))).toBe(1);
    },
  );
});

test.describe('two runs', () => {
  test.setTimeout(90_000);

  test(
    'are compared under an address of their own: cells, scores, result; the frozen matrix is searched',
    IN_LONG_FORM,
    async ({ page, studio }) => {
      const key = await studio.key();
      await createCase(
        studio,
        key,
        'twice',
        uids(3).map((item_uid) => ({
          item_uid,
          evidence: RULES.map((rule_uid) => ({ rule_uid, raw_outcome: 'TRUE' as const })),
        })),
      );
      await send(studio, key, 'POST', 'runs', {
        case_uid: 'twice',
        profile_uid: PROFILE,
        run_uid: 'run_a',
      });
      await send(studio, key, 'POST', 'evidence', {
        case_uid: 'twice',
        profile_uid: PROFILE,
        items: [
          {
            item_uid: 'item_002',
            evidence: [
              { rule_uid: RULES[0], raw_outcome: 'FALSE' },
              { rule_uid: RULES[1], notes: 'Looked at again.' },
            ],
          },
          { item_uid: 'item_new' },
        ],
      });
      await send(studio, key, 'POST', 'runs', {
        case_uid: 'twice',
        profile_uid: PROFILE,
        run_uid: 'run_b',
      });
      await studio.signIn(page);
      await page.goto(`${studio.url}/studio/runs/run_b`);
      await page.getByRole('link', { name: 'Compare' }).click();
      await page.getByLabel('Compare with').click();
      await page.getByRole('option', { name: /run_a/ }).click();
      await expect(page).toHaveURL(/runs\/run_b\/compare\?with=run_a$/);
      await page.reload();
      await expect(page.getByText('1 outcome and the scores of 1 item changed.')).toBeVisible();
      const cells = page.getByRole('table', { name: 'Changed cells' });
      await expect(cells.getByRole('row')).toHaveCount(3);
      await expect(cells.getByRole('row').nth(1)).toContainText('item_002');
      await expect(cells.getByRole('row').nth(1)).toContainText('FALSE evidence present');
      await expect(cells.getByRole('row').nth(2)).toContainText('the same');
      await page
        .getByRole('searchbox', { name: 'Filter changed cells by item or rule' })
        .fill('nothing of this');
      await expect(page.getByText('0 of 2 shown')).toBeVisible();
      await expect(
        page.getByRole('heading', { name: 'Items only in the later run (1)' }),
      ).toBeVisible();
      await expect(
        page.getByRole('table', { name: 'Changed scores' }).getByRole('row'),
      ).toHaveCount(2);
      await expectAccessible(page);

      // And the run beside the matrix as it is now, while somebody works in it.
      await page.getByLabel('Compare with').click();
      await page.getByRole('option', { name: 'The matrix as it is now' }).click();
      await expect(page.getByText('The matrix is as the run froze it.')).toBeVisible();
      await send(studio, key, 'POST', 'evidence', {
        case_uid: 'twice',
        profile_uid: PROFILE,
        items: [
          { item_uid: 'item_003', evidence: [{ rule_uid: RULES[2], raw_outcome: 'NA' }] },
          { item_uid: 'item_newer' },
        ],
      });
      await expect(page.getByText('Since the run: 1 cell changed, 1 item added.')).toBeVisible();
      await expect(cells.getByRole('row').nth(1)).toContainText(
        /item_003.*TRUE problem found.*NA not available/,
      );

      await page.goto(`${studio.url}/studio/runs/run_b`);
      const figure = page.getByRole('figure', { name: 'Matrix as frozen' });
      await figure.getByRole('button', { name: 'Show as table' }).click();
      await figure.getByRole('searchbox').fill('ITEM_NEW');
      await expect(figure.getByRole('table').getByRole('row')).toHaveCount(2);
    },
  );
});
