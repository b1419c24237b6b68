import { expect } from '@playwright/test';
import { RECONNECTED } from '../support/studio.ts';
import { NOTHING } from './gestures-cells.ts';
import { nameOf } from './places.ts';
import { type Gesture, MOST_ITEMS, type Player } from './player.ts';

/** Presses the paste key and waits until the editor has read the clipboard. */
async function paste(player: Player): Promise<string> {
  const { page, random } = player;
  await page.evaluate(() => {
    Object.assign(window, { pasted: false });
    window.addEventListener(
      'paste',
      () => {
        Object.assign(window, { pasted: true });
      },
      { once: true, capture: true },
    );
  });
  await page.keyboard.press('Control+v');
  await page.waitForFunction(() => (window as unknown as { pasted: boolean }).pasted);
  await player.drawn();
  const preview = player.dialog('Paste into the matrix');
  if ((await preview.count()) === 0) return 'at once';
  const done: string[] = [];
  for (const box of await preview.getByRole('combobox', { name: / maps to$/ }).all()) {
    if (random.chance(0.3)) continue;
    const meaning = random.pick([/^FALSE/, /^TRUE/, /^NA/, /^Unrecorded/, /^Leave/]);
    await player.choose(box, meaning);
    done.push(meaning.source);
  }
  const clear = preview.getByRole('radio', { name: /^Clear (its|their) cell/ });
  if (random.chance(0.3) && (await clear.count()) > 0) await clear.check();
  const act = preview.getByRole('button', { name: /^(Paste \d|Nothing to paste)/ });
  const isMeant = random.chance(0.8) && (await act.isEnabled());
  if (isMeant && random.chance(0.3)) {
    await preview
      .locator('.mx-paste input, .mx-paste button')
      .first()
      .focus({ timeout: 1_000 })
      .catch(() => act.focus());
    await page.keyboard.press('Control+Enter');
    if ((await preview.count()) > 0 && (await act.isEnabled())) await act.click();
  } else await (isMeant ? act : preview.getByRole('button', { name: 'Cancel' })).click();
  await expect(preview).toHaveCount(0);
  return `${isMeant ? 'pasted' : 'left'} ${done.join(' ')}`;
}

export const BLOCK_GESTURES: readonly Gesture[] = [
  {
    weight: 6,
    name: 'copy and paste',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page, random } = player;
      const moves = random.chance(0.8) ? await player.extend(5) : '';
      const key = random.pick(['Control+c', 'Control+c', 'Control+x', 'Control+Shift+c']);
      await page.keyboard.press(key);
      const to = await player.click();
      if (to === null) return NOTHING;
      // A larger selection is tiled.
      const wider = random.chance(0.4) ? await player.extend(6) : '';
      return `${nameOf(cell)} ${moves} ${key}, at ${nameOf(to)} ${wider} ${await paste(player)}`;
    },
  },
  {
    weight: 4,
    name: 'paste text',
    run: async (player) => {
      const cell = await player.click();
      if (cell === null) return NOTHING;
      const { page, random } = player;
      const words = random.pick([
        ['TRUE', 'FALSE', 'NA', ''],
        ['TRUE', 'FALSE', 'yes', 'no'],
        ['T', 'F', 'n/a', '+', ''],
        ['WAHR', 'FALSCH', 'TRUE'],
      ]);
      const columns = 1 + random.int(3);
      const text = Array.from({ length: 1 + random.int(4) }, () =>
        Array.from({ length: columns }, () => random.pick(words)).join('\t'),
      ).join('\r\n');
      await page.evaluate((value) => navigator.clipboard.writeText(value), text);
      return `${nameOf(cell)} ${JSON.stringify(text)} ${await paste(player)}`;
    },
  },
  {
    weight: 2,
    name: 'import',
    run: async (player) => {
      const { page, random, rules } = player;
      const rows = await player.rows();
      const added =
        rows.length + 2 > MOST_ITEMS
          ? []
          : Array.from(
              { length: random.int(3) },
              () => `file_${String(player.serial()).padStart(4, '0')}`,
            );
      const uids = [
        ...new Set([
          ...added,
          ...Array.from({ length: 1 + random.int(4) }, () => random.pick(rows).uid),
        ]),
      ];
      const [first, second] = [random.pick(rules), random.pick(rules)];
      const columns = first === second ? [first] : [first, second];
      const lines = uids.map((uid) =>
        [
          uid,
          random.chance(0.5) ? `${uid} of a file ${player.serial()}` : '',
          ...columns.map(() => random.pick(['TRUE', 'FALSE', 'NA', '', 'yes'])),
        ].join(','),
      );
      await page.getByRole('button', { name: 'Import a file' }).first().click();
      const dialog = player.dialog('Import a file');
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByText('Choose a file').click(),
      ]);
      await chooser.setFiles({
        name: 'some.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(['item_uid,label,' + columns.join(','), ...lines].join('\n')),
      });
      await dialog.getByRole('button', { name: 'Another file' }).waitFor(RECONNECTED);
      await dialog.getByRole('radio', { name: /^Overwrite/ }).click();
      for (const group of await dialog.getByRole('group', { name: /^What yes/ }).all())
        await group
          .getByRole('radio', { name: random.pick(['evidence present', 'problem found']) })
          .click();
      const act = dialog.getByRole('button', { name: /^(Import \d|Nothing to import)/ });
      await expect(act).toBeVisible(RECONNECTED);
      const isMeant = random.chance(0.85) && (await act.isEnabled());
      if (isMeant) {
        await act.click();
        await dialog.getByRole('button', { name: 'Done' }).click();
        added.forEach((uid) => player.known.add(uid));
      } else await dialog.getByRole('button', { name: 'Cancel' }).click();
      await expect(dialog).toHaveCount(0);
      return `${columns.join(' ')}: ${lines.join('; ')} ${isMeant ? '' : 'not after all'}`;
    },
  },
];
