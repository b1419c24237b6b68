import { expect } from '@playwright/test';
import { NOTHING } from './gestures-cells.ts';
import { cellsShown } from './places.ts';
import type { Gesture, Player } from './player.ts';

export async function unfilter({ page }: Player): Promise<string> {
  const clear = page.getByRole('button', { name: 'Clear filter' }).first();
  // A text that was just typed filters a moment later.
  await page.waitForTimeout(250);
  if ((await clear.count()) === 0) return 'none';
  await clear.click();
  return 'cleared';
}

/** Everything in the case's order, nothing hidden. */
export async function showAll(player: Player): Promise<void> {
  await player.page.keyboard.press('Escape');
  await player.page.waitForTimeout(250);
  await player.command('Show all items and rules');
}

export const VIEW_GESTURES: readonly Gesture[] = [
  {
    weight: 2,
    name: 'filter by text',
    run: async ({ page, random }) => {
      const text = random.pick(['_00', '_01', 'note', 'item_02', '1']);
      await page.getByRole('searchbox').first().fill(text);
      // It filters a moment later, and a block that is chosen meanwhile shrinks.
      await page.waitForTimeout(400);
      await expect(page.getByRole('button', { name: 'Clear filter' }).first()).toBeVisible();
      return text;
    },
  },
  {
    weight: 3,
    name: 'facet',
    run: async (player) => {
      const { page, random } = player;
      await page.getByRole('button', { name: 'Filter', exact: false }).first().click();
      const kind = random.pick([
        /^have unrecorded/,
        /^have problem found/,
        /^have conflicts/,
        /^have notes/,
        /^clone/,
        /FALSE, evidence present$/,
        /unrecorded$/,
      ]);
      const box = page.getByRole('checkbox', { name: kind }).last();
      const isThere = (await box.count()) > 0;
      if (isThere) await box.click();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('checkbox', { name: kind })).toHaveCount(0);
      return `${kind.source} ${isThere ? '' : 'not there'}`;
    },
  },
  { weight: 6, name: 'unfilter', run: unfilter },
  {
    weight: 3,
    name: 'sort',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const name = player.random.pick([
        'Sort by this rule, TRUE (problem found) first',
        'Sort by this rule, unrecorded first',
        'Sort by label',
        'Sort: least recorded first',
        'Back to the order of the case',
        'Apply filter and sort again',
      ]);
      return `${cell.rule} ${name} ${String(await player.command(name))}`;
    },
  },
  {
    weight: 3,
    name: 'columns',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const name = player.random.pick([
        'Hide the selected rules',
        'Freeze or unfreeze the rule',
        'Move the rule left',
        'Move the rule right',
        'Show all rules',
        'Show all rules',
        'Wider column',
        'Narrower column',
      ]);
      return `${cell.rule} ${name} ${String(await player.command(name))}`;
    },
  },
  {
    weight: 1,
    name: 'drag a column',
    run: async (player) => {
      const rules = [...new Set((await cellsShown(player.page)).map(({ rule }) => rule))];
      if (rules.length < 2) return NOTHING;
      const [from, to] = [player.random.pick(rules), player.random.pick(rules)];
      const place = async (rule: string): Promise<[number, number]> => {
        const box = (await player.page.locator(`.ag-header-cell[col-id=${rule}]`).boundingBox())!;
        return [box.x + 12, box.y + 12];
      };
      await player.drag(await place(from), await place(to));
      return `${from} to ${to}`;
    },
  },
  {
    weight: 3,
    name: 'all in order',
    run: async (player) => {
      await showAll(player);
      return '';
    },
  },
  {
    weight: 2,
    name: 'find',
    run: async (player) => {
      const { page, random } = player;
      if ((await player.click()) === null) return NOTHING;
      await page.keyboard.press('Control+f');
      const text = random.pick(['note', 'item_01', 'agent', 'rule 3']);
      await page.getByRole('textbox', { name: 'Find in the matrix' }).fill(text);
      for (let press = random.int(4); press > 0; press -= 1)
        await page.keyboard.press(random.pick(['Enter', 'F3', 'Shift+F3']));
      await page.locator('.mx-find').getByRole('button', { name: 'Close find' }).click();
      await expect(page.locator('.mx-find')).toHaveCount(0);
      return text;
    },
  },
];
