import { expect, type Locator, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { at, focused, open, test } from './support/harness.ts';
import { paste } from './support/paste.ts';

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

const putText = (page: Page, text: string): Promise<void> =>
  page.evaluate((value) => navigator.clipboard.writeText(value), text);
/**
 * As another program leaves it, with its styles: the browser's own way of writing HTML takes them
 * out.
 */
const pasteHtml = (page: Page, html: string, text = ''): Promise<void> =>
  page.evaluate(
    ([table, words]) => {
      const data = new DataTransfer();
      data.setData('text/html', table);
      if (words !== '') data.setData('text/plain', words);
      document.activeElement!.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
    },
    [html, text] as const,
  );
const readBack = (page: Page): Promise<{ text: string; html: string }> =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const get = async (type: string): Promise<string> =>
      item?.types.includes(type) === true ? (await item.getType(type)).text() : '';
    return { text: await get('text/plain'), html: await get('text/html') };
  });
const state = (page: Page, row: number, column: number): Locator => at(page, row, column);
const preview = (page: Page): Locator =>
  page.getByRole('dialog', { name: 'Paste into the matrix' });
const totals = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() =>
    (window as unknown as { session: { totals(): readonly number[] } }).session.totals(),
  );
const announced = (page: Page): Locator => page.getByTestId('mx-live');

/** Six empty cells in the first three items. */
async function clearCorner(page: Page): Promise<void> {
  await at(page, 0, 0).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Delete');
  await expect(state(page, 2, 1)).toHaveAttribute('aria-label', /unrecorded$/);
  await at(page, 0, 0).click();
}

test('copies a block as text and as a table, and pastes it into empty cells at once', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await clearCorner(page);
  await at(page, 2, 3).click();
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+c');
  await expect(announced(page)).toContainText('2 cells copied');
  const { text, html } = await readBack(page);
  expect(text).toBe('FALSE\tTRUE');
  expect(html).toContain('<td>FALSE</td><td>TRUE</td>');
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+v');
  await expect(state(page, 0, 1)).toHaveAttribute('aria-label', /TRUE, problem found$/);
  await expect(preview(page)).toHaveCount(0);
  await page.keyboard.press('Control+z');
  await expect(state(page, 0, 1)).toHaveAttribute('aria-label', /unrecorded$/);
});

test('the preview of a paste is applied with Ctrl+Enter, wherever its focus is', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  for (const place of ['where it opens', 'Close', 'Cancel', 'Clear them to unrecorded'] as const) {
    await at(page, 0, 0).click();
    await paste(page, 'NA\t\t\n');
    await expect(preview(page).getByRole('button', { name: 'Paste 1 cell' })).toBeEnabled();
    if (place !== 'where it opens')
      await preview(page)
        .getByRole(place.startsWith('Clear') ? 'radio' : 'button', { name: place })
        .focus();
    await page.keyboard.press('Control+Enter');
    await expect(preview(page)).toHaveCount(0);
    await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /NA, not available$/);
    await page.keyboard.press('Control+z');
    await expect(state(page, 0, 0)).not.toHaveAttribute('aria-label', /NA, not available$/);
  }
});

test('cuts in one undo step', async ({ page, harness }) => {
  await open(page, harness);
  const before = await totals(page);
  await at(page, 0, 0).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+x');
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  await expect(state(page, 1, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  expect((await readBack(page)).text).toBe('FALSE\nFALSE');
  await page.keyboard.press('Control+z');
  await expect.poll(() => totals(page)).toEqual(before);
});

test('copies with headers by keys alone, and pastes that back by name wherever the focus is', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await at(page, 1, 1).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Control+Shift+c');
  await expect(announced(page)).toContainText('4 cells copied, with the names of items and rules');
  const { text, html } = await readBack(page);
  expect(text.split('\n').map((line) => line.split('\t').length)).toEqual([4, 4, 4]);
  expect(text).toMatch(/^item_uid\tlabel\t/);
  expect(html).toContain('mso-number-format');
  await page.keyboard.press('Delete');
  await at(page, 5, 3).click();
  await page.keyboard.press('Control+v');
  await expect(
    preview(page).getByRole('radio', {
      name: 'By the names in the block: 2 items and 2 rules found',
    }),
  ).toBeChecked();
  await preview(page)
    .getByRole('radio', { name: /^By position/ })
    .check();
  await expect(preview(page).getByRole('table').filter({ hasText: 'Maps to' })).toContainText(
    'label',
  );
  await preview(page)
    .getByRole('radio', { name: /^By the names/ })
    .check();
  await expect(preview(page).getByRole('status')).toContainText(/Newly recorded4/);
  await preview(page).getByRole('button', { name: 'Paste 4 cells' }).click();
  await expect(state(page, 1, 1)).not.toHaveAttribute('aria-label', /unrecorded/);
  await expect
    .poll(() => focused(page))
    .toContain((await at(page, 5, 3).getAttribute('aria-label')) ?? 'nothing');
});

test('asks for every unknown value once, by keys alone, and keeps it as reported value', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await clearCorner(page);
  await putText(page, 'yes\tno\r\nyes\t\r\n1\tNA\r\n');
  await page.keyboard.press('Control+v');
  const dialog = preview(page);
  await expect(dialog).toContainText('Without a choice, skipped4');
  await expect(dialog.getByRole('button', { name: 'Paste 1 cell' })).toBeEnabled();
  // No key waits for the one before: what is pressed before the list has the focus counts all the
  // same.
  const choose = async (word: string, keys: readonly string[]): Promise<void> => {
    await dialog.getByRole('combobox', { name: `“${word}” maps to` }).focus();
    await Promise.all(['Enter', ...keys, 'Enter'].map((key) => page.keyboard.press(key)));
    await expect(page.getByRole('listbox')).toHaveCount(0);
  };
  const down = (times: number): string[] => Array.from({ length: times }, () => 'ArrowDown');
  await expect(dialog.getByRole('combobox', { name: '“yes” maps to' })).toHaveText('Choose…');
  await choose('yes', []);
  await choose('no', down(2));
  await expect(dialog.getByRole('combobox', { name: '“no” maps to' })).toHaveText(
    'NA, not available',
  );
  await choose('no', ['ArrowUp']);
  await choose('1', down(4));
  await expect(dialog.getByRole('combobox', { name: '“yes” maps to' })).toHaveText(
    'FALSE, evidence present',
  );
  await expect(dialog.getByRole('combobox', { name: '“1” maps to' })).toHaveText(
    'Leave the cell as it is',
  );
  await expect(dialog.getByRole('checkbox', { name: /Keep with each cell/ })).toBeChecked();
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toHaveCount(0);
  await expect(announced(page)).toContainText('4 cells pasted');
  await expect(state(page, 1, 0)).toHaveAttribute('aria-label', /FALSE, evidence present$/);
  await expect(state(page, 0, 1)).toHaveAttribute('aria-label', /TRUE, problem found$/);
  await expect(state(page, 1, 1)).toHaveAttribute('aria-label', /unrecorded$/);
  await expect(state(page, 2, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  expect(
    await page.evaluate(async () => {
      const { session } = window as unknown as {
        session: {
          items: { item_uid: string }[];
          rules: string[];
          detail(r: number, c: number): object;
          history(c: object): Promise<{ steps: { reason: string | null }[] }>;
        };
      };
      return [
        session.detail(0, 1),
        session.detail(2, 1),
        (await session.history({ item: session.items[0]!.item_uid, rule: session.rules[1] }))
          .steps[0]?.reason,
      ];
    }),
  ).toMatchObject([
    { source_value: 'no' },
    {},
    expect.stringContaining(
      '“yes” as FALSE, evidence present (2), “no” as TRUE, problem found (1), “1” as skipped (1)',
    ),
  ]);

  // The same words again: last time's choices are offered, and never taken by themselves.
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+v');
  await expect(dialog.getByRole('combobox', { name: '“yes” maps to' })).toHaveText('Choose…');
  await dialog.getByRole('button', { name: 'Use the same as last time for 3 values' }).click();
  await expect(dialog.getByRole('combobox', { name: '“no” maps to' })).toHaveText(
    'TRUE, problem found',
  );
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /unrecorded$/);
});

test('shows what it would overwrite, conflicts first, and Cancel changes nothing', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  const before = await totals(page);
  await at(page, 0, 0).click();
  await putText(page, 'TRUE\tTRUE\tTRUE\tTRUE\tTRUE\nTRUE\tTRUE');
  await page.keyboard.press('Control+v');
  const list = preview(page).getByRole('region', { name: 'Overwritten cells' });
  await expect(list.getByRole('row').nth(1)).toContainText('conflict');
  await expect(preview(page).getByRole('region', { name: 'Where the block goes' })).toContainText(
    'FALSE, evidence present to TRUE, problem found',
  );
  await preview(page).getByRole('button', { name: 'Cancel' }).click();
  expect(await totals(page)).toEqual(before);
  await expect(announced(page)).not.toContainText('pasted');
});

test('counts again when the matrix changes under the preview', async ({ page, harness }) => {
  await open(page, harness);
  await clearCorner(page);
  await putText(page, 'TRUE\tTRUE\tTRUE');
  await page.keyboard.press('Control+v');
  const sums = preview(page).getByRole('status', { name: 'What the paste would do' });
  await expect(sums).toContainText('Newly recorded2');
  await page.evaluate(() => {
    const { session } = window as unknown as {
      session: { receive(c: object[]): void; items: { item_uid: string }[]; rules: string[] };
    };
    session.receive([
      { item: session.items[0]!.item_uid, rule: session.rules[0], raw_outcome: 'FALSE' },
    ]);
  });
  await expect(sums).toContainText('Newly recorded1');
  await expect(preview(page).getByRole('region', { name: 'Overwritten cells' })).toContainText(
    'FALSE',
  );
});

test('copies with headers and pastes from the palette', IN_LONG_FORM, async ({ page, harness }) => {
  await open(page, harness);
  const command = async (words: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(words);
    await page.keyboard.press('Enter');
  };
  await at(page, 0, 0).click();
  await command('Copy with headers');
  await expect.poll(async () => (await readBack(page)).text).toMatch(/^item_uid\tlabel\t/);
  await page.keyboard.press('Delete');
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  await command('Paste…');
  await preview(page).getByRole('button', { name: 'Paste 1 cell' }).click();
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /FALSE/);
});

test('pastes into the items shown, and says what it skips', async ({ page, harness }) => {
  await open(page, harness);
  await page.locator('.mx-toolbar').getByRole('searchbox').fill('clone A0');
  await expect(page.getByText('4 of 24 items shown')).toBeVisible();
  await expect(page.locator('.ag-row[row-index="4"]')).toHaveCount(0);
  await at(page, 0, 0).click();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Control+c');
  await expect(announced(page)).toContainText(/4 cells copied. \d+ hidden items skipped/);
  await page.keyboard.press('Control+v');
  await expect(preview(page)).toContainText('Hidden items skipped');
});

test('reads the table of a page where there is no text, and keeps joined cells in their columns', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await clearCorner(page);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await pasteHtml(
    page,
    '<style>td{color:red}</style><table><tr><td style="color:#f00" colspan="2">TRUE<script>window.bad=1</script><img src="https://example.invalid/y.png" onerror="window.bad=1"><svg onload="window.bad=1"></svg></td></tr><tr><td rowspan="2">FALSE</td><td>NA</td></tr><tr><td>TRUE</td></tr></table><img src="https://example.invalid/x.png">',
  );
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /TRUE/);
  await expect(state(page, 0, 1)).toHaveAttribute('aria-label', /unrecorded$/);
  await expect(state(page, 1, 0)).toHaveAttribute('aria-label', /FALSE/);
  await expect(state(page, 1, 1)).toHaveAttribute('aria-label', /NA/);
  await expect(state(page, 2, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  await expect(state(page, 2, 1)).toHaveAttribute('aria-label', /TRUE/);
  expect(asked).toEqual([]);
  expect(await page.evaluate(() => 'bad' in window)).toBe(false);
});

test('takes the text where a table comes with it: spreadsheets join empty cells in their HTML', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await clearCorner(page);
  await pasteHtml(
    page,
    '<table><tr><td colspan="2"></td></tr><tr><td>NA</td><td>NA</td></tr></table>',
    '\tTRUE\r\nFALSE\tNA\r\n',
  );
  await expect(state(page, 0, 1)).toHaveAttribute('aria-label', /TRUE, problem found$/);
  await expect(state(page, 0, 0)).toHaveAttribute('aria-label', /unrecorded$/);
  await expect(state(page, 1, 0)).toHaveAttribute('aria-label', /FALSE, evidence present$/);
});

test('refuses in words what cannot be one block', async ({ page, harness }) => {
  await open(page, harness);
  await at(page, 0, 0).click();
  await at(page, 2, 2).click({ modifiers: ['Control'] });
  await page.keyboard.press('Control+c');
  await expect(
    page.getByText('Several blocks are selected. Copy one block at a time.').first(),
  ).toBeVisible();
  await putText(page, 'TRUE\tFALSE');
  await page.keyboard.press('Control+v');
  await expect(
    page.getByText(/Only a single value can be pasted into all of them/).first(),
  ).toBeVisible();
});

test('pastes half a million cells with a preview', IN_LONG_FORM, async ({ page, harness }) => {
  test.setTimeout(90_000);
  await open(page, harness, '?scene=large&rows=10000&rules=50');
  await at(page, 0, 0).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await expect(announced(page)).toContainText('500,000 cells copied', { timeout: 20_000 });
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: /^Replace [\d,]+ recorded cells$/ }).click();
  await expect.poll(async () => (await totals(page))[3], { timeout: 20_000 }).toBe(500_000);
  await page.keyboard.press('Control+v');
  const button = preview(page).getByRole('button', { name: /^Paste [\d,]+ cells$/ });
  await expect(button).toBeEnabled({ timeout: 20_000 });
  await expect(preview(page)).toContainText('10,000 rows by 50 columns');
  await button.click();
  await expect(announced(page)).toContainText('cells pasted', { timeout: 20_000 });
  expect((await totals(page))[3]).toBeLessThan(200_000);
});

for (const theme of ['light', 'dark']) {
  test(
    `the preview has no accessibility fault, ${theme}`,
    IN_LONG_FORM,
    async ({ page, harness }) => {
      await open(page, harness, `?theme=${theme}`);
      await at(page, 1, 1).click();
      await putText(
        page,
        'TRUE\tyes\tNA\tWAHR\t\tFALSE\nFALSE\tno\t\tTRUE\tT\tmaybe\nNA\tTRUE\tF\tF\tTRUE\tF\nT\tT\tT\tT\tT\tT\nT\tT\tT\tT\tT\tT\nT\tT\tT\tT\tT\tT\nT\tT\tT\tT\tT\tT\nT\tT\tT\tT\tT\tT',
      );
      await page.keyboard.press('Control+v');
      await expect(preview(page)).toBeVisible();
      await expectAccessible(page, '[role=dialog]');
      if (process.env.SHOTS !== undefined)
        await page.screenshot({ path: `${process.env.SHOTS}/paste-${theme}.png` });
    },
  );
}

test('cutting and pasting by command are of the cells for which they were given, however late the clipboard answers', async ({
  page,
  harness,
}) => {
  await open(page, harness);
  await clearCorner(page);
  // A browser that asks the person first.
  await page.evaluate(() => {
    const { clipboard } = navigator;
    const [read, write] = [clipboard.read.bind(clipboard), clipboard.write.bind(clipboard)];
    let answered = Promise.resolve();
    document.execCommand = () => false;
    clipboard.read = () => answered.then(read);
    clipboard.write = (items) => answered.then(() => write(items));
    const ask = (): void => {
      const { promise, resolve } = Promise.withResolvers<void>();
      answered = promise;
      Object.assign(window, { answer: resolve });
    };
    Object.assign(window, { ask });
  });
  const ask = (): Promise<void> =>
    page.evaluate(() => (window as unknown as { ask(): void }).ask());
  const answer = (): Promise<void> =>
    page.evaluate(() => (window as unknown as { answer(): void }).answer());
  const command = async (name: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command' }).fill(name);
    await page.getByRole('option', { name }).first().click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };
  await putText(page, 'TRUE');
  const stay = at(page, 2, 1);
  for (const [name, outcome] of [
    ['Paste', /TRUE, problem found$/],
    ['Cut', /unrecorded$/],
  ] as const) {
    await ask();
    await at(page, 0, 0).click();
    await command(name);
    await stay.click();
    await page.keyboard.press('F2');
    await answer();
    await expect(at(page, 0, 0)).toHaveAttribute('aria-label', outcome);
    await expect(page.getByLabel('Reported value')).toBeFocused();
    await stay.click();
    await page.keyboard.press('n');
    await expect(stay).toHaveAttribute('aria-label', /NA, not available$/);
  }
  await expect.poll(() => readBack(page)).toMatchObject({ text: 'TRUE' });
});
