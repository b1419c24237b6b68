import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { command } from '../../support/served.ts';
import { expectAccessible } from './support/axe.ts';
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
  test,
  uids,
} from './support/studio.ts';

const ITEMS = uids(4);

/** What a click saves, as text. */
async function saved(page: Page, button: string): Promise<{ text: string; file: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  const file = await download.path();
  return { text: await readFile(file, 'utf8'), file };
}

test.describe('who recorded what', () => {
  test.setTimeout(120_000);

  test(
    'an agent and a person: the matrix is filtered by them, and the run, its report and its files name them',
    IN_LONG_FORM,
    async ({ page, studio }) => {
      const key = await studio.key();
      await createCase(
        studio,
        key,
        'whose',
        ITEMS.map((item_uid, row) => ({
          item_uid,
          evidence:
            row < 2
              ? RULES.slice(0, 3).map((rule_uid) => ({
                  rule_uid,
                  raw_outcome: 'FALSE' as const,
                  notes: row === 0 ? 'read off the gel' : '',
                }))
              : [],
        })),
      );
      const {
        user: { name: person },
      } = await send(studio, key, 'GET', 'sync/hello');
      await studio.signIn(page);
      await openCase(page, studio, 'whose');
      await cellAt(page, ITEMS[1]!, RULES[0]).click();
      await page.keyboard.press('t');
      await cellAt(page, ITEMS[2]!, RULES[1]).click();
      await page.keyboard.press('n');
      await expect(cell(page, ITEMS[2]!, RULES[1], 'NA')).toBeVisible();
      await expect(status(page)).toHaveText(SAVED);

      const shown = page.locator('.mx-item-uid');
      await page.getByRole('button', { name: /^Filter/ }).click();
      const facet = page.getByRole('group', { name: 'Recorded by, any of' });
      const [agents, own] = [
        facet.getByRole('checkbox', { name: 'test, agent 5' }),
        facet.getByRole('checkbox', { name: `${person} 2`, exact: true }),
      ];
      await expect(facet.getByRole('checkbox')).toHaveCount(2);
      await own.focus();
      await page.keyboard.press('Space');
      await expect(own).toBeChecked();
      await expect(page.getByText('2 of 4 items shown')).toBeVisible();
      await expectAccessible(page);
      await agents.check();
      await expect(page.getByText('3 of 4 items shown')).toBeVisible();
      await own.uncheck();
      await expect(page.getByText('2 of 4 items shown')).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(shown).toHaveText([ITEMS[0]!, ITEMS[1]!]);
      const chips = page.getByRole('group', { name: 'What is shown' });
      await expect(chips).toContainText('Recorded by test, agent');
      await page.reload();
      await expect(page.getByText('2 of 4 items shown')).toBeVisible();
      await chips.getByRole('button', { name: 'Remove: recorded by test, agent' }).click();
      await expect(page.getByText('4 of 4 items shown')).toBeVisible();

      const run = await send(studio, key, 'POST', 'runs', {
        case_uid: 'whose',
        profile_uid: PROFILE,
        run_uid: 'run_whose',
      });
      // Whoever records now is not in the run.
      await send(studio, key, 'POST', 'evidence', {
        case_uid: 'whose',
        profile_uid: PROFILE,
        items: [{ item_uid: ITEMS[2], evidence: [{ rule_uid: RULES[1], raw_outcome: 'FALSE' }] }],
      });
      await page.goto(`${studio.url}/studio/runs/run_whose`);
      const table = page.getByRole('table', { name: 'Who recorded the outcomes' });
      await expect(table.getByRole('row')).toHaveText([
        /Name/,
        new RegExp(`^testagent${key.slice(4, 14)}5$`),
        `${person}person2`,
      ]);
      await expect(
        page.getByText(
          'As the server that froze the run says. The content hash does not cover it.',
        ),
      ).toBeVisible();
      const figure = page.getByRole('figure', { name: 'Matrix as frozen' });
      await figure.getByRole('button', { name: 'Show as table' }).click();
      await figure.getByRole('checkbox', { name: 'Who recorded each outcome' }).check();
      await expect(
        figure.getByRole('row').filter({ hasText: ITEMS[1]! }).getByRole('cell').first(),
      ).toHaveText(`TTRUE, problem found${person} (person)`);
      await expect(
        figure.getByRole('row').filter({ hasText: ITEMS[1]! }).getByRole('cell').nth(1),
      ).toContainText('test (agent, key ');
      await expect(figure.getByRole('row').filter({ hasText: ITEMS[3]! })).not.toContainText('(');
      await expectAccessible(page);

      const json = await saved(page, 'Download JSON');
      expect(JSON.parse(json.text)).toMatchObject({
        content_hash: run.content_hash,
        recorders: {
          authors: [
            { kind: 'agent', name: 'test', key_id: key.slice(4, 14) },
            { kind: 'human', name: person },
          ],
          cells: '0x3,1,0x2,1',
        },
      });
      expect((await command(['verify', json.file])).code).toBe(0);
      const [head = '', , second = ''] = (await saved(page, 'Download CSV')).text.split('\r\n');
      expect(head).toContain(`,recorded_by,recorded_by:${RULES[0]},recorded_by:${RULES[1]},`);
      expect(second).toContain(`,${person} (person),"test (agent, key ${key.slice(4, 14)})",`);

      await page.getByRole('link', { name: 'Report', exact: true }).click();
      const report = page.getByRole('article', { name: 'Report' });
      await expect(
        report.getByRole('table', { name: 'Who recorded the outcomes' }).getByRole('row'),
      ).toHaveCount(3);
      await expect(
        report.getByRole('row').filter({ hasText: 'read off the gel' }).first(),
      ).toContainText('test (agent, key ');
      await expectAccessible(page);
    },
  );
});
