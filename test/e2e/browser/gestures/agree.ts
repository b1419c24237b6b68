import { expect } from '@playwright/test';
import { goOffline, goOnline, RECONNECTED, SAVED, status } from '../support/studio.ts';
import { windowsAgree } from './gestures-around.ts';
import { showAll } from './gestures-view.ts';
import {
  cellsShown,
  inDatabase,
  nameOf,
  onServer,
  type Row,
  rowsShown,
  type Shown,
  type Stored,
  type Value,
} from './places.ts';
import type { Player } from './player.ts';

/**
 * Recorded cells alone, so that a cell that was never written is the same as one that was cleared.
 */
const grid = (cells: readonly Shown[]): Map<string, string> =>
  new Map(
    cells.map((cell) => [nameOf(cell), `${cell.raw ?? '-'}${cell.contested ? ' contested' : ''}`]),
  );

function gridOf({ rows, cells }: Stored, rules: readonly string[]): Map<string, string> {
  return grid(
    rows.flatMap(({ uid }) =>
      rules.map((rule): Shown => {
        const value = cells.get(`${uid} ${rule}`);
        return { item: uid, rule, raw: value?.raw ?? null, contested: value?.contested ?? false };
      }),
    ),
  );
}

/** The screen, against what the server says now; asked again until both are the same. */
async function compare(player: Player, where: string): Promise<Stored> {
  const { page, rules } = player;
  let stored: Stored = { rows: [], cells: new Map() };
  await expect
    .poll(
      async () => {
        stored = await onServer(player.studio, player.key);
        const [there, here] = [gridOf(stored, rules), grid(await cellsShown(page))];
        return [...new Set([...there.keys(), ...here.keys()])]
          .filter((name) => there.get(name) !== here.get(name))
          .map((name) => `${name}: server ${there.get(name)}, screen ${here.get(name)}`);
      },
      { ...RECONNECTED, message: `cells ${where}` },
    )
    .toEqual([]);
  await expect
    .poll(() => rowsShown(page), { ...RECONNECTED, message: `rows ${where}` })
    .toEqual(
      stored.rows.map(({ uid, label }) => ({
        uid,
        heading: `${label === uid ? '' : label}${uid}`,
      })),
    );
  const words = ['FALSE', 'TRUE', 'NA', null].map(
    (raw) =>
      stored.rows.flatMap(({ uid }) =>
        rules.filter((rule) => (stored.cells.get(`${uid} ${rule}`)?.raw ?? null) === raw),
      ).length,
  );
  await expect
    .poll(
      async () =>
        (await page.locator('.mx-totals .mx-count').allTextContents()).map((text) =>
          Number(text.replaceAll(/\D/g, '')),
        ),
      { message: `counts ${where}` },
    )
    .toEqual(words);
  return stored;
}

/** What is not on the matrix itself: which items are removed, and what the form of an item says. */
async function lookAtRows(player: Player, stored: Stored): Promise<void> {
  const { page, random } = player;
  const { rows, removed } = await inDatabase(page);
  expect(rows, 'rows in the database').toEqual(stored.rows);
  expect(
    [...player.known].filter(
      (uid) => !removed.includes(uid) && stored.rows.every((row) => row.uid !== uid),
    ),
    'lost items',
  ).toEqual([]);
  await player.command('Removed items');
  const list = player.dialog('Removed items');
  expect((await list.locator('tbody .mx-uid').allTextContents()).toSorted()).toEqual(
    removed.toSorted().slice(0, 200),
  );
  await list.getByRole('button', { name: 'Done' }).click();
  await expect(list).toHaveCount(0);
  const row = random.pick(rows);
  await player.clickOn({ item: row.uid, rule: player.rules[0]! });
  await page.keyboard.press('Shift+F2');
  const form = player.dialog('Edit the item');
  await expect(form.getByLabel('Label')).toHaveValue(row.label);
  await expect(form.getByLabel('Type', { exact: true })).toHaveValue(row.type);
  const plate = (JSON.parse(row.metadata) as { plate?: string }).plate;
  if (plate === undefined) await expect(form.getByLabel('Value of plate')).toHaveCount(0);
  else await expect(form.getByLabel('Value of plate')).toHaveValue(plate);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(form).toHaveCount(0);
}

async function lookAtDetails(
  player: Player,
  { rows, cells }: Stored,
  looks: number,
): Promise<void> {
  for (const [name, { source_value, notes }] of cells)
    if (source_value !== null || notes !== null) player.withDetails.add(name);
  const there = [...player.withDetails].filter((name) =>
    rows.some(({ uid }) => uid === name.split(' ')[0]),
  );
  for (const name of there.filter(() => player.random.chance(looks / there.length))) {
    const [item, rule] = name.split(' ') as [string, string];
    await player.clickOn({ item, rule });
    const { source_value = null, notes = null } = cells.get(name) ?? {};
    await expect
      .poll(() => player.panel(), { message: `details of ${name}`, intervals: [20, 50, 100] })
      .toEqual([name, source_value ?? '', notes ?? '']);
  }
}

/**
 * Quiet: the session in memory, this browser's copy alone, and the server say the same of every row
 * and cell. Ends with one window.
 */
export async function agree(player: Player, when: string, looks = 6): Promise<Stored> {
  player.log.push(`agree ${when}`);
  for (const page of [...player.windows]) {
    player.page = page;
    await showAll(player);
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
  }
  await windowsAgree(player);
  for (const page of [...player.windows]) {
    player.page = page;
    await compare(player, `in memory, ${when}`);
  }
  while (player.windows.length > 1) await player.close(player.windows[1]!);
  await goOffline(player.context);
  await player.page.reload();
  await player.opened();
  await compare(player, `after a reload without a server, ${when}`);
  await goOnline(player.context);
  await expect(status(player.page)).toHaveText(SAVED, RECONNECTED);
  const stored = await compare(player, `after a reload, ${when}`);
  await lookAtRows(player, stored);
  await lookAtDetails(player, stored, looks);
  return stored;
}

/** Takes back (or does again) this many steps, fifty at a time. */
export async function retrace(
  player: Player,
  key: string,
  stack: 'undo' | 'redo',
  times: number,
): Promise<void> {
  player.log.push(`${key} ${times} times`);
  await player.click();
  const target = (await inDatabase(player.page))[stack] - times;
  for (let done = 0; done < times; done += 50) {
    for (let press = done; press < Math.min(times, done + 50); press += 1)
      await player.page.keyboard.press(key);
    const left = target + Math.max(0, times - done - 50);
    await expect
      .poll(async () => (await inDatabase(player.page))[stack], {
        timeout: 60_000,
        message: `${stack} steps left`,
      })
      .toBe(left);
  }
}

const EMPTY: Value = {
  raw: null,
  contested: false,
  source_value: null,
  notes: null,
  provenance: 'null',
};

/** Cells and rows that only the person wrote, where they are not what they were. */
export function changed({ byAgent, rowsOfAgent }: Player, before: Stored, after: Stored): string[] {
  const tell = (name: string, was: unknown, is: unknown): string[] =>
    byAgent.has(name) || JSON.stringify(was) === JSON.stringify(is)
      ? []
      : [`${name}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`];
  const find = (rows: readonly Row[], uid: string): Row | undefined =>
    rows.find((row) => row.uid === uid);
  const uids = [...new Set([...before.rows, ...after.rows].map(({ uid }) => uid))];
  // A row that was brought back and that someone else has written in since stays, with the cells
  // that it had.
  const isKept = (uid: string): boolean =>
    find(before.rows, uid) === undefined && rowsOfAgent.has(uid);
  const inBoth = (rows: readonly Row[]): string[] =>
    rows
      .map(({ uid }) => uid)
      .filter((uid) => find(before.rows, uid) !== undefined && find(after.rows, uid) !== undefined);
  return [
    ...[...new Set([...before.cells.keys(), ...after.cells.keys()])]
      .filter(
        (name) =>
          find(after.rows, name.split(' ')[0]!) !== undefined && !isKept(name.split(' ')[0]!),
      )
      .flatMap((name) =>
        tell(name, before.cells.get(name) ?? EMPTY, after.cells.get(name) ?? EMPTY),
      ),
    ...uids.flatMap((uid) => {
      const [was, is] = [find(before.rows, uid), find(after.rows, uid)];
      // A row in which someone else has written is not taken from him.
      if (was === undefined || is === undefined)
        return rowsOfAgent.has(uid) ? [] : tell(`${uid}: row`, was, is);
      return (['label', 'type', 'metadata'] as const).flatMap((field) =>
        tell(`${uid}: ${field}`, was[field], is[field]),
      );
    }),
    ...tell('order of the rows', inBoth(before.rows), inBoth(after.rows)),
  ];
}
