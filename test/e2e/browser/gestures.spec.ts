import { type BrowserContext, expect, type Page } from '@playwright/test';
import { cellAt, cellName, createCase, focusedName, goOffline, goOnline, LETTER, openCase, type Raw, RECONNECTED, RULES, SAVED, send, shownMatrix, status, type Studio, test } from './support/studio.ts';

/**
 * Random gestures on a real case, from a seed. `SEED=7 GESTURE_SECONDS=600` runs one seed for longer; a failure prints the seed and what was done last.
 */
const SEEDS = process.env.SEED === undefined ? [1, 4] : process.env.SEED.split(',').map(Number);
const SECONDS = Number(process.env.GESTURE_SECONDS ?? 18);
const CASE = 'gestures';
const PROFILE_UID = 'gesture_profile';
const ITEMS = 24;
const MOST_ITEMS = 34;
const RAWS: readonly Raw[] = ['TRUE', 'FALSE', 'NA'];

/** Pictures of every step would cost more than the gestures; the log and the seed tell more. */
test.use({ trace: 'off' });

interface Cell { item: string; rule: string }
interface Value { raw: Raw | null; contested: boolean; source_value: string | null; notes: string | null }
interface Shown extends Cell { raw: Raw | null; contested: boolean }
interface Random {
  /** 0 <= n < below */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** mulberry32: small, and the same everywhere. */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return { int, chance: (share) => next() < share, pick: (list) => list[int(list.length)]! };
}

const nameOf = ({ item, rule }: Cell): string => `${item} ${rule}`;
const itemUid = (row: number): string => `item_${String(row + 1).padStart(3, '0')}`;
const ruleUid = (column: number): string => `rule_${column + 1}`;

function profileOf(rules: number): unknown {
  const words = { description: 'A rule.', evidenceMeaning: 'Present.', problemMeaning: 'Problem.', notAvailableMeaning: 'Not available.' };
  return {
    name: 'Gestures', profileUid: PROFILE_UID, version: '1.0', visibility: 'private', domain: 'general', standard: 'SGA-QEM-1.0', standardVersion: '1.0',
    description: 'Rules for random gestures.', scope: 'Tests.', maintainer: 'Evidence Studio',
    rules: Array.from({ length: rules }, (_, column) => ({ ruleOrder: column + 1, ruleUid: ruleUid(column), name: `Rule ${column + 1}`, ...words })),
  };
}

/** Every cell on the screen; the window is large enough for the whole matrix. */
function shownCells(page: Page): Promise<Shown[]> {
  return page.evaluate(() => [...document.querySelectorAll('[role=gridcell][aria-label*=", rule_"]')].flatMap((element) => {
    const parts = /^(\S+), (rule_\d+): (TRUE|FALSE|NA|unrecorded)(?:, (?!contested)[^,]+)?(, contested)?$/.exec(element.getAttribute('aria-label') ?? '');
    return parts === null ? [] : [{ item: parts[1]!, rule: parts[2]!, raw: parts[3] === 'unrecorded' ? null : (parts[3] as Raw), contested: parts[4] !== undefined }];
  }));
}

/** Recorded cells alone, so that a cell that was never written is the same as one that was cleared. */
const grid = (cells: readonly Shown[]): Record<string, string> =>
  Object.fromEntries(cells.map((cell) => [nameOf(cell), `${cell.raw ?? '-'}${cell.contested ? ' contested' : ''}`] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)));

async function storedItems(studio: Studio, key: string): Promise<{ items: string[]; cells: Map<string, Value> }> {
  const page = await send(studio, key, 'GET', `cases/${CASE}/evidence?profile_uid=${PROFILE_UID}&limit=200`);
  expect(page.next_cursor).toBe(null);
  const cells = new Map<string, Value>();
  for (const { item_uid, evidence } of page.items) {
    for (const { rule_uid, raw_outcome, contested, source_value, notes } of evidence) cells.set(`${item_uid} ${rule_uid}`, { raw: raw_outcome, contested, source_value, notes });
  }
  return { items: page.items.map((item: { item_uid: string }) => item.item_uid), cells };
}

/** Steps that can be undone or redone, counted where the window keeps them. */
function journal(page: Page): Promise<{ undo: number; redo: number }> {
  return page.evaluate(() => new Promise<{ undo: number; redo: number }>((resolve, reject) => {
    const request = indexedDB.open('evidence-studio');
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    request.addEventListener('success', () => {
      const database = request.result;
      const all = database.transaction('gestures').objectStore('gestures').getAll();
      all.addEventListener('success', () => {
        const stacks = all.result.map((row: { stack: string }) => row.stack);
        database.close();
        resolve({ undo: stacks.filter((stack) => stack === 'undo').length, redo: stacks.filter((stack) => stack === 'redo').length });
      });
    });
  }));
}

interface Gesture { weight: number; name: string; run(this: void): Promise<string> }

class Player {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly studio: Studio;
  readonly key: string;
  readonly random: Random;
  readonly rules: readonly string[];
  readonly items: string[];
  /** Cells that anyone but the person at the window has written since the start. */
  readonly byAgent = new Set<string>();
  /** Cells whose source value or notes were ever touched. */
  readonly withDetails = new Set<string>();
  readonly log: string[] = [];
  readonly counts: Record<string, number> = {};
  offlineFor = 0;
  last: Cell | null = null;
  serial = 0;

  constructor(page: Page, studio: Studio, key: string, random: Random, rules: readonly string[]) {
    this.page = page;
    this.context = page.context();
    this.studio = studio;
    this.key = key;
    this.random = random;
    this.rules = rules;
    this.items = Array.from({ length: ITEMS }, (_, row) => itemUid(row));
  }

  async open(): Promise<void> {
    await this.page.goto(`${this.studio.url}/studio/cases/${CASE}?profile=${PROFILE_UID}@1.0`);
    await this.opened();
  }
  async opened(): Promise<void> {
    await expect(this.page.getByRole('grid', { name: 'Evidence matrix' }).getByRole('gridcell').first()).toBeVisible({ timeout: 15_000 });
  }
  /** Where the middle of a cell is in the window. */
  async middle({ item, rule }: Cell): Promise<[number, number]> {
    let found: [number, number] | null = null;
    await expect.poll(async () => {
      found = await this.page.evaluate((label) => {
        const box = document.querySelector(`[role=gridcell][aria-label^=${JSON.stringify(label)}]`)?.getBoundingClientRect();
        return box === undefined ? null : ([box.x + box.width / 2, box.y + box.height / 2] as [number, number]);
      }, `${item}, ${rule}: `);
      return found !== null;
    }, { message: `${item}, ${rule} is on the screen` }).toBe(true);
    return found!;
  }
  async clickOn(cell: Cell): Promise<void> {
    await this.page.mouse.click(...(await this.middle(cell)));
  }

  /** A cell on the screen; none where a filter hides all. */
  async any(): Promise<Cell | null> {
    const cells = await shownCells(this.page);
    return cells.length === 0 ? null : this.random.pick(cells);
  }
  async click(): Promise<Cell | null> {
    const cell = await this.any();
    if (cell === null) return null;
    await this.clickOn(cell);
    this.last = { item: cell.item, rule: cell.rule };
    return this.last;
  }
  /** A key that records, and what the cells become by it. */
  recordingKey(): { key: string; raw: Raw | null } {
    if (this.random.chance(0.25)) return { key: this.random.pick(['Delete', 'Shift+Delete', 'Backspace']), raw: null };
    const raw = this.random.pick(RAWS);
    return { key: LETTER[raw], raw };
  }
  /** What was recorded is on the screen at once, wherever nobody else may write. */
  async expectShown(cells: readonly Cell[], raw: Raw | null): Promise<void> {
    const own = new Set(cells.map(nameOf).filter((name) => !this.byAgent.has(name)));
    await expect.poll(async () => (await shownCells(this.page)).filter((cell) => own.has(nameOf(cell)) && cell.raw !== raw).map(nameOf), { timeout: 3_000, message: `recorded as ${raw}` }).toEqual([]);
  }

  readonly gestures: Gesture[] = [
    { weight: 22, name: 'one', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      const { key, raw } = this.recordingKey();
      await this.page.keyboard.press(key);
      await this.expectShown([cell], raw);
      return `${nameOf(cell)} ${key}`;
    } },
    { weight: 10, name: 'typing', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      const keys = Array.from({ length: 3 + this.random.int(9) }, () => [this.random.pick(['t', 'f', 'n', 't', 'f', 'Delete']), this.random.pick(['Tab', 'ArrowRight', 'ArrowDown', 'Enter', 'ArrowUp'])]).flat();
      for (const key of keys) await this.page.keyboard.press(key);
      return `${nameOf(cell)} ${keys.join(' ')}`;
    } },
    { weight: 9, name: 'block', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      const moves = Array.from({ length: 1 + this.random.int(7) }, () => this.random.pick(['Shift+ArrowDown', 'Shift+ArrowRight', 'Shift+ArrowUp', 'Shift+ArrowLeft', 'Shift+End']));
      for (const move of moves) await this.page.keyboard.press(move);
      const { key, raw } = this.recordingKey();
      await this.page.keyboard.press(key);
      await this.expectShown([cell], raw);
      return `${nameOf(cell)} ${moves.join(' ')} ${key}`;
    } },
    { weight: 7, name: 'drag', run: async () => {
      const [from, to] = [await this.any(), await this.any()];
      if (from === null || to === null) return 'nothing shown';
      await this.page.mouse.move(...(await this.middle(from)));
      await this.page.mouse.down();
      await this.page.mouse.move(...(await this.middle(to)), { steps: 3 });
      await this.page.mouse.up();
      const { key, raw } = this.recordingKey();
      await this.page.keyboard.press(key);
      await this.expectShown([from, to], raw);
      return `${nameOf(from)} to ${nameOf(to)} ${key}`;
    } },
    { weight: 2, name: 'all', run: async () => {
      if ((await this.click()) === null) return 'nothing shown';
      await this.page.keyboard.press('Control+a');
      const cells = await shownCells(this.page);
      const { key, raw } = this.recordingKey();
      await this.page.keyboard.press(key);
      await this.expectShown(cells, raw);
      return key;
    } },
    { weight: 2, name: 'rule', run: async () => {
      const cell = await this.any();
      if (cell === null) return 'nothing shown';
      await this.page.locator('.ag-header-cell.mx-head-rule').nth(this.rules.indexOf(cell.rule)).click();
      const cells = (await shownCells(this.page)).filter((other) => other.rule === cell.rule);
      const { key, raw } = this.recordingKey();
      await this.page.keyboard.press(key);
      await this.expectShown(cells, raw);
      return `${cell.rule} ${key}`;
    } },
    { weight: 12, name: 'undo', run: async () => this.repeat('Control+z', 1 + this.random.int(4)) },
    { weight: 8, name: 'redo', run: async () => this.repeat(this.random.pick(['Control+y', 'Control+Shift+z']), 1 + this.random.int(3)) },
    { weight: 8, name: 'details', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      const field = this.random.pick(['Notes', 'Source value']);
      const text = this.text();
      const box = this.page.getByRole('textbox', { name: field, exact: true });
      // The panel follows a moment later: an edit is of the cell whose name the panel has.
      await this.followed(cell);
      await box.fill(text);
      this.withDetails.add(nameOf(cell));
      const end = this.random.pick(['Control+Enter', 'Escape', 'leave', 'leave']);
      if (end === 'leave') await this.click();
      else await this.page.keyboard.press(end);
      return `${nameOf(cell)} ${field} "${text}" ${end}`;
    } },
    { weight: 6, name: 'F2', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      const text = this.text();
      await this.page.keyboard.press('F2');
      await this.page.keyboard.press('Control+a');
      if (text === '') await this.page.keyboard.press('Delete');
      else await this.page.keyboard.type(text);
      await this.page.keyboard.press('Control+Enter');
      this.withDetails.add(nameOf(cell));
      await expect(this.page.getByRole('textbox', { name: 'Source value', exact: true })).toHaveValue(text);
      return `${nameOf(cell)} "${text}"`;
    } },
    { weight: 4, name: 'panel', run: async () => {
      const cell = await this.click();
      if (cell === null) return 'nothing shown';
      await this.followed(cell);
      const state = this.random.pick(['FALSE', 'TRUE', 'NA', 'unrecorded'] as const);
      await this.page.locator(`.mx-panel [role=radio][data-state=${state}]`).click();
      await this.expectShown([cell], state === 'unrecorded' ? null : state);
      return `${nameOf(cell)} ${state}`;
    } },
    { weight: 4, name: 'filter', run: async () => {
      if (this.random.chance(0.5)) {
        const text = this.random.pick(['_00', '_01', 'note', 'item_02', '1']);
        await this.page.getByRole('searchbox').fill(text);
        // It filters a moment later, and a block that is chosen meanwhile shrinks.
        await this.page.waitForTimeout(400);
        await expect(this.page.getByRole('button', { name: 'Clear filter' }).first()).toBeVisible();
        return `text ${text}`;
      }
      const kind = this.random.pick(['have unrecorded', 'have problem found', 'have contested', 'have notes']);
      await this.page.getByRole('button', { name: 'Filter', exact: false }).first().click();
      await this.page.getByRole('checkbox', { name: kind }).click();
      await this.page.keyboard.press('Escape');
      await expect(this.page.getByRole('checkbox', { name: kind })).toHaveCount(0);
      return kind;
    } },
    { weight: 5, name: 'unfilter', run: () => this.unfilter() },
    { weight: 2, name: 'add items', run: async () => {
      const count = 1 + this.random.int(2);
      if (this.items.length + count > MOST_ITEMS) return 'enough';
      const added = Array.from({ length: count }, () => `new_${String((this.serial += 1)).padStart(3, '0')}`);
      await this.page.getByRole('button', { name: 'Add items' }).click();
      await this.page.getByLabel('Item uids, one a line').fill(added.map((uid) => `${uid}\tlabel of ${uid}`).join('\n'));
      await this.page.getByRole('dialog').getByRole('button', { name: /^Add \d+ item/ }).click();
      await expect(this.page.getByRole('dialog')).toHaveCount(0);
      this.items.push(...added);
      return added.join(' ');
    } },
    { weight: 9, name: 'agent', run: async () => {
      const cells = Array.from({ length: 1 + this.random.int(4) }, (): Cell => (this.last !== null && this.random.chance(0.35) ? this.last : { item: itemUid(this.random.int(ITEMS)), rule: this.random.pick(this.rules) }));
      const outcomes = [...new Map(cells.map((cell) => [nameOf(cell), cell])).values()].map((cell) => ({
        item_uid: cell.item, rule_uid: cell.rule, raw_outcome: this.random.pick<Raw | null>([...RAWS, null]), ...(this.random.chance(0.4) ? { notes: `agent note ${(this.serial += 1)}` } : {}), ...(this.random.chance(0.3) ? { source_value: `agent ${(this.serial += 1)}` } : {}),
      }));
      for (const { item_uid, rule_uid } of outcomes) {
        this.byAgent.add(`${item_uid} ${rule_uid}`);
        this.withDetails.add(`${item_uid} ${rule_uid}`);
      }
      // A row that comes in the middle of a gesture would rightly shrink its block: it is waited for.
      const isNew = this.items.length < MOST_ITEMS && this.offlineFor === 0 && this.random.chance(0.1);
      const uid = `agent_${String(this.serial).padStart(3, '0')}`;
      const items = isNew ? [{ item_uid: uid, label: uid }] : [];
      if (isNew) this.items.push(uid);
      await send(this.studio, this.key, 'POST', `cases/${CASE}/evidence`, { profile_uid: PROFILE_UID, items, outcomes });
      if (isNew) await expect(this.page.locator('.mx-shown')).toContainText(`of ${this.items.length} items`, RECONNECTED);
      return JSON.stringify({ items: items.length, outcomes });
    } },
    { weight: 3, name: 'reload', run: async () => {
      await this.page.reload();
      await this.opened();
      return '';
    } },
    { weight: 3, name: 'offline', run: async () => {
      if (this.offlineFor > 0) return 'still';
      this.offlineFor = 4 + this.random.int(12);
      await goOffline(this.context);
      return `${this.offlineFor} gestures`;
    } },
    { weight: 2, name: 'pause', run: async () => {
      const ms = this.random.int(1_200);
      await this.page.waitForTimeout(ms);
      return `${ms} ms`;
    } },
  ];

  text(): string {
    return this.random.chance(0.15) ? '' : `${this.random.pick(['note', 'seen', 'µ £ "quoted"', 'line'])} ${(this.serial += 1)}`;
  }
  async repeat(key: string, times: number): Promise<string> {
    if ((await this.click()) === null) return 'nothing shown';
    for (let press = 0; press < times; press += 1) await this.page.keyboard.press(key);
    return `${key} ${times} times`;
  }
  async unfilter(): Promise<string> {
    const clear = this.page.getByRole('button', { name: 'Clear filter' }).first();
    // A text that was just typed filters a moment later.
    await this.page.waitForTimeout(250);
    if ((await clear.count()) === 0) return 'none';
    await clear.click();
    return 'cleared';
  }

  async play(until: number): Promise<void> {
    const total = this.gestures.reduce((sum, { weight }) => sum + weight, 0);
    while (performance.now() < until) {
      let at = this.random.int(total);
      const gesture = this.gestures.find(({ weight }) => (at -= weight) < 0)!;
      this.log.push(`${gesture.name}: began`);
      const done = await gesture.run();
      this.log[this.log.length - 1] = `${gesture.name}: ${done}`;
      this.counts[gesture.name] = (this.counts[gesture.name] ?? 0) + 1;
      if (this.offlineFor > 0 && (this.offlineFor -= 1) === 0) await goOnline(this.context);
    }
    if (this.offlineFor > 0) await goOnline(this.context);
    this.offlineFor = 0;
    await this.page.keyboard.press('Escape');
    await this.unfilter();
  }

  place({ item, rule }: Cell): string {
    return `${item.startsWith('new_') ? `label of ${item}` : item}, rule ${this.rules.indexOf(rule) + 1}`;
  }
  /** The panel follows a moment later. */
  async followed(cell: Cell): Promise<void> {
    await expect.poll(async () => (await this.panel())[0], { intervals: [20, 50, 100] }).toBe(this.place(cell));
  }
  /** The cell that the panel speaks of, its source value and its notes. */
  panel(): Promise<string[]> {
    return this.page.evaluate(() => {
      const textOf = (selector: string): string => document.querySelector(`.mx-panel ${selector}`)?.textContent ?? '';
      const areas = [...document.querySelectorAll<HTMLTextAreaElement>('.mx-panel .mx-detail textarea')].slice(0, 2).map(({ value }) => value);
      return [`${textOf('.mx-panel-item')}, ${/rule \d+/.exec(textOf('.mx-panel-head'))?.[0] ?? ''}`, ...areas];
    });
  }

  /** Online and quiet: the screen, this browser's copy and the server say the same of every cell. */
  async agree(when: string, looks: number | 'all' = 6): Promise<Map<string, Value>> {
    this.log.push(`agree ${when}`);
    await expect(status(this.page)).toHaveText(SAVED, RECONNECTED);
    let stored = await storedItems(this.studio, this.key);
    const storedGrid = (): Record<string, string> => grid(stored.items.flatMap((item) => this.rules.map((rule): Shown => {
      const value = stored.cells.get(nameOf({ item, rule }));
      return { item, rule, raw: value?.raw ?? null, contested: value?.contested ?? false };
    })));
    const compare = async (where: string): Promise<void> => {
      await expect.poll(async () => {
        stored = await storedItems(this.studio, this.key);
        const [there, here] = [storedGrid(), grid(await shownCells(this.page))];
        return [...new Set([...Object.keys(there), ...Object.keys(here)])].filter((name) => there[name] !== here[name]).map((name) => `${name}: server ${there[name]}, screen ${here[name]}`);
      }, { ...RECONNECTED, message: `${when}: ${where}` }).toEqual([]);
      expect(stored.items.toSorted()).toEqual(this.items.toSorted());
      const words = ['FALSE', 'TRUE', 'NA', null].map((raw) => stored.items.flatMap((item) => this.rules.filter((rule) => (stored.cells.get(nameOf({ item, rule }))?.raw ?? null) === raw)).length);
      await expect.poll(async () => (await this.page.locator('.mx-totals .mx-count').allTextContents()).map((text) => Number(text.replaceAll(/\D/g, ''))), { message: `${when}: counts ${where}` }).toEqual(words);
    };
    await compare('on screen');
    await this.page.reload();
    await this.opened();
    await compare('after a reload');
    await expect(status(this.page)).toHaveText(SAVED, RECONNECTED);
    for (const [name, { source_value, notes }] of stored.cells) if (source_value !== null || notes !== null) this.withDetails.add(name);
    const looked = [...this.withDetails].filter(() => looks === 'all' || this.random.chance(looks / this.withDetails.size));
    for (const name of looked) {
      const [item, rule] = name.split(' ') as [string, string];
      await this.clickOn({ item, rule });
      const { source_value = null, notes = null } = stored.cells.get(name) ?? {};
      await expect.poll(() => this.panel(), { message: `${when}: details of ${name}`, intervals: [20, 50, 100] }).toEqual([this.place({ item, rule }), source_value ?? '', notes ?? '']);
    }
    return stored.cells;
  }

  /** Takes back (or does again) this many steps, fifty at a time. */
  async retrace(key: string, stack: 'undo' | 'redo', times: number): Promise<void> {
    this.log.push(`${key} ${times} times`);
    await this.clickOn({ item: itemUid(0), rule: this.rules[0]! });
    const target = (await journal(this.page))[stack] - times;
    for (let done = 0; done < times; done += 50) {
      for (let press = done; press < Math.min(times, done + 50); press += 1) await this.page.keyboard.press(key);
      const left = target + Math.max(0, times - done - 50);
      await expect.poll(async () => (await journal(this.page))[stack], { timeout: 30_000, message: `${stack} steps left` }).toBe(left);
    }
  }
}

const EMPTY: Value = { raw: null, contested: false, source_value: null, notes: null };

/** Cells that only the person wrote, where they are not what they were. */
function changed(player: Player, before: Map<string, Value>, after: Map<string, Value>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => !player.byAgent.has(name)).flatMap((name) => {
    const [was, is] = [before.get(name) ?? EMPTY, after.get(name) ?? EMPTY];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [`${name}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`];
  });
}

for (const seed of SEEDS) {
  test(`random gestures, seed ${seed}: screen, stored copy and server agree, and everything can be taken back`, async ({ browser, studio }) => {
    test.setTimeout(SECONDS * 1_000 * 2 + 180_000);
    const random = seeded(seed);
    const rules = Array.from({ length: 8 + random.int(6) }, (_, column) => ruleUid(column));
    const key = await studio.key();
    await send(studio, key, 'POST', 'profiles', profileOf(rules.length));
    const project = await send(studio, key, 'POST', 'projects', { name: 'Gestures' });
    await send(studio, key, 'POST', 'cases', { project_id: project.project_id, case_uid: CASE, profile_uid: PROFILE_UID });
    const items = Array.from({ length: ITEMS }, (_, row) => ({
      item_uid: itemUid(row),
      evidence: rules.filter(() => random.chance(0.4)).map((rule_uid) => ({ rule_uid, raw_outcome: random.pick(RAWS), ...(random.chance(0.15) ? { notes: `first note ${row}` } : {}), ...(random.chance(0.15) ? { source_value: `first source ${row}` } : {}) })),
    }));
    await send(studio, key, 'POST', 'evidence', { case_uid: CASE, profile_uid: PROFILE_UID, items });

    // Large enough for every row and rule at once: the grid draws only what is in sight.
    const context = await browser.newContext({ viewport: { width: 2_400, height: 1_700 } });
    const page = await context.newPage();
    const player = new Player(page, studio, key, random, rules);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    try {
      await studio.signIn(page);
      await player.open();
      await expect.poll(async () => (await shownCells(page)).length).toBe(ITEMS * rules.length);
      const start = await player.agree('at the start');
      player.log.length = 0;
      await player.play(performance.now() + SECONDS * 1_000);
      const played = await player.agree('after the gestures', 'all');

      const { undo, redo } = await journal(page);
      await player.retrace('Control+z', 'undo', undo);
      const back = await player.agree('after undoing everything');
      expect(changed(player, start, back), 'not taken back').toEqual([]);
      // A step of which nothing was left to take back is dropped: it cannot be done again.
      await player.retrace('Control+y', 'redo', (await journal(page)).redo - redo);
      const again = await player.agree('after redoing it');
      expect(changed(player, played, again), 'not done again').toEqual([]);
      expect(errors).toEqual([]);
      console.log(`gestures: seed ${seed}, ${Object.values(player.counts).reduce((sum, count) => sum + count, 0)} gestures on ${player.items.length} x ${rules.length}, ${undo} steps undone, ${player.byAgent.size} cells of the agent; ${JSON.stringify(player.counts)}`);
    } catch (error) {
      console.log(`seed ${seed}, ${player.log.length} gestures; the last:\n${player.log.slice(-20).join('\n')}\npage errors: ${errors.join('; ') || 'none'}`);
      throw error;
    } finally {
      await context.close();
    }
  });
}

test('undos that the disk keeps waiting take back neither what was recorded after them nor the focus', async ({ page, studio }) => {
  const key = await studio.key();
  await createCase(studio, key, CASE, ['item_001', 'item_002', 'item_003'].map((item_uid) => ({ item_uid })));
  await studio.signIn(page);
  await openCase(page, studio, CASE);
  for (const rule of RULES.slice(0, 3)) {
    await cellAt(page, 'item_001', rule).click();
    await page.keyboard.press('t');
  }
  await expect(status(page)).toHaveText(SAVED);

  // A transaction that is kept open holds up every other.
  await page.evaluate(() => new Promise<void>((resolve, reject) => {
    const request = indexedDB.open('evidence-studio');
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    request.addEventListener('success', () => {
      const database = request.result;
      const store = database.transaction([...database.objectStoreNames], 'readwrite').objectStore('meta');
      let held = true;
      const hold = (): void => {
        if (held) store.get('hlc').addEventListener('success', hold);
        else database.close();
      };
      hold();
      Object.assign(window, { letGo: () => { held = false; } });
      resolve();
    });
  }));
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await cellAt(page, 'item_003', RULES[3]).click();
  await page.keyboard.press('f');
  // A page with something on screen that is not on the disk asks before it is left.
  const asksBeforeLeaving = (): Promise<boolean> => page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(await asksBeforeLeaving()).toBe(true);
  await page.evaluate(() => (window as unknown as { letGo(): void }).letGo());
  await expect.poll(asksBeforeLeaving).toBe(false);
  const here = ['item_001', 'item_003'];
  await expect.poll(() => shownMatrix(page, here)).toEqual([['TRUE', null, null, null, null], [null, null, null, 'FALSE', null]]);
  await expect(page.locator('.mx-news')).toContainText(`Undone: Set item_001, ${RULES[1]} to TRUE`);
  expect(await focusedName(page)).toBe(cellName('item_003', RULES[3], 'FALSE'));

  // Where the person has stayed, the focus goes along with each of several.
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect.poll(() => focusedName(page)).toBe(cellName('item_001', RULES[0], null));
});
