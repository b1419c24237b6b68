import { expect, type Page } from '@playwright/test';
import type { ItemEdit, MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { lengthOf } from '../../support/length.ts';
import { at, open, test } from './support/harness.ts';
import { paste } from './support/paste.ts';

type WithSession = Window & { session: MatrixSession };

/** All that is recorded: item, and rule or field, -> what is there. */
const recorded = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(() => {
    const { session } = window as unknown as WithSession;
    return Object.fromEntries(
      session.items.flatMap(({ item_uid, metadata }, row) => [
        [`${item_uid} batch`, String(metadata['batch'])],
        ...session.rules.map((rule, column) => [
          `${item_uid} ${rule}`,
          `${String(session.state(row, column))} ${JSON.stringify(session.detail(row, column))}`,
        ]),
      ]),
    );
  });
const itemsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    (window as unknown as WithSession).session.items.map(({ item_uid }) => item_uid),
  );
const byOthers = (page: Page, items: readonly ItemEdit[]): Promise<unknown> =>
  page.evaluate(
    (edits) =>
      (window as unknown as WithSession).session.apply({ label: 'By others', items: edits }),
    items,
  );

/** What asks before it does something to rows 2 to 4, as far as its question. */
interface Act {
  name: string;
  ask(page: Page): Promise<void>;
  yes: RegExp;
}

const selectRows = async (page: Page, column: number): Promise<void> => {
  await at(page, 1, column).click();
  await at(page, 3, column).click({ modifiers: ['Shift'] });
};
const ACTS: readonly Act[] = [
  {
    name: 'a paste by position',
    ask: async (page) => {
      await at(page, 1, 0).click();
      await paste(page, 'NA\nyes\nTRUE');
      await page.getByRole('combobox', { name: 'yes' }).click();
      await page.getByRole('option', { name: /^TRUE/ }).click();
    },
    yes: /^Paste \d cell/,
  },
  {
    name: 'a paste of fields',
    ask: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'batch' }).check();
      await page.keyboard.press('Escape');
      await page.locator('.ag-row[row-index="1"] [col-id="field:batch"]').click();
      await paste(page, 'x\ny\nz');
    },
    yes: /^Paste \d field/,
  },
  {
    name: 'a source for the selected cells',
    ask: async (page) => {
      await at(page, 1, 1).click();
      await page.keyboard.press('F2');
      await page.getByLabel('Reported value').fill('gel 7');
      await page.keyboard.press('Enter');
      await selectRows(page, 1);
      await page.getByRole('button', { name: 'Apply to the selection…' }).click();
      await page.getByRole('checkbox', { name: 'Unrecorded cells too' }).check();
    },
    yes: /^Change \d cell/,
  },
  {
    name: 'find and replace among the selected cells',
    ask: async (page) => {
      await selectRows(page, 2);
      await page.keyboard.press('f');
      await selectRows(page, 2);
      await page.keyboard.press('Control+h');
      await page.getByRole('combobox', { name: 'Replace in' }).click();
      await page.getByRole('option', { name: 'Outcomes' }).click();
      for (const [label, word] of [
        ['Find', /^FALSE/],
        ['Replace with', /^NA/],
      ] as const) {
        await page.getByRole('combobox', { name: label, exact: true }).click();
        await page.getByRole('option', { name: word }).click();
      }
    },
    yes: /^Replace \d/,
  },
];

for (const { name, ask, yes } of lengthOf(ACTS.slice(0, 2), ACTS))
  test(`${name} is done to the cells that it was asked for, whatever others do to the rows meanwhile`, async ({
    page,
    harness,
  }) => {
    /** What comes of it where others do this meanwhile. */
    const outcome = async (
      edits: (items: readonly string[]) => readonly ItemEdit[],
    ): Promise<Record<string, string>> => {
      await page.goto('about:blank');
      await open(page, harness, '?rows=8');
      await ask(page);
      const before = await recorded(page);
      const items = await itemsOf(page);
      const given = edits(items);
      if (given.length > 0) await byOthers(page, given);
      await page.getByRole('dialog').getByRole('button', { name: yes }).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect.poll(() => recorded(page)).not.toEqual(before);
      const after = await recorded(page);
      return Object.fromEntries(
        Object.entries(after).filter(
          ([place, value]) => before[place] !== value && !place.startsWith('new '),
        ),
      );
    };
    const alone = await outcome(() => []);
    expect(Object.keys(alone)).not.toHaveLength(0);
    let removed = '';
    const meanwhile = await outcome((items) => {
      removed = items[2]!;
      return [
        { do: 'add', item_uid: 'new', before: removed },
        { do: 'move', item_uids: [items[7]!], before: items[0]! },
        { do: 'move', item_uids: [items[3]!], before: null },
        { do: 'remove', item_uid: removed },
      ];
    });
    expect(meanwhile).toEqual(
      Object.fromEntries(Object.entries(alone).filter(([place]) => !place.startsWith(removed))),
    );
  });

test('what a question lists as there before is what others have recorded by then', async ({
  page,
  harness,
}) => {
  await open(page, harness, '?rows=8');
  const dialog = page.getByRole('dialog');
  await ACTS.find(({ name }) => name === 'a paste of fields')!.ask(page);
  const [, , item] = await itemsOf(page);
  await byOthers(page, [{ do: 'set', item_uid: item!, metadata: { batch: 'theirs' } }]);
  await expect(dialog.getByRole('region', { name: 'Changes' })).toContainText('theirs');
  await page.keyboard.press('Escape');
  await ACTS.find(({ name }) => name.startsWith('a source'))!.ask(page);
  await expect(dialog).toContainText('2 get it, 0 overwritten');
  await page.evaluate((uid) => {
    const { session } = window as unknown as WithSession;
    const cells = [{ item: uid, rule: session.rules[1]! }];
    return session.write('By others', cells, { source_value: 'theirs' });
  }, item!);
  await expect(dialog).toContainText('1 get it, 1 overwritten');
});
