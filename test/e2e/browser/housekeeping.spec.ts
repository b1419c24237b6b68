import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { createSignInLink } from '../../../src/server/auth/sign-in.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { expectAccessible } from './support/axe.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitFrames } from './support/keys-ahead.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROFILE = 'trio_rare_disease';

let server: TestServer;
let projectId: string;

test.beforeAll(async () => {
  await buildIfNeeded();
  server = await bootServer({ deps: { rendererRoot: path.join(ROOT, 'out/renderer') } });
  const post = async (address: string, body: object) =>
    (await server.call('POST', `/api/v1/${address}`, { body })).body;
  projectId = (await post('projects', { name: 'Rare disease review' })).project_id as string;
  for (const [case_uid, title] of [
    ['trio-1', 'Trio 1'],
    ['trio-2', 'Trio 2'],
  ])
    await post('cases', { project_id: projectId, case_uid, title, profile_uid: PROFILE });
  await post('cases/trio-2/evidence', {
    profile_uid: PROFILE,
    items: [{ item_uid: 'a' }, { item_uid: 'b' }],
    outcomes: [{ item_uid: 'a', rule_uid: 'parents_genotype_missing', raw_outcome: 'TRUE' }],
  });
});
test.afterAll(() => server.close());

async function signIn(page: Page): Promise<void> {
  await page.goto(await createSignInLink(server.deps, server.url));
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
}

const choose = async (page: Page, title: string, entry: string): Promise<void> => {
  await page.getByRole('button', { name: `More for ${title}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
};
const show = async (page: Page, which: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: which, exact: true }).click();
};

test(
  'a case is deleted with a reason, comes back by Undo and by Restore, and is duplicated with its evidence',
  IN_LONG_FORM,
  async ({ page }) => {
    await signIn(page);
    const link = page.getByRole('link', { name: 'Trio 2', exact: true });
    await expect(page.getByRole('link', { name: 'Continue Trio 2' })).toBeVisible();
    await expect(page.getByText('1 of 10', { exact: false }).first()).toBeVisible();
    await expectAccessible(page);
    await page.goto(`${server.url}/studio/projects/${projectId}`);
    await choose(page, 'Trio 2', 'Delete…');
    const remove = page.getByRole('button', { name: 'Delete case' });
    await expect(remove).toBeDisabled();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Wrong family');
    await remove.click();
    await expect(link).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(link).toBeVisible();

    await choose(page, 'Trio 2', 'Delete…');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Wrong family');
    await page.keyboard.press('Enter');
    await expect(link).toHaveCount(0);
    await show(page, 'Deleted');
    await expect(page.getByRole('cell', { name: 'Wrong family' })).toBeVisible();
    await expectAccessible(page);
    await choose(page, 'Trio 2', 'Restore…');
    await page.getByRole('button', { name: 'Restore case' }).click();
    await expect(page.getByRole('heading', { name: 'No case is deleted' })).toBeVisible();
    await page.getByRole('button', { name: 'Show active cases' }).click();

    await choose(page, 'Trio 2', 'Duplicate…');
    await page.getByRole('combobox', { name: 'Copy' }).click();
    await page.getByRole('option', { name: /With its evidence/ }).click();
    await page.getByRole('button', { name: 'Duplicate case' }).click();
    await expect(page.getByText('2 items, 1 cell: 1 recorded by test (agent).')).toBeVisible();
    // Whoever opens a case can record at once.
    await expect(
      page.getByRole('gridcell', { name: 'a, parents_genotype_missing: TRUE, problem found' }),
    ).toBeFocused();
  },
);

test(
  'the list of projects is drawn where it stays, below all that comes before it',
  IN_LONG_FORM,
  async ({ page }) => {
    await signIn(page);
    const reads = await Promise.all(
      ['cases?*', 'contested*', 'activity?*'].map((read) =>
        holdRequests(page, `**/api/v1/${read}`),
      ),
    );
    const projects = page.waitForResponse('**/api/v1/projects*');
    await page.reload();
    await projects;
    const more = page.getByRole('button', { name: 'More for Rare disease review' });
    for (const read of reads) {
      await expect.poll(read.waits).toBeGreaterThan(0);
      await waitFrames(page, 100);
      await expect(more).toBeHidden();
      await read.end();
    }
    await expect(more).toBeVisible();
    const { y } = (await more.boundingBox())!;
    await expect(page.getByText('Agents since yesterday')).toBeVisible();
    await waitFrames(page, 200);
    expect((await more.boundingBox())!.y).toBe(y);
    await page.unrouteAll();
  },
);

test('what others change while a dialog is open is not written over', async ({ page }) => {
  await signIn(page);
  await page.goto(`${server.url}/studio/projects/${projectId}`);
  const project = async () =>
    (await server.call('GET', `/api/v1/projects/${projectId}`)).body as Record<string, unknown>;
  const byOthers = async (address: string, body: object, seen: string): Promise<void> => {
    expect((await server.call('POST', `/api/v1/${address}`, { body })).status).toBe(200);
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(page.getByText(seen, { exact: true }).first()).toBeAttached();
  };

  await page.getByRole('button', { name: 'Edit project' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit project' });
  await edit.getByLabel('Name').fill('By me');
  const described = { name: 'Rare disease review', description: 'By others' };
  await byOthers('projects', { project_id: projectId, ...described }, 'By others');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await expect(edit.getByText('Somebody else has changed this project')).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await project()).toMatchObject(described);

  const rename = async (dialog: string, body: object, address: string, seen: string) => {
    const asked = page.getByRole('dialog', { name: dialog });
    await asked.getByRole('textbox').first().fill('By me');
    await byOthers(address, body, seen);
    await asked.getByRole('button', { name: 'Rename' }).click();
    await expect(asked.getByText('Somebody else has changed it')).toBeVisible();
    await page.keyboard.press('Escape');
  };
  await choose(page, 'Trio 1', 'Rename…');
  const ofCase = { project_id: projectId, case_uid: 'trio-1', title: 'Trio one' };
  await rename('Rename the case', ofCase, 'cases', 'Trio one');
  await page.getByRole('link', { name: 'Projects' }).first().click();
  await choose(page, 'Rare disease review', 'Rename…');
  const ofProject = { project_id: projectId, name: 'Rare diseases' };
  await rename('Rename the project', ofProject, 'projects', 'Rare diseases');
  expect(await project()).toMatchObject({ name: 'Rare diseases' });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: projectId, case_uid: 'trio-3', title: 'Trio 3' },
  });
  await page.goto(`${server.url}/studio/cases/trio-3`);
  await page.getByRole('radio', { name: 'Trio rare disease: recessive candidates' }).check();
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: projectId, case_uid: 'trio-3', profile_uid: 'ai_answer_verification' },
  });
  await page.getByRole('button', { name: 'Use this profile' }).click();
  // The matrix opens under the profile that they have chosen.
  await expect(page.getByText('No items yet')).toBeVisible();
  expect((await server.call('GET', '/api/v1/cases/trio-3')).body).toMatchObject({
    profile_uid: 'ai_answer_verification',
  });
  await server.call('POST', '/api/v1/cases/trio-3/state', {
    body: { state: 'deleted', reason: 'x' },
  });
  await server.call('POST', '/api/v1/projects', {
    body: { project_id: projectId, name: 'Rare disease review' },
  });
  await server.call('POST', '/api/v1/cases', { body: { ...ofCase, title: 'Trio 1' } });
});

test(
  'a case is brought into another state only as it was shown, and back only as it was left',
  IN_LONG_FORM,
  async ({ page }) => {
    await signIn(page);
    await page.goto(`${server.url}/studio/projects/${projectId}`);
    const byOthers = async (state: string): Promise<void> => {
      const body = { state, reason: 'By others' };
      expect((await server.call('POST', '/api/v1/cases/trio-1/state', { body })).status).toBe(200);
    };
    const isDeleted = async (): Promise<boolean> =>
      (await server.call('GET', '/api/v1/cases/trio-1')).status === 404;
    const archive = page.getByRole('dialog').getByRole('button', { name: 'Archive case' });
    const refused = page.getByText('Somebody else has changed it since').first();
    await choose(page, 'Trio 1', 'Archive…');
    await byOthers('deleted');
    await archive.click();
    await expect(refused).toBeVisible();
    expect(await isDeleted()).toBe(true);

    await byOthers('active');
    await page.reload();
    await choose(page, 'Trio 1', 'Archive…');
    await archive.click();
    await expect(page.getByText('Archived the case Trio 1')).toBeVisible();
    await byOthers('deleted');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(refused).toBeVisible();
    expect(await isDeleted()).toBe(true);
    await byOthers('active');
  },
);

test(
  'F6 goes round the regions, F1 helps, and Ctrl+K finds cases, items and rules',
  IN_LONG_FORM,
  async ({ page }) => {
    await signIn(page);
    await page.goto(`${server.url}/studio/sync`);
    await expect(page.getByText('All changes saved.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Local copies' })).toBeHidden();
    await expectAccessible(page);
    await page.keyboard.press('F6');
    await expect(page.getByRole('link', { name: 'Evidence Studio, projects' })).toBeFocused();
    await page.keyboard.press('F6');
    await expect(page.getByRole('button', { name: 'Sync now' })).toBeFocused();
    await page.keyboard.press('Shift+F6');
    await expect(page.getByRole('link', { name: 'Evidence Studio, projects' })).toBeFocused();
    await page.getByText('Details').click();
    await expect(page.getByRole('heading', { name: 'Local copies' })).toBeVisible();

    await page.keyboard.press('F1');
    await expect(page.getByRole('dialog', { name: 'Help' })).toContainText('What TRUE, FALSE');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const found = page.getByRole('option');
    for (const [text, label] of [
      ['trio 1', 'Trio 1'],
      // The open matrix offers the same rule of its own, as soon as it is there.
      ['genotype unav', 'Trio rare disease: recessive candidates 1.1'],
      ['what a conflict', 'What a conflict is'],
    ] as const) {
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type(text);
      await expect(found.filter({ hasText: label })).toHaveCount(1);
      if (text !== 'trio 1') await page.keyboard.press('Escape');
      else {
        await page.keyboard.press('Enter');
        await expect(page.getByRole('heading', { level: 1, name: 'Trio 1' })).toBeVisible();
      }
    }
  },
);
