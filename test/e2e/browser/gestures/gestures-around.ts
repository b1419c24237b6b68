import { expect } from '@playwright/test';
import { goOffline, goOnline, type Raw, RECONNECTED, send } from '../support/studio.ts';
import { type Cell, CASE, cellsShown, nameOf, onServer, PROFILE_UID, type Row } from './places.ts';
import { type Gesture, MOST_ITEMS, type Player, RAWS } from './player.ts';

/** What a window shows of each cell that the other one shows too. */
async function differences(player: Player): Promise<string[]> {
  const [one, other] = await Promise.all(
    player.windows.map(
      async (page) =>
        new Map(
          (await cellsShown(page)).map((cell) => [
            nameOf(cell),
            `${cell.raw ?? '-'}${cell.contested ? ' contested' : ''}`,
          ]),
        ),
    ),
  );
  return [...one!]
    .filter(([name, value]) => other!.has(name) && other!.get(name) !== value)
    .map(([name, value]) => `${name}: ${value}, ${other!.get(name)}`);
}
const counts = (player: Player): Promise<string[]> =>
  Promise.all(
    player.windows.map(
      async (page) =>
        / of (\d+) item/.exec((await page.locator('.mx-shown').textContent()) ?? '')?.[1] ?? '',
    ),
  );

export async function windowsAgree(player: Player): Promise<void> {
  if (player.windows.length < 2) return;
  await expect
    .poll(async () => new Set(await counts(player)).size, {
      ...RECONNECTED,
      message: 'both windows have the same items',
    })
    .toBe(1);
  if (player.kind === 'two in turn')
    await expect
      .poll(() => differences(player), { ...RECONNECTED, message: 'both windows show the same' })
      .toEqual([]);
}

/** Cells of the last place too, so that person and agent meet. */
function outcomesOf(
  player: Player,
  rows: readonly Row[],
): {
  item_uid: string;
  rule_uid: string;
  raw_outcome: Raw | null;
  notes?: string;
  source_value?: string;
}[] {
  const { random, last, rules } = player;
  const isThere = last !== null && rows.some(({ uid }) => uid === last.item);
  const cells = Array.from({ length: 1 + random.int(4) }, (): Cell =>
    isThere && random.chance(0.35)
      ? last
      : { item: random.pick(rows).uid, rule: random.pick(rules) },
  );
  return [...new Map(cells.map((cell) => [nameOf(cell), cell])).values()].map((cell) => ({
    item_uid: cell.item,
    rule_uid: cell.rule,
    raw_outcome: random.pick<Raw | null>([...RAWS, null]),
    ...(random.chance(0.4) ? { notes: `agent note ${player.serial()}` } : {}),
    ...(random.chance(0.3) ? { source_value: `agent ${player.serial()}` } : {}),
  }));
}

export const AROUND_GESTURES: readonly Gesture[] = [
  {
    weight: 8,
    name: 'agent',
    run: async (player) => {
      const { random } = player;
      // Writing in an item that was removed would bring it back.
      const { rows } = await onServer(player.studio, player.key);
      const outcomes = outcomesOf(player, rows);
      const items: { item_uid: string; label?: string; item_type?: string; metadata?: unknown }[] =
        [];
      if (random.chance(0.25)) {
        const { uid } = random.pick(rows);
        items.push({
          item_uid: uid,
          ...(random.chance(0.6)
            ? { label: `${uid} by agent ${player.serial()}` }
            : { metadata: { plate: `agent ${player.serial()}` } }),
        });
      }
      // A row that comes in the middle of a gesture would rightly shrink its block: it is waited
      // for.
      const isNew = rows.length < MOST_ITEMS - 4 && player.offlineFor === 0 && random.chance(0.1);
      if (isNew)
        items.push({ item_uid: `agent_${String(player.serial()).padStart(4, '0')}`, label: '' });
      for (const { item_uid, rule_uid } of outcomes) {
        player.byAgent.add(`${item_uid} ${rule_uid}`);
        player.withDetails.add(`${item_uid} ${rule_uid}`);
      }
      for (const { item_uid, label, metadata } of items) {
        player.known.add(item_uid);
        if (label !== undefined) player.byAgent.add(`${item_uid}: label`);
        if (metadata !== undefined) player.byAgent.add(`${item_uid}: metadata`);
      }
      for (const { item_uid } of [...items, ...outcomes]) player.rowsOfAgent.add(item_uid);
      await send(player.studio, player.key, 'POST', `cases/${CASE}/evidence`, {
        profile_uid: PROFILE_UID,
        items,
        outcomes,
      });
      if (isNew)
        await expect
          .poll(
            async () => (await player.rows()).some(({ uid }) => uid === items.at(-1)!.item_uid),
            RECONNECTED,
          )
          .toBe(true);
      return JSON.stringify({ items, outcomes });
    },
  },
  {
    weight: 3,
    name: 'reload',
    run: async (player) => {
      await player.page.reload();
      await player.opened();
      return '';
    },
  },
  {
    weight: 2,
    name: 'close and open',
    run: async (player) => {
      const { page } = player;
      await player.close(page);
      await player.open();
      return '';
    },
  },
  {
    weight: 12,
    name: 'other window',
    kinds: ['two in turn', 'two at once'],
    run: async (player) => {
      if (player.windows.length < 2) await player.open();
      else player.page = player.windows.find((page) => page !== player.page)!;
      await player.page.bringToFront();
      await windowsAgree(player);
      return `${player.windows.indexOf(player.page) + 1}`;
    },
  },
  {
    weight: 3,
    name: 'offline',
    run: async (player) => {
      if (player.offlineFor > 0) return 'still';
      player.offlineFor = 4 + player.random.int(12);
      await goOffline(player.context);
      return `${player.offlineFor} gestures`;
    },
  },
  {
    weight: 1,
    name: 'online',
    run: async (player) => {
      if (player.offlineFor === 0) return 'is';
      player.offlineFor = 0;
      await goOnline(player.context);
      return '';
    },
  },
  {
    weight: 2,
    name: 'pause',
    run: async ({ page, random }) => {
      const ms = random.int(1_200);
      await page.waitForTimeout(ms);
      return `${ms} ms`;
    },
  },
];
