import { expect, type Page } from '@playwright/test';
import type { ItemEdit, MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { at, cell, open, test } from './support/harness.ts';

const A03 = 'DEMO1-g1-A03';
const IDENTITY = 'cell_line_identity_mismatch';
const NOTES =
  'Read **twice** by _two_ people, see doi:10.1186/s13059-016-1044-7:\n- plate 4, `A03`\n- [report](https://example.org/report?id=1)\n\n<b>not bold</b> [no](javascript:alert(1))';

/** As a colleague would have recorded it. */
const receive = (page: Page, detail: Record<string, unknown>): Promise<void> =>
  page.evaluate(
    ([item, rule, patch]) =>
      (globalThis as unknown as { session: { receive(cells: unknown[]): void } }).session.receive([
        { item, rule, ...patch },
      ]),
    [A03, IDENTITY, detail] as const,
  );

test.describe('beside a clock of its own', () => {
  test.use({ leavesTraces: true });

  test('the history is asked for when its cell was written, not when another one was', async ({
    page,
    harness,
  }) => {
    await page.clock.install();
    await open(page, harness);
    await page.evaluate(() => {
      const { session } = globalThis as unknown as {
        session: { history(cell: unknown): Promise<unknown> };
      };
      const { history } = session;
      Object.assign(globalThis, { asked: 0 });
      session.history = (cell) => {
        (globalThis as unknown as { asked: number }).asked += 1;
        return history(cell);
      };
    });
    const asked = (): Promise<number> =>
      page.evaluate(() => (globalThis as unknown as { asked: number }).asked);
    const steps = page.getByRole('region', { name: 'History of this cell' }).getByRole('listitem');
    await at(page, 1, 1).click();
    await receive(page, { notes: 'Of another cell' });
    await cell(page, A03, IDENTITY).click();
    await expect(steps.filter({ hasText: 'Of another cell' })).toHaveCount(1);
    await page.clock.runFor(1_000);
    const before = await asked();
    const [first, second] = await page.evaluate(() => {
      const { session } = globalThis as unknown as {
        session: { items: { item_uid: string }[]; rules: string[] };
      };
      return [session.items[5]!.item_uid, session.rules[7]!];
    });
    for (const notes of ['One', 'Two', 'Three']) {
      await page.evaluate(
        ([item, rule, text]) =>
          (
            globalThis as unknown as { session: { receive(cells: unknown[]): void } }
          ).session.receive([{ item, rule, notes: text }]),
        [first, second, notes] as const,
      );
      await page.clock.runFor(1_000);
    }
    expect((await asked()) - before).toBe(0);
    await receive(page, { notes: 'Of this cell' });
    await page.clock.runFor(1_000);
    await expect(steps.filter({ hasText: 'Of this cell' })).toHaveCount(1);
    expect((await asked()) - before).toBe(1);
  });
});

test.describe('notes and provenance', () => {
  test('notes are shown as read, without HTML, and lead only to the web; they are edited where one asks for it', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    await receive(page, { notes: NOTES });
    await at(page, 1, 1).click();
    await expect(page.getByText('Item 2 of 24, rule 2 of 13')).toBeVisible();
    await cell(page, A03, IDENTITY).click();
    const notes = page.getByRole('region', { name: 'Notes' });
    await expect(notes.locator('strong')).toHaveText('twice');
    await expect(notes.locator('em')).toHaveText('two');
    await expect(notes.locator('li code')).toHaveText('A03');
    await expect(notes.getByText('<b>not bold</b>')).toBeVisible();
    await expect(notes.getByRole('link')).toHaveCount(2);
    const doi = notes.getByRole('link', { name: /^doi:10/ });
    await expect(doi).toHaveAttribute('href', 'https://doi.org/10.1186/s13059-016-1044-7');
    await expect(doi).toHaveAttribute('rel', 'noopener noreferrer');
    await expect(doi).toHaveAttribute('target', '_blank');
    await notes.getByRole('button', { name: 'Edit the notes' }).click();
    const field = page.getByRole('textbox', { name: 'Notes' });
    await expect(field).toBeFocused();
    await expect(field).toHaveValue(NOTES);
    await field.fill('Plain');
    await page.keyboard.press('Control+Enter');
    await at(page, 1, 1).click();
    await cell(page, A03, IDENTITY).click();
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue('Plain');
  });

  test('a date must be one, and a locator leads to what it names', async ({ page, harness }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    await receive(page, { provenance: { source: 'Paper', locator: 'PMID 27552985' } });
    const link = page.locator('.mx-panel').getByRole('link', { name: /pubmed/ });
    await expect(link).toHaveAttribute('href', 'https://pubmed.ncbi.nlm.nih.gov/27552985/');
    const date = page.getByRole('textbox', { name: 'Date' });
    await date.fill('03/02/2024');
    await expect(page.getByText('Write YYYY-MM-DD, YYYY-MM or YYYY.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Reported value' }).click();
    await expect(date).toHaveValue('03/02/2024');
    const stored = (): Promise<unknown> =>
      page.evaluate(
        () =>
          (
            globalThis as unknown as {
              session: { detail(row: number, column: number): { provenance: unknown } };
            }
          ).session.detail(0, 0).provenance,
      );
    expect(await stored()).toEqual({ source: 'Paper', locator: 'PMID 27552985' });
    await date.fill('2024-02-03');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(stored)
      .toEqual({ source: 'Paper', locator: 'PMID 27552985', date: '2024-02-03' });
    await date.fill('2024-02-31');
    await at(page, 2, 2).click();
    await expect(
      page.getByText('Date not saved: "2024-02-31". There is no such day.').first(),
    ).toBeVisible();
  });

  test('the source of a cell goes to the selected ones, with its counts, as one step', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await cell(page, A03, IDENTITY).click();
    await receive(page, { source_value: '16/16', provenance: { source: 'Report 7' } });
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowDown');
    await cell(page, A03, IDENTITY).click();
    await at(page, 1, 1).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Apply to the selection…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Apply the source to the selection' });
    await expect(dialog).toContainText('16/16');
    await expect(dialog).toContainText(/\d get it, \d overwritten, 0 have it/);
    await expectAccessible(page, '[role=dialog]');
    await dialog.getByRole('button', { name: 'Change 3 cells' }).click();
    await at(page, 1, 1).click();
    await expect(page.getByRole('textbox', { name: 'Reported value' })).toHaveValue('16/16');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('textbox', { name: 'Reported value' })).not.toHaveValue('16/16');
  });
});

test.describe('a reason', () => {
  test('is asked for once a block where wanted, and kept; without one nothing changes', async ({
    page,
    harness,
  }) => {
    await open(page, harness);
    await at(page, 0, 0).click();
    await page.getByRole('checkbox', { name: 'Ask why before a recorded outcome changes' }).check();
    await at(page, 0, 0).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('t');
    const dialog = page.getByRole('dialog', { name: 'Why are 2 recorded outcomes changed?' });
    await expect(dialog.getByRole('button', { name: 'Change' })).toBeDisabled();
    await expect(dialog.getByLabel('Reason')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByText('Not saved: no reason was given.').first()).toBeVisible();
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', / FALSE, /);
    await expect(at(page, 0, 0)).toBeFocused();
    await page.keyboard.press('t');
    await dialog.getByLabel('Reason').fill('Wrong plate');
    await page.keyboard.press('Enter');
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', / TRUE, /);
    await expect(
      page.getByRole('region', { name: 'History of this cell' }).getByText('Wrong plate'),
    ).toBeVisible();
  });
});

test('who types a text sees what is recorded there meanwhile before it is replaced', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await receive(page, { notes: 'first' });
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('mine');
  const notes = page.getByLabel('Notes');
  await receive(page, { notes: 'theirs' });
  await expect(page.getByText('Recorded meanwhile: theirs. Saving replaces that')).toBeVisible();
  await expect(notes).toHaveValue('mine');
  await receive(page, { notes: null });
  await expect(page.getByText('Emptied meanwhile.')).toBeVisible();
  await receive(page, { notes: 'theirs again' });
  await page.keyboard.press('Escape');
  await expect(notes).toHaveValue('theirs again');
  await expect(page.getByText('meanwhile')).toHaveCount(0);
  await page.keyboard.type('!');
  await page.keyboard.press('Control+Enter');
  await expect(notes).toHaveValue(/!/);
  await expect(page.getByText('meanwhile')).toHaveCount(0);
});

test('the proof that is typed of one outcome is not saved beside another, unless by a yes', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  const reported = page.getByLabel('Reported value');
  const held = page.getByText(/^Not saved: meanwhile the outcome is/);
  const stored = (): Promise<unknown> =>
    page.evaluate(
      ([item, rule]) => {
        const { session } = globalThis as unknown as { session: MatrixSession };
        const { source_value, provenance } = session.detail(
          session.rowOf(item),
          session.columnOf(rule),
        );
        return [source_value, provenance];
      },
      [A03, IDENTITY] as const,
    );
  /** Typed while FALSE is there; TRUE comes before it is saved. */
  const type = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await receive(page, { raw_outcome: 'FALSE', source_value: 'seen', provenance: 'Report 1' });
    await at(page, 0, 0).click();
    await expect(reported).toHaveValue('seen');
    for (const [name, text] of Object.entries(fields)) await page.getByLabel(name).fill(text);
    await receive(page, { raw_outcome: 'TRUE', source_value: 'theirs', provenance: 'Report 2' });
    await expect(held.first()).toContainText('TRUE, problem found');
  };
  const theirs = ['theirs', 'Report 2'];

  await type({ 'Reported value': 'mine' });
  await page.keyboard.press('Enter');
  await expect(reported).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Notes').focus();
  expect(await stored()).toEqual(theirs);
  await expectAccessible(page, '.mx-panel');
  await at(page, 2, 2).click();
  await expect(page.locator('.mx-news')).toContainText(/has become TRUE, problem found: “mine”/);
  expect(await stored()).toEqual(theirs);

  await type({ Provenance: 'Mine 1' });
  await page.keyboard.press('Escape');
  await expect(held).toHaveCount(0);
  await expect(page.getByLabel('Provenance')).toHaveValue('Report 2');

  await type({ 'Reported value': 'mine' });
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(held).toHaveCount(0);
  await expect(at(page, 0, 0)).toBeFocused();
  await expect(reported).toHaveValue('theirs');

  await type({ 'Reported value': 'mine' });
  await page.getByRole('button', { name: 'Save beside it' }).click();
  await expect.poll(stored).toEqual(['mine', 'Report 2']);
  await expect(at(page, 0, 0)).toBeFocused();
  await expect(held).toHaveCount(0);
  await reported.fill('mine again');
  await page.keyboard.press('Enter');
  await expect.poll(stored).toEqual(['mine again', 'Report 2']);

  await at(page, 0, 0).click();
  await expect(reported).toHaveValue('mine again');
  await page.getByRole('button', { name: 'Structured' }).click();
  await type({ Locator: 'page 7' });
  await at(page, 2, 2).click();
  await expect(page.locator('.mx-news')).toContainText('“page 7”');
  expect(await stored()).toEqual(theirs);
});

test('what others change of an item while it is edited stays', async ({ page, harness }) => {
  await open(page, harness);
  const metadata = (): Promise<unknown> =>
    page.evaluate(
      (uid) =>
        (globalThis as unknown as { session: MatrixSession }).session.items.find(
          ({ item_uid }) => item_uid === uid,
        )?.metadata,
      A03,
    );
  await at(page, 0, 0).click();
  await page.keyboard.press('Shift+F2');
  const dialog = page.getByRole('dialog', { name: 'Edit the item' });
  await dialog.getByLabel('Label').fill('Another label');
  const theirs = { batch: 'theirs', passage: 12, added: true };
  await page.evaluate(
    ([item_uid, fields]) =>
      (
        globalThis as unknown as { session: { receiveItems(edits: readonly ItemEdit[]): void } }
      ).session.receiveItems([{ do: 'set', item_uid, metadata: fields }]),
    [A03, theirs] as const,
  );
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('rowheader').first()).toContainText('Another label');
  expect(await metadata()).toEqual(theirs);
});

test('axe finds nothing in the panel', IN_LONG_FORM, async ({ page, harness }) => {
  await open(page, harness, '?rows=4');
  // The first cell is chosen when a matrix opens, and its notes are a field while they are empty.
  await at(page, 1, 1).click();
  await expect(page.locator('.mx-panel-head')).toContainText('Item 2 of 4');
  await receive(page, {
    notes: NOTES,
    provenance: { source: 'Paper', locator: 'doi:10.1000/182', date: 'last week' },
  });
  await cell(page, A03, IDENTITY).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.getByRole('region', { name: 'Notes' }).waitFor();
  await expectAccessible(page, '.mx-panel');
});
