import { expect } from '@playwright/test';
import { NOTHING } from './gestures-cells.ts';
import { inDatabase, rowsShown } from './places.ts';
import { FEWEST_ITEMS, type Gesture, MOST_ITEMS, type Player } from './player.ts';

/** The middle of a row's number. */
async function numberOf({ page }: Player, row: number): Promise<[number, number]> {
  const box = (await page.locator(`.ag-row[row-index="${row}"] .mx-heading-number`).boundingBox())!;
  return [box.x + box.width / 2, box.y + box.height / 2];
}

const newUid = (player: Player): string => {
  const uid = `new_${String(player.serial()).padStart(4, '0')}`;
  player.known.add(uid);
  return uid;
};

export const ROW_GESTURES: readonly Gesture[] = [
  {
    weight: 3,
    name: 'add an item',
    run: async (player) => {
      const { page, random } = player;
      const { rows, removed } = await inDatabase(page);
      if (rows.length >= MOST_ITEMS || (await player.click()) === null) return 'enough';
      const uid = removed.length > 0 && random.chance(0.3) ? random.pick(removed) : newUid(player);
      await page.keyboard.press(random.pick(['Alt+Insert', 'Control+Shift+Enter']));
      const dialog = player.dialog('Add an item');
      await dialog.getByLabel('ID', { exact: true }).fill(uid);
      if (random.chance(0.7))
        await dialog.getByLabel('Label').fill(`${uid} label ${player.serial()}`);
      if (random.chance(0.3))
        await dialog.getByLabel('Type', { exact: true }).fill(random.pick(['clone', 'variant']));
      const place = dialog.getByRole('radio', {
        name: random.chance(0.5) ? 'At the end' : /^Before/,
      });
      if ((await place.count()) > 0) await place.check();
      if (random.chance(0.3)) {
        await dialog.getByRole('button', { name: 'Add field' }).click();
        await page.keyboard.type('plate');
        await dialog.getByLabel('Value of plate').fill(`P${player.serial()}`);
      }
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await expect(dialog).toHaveCount(0);
      return uid;
    },
  },
  {
    weight: 2,
    name: 'add items',
    run: async (player) => {
      const count = 1 + player.random.int(3);
      if ((await player.rows()).length + count > MOST_ITEMS) return 'enough';
      const added = Array.from({ length: count }, () => newUid(player));
      await player.page.getByRole('button', { name: 'Add items' }).first().click();
      const dialog = player.dialog('Add items');
      await dialog
        .getByLabel('Item IDs, one a line')
        .fill(added.map((uid) => `${uid}\t${uid} of a list\tclone`).join('\n'));
      await dialog.getByRole('button', { name: `Add ${count} item` }).click();
      await expect(dialog).toHaveCount(0);
      return added.join(' ');
    },
  },
  {
    weight: 4,
    name: 'edit an item',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page, random } = player;
      await page.keyboard.press('Shift+F2');
      const dialog = player.dialog('Edit the item');
      const parts = [];
      if (random.chance(0.6)) {
        const label = random.chance(0.2) ? '' : `${cell.item} label ${player.serial()}`;
        await dialog.getByLabel('Label').fill(label);
        parts.push(label);
      }
      if (random.chance(0.4))
        await dialog
          .getByLabel('Type', { exact: true })
          .fill(random.pick(['clone', 'variant', 'item']));
      const plate = dialog.getByLabel('Value of plate');
      if ((await plate.count()) === 0 && random.chance(0.4)) {
        await dialog.getByRole('button', { name: 'Add field' }).click();
        await page.keyboard.type('plate');
        await plate.fill('first');
        parts.push('plate');
      } else if ((await plate.count()) > 0 && random.chance(0.5)) {
        if (random.chance(0.5)) await dialog.getByRole('button', { name: 'Remove plate' }).click();
        else await plate.fill(`P${player.serial()}`);
        parts.push('other plate');
      }
      await dialog.getByRole('button', { name: random.chance(0.9) ? 'Save' : 'Cancel' }).click();
      await expect(dialog).toHaveCount(0);
      return `${cell.item} ${parts.join(', ')}`;
    },
  },
  {
    weight: 2,
    name: 'type of several',
    run: async (player) => {
      if ((await player.click()) === null) return NOTHING;
      await player.page.keyboard.press('Shift+ArrowDown');
      await player.page.keyboard.press('Shift+F2');
      const dialog = player.dialog(/^Edit (the item|2 items)$/);
      await dialog
        .getByLabel('Type', { exact: true })
        .fill(player.random.pick(['clone', 'variant', 'control']));
      await dialog.getByRole('button', { name: /^(Set the type|Save)$/ }).click();
      await expect(dialog).toHaveCount(0);
      return '';
    },
  },
  {
    weight: 4,
    name: 'nudge',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const moves = player.random.chance(0.4) ? await player.extend(3) : '';
      const key = player.random.pick(['Alt+Shift+ArrowUp', 'Alt+Shift+ArrowDown']);
      for (let press = 1 + player.random.int(3); press > 0; press -= 1)
        await player.page.keyboard.press(key);
      return `${cell.item} ${moves} ${key}`;
    },
  },
  {
    weight: 3,
    name: 'drag rows',
    run: async (player) => {
      const rows = await rowsShown(player.page);
      if (rows.length < 3) return NOTHING;
      const [from, to] = [player.random.int(rows.length), player.random.int(rows.length)];
      await player.page.mouse.click(...(await numberOf(player, from)));
      await player.drag(await numberOf(player, from), await numberOf(player, to));
      return `${rows[from]!.uid} to ${rows[to]!.uid}`;
    },
  },
  {
    weight: 1,
    name: 'move to',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null || !(await player.command('Move to…'))) return NOTHING;
      const dialog = player.dialog(/^Move /);
      const target = String(1 + player.random.int(20));
      // Under a sorting it is told that items are not moved.
      if ((await dialog.count()) === 0) return 'sorted';
      await dialog.getByLabel('Row number').fill(target);
      await dialog.getByRole('button', { name: 'Move', exact: true }).click();
      await expect(dialog).toHaveCount(0);
      return `${cell.item} to ${target}`;
    },
  },
  {
    weight: 3,
    name: 'remove',
    run: async (player) => {
      const cell = await player.click();
      const rows = await player.rows();
      if (cell === null || rows.length < FEWEST_ITEMS) return 'few';
      if (player.random.chance(0.4)) await player.page.keyboard.press('Shift+ArrowDown');
      await player.page.keyboard.press('Alt+Delete');
      const ask = player.page.getByRole('alertdialog');
      const isGone = async (): Promise<boolean> =>
        (await rowsShown(player.page)).every(({ uid }) => uid !== cell.item);
      await expect.poll(async () => (await ask.count()) > 0 || (await isGone())).toBe(true);
      if ((await ask.count()) === 0) return `${cell.item}, empty`;
      const isMeant = player.random.chance(0.85);
      await ask.getByRole('button', { name: isMeant ? 'Remove' : 'Cancel' }).click();
      if (isMeant) await expect.poll(isGone).toBe(true);
      return `${cell.item} ${isMeant ? '' : 'not after all'}`;
    },
  },
  {
    weight: 2,
    name: 'restore',
    run: async (player) => {
      const { rows, removed } = await inDatabase(player.page);
      if (removed.length === 0 || rows.length >= MOST_ITEMS) return 'none';
      await player.command('Removed items');
      const dialog = player.dialog('Removed items');
      const uid = player.random.pick(removed);
      const find = dialog.getByRole('searchbox');
      if ((await find.count()) > 0) await find.fill(uid);
      await dialog.getByRole('button', { name: `Restore ${uid}`, exact: true }).click();
      await expect
        .poll(
          async () =>
            (await dialog.count()) === 0 ||
            (await dialog.getByRole('button', { name: `Restore ${uid}`, exact: true }).count()) ===
              0,
        )
        .toBe(true);
      // After the last one it closes by itself.
      if ((await dialog.count()) > 0) await dialog.getByRole('button', { name: 'Done' }).click();
      await expect(dialog).toHaveCount(0);
      return uid;
    },
  },
];
