import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { asPerson } from './support/as-person.ts';
import { expectAccessible } from './support/axe.ts';
import { cell, createCase, openCase, PROFILE, RULES, send, test, uids } from './support/studio.ts';

test(
  'a query is asked in the panel, answered by an agent, named before a run beside an open recording, and closed by keys',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    const items = uids(3).map((item_uid) => ({ item_uid, label: `Label of ${item_uid}` }));
    await createCase(studio, key, 'talk', items);
    await studio.signIn(page);
    await openCase(page, studio, 'talk');
    await cell(page, 'item_002', RULES[0] ?? '', null).click();
    const panel = page.getByRole('complementary', { name: 'Evidence of the cell' });
    const talk = panel.getByRole('region', { name: 'Discussion of this cell' });
    await expect(talk).toContainText('Nothing was asked or said about it.');
    await talk.getByRole('button', { name: 'Ask or comment…' }).press('Enter');
    await talk.getByLabel('What is asked').fill('Which batch?');
    await expectAccessible(page);
    await talk.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
    const head = talk.getByRole('button', { name: /Which batch/ });
    await expect(head).toContainText('Query, open');

    const { data } = await send(studio, key, 'GET', 'cases/talk/threads');
    await send(studio, key, 'POST', `cases/talk/threads/${data[0].thread_id}/entries`, {
      does: 'answer',
      text: 'Batch 2.',
    });
    await page.getByRole('link', { name: 'Evidence Studio, projects' }).click();
    await expect(page.getByRole('link', { name: '1 waits for you' })).toBeVisible();
    const waits = page
      .getByRole('region', { name: 'Waits for you' })
      .or(page.locator('.home-side'));
    await waits.getByRole('link', { name: /^Your query is answered: Label of item_002/ }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Discussion' })).toBeFocused();
    await expect(page.getByRole('main')).toContainText('Batch 2.');
    await expectAccessible(page);

    const other = await studio.key();
    await asPerson(page, studio.url, 'POST', '/api/v1/cases/talk/rounds', {
      title: 'First reading',
      recorders: [key, other].map((text) => text.slice(4, 14)),
      profile_uid: PROFILE,
    });
    await openCase(page, studio, 'talk');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    const run = page.getByRole('dialog', { name: 'Run' });
    await expect(run).toContainText('1 query is not closed');
    await expect(run).toContainText('Which batch?');
    await expect(run).toContainText('1 independent recording is not released');
    await expect(run).toContainText('First reading');
    await expectAccessible(page);
    await run.getByRole('link', { name: /Label of item_002/ }).click();
    // The notice of the answer has a button of that name as well.
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await expect(main).toContainText('Query, closed');
    await expect(page.getByRole('link', { name: '1 waits for you' })).toBeHidden();
  },
);

test(
  'a reply that is being typed stays while something else is said or assigned',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'typed',
      uids(1).map((item_uid) => ({ item_uid })),
    );
    await send(studio, key, 'POST', 'cases/typed/threads', {
      place: { on: 'item', item_uid: 'item_001' },
      kind: 'query',
      text: 'Which batch?',
    });
    await studio.signIn(page);
    await openCase(page, studio, 'typed');
    await cell(page, 'item_001', RULES[0] ?? '', null).click();
    const talk = page.getByRole('region', { name: 'Discussion of this cell' });
    await talk.getByRole('button', { name: /Which batch/ }).press('Enter');
    const reply = talk.getByRole('textbox', { name: 'Reply' });
    await reply.fill('Batch 2, as the label says.');
    await talk.getByRole('combobox', { name: 'Who is to answer' }).press('Enter');
    await page.getByRole('option').last().press('Enter');
    await expect(talk.getByText(/assigned it to/)).toBeVisible();
    await expect(reply).toHaveValue('Batch 2, as the label says.');
    await talk.getByRole('button', { name: 'Answer', exact: true }).press('Enter');
    await expect(talk.getByText('Batch 2, as the label says.')).toBeVisible();
    await expect(reply).toHaveValue('');
    const arrival = Promise.withResolvers<undefined>();
    await page.route('**/threads/*/*', async (route) => {
      if (route.request().method() === 'POST') await arrival.promise;
      await route.continue();
    });
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await reply.fill('Read twice.');
    await talk.getByRole('button', { name: 'Comment', exact: true }).press('Enter');
    await sent;
    await reply.fill('And once more.');
    arrival.resolve(undefined);
    await expect(talk.getByText('Read twice.')).toBeVisible();
    await expect(reply).toHaveValue('And once more.');
  },
);
