import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { IN_LONG_FORM } from '../../support/length.ts';
import { holdDisk, letGoOfDisk } from './support/held-disk.ts';
import { call } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
import {
  createCase,
  goOffline,
  goOnline,
  type Raw,
  send,
  type Studio,
  test,
} from './support/studio.ts';

const WAIT = { timeout: 20_000 };
const ruleOf = (ruleUid: string, name: string) => ({
  ruleUid,
  name,
  description: `Look for ${name}.`,
  evidenceMeaning: 'It is there.',
  problemMeaning: 'It is missing.',
  notAvailableMeaning: 'Nobody can say.',
});
const profile = (
  version: string,
  rules: readonly ReturnType<typeof ruleOf>[],
  more: Record<string, unknown> = {},
) => ({
  name: 'Clone checks',
  profileUid: 'clone_checks',
  version,
  visibility: 'private',
  domain: 'crispr',
  standard: 'SGA-QEM-1.0',
  standardVersion: '1.0',
  description: 'One row is one clone.',
  scope: 'For edited clones.',
  maintainer: 'The lab',
  ...more,
  rules: rules.map((rule, index) => ({ ruleOrder: index + 1, ...rule })),
});
const A = ruleOf('no_locus_read', 'No read of the locus');
const B = ruleOf('no_off_target', 'No off-target search');
const C = ruleOf('mixed_clone', 'Clone is mixed');

const shoot = async (page: Page, name: string): Promise<void> => {
  if (process.env['SHOTS'] !== undefined)
    await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true });
};
const stored = async (studio: Studio, key: string, version: string): Promise<any> =>
  send(studio, key, 'GET', `profiles/clone_checks?profile_version=${version}`);

test(
  'a profile is written by keyboard, told what is wrong, kept over a reload and published',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/profiles`);
    await page.getByRole('button', { name: 'New profile' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'New profile' })).toBeVisible(WAIT);
    await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
    await page.keyboard.type('Clone checks');
    await expect(page.getByRole('textbox', { name: 'Profile ID' })).toHaveValue('clone_checks');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await expect(page.getByText('Must be 3 to 96 lower-case letters').first()).toBeVisible();
    await page.keyboard.press('Backspace');
    await expect(page.getByRole('textbox', { name: 'Profile ID' })).not.toHaveAttribute(
      'aria-invalid',
    );
    await page.keyboard.press('Tab');
    await expect(page.getByRole('textbox', { name: 'Version' })).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.type('crispr');
    await page.keyboard.press('Tab');
    for (const [index, text] of [
      'One row is one clone.',
      'For edited clones.',
      'The lab',
    ].entries()) {
      await page.keyboard.press('Tab');
      await expect(
        page.getByRole('textbox', {
          name: (['Description', 'Scope', 'Maintainer'] as const)[index]!,
        }),
      ).toBeFocused();
      await page.keyboard.type(text);
    }
    await shoot(page, 'new');
    await page.reload();
    await expect(page.getByRole('textbox', { name: 'Maintainer' })).toHaveValue('The lab', WAIT);

    // Publishing shows what is missing; the list leads to the field.
    await page.getByRole('button', { name: 'Publish…' }).press('Enter');
    await expect(page.getByRole('heading', { name: '6 fields to complete' })).toBeFocused();
    await page.getByRole('button', { name: 'Rule 1, name' }).press('Enter');
    await expect(page.getByRole('textbox', { name: 'Name of the rule' })).toBeFocused();
    await page.keyboard.type(A.name);
    await expect(page.getByRole('textbox', { name: 'Rule ID' })).toHaveValue(
      'no_read_of_the_locus',
    );
    for (const text of [
      A.ruleUid,
      A.description,
      A.evidenceMeaning,
      A.problemMeaning,
      A.notAvailableMeaning,
    ]) {
      await page.keyboard.press('Tab');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    }
    await expect(page.getByRole('heading', { name: 'Ready to publish' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Preview of rule 1' })).toContainText(
      'TRUE problem found',
    );

    // Two more from a spreadsheet, then the last one up to the first place.
    await page.getByRole('button', { name: 'Paste rules…' }).press('Enter');
    await page
      .getByLabel('Lines of the table')
      .fill(
        `rule_uid\tName\tDescription\tFALSE\tTRUE\tNA\n${[B, C].map((rule) => Object.values(rule).join('\t')).join('\n')}\n`,
      );
    await shoot(page, 'paste');
    await page.getByRole('button', { name: 'Add 2 rules' }).press('Enter');
    await page.getByRole('button', { name: /^Clone is mixed/ }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await expect(page.getByText('Clone is mixed is now rule 1 of 3')).toBeAttached();
    await expect(page.getByRole('button', { name: /^Clone is mixed/ })).toBeFocused();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await shoot(page, 'editor');
    await expectAccessible(page);
    await shoot(page, 'editor');
    await page.getByRole('button', { name: 'Publish…' }).press('Enter');
    await expect(page.getByRole('dialog')).toBeVisible();
    await shoot(page, 'publish');
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).press('Enter');
    await expect(page).toHaveURL(/\/studio\/profiles\/clone_checks\?version=1\.0$/, WAIT);
    expect(await stored(studio, key, '1.0')).toEqual(profile('1.0', [A, B, C]));
    await page.goto(`${studio.url}/studio/profiles`);
    await expect(page.getByRole('link', { name: 'Clone checks' })).toBeVisible(WAIT);
    await expect(page.getByRole('heading', { name: 'Drafts on this computer' })).toHaveCount(0);

    // What is written while the next version is on its way stays in its draft.
    await page.getByRole('link', { name: 'Clone checks' }).click();
    await page.getByRole('button', { name: 'New version…' }).click();
    await page.getByRole('textbox', { name: 'Scope' }).fill('For all clones.');
    const arrival = Promise.withResolvers<undefined>();
    await page.route('**/api/v1/profiles', async (route) => {
      if (route.request().method() === 'POST') await arrival.promise;
      await route.continue();
    });
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Publish…' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).press('Enter');
    await sent;
    await page.getByRole('textbox', { name: 'Maintainer' }).fill('The other lab');
    arrival.resolve(undefined);
    await expect(page.getByText(/^Clone checks \S+ is published$/).first()).toBeVisible(WAIT);
    await expect(page.getByRole('textbox', { name: 'Maintainer' })).toHaveValue('The other lab');
    const { data } = await send(studio, key, 'GET', 'profiles');
    expect(
      data.filter(({ profileUid }: { profileUid: string }) => profileUid === 'clone_checks'),
    ).toMatchObject([{ maintainer: 'The lab' }, { maintainer: 'The lab' }]);
  },
);

test(
  'a new version: suggested by what changed, refused in its place, waiting without a server, compared',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    test.setTimeout(90_000);
    const key = await studio.key();
    await send(studio, key, 'POST', 'profiles', profile('1.0', [A, B, C]));
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/profiles/clone_checks`);
    await page.getByRole('button', { name: 'New version…' }).click();
    const version = page.getByRole('textbox', { name: 'Version' });
    await expect(version).toHaveValue('1.0.1', WAIT);
    await page.getByRole('button', { name: 'Add rule' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Name of the rule' })).toBeFocused();
    await expect(version).toHaveValue('1.1');
    await page.getByRole('button', { name: 'Remove Rule 4' }).click();
    await page.getByRole('button', { name: /^No off-target search/ }).click();
    await page
      .getByRole('textbox', { name: 'TRUE means' })
      .fill('It is missing or older than a year.');
    await expect(version).toHaveValue('2.0');
    await page.getByRole('button', { name: 'Move Clone is mixed up' }).click();

    // Somebody else publishes the same number with other content meanwhile.
    await send(studio, key, 'POST', 'profiles', profile('2.0', [A]));
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect(
      page
        .getByText(
          'Version 2.0 of clone_checks is published already with other content. Choose a higher version.',
        )
        .first(),
    ).toBeVisible(WAIT);
    await version.fill('2.1');

    await goOffline(context);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect(page.getByText('Publishing waits for the server')).toBeVisible(WAIT);
    await shoot(page, 'waiting');
    await goOnline(context);
    await expect(page).toHaveURL(/clone_checks\?version=2\.1$/, WAIT);
    const changed = { ...B, problemMeaning: 'It is missing or older than a year.' };
    expect(await stored(studio, key, '2.1')).toEqual(profile('2.1', [A, C, changed]));
    await shoot(page, 'profile');

    await page.goto(`${studio.url}/studio/profiles/clone_checks/compare?from=1.0&to=2.1`);
    await expect(page.getByText('From 1.0 to 2.1: 1 rule changed, 1 rule moved.')).toBeVisible(
      WAIT,
    );
    const rule = page.getByRole('article', { name: 'No off-target search, changed' });
    await expect(rule.locator('ins')).toHaveText(' or older than a year');
    await expect(
      page.getByRole('article', { name: 'No read of the locus, unchanged' }),
    ).toBeVisible();
    await expectAccessible(page);
    await shoot(page, 'compare');
    await page.getByLabel('Differences only').click();
    await expect(page.getByLabel('Differences only')).toBeChecked();
    await expect(page.getByLabel('Differences only')).toBeFocused();
    await expect(page).toHaveURL(/from=1\.0&to=2\.1&show=differences$/);
    await expect(
      page.getByRole('article', { name: 'No read of the locus, unchanged' }),
    ).toHaveCount(0);
  },
);

test(
  'a version goes out as its canonical file and comes in byte for byte, once',
  IN_LONG_FORM,
  async ({ page, start }) => {
    test.setTimeout(120_000);
    const [one, two] = [await start(), await start()];
    const [keyOne, keyTwo] = [await one.key(), await two.key()];
    const content = profile('1.0', [A, B], { sourceUrl: 'https://example.org/clones' });
    await send(one, keyOne, 'POST', 'profiles', content);
    await one.signIn(page);
    await page.goto(`${one.url}/studio/profiles/clone_checks`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('clone_checks@1.0.json');
    const file = await download.path();
    const bytes = readFileSync(file);
    expect(bytes.toString('utf8')).toBe(canonicalJson(content));

    await two.signIn(page);
    await page.goto(`${two.url}/studio/profiles`);
    const dialog = page.getByRole('dialog', { name: 'Import a profile' });
    const choose = async (name: string, buffer: Buffer): Promise<void> => {
      if (!(await dialog.isVisible())) await page.getByRole('button', { name: 'Import…' }).click();
      await dialog
        .getByLabel('Profile file')
        .setInputFiles({ name, mimeType: 'application/json', buffer });
    };
    await choose('broken.json', Buffer.from('{"name": "x",}'));
    await expect(dialog.getByText('something is wrong at line 1, column 14')).toBeVisible();
    await choose('clone_checks@1.0.json', bytes);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page).toHaveURL(/clone_checks\?version=1\.0$/, WAIT);
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ]);
    expect(readFileSync(await again.path()).equals(bytes)).toBe(true);

    await page.goto(`${two.url}/studio/profiles`);
    await choose('same.json', Buffer.from(JSON.stringify(content, null, 2)));
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(dialog.getByText('Already there')).toBeVisible(WAIT);
    await choose('other.json', Buffer.from(JSON.stringify({ ...content, scope: 'Wider.' })));
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(dialog.getByText('This version is taken')).toBeVisible(WAIT);
    await choose(
      'faulty.json',
      Buffer.from(JSON.stringify({ ...content, version: '1', weight: 3 })),
    );
    await expect(dialog.getByText('"weight" is no field of a profile.')).toBeVisible();
    await shoot(page, 'import');
    await dialog.getByRole('button', { name: 'Open in the editor' }).click();
    await expect(page.getByRole('button', { name: 'Version', exact: true })).toBeVisible(WAIT);
    await page.getByRole('textbox', { name: 'Version' }).fill('1.1');
    await expect(page.getByRole('heading', { name: 'Ready to publish' })).toBeVisible();
    expect((await call(two.url, keyTwo, 'GET', '/api/v1/profiles/clone_checks')).body.version).toBe(
      '1.0',
    );
  },
);

test(
  'outcomes are carried to a new version: same text copied, the rest listed, nothing overwritten, undone in one step',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(120_000);
    const key = await studio.key();
    const changed = { ...B, problemMeaning: 'It is missing or older than a year.' };
    await send(studio, key, 'POST', 'profiles', profile('1.0', [A, B, C]));
    await send(
      studio,
      key,
      'POST',
      'profiles',
      profile('2.0', [ruleOf('no_karyotype', 'No karyotype'), C, changed]),
    );
    const cellOf = (
      rule_uid: string,
      raw_outcome: Raw | null,
      more: Record<string, unknown> = {},
    ) => ({ rule_uid, raw_outcome, ...more });
    await createCase(
      studio,
      key,
      'clones',
      ['c1', 'c2', 'c3'].map((item_uid) => ({ item_uid })),
    );
    const write = (version: string, items: unknown) =>
      send(studio, key, 'POST', 'evidence', {
        case_uid: 'clones',
        profile_uid: 'clone_checks',
        profile_version: version,
        items,
      });
    await write('1.0', [
      {
        item_uid: 'c1',
        evidence: [
          cellOf('no_locus_read', 'FALSE'),
          cellOf('no_off_target', 'TRUE'),
          cellOf('mixed_clone', 'FALSE', {
            source_value: '0/24',
            notes: 'Sanger',
            provenance: { source: 'plate 3' },
          }),
        ],
      },
      { item_uid: 'c2', evidence: [cellOf('mixed_clone', 'NA')] },
      {
        item_uid: 'c3',
        evidence: [cellOf('no_off_target', 'FALSE'), cellOf('mixed_clone', 'TRUE')],
      },
    ]);
    await write('2.0', [
      { item_uid: 'c3', evidence: [cellOf('mixed_clone', 'NA', { notes: 'looked at again' })] },
    ]);
    const project = (await send(studio, key, 'GET', 'cases')).data[0].project_id;
    await send(studio, key, 'POST', 'cases', {
      project_id: project,
      case_uid: 'clones',
      profile_uid: 'clone_checks',
      profile_version: '1.0',
    });
    const evidence = async (version: string): Promise<Record<string, any>> => {
      const { items } = await send(
        studio,
        key,
        'GET',
        `cases/clones/evidence?profile_uid=clone_checks&profile_version=${version}`,
      );
      return Object.fromEntries(
        items.flatMap((item: any) =>
          item.evidence.map((cell: any) => [
            `${item.item_uid} ${cell.rule_uid}`,
            [cell.raw_outcome, cell.source_value, cell.notes, cell.provenance],
          ]),
        ),
      );
    };
    const old = await evidence('1.0');

    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/cases/clones`);
    await page.getByRole('link', { name: 'Carry forward to 2.0…' }).click();
    await expect(
      page.getByRole('heading', { level: 1, name: 'Carry outcomes forward from 1.0 to 2.0' }),
    ).toBeVisible(WAIT);
    await expect(
      page.getByRole('row', { name: /^Unchanged 1 3 2 to copy; 1 skipped/ }),
    ).toBeVisible(WAIT);
    await expect(page.getByRole('row', { name: /^Changed 1 2 Not copied/ })).toBeVisible();
    await expect(page.getByRole('row', { name: /^Removed 1 1 Stay under 1.0/ })).toBeVisible();
    await expectAccessible(page);
    await shoot(page, 'carry');
    await page.getByRole('button', { name: 'Carry 2 outcomes forward' }).click();

    await expect(page).toHaveURL(/\/studio\/cases\/clones\?profile=clone_checks@2\.0$/, WAIT);
    const list = page.getByRole('region', { name: 'Needs review' });
    await expect(list).toContainText(
      'Carried forward from 1.0. 2 outcomes copied, 1 skipped, recorded here already. 2 rules to review.',
      WAIT,
    );
    const carried = {
      'c1 mixed_clone': ['FALSE', '0/24', 'Sanger', { source: 'plate 3' }],
      'c2 mixed_clone': ['NA', null, null, null],
      'c3 mixed_clone': ['NA', null, 'looked at again', null],
    };
    await expect.poll(() => evidence('2.0'), WAIT).toEqual(carried);
    expect(await evidence('1.0')).toEqual(old);
    expect((await send(studio, key, 'GET', 'cases')).data[0].profile_version).toBe('2.0');
    const steps = await send(
      studio,
      key,
      'GET',
      'cases/clones/history?profile_uid=clone_checks&profile_version=2.0&item_uid=c1&rule_uid=mixed_clone',
    );
    expect(steps.data.map((step: any) => step.reason)).toEqual([
      'Carried forward from clone_checks@1.0',
      'Carried forward from clone_checks@1.0',
    ]);

    await list.getByRole('button', { name: 'No off-target search' }).click();
    await expect(
      page.getByRole('gridcell', { name: 'c1, no_off_target: unrecorded' }),
    ).toBeFocused();
    await expect(page.locator('[role=gridcell][aria-selected=true]')).toHaveCount(3);
    await list.getByRole('checkbox', { name: 'No off-target search is reviewed' }).check();
    await expectAccessible(page, '.mx-review');
    await shoot(page, 'review');
    await page.reload();
    await expect(list).toContainText('1 rule to review', WAIT);
    await page.getByRole('gridcell', { name: /^c1, mixed_clone: FALSE/ }).click();
    await page.keyboard.press('Control+z');
    await expect
      .poll(() => evidence('2.0'), WAIT)
      .toEqual({ 'c3 mixed_clone': carried['c3 mixed_clone'] });
    await list.getByRole('button', { name: 'Dismiss the review list' }).click();
    await expect(list).toHaveCount(0);

    // Who leaves the page while it works is not brought back, and the case keeps its version.
    await send(studio, key, 'POST', 'cases', {
      project_id: project,
      case_uid: 'clones',
      profile_uid: 'clone_checks',
      profile_version: '1.0',
    });
    await page.goto(
      `${studio.url}/studio/cases/clones/carry-forward?from=clone_checks@1.0&to=clone_checks@2.0`,
    );
    await page.getByRole('button', { name: 'Carry 2 outcomes forward' }).waitFor(WAIT);
    await holdDisk(page);
    await page.getByRole('button', { name: 'Carry 2 outcomes forward' }).click();
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await expect(page).toHaveURL(/\/studio$/);
    await letGoOfDisk(page);
    await expect.poll(() => evidence('2.0'), WAIT).toEqual(carried);
    await expect(page).toHaveURL(/\/studio$/);
    expect((await send(studio, key, 'GET', 'cases')).data[0].profile_version).toBe('1.0');

    // The older matrix is where it was.
    await page.goto(`${studio.url}/studio/cases/clones?profile=clone_checks@2.0`);
    await page.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: '1.0' }).click();
    await expect(
      page.getByRole('gridcell', { name: 'c1, no_off_target: TRUE, problem found' }),
    ).toBeVisible(WAIT);
  },
);

test(
  'a shipped profile is duplicated, its rules dragged, a removed one put back; another window and a lost page keep the draft',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    test.setTimeout(90_000);
    await studio.signIn(page);
    await page.goto(`${studio.url}/studio/profiles/trio_rare_disease`);
    await expect(page.getByRole('button', { name: 'Duplicate…' })).toBeVisible(WAIT);
    await expect(page.getByRole('button', { name: 'New version…' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Duplicate…' }).click();
    await expect(page.getByRole('textbox', { name: 'Profile ID' })).toHaveValue(
      'trio_rare_disease_recessive_candidates_copy',
      WAIT,
    );
    await page.getByRole('textbox', { name: 'Profile ID' }).fill('trio_rare_disease');
    await expect(
      page.getByText('A profile with this ID is published already.').first(),
    ).toBeVisible();
    const shown = (on: Page) => on.locator('.pe-rule-open code').allTextContents();
    const [one, two, three, four, five] = await shown(page);
    await page.locator('.pe-grip').nth(4).dragTo(page.locator('.pe-rule').nth(1));
    await expect.poll(() => shown(page)).toEqual([one, five, two, three, four]);
    await page
      .getByRole('button', { name: /^Remove / })
      .first()
      .click();
    await expect.poll(() => shown(page)).toEqual([five, two, three, four]);
    await page.getByRole('button', { name: 'Put back' }).click();
    await expect.poll(() => shown(page)).toEqual([one, five, two, three, four]);

    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole('textbox', { name: 'Maintainer' }).fill('Two windows');
    await expect(page.getByRole('textbox', { name: 'Maintainer' })).toHaveValue('Two windows');
    await page.close({ runBeforeUnload: false });
    await other.goto(`${studio.url}/studio/profiles`);
    await other.getByRole('link', { name: /^Continue Trio rare disease/ }).click();
    await expect(other.getByRole('textbox', { name: 'Maintainer' })).toHaveValue(
      'Two windows',
      WAIT,
    );
    await other.getByRole('button', { name: 'Discard draft' }).click();
    await other.getByRole('alertdialog').getByRole('button', { name: 'Discard draft' }).click();
    await expect(other).toHaveURL(/\/studio\/profiles$/);
    await expect(other.getByRole('heading', { name: 'Drafts on this computer' })).toHaveCount(0);
  },
);
