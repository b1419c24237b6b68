import { expect, type Page } from '@playwright/test';
import { cell, createCase, fromPage, openCase, PROFILE, RULES, sendAs, test } from './studio.ts';

const CANARY = 'canary-of-the-agent';

async function makeKey(page: Page, scopes: string[]): Promise<{ key: string; key_id: string }> {
  const { status, value } = await fromPage<{ key: string; key_id: string }>(page, 'POST', 'keys', {
    name: 'reader',
    scopes,
  });
  expect(status).toBe(201);
  return value;
}

/** Everything that the window has stored, as text. */
const storedIn = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const ended = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
      });
    const asText = (_: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) || value instanceof ArrayBuffer
        ? new TextDecoder().decode(value)
        : value;
    const texts: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await ended(indexedDB.open(name));
      for (const store of database.objectStoreNames)
        texts.push(
          store,
          JSON.stringify(
            await ended(database.transaction(store).objectStore(store).getAll()),
            asText,
          ),
        );
      database.close();
    }
    return texts.join('\n');
  });

test('what an agent suggests stands beside the record until the person at the window accepts it', async ({
  running: { page, data },
}) => {
  const [item = ''] = await createCase(page, 'with-suggestions', 1);
  const { key } = await makeKey(page, ['read', 'suggest']);
  const grid = await openCase(page, 'with-suggestions');
  await sendAs(data, key, 'cases/with-suggestions/suggestions', {
    profile_uid: PROFILE,
    suggestions: [
      {
        item_uid: item,
        rule_uid: RULES[0],
        raw_outcome: 'FALSE',
        quote: 'Both parents sequenced.',
      },
    ],
  });
  await page.getByRole('link', { name: '1 suggestion' }).click();
  const card = page.getByRole('article');
  await expect(card.getByRole('blockquote')).toHaveText('Both parents sequenced.');
  await expect(card).toContainText('unrecorded');
  await page.keyboard.press('a');
  await expect(page.locator('.suggestion-news').getByRole('status')).toHaveText(
    /^Accepted: FALSE, evidence present/,
  );
  await expect
    .poll(async () => {
      const { value } = await fromPage<{ data: object[] }>(
        page,
        'GET',
        `cases/with-suggestions/cells?profile_uid=${PROFILE}&outcome=FALSE`,
      );
      return value.data;
    })
    .toMatchObject([
      {
        item_uid: item,
        rule_uid: RULES[0],
        recorded_by: { kind: 'agent', name: 'reader', accepted_by: expect.any(String) },
      },
    ]);
  await openCase(page, 'with-suggestions');
  await expect(cell(grid, item, RULES[0], 'F')).toBeVisible();
});

test('the window gets no byte of what an agent records beside its person, until that is released', async ({
  running: { page, data },
}) => {
  const [item = ''] = await createCase(page, 'sealed-recording', 1);
  const agent = await makeKey(page, ['read', 'write']);
  const { value: session } = await fromPage<{ user: { user_id: string } }>(page, 'GET', 'session');
  const opened = await fromPage<{ round_id: string }>(
    page,
    'POST',
    'cases/sealed-recording/rounds',
    {
      title: 'Two readings',
      recorders: [session.user.user_id, agent.key_id],
      profile_uid: PROFILE,
    },
  );
  expect(opened.status).toBe(201);
  const round = `cases/sealed-recording/rounds/${opened.value.round_id}`;
  const record = (key: string): Promise<void> =>
    sendAs(data, key, `${round}/evidence`, {
      outcomes: [{ item_uid: item, rule_uid: RULES[0], raw_outcome: 'TRUE', notes: CANARY }],
    });

  const answers: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/') && !response.url().includes('/events'))
      answers.push(response.text().catch(() => ''));
  });
  await page.goto(`app://studio/studio/cases/sealed-recording?profile=${PROFILE}@1.1`);
  await expect(page.getByText('until "Two readings" is released.')).toBeVisible();
  await record(agent.key);
  await sendAs(data, agent.key, `${round}/done`, {});
  await page.getByRole('link', { name: 'To your recording' }).click();
  const own = page.getByRole('button', {
    name: new RegExp(`^${item}, Parent genotype unavailable`),
  });
  await expect(own).toHaveAccessibleName(/unrecorded$/);
  await own.focus();
  await page.keyboard.press('f');
  await expect(page.getByText('1 cell recorded. All changes saved')).toBeVisible();
  await page.reload();
  await expect(own).toHaveAccessibleName(/FALSE, evidence present$/);
  const received = (await Promise.all(answers)).join('\n');
  const stored = await storedIn(page);
  expect(received).toContain(opened.value.round_id);
  expect(stored).toContain('sealed-recording');
  for (const text of [received, stored]) expect(text).not.toContain(CANARY);

  await page.getByRole('button', { name: 'Done…' }).click();
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await expect(
    page.getByRole('region', { name: 'Agreement over all cells and by rule' }),
  ).toBeVisible();
  const { value } = await fromPage<object>(page, 'GET', `${round}/ratings`);
  expect(JSON.stringify(value)).toContain(CANARY);
});
