import { expect, type Page } from '@playwright/test';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitFrames } from './support/keys-ahead.ts';
import { createCase, send, type Studio, test } from './support/studio.ts';

/** Something that takes a while and leads to another page in the end. */
interface Act {
  name: string;
  /** Where it is asked for; the project and the case are there. */
  page: (project: string) => string;
  ask: (page: Page) => Promise<void>;
  requests: string;
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();
const choose = async (page: Page, entry: string): Promise<void> => {
  await press(page, 'More for left');
  await page.getByRole('menuitem', { name: entry }).click();
};

/** The first two are offered where there is no project yet. */
const SAMPLE: Act = {
  name: 'the sample project',
  page: () => '',
  ask: (page) => press(page, 'Open the sample project'),
  requests: '**/api/v1/sample*',
};
const FILE: Act = {
  name: 'a case of a file',
  page: () => '',
  ask: async (page) => {
    await page.getByLabel('Import a file…').setInputFiles({
      name: 'sheet.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('item_uid,label\na,A\n'),
    });
    await page.getByRole('combobox', { name: 'Evidence profile' }).click();
    await page.getByRole('option', { name: /^Trio rare disease/ }).click();
    await press(page, 'Create case and import');
  },
  requests: '**/api/v1/cases',
};
const ACTS: readonly Act[] = [
  {
    name: 'a new case',
    page: (project) => `/projects/${project}`,
    ask: async (page) => {
      await press(page, 'New case');
      await page.getByLabel('Title').fill('Another one');
      await press(page, 'Create case');
    },
    requests: '**/api/v1/cases',
  },
  ...lengthOf<readonly Act[]>(
    [],
    [
      {
        name: 'a copy of a case',
        page: () => '/cases/left',
        ask: async (page) => {
          await choose(page, 'Duplicate…');
          await press(page, 'Duplicate case');
        },
        requests: '**/cases/left/duplicates',
      },
      {
        name: 'a new project',
        page: () => '',
        ask: async (page) => {
          await press(page, 'New project');
          await page.getByLabel('Name').fill('Another one');
          await press(page, 'Create project');
        },
        requests: '**/api/v1/projects',
      },
      {
        name: 'the deletion of a case',
        page: () => '/cases/left',
        ask: async (page) => {
          await choose(page, 'Delete…');
          await page.getByRole('textbox', { name: 'Reason' }).fill('Not needed');
          await press(page, 'Delete case');
        },
        requests: '**/cases/left/state',
      },
    ],
  ),
];

async function play(page: Page, studio: Studio, act: Act, project: string): Promise<void> {
  await page.goto(`${studio.url}/studio${act.page(project)}`);
  const held = await holdRequests(page, act.requests, 'POST');
  await act.ask(page);
  await expect.poll(held.waits, act.name).toBeGreaterThan(0);
  if (await page.getByRole('dialog').isVisible()) await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Runs' })).toBeVisible();
  await held.letOneThrough();
  await waitFrames(page, 300);
  expect(new URL(page.url()).pathname, act.name).toBe('/studio/runs');
  await page.unrouteAll();
}

test('who does not wait for what was asked is left on the page where they are by then', async ({
  page,
  start,
}) => {
  test.setTimeout(120_000);
  let studio = await start();
  await studio.signIn(page);
  if (IS_LONG) {
    await play(page, studio, FILE, '');
    studio = await start();
    await studio.signIn(page);
  }
  await play(page, studio, SAMPLE, '');
  const key = await studio.key();
  const { project_id } = await send(studio, key, 'POST', 'projects', { name: 'Left' });
  await createCase(studio, key, 'left', [{ item_uid: 'a' }]);
  for (const act of ACTS) await play(page, studio, act, project_id);
});
