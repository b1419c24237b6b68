import { expect } from '@playwright/test';
import { IS_LONG, lengthOf } from '../../support/length.ts';
import { axeFaults } from './support/axe.ts';
import { cellAt, createCase, openCase, RULES, test, uids } from './support/studio.ts';

test('axe finds nothing before somebody signs in, in a filled case, its dialogs, and the pages of the API', async ({
  page,
  studio,
}) => {
  test.setTimeout(lengthOf(120_000, 900_000));
  const faults = async (part?: string): Promise<string[]> =>
    (await axeFaults(page, part, part === undefined && IS_LONG ? {} : { schemes: ['light'] })).map(
      (fault) => `${new URL(page.url()).pathname} ${fault}`,
    );
  const key = await studio.key();
  await createCase(
    studio,
    key,
    'axe',
    uids(20).map((item_uid, row) => ({
      item_uid,
      label: `Candidate ${row}`,
      evidence: RULES.slice(row % 3).map((rule_uid, column) => ({
        rule_uid,
        raw_outcome: (['TRUE', 'FALSE', 'NA'] as const)[(row + column) % 3] ?? null,
      })),
    })),
    { title: 'A filled case' },
  );
  const found: string[] = [];
  await page.goto(`${studio.url}/studio`);
  found.push(...(await faults()));
  await studio.signIn(page);
  await openCase(page, studio, 'axe');
  await cellAt(page, 'item_002', RULES[2]).click();
  await page
    .getByRole('region', { name: 'History of this cell' })
    .getByRole('listitem')
    .first()
    .waitFor();
  found.push(...(await faults()));
  for (const name of ['Add items', 'Keyboard shortcuts', 'Run']) {
    await page.getByRole('button', { name, exact: true }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    found.push(...(await faults('[role=dialog]')).map((fault) => `${name}: ${fault}`));
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  await page.goto(`${studio.url}/docs`);
  found.push(...(await faults()));
  const groups = await page
    .getByRole('navigation')
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => (link as HTMLAnchorElement).href).filter((href) => !/#|docs$/.test(href)),
    );
  // They are all of one make.
  for (const group of lengthOf(groups.slice(0, 1), groups)) {
    await page.goto(group);
    await page.locator('details').evaluateAll((all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true;
    });
    found.push(...(await faults()));
  }
  expect(found).toEqual([]);
});
