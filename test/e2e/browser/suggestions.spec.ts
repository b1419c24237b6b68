import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { expectAccessible } from './support/axe.ts';
import { holdRequests } from './support/held-requests.ts';
import {
  cell,
  createCase,
  openCase,
  PROFILE,
  type Raw,
  RULES,
  send,
  type Studio,
  test,
  uids,
} from './support/studio.ts';

const [FIRST, SECOND] = RULES;

interface Suggestion {
  item_uid: string;
  rule_uid: string;
  raw_outcome: Raw;
  [field: string]: unknown;
}

/** A case of three items, and an agent that has read a paper on them. */
async function suggested(studio: Studio, suggestions: readonly Suggestion[]): Promise<string> {
  const key = await studio.key();
  await createCase(
    studio,
    key,
    'queue',
    uids(3).map((item_uid) => ({ item_uid, label: `Label of ${item_uid}` })),
  );
  const agent = await studio.key('read,suggest');
  await send(studio, agent, 'POST', 'cases/queue/suggestions', {
    profile_uid: PROFILE,
    suggestions,
  });
  return key;
}

const news = (page: Page) => page.locator('.suggestion-news').getByRole('status');
const card = (page: Page) => page.getByRole('article');
/** What is recorded, in the order of the items. */
const recordedIn = async (studio: Studio, key: string): Promise<Record<string, unknown>[]> => {
  const { data } = await send(studio, key, 'GET', `cases/queue/cells?profile_uid=${PROFILE}`);
  return data.filter((of: { raw_outcome: Raw | null }) => of.raw_outcome !== null);
};

test('a key accepts nothing over what others have recorded since the card was read', async ({
  page,
  studio,
}) => {
  const key = await suggested(studio, [
    { item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'TRUE', quote: 'Read it.' },
  ]);
  await studio.signIn(page);
  await page.goto(`${studio.url}/studio/cases/queue/suggestions?profile=${PROFILE}@1.1`);
  await expect(card(page)).toContainText('unrecorded');
  await send(studio, key, 'POST', 'cases/queue/evidence', {
    profile_uid: PROFILE,
    outcomes: [{ item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'FALSE' }],
  });
  await page.keyboard.press('a');
  await expect(news(page)).toHaveText(/^Nothing was decided/);
  expect(await recordedIn(studio, key)).toMatchObject([{ raw_outcome: 'FALSE' }]);
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Stale' }).click();
  await expect(card(page)).toContainText('FALSE');
  await page.getByRole('button', { name: /^Accept/ }).click();
  await expect(news(page)).toHaveText(/^Accepted: TRUE/);

  // A page that says that nothing waits says so only as long as nothing does.
  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Open', exact: true }).click();
  await expect(page.getByText('No suggestion waits for a decision')).toBeVisible();
  await send(studio, await studio.key('read,suggest'), 'POST', 'cases/queue/suggestions', {
    profile_uid: PROFILE,
    suggestions: [{ item_uid: 'item_002', rule_uid: FIRST, raw_outcome: 'NA' }],
  });
  await expect(card(page)).toContainText('Label of item_002');
});

test('a decision is of what the list shows after the one before', async ({ page, studio }) => {
  const key = await suggested(studio, [
    { item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'TRUE', quote: 'Read it.' },
    { item_uid: 'item_002', rule_uid: FIRST, raw_outcome: 'NA', quote: 'Not reported.' },
  ]);
  await studio.signIn(page);
  await page.goto(`${studio.url}/studio/cases/queue/suggestions?profile=${PROFILE}@1.1`);
  await expect(card(page)).toContainText('unrecorded');

  // A second press, before the list has been read again, is not of the suggestion just accepted.
  const lists = await holdRequests(page, '**/suggestions?*');
  await page.keyboard.press('a');
  await expect(news(page)).toHaveText(/^Accepted: TRUE/);
  await expect.poll(lists.waits).toBeGreaterThan(0);
  await page.keyboard.press('a');
  await lists.end();
  await expect(card(page)).toContainText('Label of item_002');
  await expect(news(page)).toHaveText(/^Accepted: TRUE/);
  expect(await recordedIn(studio, key)).toHaveLength(1);

  // A list that was read before a decision is taken back does not show what comes back.
  lists.hold();
  const reverts = await holdRequests(page, '**/reverts');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect.poll(lists.waits).toBeGreaterThan(0);
  await page.keyboard.press('Control+z');
  await expect.poll(reverts.waits).toBeGreaterThan(0);
  await lists.letOneThrough();
  await reverts.end();
  await expect(news(page)).toHaveText('The last decision was taken back.');
  await lists.end();
  await expect(card(page)).toContainText('Label of item_001');
});

test(
  'suggestions are decided one by one with a key each, and taken back',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const key = await suggested(studio, [
      {
        item_uid: 'item_001',
        rule_uid: FIRST,
        raw_outcome: 'FALSE',
        quote: 'Both parents were sequenced at 30x.',
        locator: 'page 4, table 2',
        source_value: '30x',
        confidence: 0.92,
        model: { name: 'reader', version: '3' },
      },
      {
        item_uid: 'item_002',
        rule_uid: FIRST,
        raw_outcome: 'TRUE',
        quote: 'Father not available.',
      },
      { item_uid: 'item_003', rule_uid: FIRST, raw_outcome: 'NA', quote: 'Not reported.' },
    ]);
    await studio.signIn(page);
    await openCase(page, studio, 'queue');
    await page.getByRole('link', { name: '3 suggestions' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Suggestions' })).toBeFocused();

    await expect(card(page)).toContainText('Label of item_001');
    await expect(card(page).getByRole('blockquote')).toHaveText(
      'Both parents were sequenced at 30x.',
    );
    for (const text of ['page 4, table 2', '30x', '92%', 'reader 3', 'unrecorded'])
      await expect(card(page)).toContainText(text);
    await expectAccessible(page);

    await page.keyboard.press('a');
    await expect(news(page)).toHaveText(/^Accepted: FALSE, evidence present for Label of item_001/);
    await expect(card(page)).toContainText('Label of item_002');

    // A refusal has its reason.
    await page.keyboard.press('x');
    const refusal = page.getByRole('dialog', { name: 'Refuse the suggestion' });
    await expect(refusal.getByRole('button', { name: 'Refuse' })).toBeDisabled();
    await expectAccessible(page);
    await refusal.getByLabel('Reason').fill('The father was sequenced later');
    await page.keyboard.press('Enter');
    await expect(refusal).toBeHidden();
    await expect(news(page)).toHaveText(/^Refused: Label of item_002/);

    await expect(card(page)).toContainText('Label of item_003');
    await page.keyboard.press('s');
    await expect(page.getByRole('heading', { name: 'End of the list' })).toBeVisible();
    await page.getByRole('button', { name: 'Begin again with those skipped' }).click();
    await expect(card(page)).toContainText('Label of item_003');

    await page.keyboard.press('Control+z');
    await expect(news(page)).toHaveText('The last decision was taken back.');
    await expect(card(page)).toContainText('Label of item_002');

    // What is shown stays, whatever is suggested meanwhile for what comes before it.
    const agent = await studio.key('read,suggest');
    await send(studio, agent, 'POST', 'cases/queue/suggestions', {
      profile_uid: PROFILE,
      suggestions: [
        { item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'TRUE', quote: 'Later.' },
      ],
    });
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(page.getByText('3 left')).toBeVisible();
    await expect(card(page)).toContainText('Label of item_002');

    await page.keyboard.press('e');
    const edit = page.getByRole('dialog', { name: 'Edit and accept' });
    await edit.getByLabel('Reported value').fill('no sample');
    await edit.getByRole('button', { name: 'Accept' }).click();
    await expect(news(page)).toHaveText(/^Accepted: TRUE, problem found for Label of item_002/);

    await expect
      .poll(() => recordedIn(studio, key))
      .toMatchObject([
        {
          item_uid: 'item_001',
          raw_outcome: 'FALSE',
          source_value: '30x',
          recorded_by: { kind: 'agent', accepted_by: expect.any(String) },
        },
        { item_uid: 'item_002', raw_outcome: 'TRUE', source_value: 'no sample' },
      ]);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').last().click();
    await expect(cell(page, 'item_002', FIRST, 'TRUE')).toBeVisible();
  },
);

test(
  'many are decided by a previewed rule in one step, without those that are stale',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    const key = await suggested(studio, [
      ...uids(3).map((item_uid) => ({
        item_uid,
        rule_uid: SECOND,
        raw_outcome: 'FALSE' as const,
        confidence: item_uid === 'item_002' ? 0.4 : 0.95,
        quote: 'Stated.',
      })),
      { item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'TRUE', confidence: 1, quote: 'No.' },
    ]);
    // What is recorded after a suggestion was made makes that one stale.
    await send(studio, key, 'POST', 'cases/queue/evidence', {
      profile_uid: PROFILE,
      outcomes: [{ item_uid: 'item_003', rule_uid: SECOND, raw_outcome: 'TRUE' }],
    });
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/queue/suggestions?profile=${PROFILE}@1.1`);
    await page.getByRole('button', { name: 'Decide many by a rule…' }).click();
    const rule = page.getByRole('dialog', { name: 'Decide many by a rule' });
    await rule.getByLabel('Reason').fill('for any outcome');
    await rule.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'FALSE, evidence present' }).click();
    await expect(rule.getByLabel('Reason')).toHaveValue('');
    // A preview that comes late is not of what is chosen by then.
    const previews = await holdRequests(page, '**/suggestions/decisions');
    await rule.getByLabel('Confidence of at least').fill('0,3');
    await rule.getByRole('button', { name: 'Preview' }).click();
    await expect.poll(previews.waits).toBeGreaterThan(0);
    await rule.getByLabel('Confidence of at least').fill('0,9');
    await previews.letOneThrough();
    await previews.end();
    await expect(rule.getByRole('button', { name: 'Preview' })).toBeEnabled();
    await expect(rule.getByRole('status')).toHaveCount(0);
    await rule.getByRole('button', { name: 'Preview' }).click();
    await expect(rule.getByRole('status')).toHaveText('1 suggestion is accepted by this rule.');
    await expectAccessible(page);
    await rule.getByRole('button', { name: 'Accept 1' }).click();
    await expect(rule).toBeHidden();
    await expect(news(page)).toHaveText('1 accepted, 0 left.');

    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Stale' }).click();
    await expect(card(page)).toContainText('Label of item_003');
    await expect(card(page)).toContainText('is no longer what this was suggested for');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(news(page)).toHaveText('The last decision was taken back.');
    await expect
      .poll(() => recordedIn(studio, key))
      .toMatchObject([{ item_uid: 'item_003', raw_outcome: 'TRUE' }]);
  },
);

test(
  'a refusal that is being typed stays with its suggestion while another one comes before it',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await suggested(studio, [
      { item_uid: 'item_002', rule_uid: FIRST, raw_outcome: 'TRUE', quote: 'Not available.' },
    ]);
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/queue/suggestions?profile=${PROFILE}@1.1`);
    await expect(card(page)).toContainText('Label of item_002');
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: 'Refuse the suggestion' });
    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await reason.fill('The father was sequenced.');
    await send(studio, await studio.key('read,suggest'), 'POST', 'cases/queue/suggestions', {
      profile_uid: PROFILE,
      suggestions: [{ item_uid: 'item_001', rule_uid: FIRST, raw_outcome: 'NA', quote: 'None.' }],
    });
    const again = page.waitForResponse((answer) => /suggestions\?.*state=open/.test(answer.url()));
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await (await again).finished();
    await expect(page.getByText('2 left')).toBeVisible();
    await expect(page.locator('article')).toContainText('Label of item_002');
    await expect(reason).toHaveValue('The father was sequenced.');
    await dialog.getByRole('button', { name: 'Refuse' }).click();
    await expect(news(page)).toHaveText(/^Refused: Label of item_002/);
    await expect(card(page)).toContainText('Label of item_001');
    const { data } = await send(
      studio,
      key,
      'GET',
      `cases/queue/suggestions?profile_uid=${PROFILE}&state=refused`,
    );
    expect(data.map(({ item_uid }: { item_uid: string }) => item_uid)).toEqual(['item_002']);
  },
);
