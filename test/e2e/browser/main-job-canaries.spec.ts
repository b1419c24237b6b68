import { expect } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import {
  cell,
  cellAt,
  createCase,
  openCase,
  PROFILE,
  RULES,
  SAVED,
  send,
  status,
  storedCells,
  storedHistory,
  test,
} from './support/studio.ts';

const MARKUP = '<img src=x onerror=document.title=1>';
const UIDS = [
  'constructor',
  '__proto__',
  'prototype',
  'hasOwnProperty',
  'toString',
  '7-117559592-CTT--_AR',
  'chr1:12345:A>G',
  'SEPT2',
  'panel/17/a',
  '=1+1',
  '00123',
  '1e5',
  'naïve Σ',
  MARKUP,
];

test(
  'markup in every free text stays text: no violation of the policy, no other title',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const violations: string[] = [];
    await page.exposeFunction('tellViolation', (text: string) => violations.push(text));
    await page.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', (event) =>
        (globalThis as unknown as { tellViolation(text: string): void }).tellViolation(
          `${event.violatedDirective} ${event.blockedURI}`,
        ),
      ),
    );
    page.on('console', (message) => {
      if (message.type() === 'error') violations.push(message.text());
    });
    page.on('pageerror', (error) => violations.push(error.message));

    const key = await studio.key();
    const project = await send(studio, key, 'POST', 'projects', {
      name: MARKUP,
      description: MARKUP,
    });
    await send(studio, key, 'POST', 'cases', {
      project_id: project.project_id,
      case_uid: 'canary',
      title: MARKUP,
      description: MARKUP,
      case_type: MARKUP,
      profile_uid: PROFILE,
    });
    await send(studio, key, 'POST', 'evidence', {
      case_uid: 'canary',
      profile_uid: PROFILE,
      reason: MARKUP,
      items: [
        {
          item_uid: MARKUP,
          label: MARKUP,
          item_type: MARKUP,
          evidence: [
            {
              rule_uid: RULES[0],
              raw_outcome: 'TRUE',
              notes: MARKUP,
              source_value: MARKUP,
              provenance: { source: MARKUP, [MARKUP]: MARKUP },
            },
          ],
        },
      ],
    });
    const run = await send(studio, key, 'POST', 'runs', {
      case_uid: 'canary',
      profile_uid: PROFILE,
    });
    const profile = await send(studio, key, 'GET', 'profiles/trio_rare_disease');
    await send(studio, key, 'POST', 'profiles', {
      ...profile,
      profileUid: 'canary_profile',
      name: MARKUP,
      description: MARKUP,
      scope: MARKUP,
      visibility: 'private',
      rules: profile.rules.map((rule: object) => ({ ...rule, name: MARKUP, description: MARKUP })),
    });

    await studio.signIn(page);
    for (const address of [
      '/studio',
      `/studio/projects/${project.project_id}`,
      '/studio/runs',
      run.url,
      '/studio/profiles',
      '/studio/profiles/canary_profile',
      '/account',
    ]) {
      await page.goto(studio.url + address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.getByText('Loading')).toHaveCount(0);
      await expect(page.locator('img[src="x"]')).toHaveCount(0);
      expect(await page.title()).not.toBe('1');
    }
    await openCase(page, studio, 'canary');
    await cellAt(page, MARKUP, RULES[0]).click();
    await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue(MARKUP);
    await page.getByRole('textbox', { name: 'Notes' }).fill(`${MARKUP} again`);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('region', { name: 'History of this cell' })).toContainText(
      `${MARKUP} again`,
    );
    await page.getByRole('searchbox', { name: 'Filter items' }).fill('<img');
    await expect(page.getByText('1 of 1 item shown')).toBeVisible();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('dialog', { name: 'Run' })).toBeVisible();
    expect(await page.title()).toContain(MARKUP);
    await expect(page.locator('img[src="x"]')).toHaveCount(0);
    expect(violations).toEqual([]);
  },
);

test(
  'uids that look like code, dates, numbers or paths make the round trip',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    await createCase(studio, key, 'constructor', []);
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/constructor?profile=${PROFILE}@1.1`);
    await page.getByRole('button', { name: 'Add items' }).last().click();
    await page
      .getByLabel('Item IDs, one a line')
      .fill(UIDS.map((uid) => `${uid}\tLabel of ${uid}`).join('\n'));
    await page.getByRole('button', { name: `Add ${UIDS.length} items` }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    for (const [index, uid] of UIDS.entries()) {
      await cellAt(page, uid, RULES[index % 5] as string).click();
      await page.keyboard.press('tfn'.charAt(index % 3));
    }
    await expect(status(page)).toHaveText(SAVED);
    const want = UIDS.map((uid, index) => [
      `${uid} ${RULES[index % 5]}`,
      (['TRUE', 'FALSE', 'NA'] as const)[index % 3],
    ]);
    const stored = await storedCells(studio, key, 'constructor');
    expect([...stored].map(([name, entry]) => [name, entry.raw_outcome])).toEqual(want);
    const evidence = await send(
      studio,
      key,
      'GET',
      `cases/constructor/evidence?profile_uid=${PROFILE}`,
    );
    expect(
      evidence.items.map((item: { item_uid: string; label: string }) => [
        item.item_uid,
        item.label,
      ]),
    ).toEqual(UIDS.map((uid) => [uid, `Label of ${uid}`]));
    for (const [index, uid] of UIDS.entries())
      expect(
        await storedHistory(studio, key, 'constructor', uid, RULES[index % 5] as string),
      ).toHaveLength(1);

    await page.reload();
    for (const [index, uid] of UIDS.entries())
      await expect(
        cell(
          page,
          uid,
          RULES[index % 5] as string,
          (['TRUE', 'FALSE', 'NA'] as const)[index % 3] ?? null,
        ),
      ).toBeVisible();
    // Undo and history find them by name again.
    await cellAt(page, '__proto__', RULES[1]).click();
    await expect(
      page.getByRole('region', { name: 'History of this cell' }).getByRole('listitem'),
    ).toHaveCount(1);
    const run = await send(studio, key, 'POST', 'runs', {
      case_uid: 'constructor',
      profile_uid: PROFILE,
    });
    expect(run.frozen.items.map((item: { item_uid: string }) => item.item_uid)).toEqual(UIDS);
    await page.goto(studio.url + run.url);
    await expect(page.getByRole('row', { name: /7-117559592-CTT--_AR/ }).first()).toBeVisible();
  },
);
