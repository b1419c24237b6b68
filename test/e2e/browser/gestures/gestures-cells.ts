import { expect } from '@playwright/test';
import { cellsSelected, nameOf } from './places.ts';
import type { Gesture, Player } from './player.ts';

export const NOTHING = 'nothing shown';

async function repeat(player: Player, key: string, times: number): Promise<string> {
  if ((await player.click()) === null) return NOTHING;
  for (let press = 0; press < times; press += 1) await player.page.keyboard.press(key);
  return `${key} ${times} times`;
}

/** Where the fill handle is; null where the selection has none in sight. */
async function handleOf({ page }: Player): Promise<[number, number] | null> {
  await cellsSelected(page);
  return page.evaluate(() => {
    const box = document.querySelector('.mx-handle')?.getBoundingClientRect();
    return box === undefined
      ? null
      : ([box.x + box.width / 2, box.y + box.height / 2] as [number, number]);
  });
}

export const CELL_GESTURES: readonly Gesture[] = [
  {
    weight: 18,
    name: 'one',
    run: async (player) => {
      const cell = await player.click();
      return cell === null ? NOTHING : `${nameOf(cell)} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 8,
    name: 'typing',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { random, page } = player;
      const keys = Array.from({ length: 3 + random.int(9) }, () => [
        random.pick(['t', 'f', 'n', 't', 'f', 'Delete']),
        random.pick([
          'Tab',
          'ArrowRight',
          'ArrowDown',
          'Enter',
          'ArrowUp',
          'u',
          'Control+ArrowDown',
        ]),
      ]).flat();
      for (const key of keys) await page.keyboard.press(key);
      return `${nameOf(cell)} ${keys.join(' ')}`;
    },
  },
  {
    weight: 7,
    name: 'block',
    run: async (player) => {
      const cell = await player.click();
      return cell === null
        ? NOTHING
        : `${nameOf(cell)} ${await player.extend()} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 6,
    name: 'drag',
    run: async (player) => {
      const [from, to] = [await player.any(), await player.any()];
      if (from === null || to === null) return NOTHING;
      await player.drag(await player.middle(from), await player.middle(to));
      return `${nameOf(from)} to ${nameOf(to)} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 6,
    name: 'several blocks',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const done = [nameOf(cell), player.random.chance(0.5) ? await player.extend(4) : ''];
      for (let more = 1 + player.random.int(3); more > 0; more -= 1) {
        const [from, to] = [(await player.any())!, (await player.any())!];
        const isDrawn = player.random.chance(0.5);
        if (isDrawn)
          await player.drag(await player.middle(from), await player.middle(to), 'Control');
        else await player.clickOn(from, 'Control');
        done.push(`and ${nameOf(from)}${isDrawn ? ` to ${nameOf(to)}` : ''}`);
      }
      if (player.random.chance(0.2)) {
        await player.page.keyboard.press('Control+Enter');
        return `${done.join(' ')} Control+Enter`;
      }
      return `${done.join(' ')} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 4,
    name: 'whole',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const moves = player.random.chance(0.4) ? await player.extend(3) : '';
      const key = player.random.pick(['Control+Space', 'Shift+Space', 'Shift+Space', 'Control+a']);
      await player.page.keyboard.press(key);
      return `${nameOf(cell)} ${moves} ${key} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 2,
    name: 'rule',
    run: async (player) => {
      const cell = await player.any();
      if (cell === null) return NOTHING;
      await player.page
        .locator(`.ag-header-cell[col-id=${cell.rule}]`)
        .click({ position: { x: 12, y: 12 } });
      return `${cell.rule} ${await player.recordSelected()}`;
    },
  },
  {
    weight: 10,
    name: 'undo',
    kinds: ['one window', 'two at once'],
    run: (player) => repeat(player, 'Control+z', 1 + player.random.int(4)),
  },
  {
    weight: 7,
    name: 'redo',
    kinds: ['one window', 'two at once'],
    run: (player) =>
      repeat(
        player,
        player.random.pick(['Control+y', 'Control+Shift+z']),
        1 + player.random.int(3),
      ),
  },
  {
    weight: 7,
    name: 'details',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page, random } = player;
      const field = random.pick(['Notes', 'Reported value']);
      const text = player.text();
      // An edit is of the cell whose name the panel has.
      await player.followed(cell);
      await page.getByRole('textbox', { name: field, exact: true }).fill(text);
      player.withDetails.add(nameOf(cell));
      const end = random.pick(['Control+Enter', 'Escape', 'leave', 'leave']);
      if (end === 'leave') await player.click();
      else await page.keyboard.press(end);
      return `${nameOf(cell)} ${field} "${text}" ${end}`;
    },
  },
  {
    weight: 5,
    name: 'F2',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page } = player;
      const text = player.text();
      await page.keyboard.press('F2');
      await page.keyboard.press('Control+a');
      if (text === '') await page.keyboard.press('Delete');
      else await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
      player.withDetails.add(nameOf(cell));
      await expect(page.getByRole('textbox', { name: 'Reported value', exact: true })).toHaveValue(
        text,
      );
      return `${nameOf(cell)} "${text}"`;
    },
  },
  {
    weight: 4,
    name: 'panel',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      await player.followed(cell);
      const state = player.random.pick(['FALSE', 'TRUE', 'NA', 'unrecorded'] as const);
      await player.page.locator(`.mx-panel [role=radio][data-state=${state}]`).click();
      await player.expectShown([cell], state === 'unrecorded' ? null : state);
      return `${nameOf(cell)} ${state}`;
    },
  },
  {
    weight: 6,
    name: 'fill handle',
    run: async (player) => {
      const [cell, to] = [await player.click(), await player.any()];
      if (cell === null || to === null) return NOTHING;
      const moves = player.random.chance(0.5) ? await player.extend(4) : '';
      const handle = await handleOf(player);
      if (handle === null) return 'no handle';
      if (player.random.chance(0.3)) {
        await player.page.mouse.dblclick(...handle);
        return `${nameOf(cell)} ${moves} twice`;
      }
      await player.drag(handle, await player.middle(to));
      return `${nameOf(cell)} ${moves} to ${nameOf(to)}`;
    },
  },
  {
    weight: 6,
    name: 'fill keys',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const moves = player.random.chance(0.8) ? await player.extend(6) : '';
      const way = player.random.pick([
        'Control+d',
        'Control+r',
        'Control+Enter',
        'Fill down with source',
        'Fill right with source',
      ]);
      if (way.startsWith('Fill')) await player.command(way);
      else await player.page.keyboard.press(way);
      await player.confirmReplacing();
      return `${nameOf(cell)} ${moves} ${way}`;
    },
  },
  {
    weight: 3,
    name: 'apply source',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const moves = await player.extend(6);
      if (!(await player.command('Apply the source to the selection'))) return 'disabled';
      const dialog = player.dialog('Apply the source to the selection');
      for (const name of [/^Notes/, 'Unrecorded cells too']) {
        const box = dialog.getByRole('checkbox', { name });
        if (player.random.chance(0.5) && (await box.isEnabled())) await box.click();
      }
      const act = dialog.getByRole('button', { name: /^(Change |Nothing to change)/ });
      const isMeant = player.random.chance(0.85) && (await act.isEnabled());
      await (isMeant ? act : dialog.getByRole('button', { name: 'Cancel' })).click();
      return `${nameOf(cell)} ${moves} ${isMeant ? 'applied' : 'left'}`;
    },
  },
  {
    weight: 5,
    name: 'menu',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page, random } = player;
      const moves = random.chance(0.6) ? await player.extend(4) : '';
      const byKey = random.chance(0.4);
      if (byKey) await page.keyboard.press('Shift+F10');
      else
        await player.clickOn(random.chance(0.6) ? cell : (await player.any())!, undefined, 'right');
      const menu = page.getByRole('menu', { name: 'Commands for the selection' });
      const name = random.pick([
        /^TRUE: problem/,
        /^FALSE: evidence/,
        /^NA: not/,
        /^Clear to unrecorded/,
        /^Fill down/,
        /^Fill right/,
        /^Cut/,
        /^Copy(?! with)/,
        /^Select whole items/,
      ]);
      const entry = menu.getByRole('menuitem', { name }).first();
      await expect(entry).toBeVisible();
      if ((await entry.getAttribute('aria-disabled')) === 'true')
        await page.keyboard.press('Escape');
      else await entry.click();
      await expect(menu).toHaveCount(0);
      return `${nameOf(cell)} ${moves} ${byKey ? 'by key' : ''} ${name.source}`;
    },
  },
];
