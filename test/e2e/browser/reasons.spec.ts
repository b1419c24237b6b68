import { expect, type Page } from '@playwright/test';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { wireChange } from '../../support/sync-change.ts';
import { at, open, test } from './support/harness.ts';
import {
  createCase,
  openCase,
  PROFILE,
  RULES,
  send,
  test as studioTest,
} from './support/studio.ts';

/*
 * Every field of the product that takes a reason: what is typed for one thing is never there for
 * the next. `reasons.test.ts` sees to it that none is missing here.
 */
const settled = (page: Page): Promise<number> =>
  page.evaluate(
    () => 1_000 - (window as unknown as { session: MatrixSession }).session.contestCount(),
  );

test('in the review, one by one and by a rule', async ({ page, harness }) => {
  await open(page, harness, '?scene=contested&rows=200&rules=5');
  const review = page.getByRole('dialog', { name: 'Resolve conflicts' });
  const why = review.getByLabel('Reason');
  await at(page, 0, 0).click();
  await page.keyboard.press('Alt+r');
  await page.keyboard.press('2');
  await why.fill('the scan is sharper');
  await page.keyboard.press('Enter');
  await expect.poll(() => settled(page)).toBe(1);
  await expect(why).toHaveValue('');
  await page.keyboard.press('1');
  await expect(review.getByRole('button', { name: 'Resolve', exact: true })).toBeDisabled();
  await page.keyboard.press('Control+Shift+S');
  await expect(why).toBeFocused();
  expect(await settled(page)).toBe(1);
  await why.fill('for the second');
  await review.getByRole('listbox').focus();
  await page.keyboard.press('j');
  await expect(why).toHaveValue('');
  await page.keyboard.press('k');
  await expect(why).toHaveValue('for the second');
  await page.keyboard.press('b');
  await expect(why).toHaveValue('');
  await why.fill('for this rule');
  await review.getByLabel('Rule', { exact: true }).click();
  await page.getByRole('option', { name: 'Take mine' }).click();
  await expect(why).toHaveValue('');
  await page.keyboard.press('Escape');
  await at(page, 5, 2).click();
  await page.keyboard.press('Alt+r');
  await expect(why).toHaveValue('');
});

test('in the panel of a cell in conflict', async ({ page, harness }) => {
  await open(page, harness, '?scene=contested&rows=4&rules=5');
  await at(page, 0, 0).click();
  const form = page.getByRole('form', { name: 'Resolve the conflict' });
  await form.getByLabel('Reason').fill('for the first');
  await at(page, 1, 0).click();
  await expect(page.locator('.mx-panel-head')).toContainText('Item 2 of 4');
  await expect(form.getByLabel('Reason')).toHaveValue('');
});

test('before a recorded outcome changes', async ({ page, harness }) => {
  await open(page, harness);
  await at(page, 0, 0).click();
  await page.getByRole('checkbox', { name: 'Ask why before a recorded outcome changes' }).check();
  const dialog = page.getByRole('dialog', { name: /^Why is a recorded outcome/ });
  for (const [column, key] of [
    [0, 't'],
    [1, 'n'],
  ] as const) {
    await at(page, 0, column).click();
    await page.keyboard.press(key);
    await expect(dialog.getByLabel('Reason')).toHaveValue('');
    await dialog.getByLabel('Reason').fill(`for column ${column}`);
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
  }
});

studioTest(
  'of contested fields of a case, and of a run in spite of conflicts',
  async ({ page, studio }) => {
    const key = await studio.key();
    await createCase(studio, key, 'two-titles', [{ item_uid: 'a' }, { item_uid: 'b' }]);
    const unseen = ['title', 'description'].flatMap((field) =>
      ['one', 'two'].map((value) =>
        wireChange('two-titles', 'usr_elsewhere', [
          { op: 'set', parents: [], reg: `case/${field}`, value },
        ]),
      ),
    );
    const cells = ['TRUE', 'FALSE'].map((raw_outcome) =>
      wireChange('two-titles', 'usr_elsewhere', [
        { op: 'set', parents: [], reg: `a/${PROFILE}@1.1/${RULES[0]}/a`, value: { raw_outcome } },
      ]),
    );
    await send(studio, await studio.studioKey(), 'POST', 'sync/cases/two-titles/push', {
      protocol: 1,
      changes: [...unseen, ...cells],
    });
    await studio.signIn(page, 'Ada');
    await openCase(page, studio, 'two-titles');
    await page.getByRole('button', { name: 'Resolve 2 conflicts' }).click();
    const dialog = page.getByRole('dialog', { name: /of the case$/ });
    await dialog.getByRole('radio').first().check();
    await dialog.getByLabel('Reason').fill('for the first field');
    const title = await dialog.getByRole('heading').first().textContent();
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('heading').first()).not.toHaveText(title!);
    await expect(dialog.getByLabel('Reason')).toHaveValue('');
    await page.keyboard.press('Escape');
    const run = page.getByRole('dialog', { name: 'Run', exact: true });
    for (const reason of ['for the first run', 'for the second']) {
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await run.getByRole('checkbox', { name: /in spite of conflicts/ }).check();
      await expect(run.getByLabel('Reason')).toHaveValue('');
      await run.getByLabel('Reason').fill(reason);
      await page.keyboard.press('Escape');
      await expect(run).toHaveCount(0);
    }
  },
);
