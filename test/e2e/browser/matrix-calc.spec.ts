import { expect, type Page } from '@playwright/test';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import { wordAt } from '../../../src/renderer/features/matrix/model/pasted-table.ts';
import { readOutcomeWord } from '../../../src/shared/domain/outcome-words.ts';
import { type Calc, findCalc, openCalc } from '../../support/calc.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { at, test } from './support/harness.ts';

/**
 * Uids that spreadsheets take for dates, numbers, formulas or outcomes. The last two are only
 * unusual.
 */
const UIDS = [
  'SEPT2',
  'MARCH1',
  'DEC1',
  '2310009E13',
  '1-Mar',
  '1e5',
  '12345678901234567890',
  '007',
  '3/4',
  '=1+1',
  '-5',
  '+x',
  '@sum',
  "'=q",
  'TRUE',
  'NA',
  'chr1:12345:A>G',
  'a "b" <c> & d',
];
/** As Calc writes TRUE and FALSE: each language starts a Calc of its own. */
const LOCALES = [
  ['en-US', ['TRUE', 'FALSE']],
  ['de-DE', ['WAHR', 'FALSCH']],
  ['pl-PL', ['PRAWDA', 'FAŁSZ']],
] as const;
/** Of these, what Calc makes another text of when it reads plain text (en-US). */
const BROKEN_IN_TEXT = ['2310009E13', '1e5', '12345678901234567890', '007', '3/4'];

let program: string | undefined;
test.beforeAll(() => {
  test.setTimeout(1_300_000);
  program = findCalc();
});

async function withCalc(locale: string, work: (calc: Calc) => Promise<void>): Promise<void> {
  const calc = await openCalc(program!, locale);
  try {
    await work(calc);
  } finally {
    await calc.close();
  }
}

interface Session {
  items: readonly { item_uid: string }[];
  rules: readonly string[];
  state(row: number, column: number): string | null;
  apply(edit: {
    label: string;
    items: readonly { do: 'add'; item_uid: string; label: string }[];
  }): Promise<unknown>;
  fill(state: (row: number, column: number) => string | null): void;
}

/** The items of UIDS, with every state in every neighbourhood, or empty. */
async function openNames(page: Page, url: string, filled: boolean): Promise<void> {
  await page.goto(`${url}?scene=empty`);
  await page.getByText('No items yet').waitFor();
  await page.evaluate(
    async ({ uids, full }) => {
      const { session } = window as unknown as { session: Session };
      await session.apply({
        label: 'Names',
        items: uids.map((item_uid) => ({ do: 'add', item_uid, label: `label of ${item_uid}` })),
      });
      const states = ['FALSE', 'TRUE', 'NA', null];
      if (full)
        session.fill((row, column) => states[(row * 3 + column + ((row * column) % 5)) % 4]!);
    },
    { uids: UIDS, full: filled },
  );
  await at(page, 0, 0).click();
}

const states = (page: Page): Promise<Record<string, (string | null)[]>> =>
  page.evaluate(() => {
    const { session } = window as unknown as { session: Session };
    return Object.fromEntries(
      session.items.map(({ item_uid }, row) => [
        item_uid,
        session.rules.map((_, column) => session.state(row, column)),
      ]),
    );
  });

async function paste(
  page: Page,
  data: { 'text/plain'?: string; 'text/html'?: string },
): Promise<void> {
  await page.evaluate((kinds) => {
    const transfer = new DataTransfer();
    for (const [kind, value] of Object.entries(kinds)) transfer.setData(kind, value);
    document.activeElement!.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
    );
  }, data);
}

test(
  'a copy with headers goes through Calc and comes back as it was',
  IN_LONG_FORM,
  async ({ page, harness, context }) => {
    test.skip(program === undefined, 'LibreOffice Calc is not installed.');
    test.setTimeout(180_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openNames(page, harness.url, true);
    const original = await states(page);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+Shift+End');
    await page.keyboard.press('Control+Shift+c');
    await expect(page.getByTestId('mx-live')).toContainText('cells copied');
    const copied = await page.evaluate(async () => {
      // As other programs get it: the browser would take the attributes of spreadsheets out for a
      // page.
      const [item] = await (
        navigator.clipboard as unknown as { read(how: object): Promise<ClipboardItem[]> }
      ).read({ unsanitized: ['text/html'] });
      const get = async (type: string): Promise<string> => (await item!.getType(type)).text();
      return { text: await get('text/plain'), html: await get('text/html') };
    });
    const lost = Object.fromEntries(
      Object.entries(original).map(([uid, row]) => [
        uid,
        BROKEN_IN_TEXT.includes(uid) ? row.map(() => null) : row,
      ]),
    );
    await withCalc('en-US', async (calc) => {
      const trips: [string, 'text/plain' | 'text/html', string, typeof original][] = [
        [
          'HTML, .ods, HTML',
          'text/html',
          await calc.roundTrip(copied.html, { from: 'html', via: 'ods', to: 'html' }),
          original,
        ],
        [
          'HTML, .xlsx, text',
          'text/plain',
          await calc.roundTrip(copied.html, { from: 'html', via: 'xlsx', to: 'tsv' }),
          original,
        ],
        [
          'text, .ods, text',
          'text/plain',
          await calc.roundTrip(copied.text, { from: 'tsv', via: 'ods', to: 'tsv' }),
          lost,
        ],
      ];
      for (const [name, kind, value, expected] of trips) {
        await test.step(name, async () => {
          await openNames(page, harness.url, false);
          await paste(page, { [kind]: value });
          const dialog = page.getByRole('dialog', { name: 'Paste into the matrix' });
          await expect(
            dialog.getByRole('radio', { name: /^By the names in the block/ }),
          ).toBeChecked();
          // What a spreadsheet has changed is named, and matches no other item.
          if (expected === lost)
            await expect(dialog).toContainText(
              `${BROKEN_IN_TEXT.length} names are not in this matrix`,
            );
          else await expect(dialog).not.toContainText('not in this matrix');
          await expect(dialog.getByRole('combobox')).toHaveCount(0);
          await dialog.getByRole('button', { name: /^Paste \d+ cells$/ }).click();
          await expect(dialog).toHaveCount(0);
          expect(await states(page)).toEqual(expected);
        });
      }
    });
  },
);

test(
  'what Calc writes for outcomes is read, in every language as itself',
  IN_LONG_FORM,
  async () => {
    test.skip(program === undefined, 'LibreOffice Calc is not installed.');
    test.setTimeout(180_000);
    const read = (text: string): (string | null | undefined)[][] => {
      const table = readText(text);
      return Array.from({ length: table.rows }, (_, row) =>
        Array.from({ length: table.columns }, (_, column) =>
          wordAt(table, row, column) === ''
            ? null
            : readOutcomeWord(wordAt(table, row, column))?.state,
        ),
      );
    };
    const typed = 'TRUE\tFALSE\tNA\t\ntrue\tfalse\tT\tF\nN/A\t#N/A\t=TRUE()\t=FALSE()\n';
    const meant = [
      ['TRUE', 'FALSE', 'NA', null],
      ['TRUE', 'FALSE', 'TRUE', 'FALSE'],
      ['NA', 'NA', 'TRUE', 'FALSE'],
    ];
    for (const [locale, words] of LOCALES) {
      await withCalc(locale, async (calc) => {
        const written = await calc.roundTrip(typed, {
          from: 'tsv',
          via: locale === 'en-US' ? 'xlsx' : 'ods',
          to: 'tsv',
        });
        expect(written).toContain(`${words[0]}\t${words[1]}`);
        expect(read(written)).toEqual(meant);
      });
    }
  },
);
