import { expect, type Page } from '@playwright/test';
import { IN_LONG_FORM } from '../../support/length.ts';
import { command } from '../../support/served.ts';
import {
  cell,
  cellAt,
  cellName,
  createCase,
  focusedName,
  goOffline,
  goOnline,
  historyOf,
  LETTER,
  openCase,
  PROFILE,
  type Raw,
  RECONNECTED,
  RULES,
  SAVED,
  send,
  status,
  storedCells,
  storedHistory,
  test,
  uids,
} from './support/studio.ts';

/**
 * Resolves with the page's time of the first frame in which the cell has this name; by itself the
 * page asks only once a minute.
 */
const whenShown = (page: Page, name: string): Promise<number> =>
  page
    .waitForFunction(
      (wanted) =>
        document.querySelector(`[role=gridcell][aria-label="${wanted}"]`) === null
          ? undefined
          : Date.now(),
      name,
      { polling: 'raf' },
    )
    .then((handle) => handle.jsonValue() as Promise<number>);

test(
  'what an agent writes is in the open page at once, and leaves the person where they are',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    const agent = JSON.parse(
      (
        await command([
          'key',
          'create',
          '--name',
          'variant caller',
          '--scopes',
          'read,write',
          '--json',
          '--data',
          studio.data,
        ])
      ).stdout,
    ).key as string;
    const items = uids(30);
    await createCase(
      studio,
      key,
      'agent',
      items.map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'agent');
    await expect(status(page)).toHaveText(/^(?:No changes yet|Saved)/);

    await cellAt(page, 'item_004', RULES[1]).click();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    const selected = page.locator('.mx-cell[aria-selected=true]');
    await expect(selected).toHaveCount(4);
    const focus = await focusedName(page);
    expect(focus).toBe(cellName('item_004', RULES[1], null));

    const fromRequest: number[] = [];
    const fromAnswer: number[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const raw = (['TRUE', 'FALSE', 'NA'] as const)[turn % 3] as Raw;
      const shown = whenShown(page, cellName('item_002', RULES[3], raw));
      const began = Date.now();
      await send(studio, agent, 'POST', 'evidence', {
        case_uid: 'agent',
        profile_uid: PROFILE,
        items: [{ item_uid: 'item_002', evidence: [{ rule_uid: RULES[3], raw_outcome: raw }] }],
      });
      const answered = Date.now();
      const at = await shown;
      fromRequest.push(at - began);
      fromAnswer.push(Math.max(0, at - answered));
    }
    console.log(
      `agent: from its request to the cell on screen ${fromRequest.join(', ')} ms; from its answer ${fromAnswer.join(', ')} ms`,
    );

    // A new row above and a cell inside the selection move neither focus nor selection.
    await send(studio, agent, 'POST', 'evidence', {
      case_uid: 'agent',
      profile_uid: PROFILE,
      items: [
        { item_uid: 'item_000', position: 0.5, evidence: [] },
        {
          item_uid: 'item_005',
          evidence: [{ rule_uid: RULES[1], raw_outcome: 'TRUE', notes: 'from the caller' }],
        },
      ],
    });
    await expect(page.getByRole('row', { name: /item_000/ })).toBeVisible();
    await expect(cell(page, 'item_005', RULES[1], 'TRUE')).toBeVisible();
    expect(await focusedName(page)).toBe(focus);
    await expect(selected).toHaveCount(4);
    expect(
      await selected.evaluateAll((cells) =>
        cells.map((element) => element.getAttribute('aria-label') ?? ''),
      ),
    ).toEqual([
      cellName('item_004', RULES[1], null),
      cellName('item_004', RULES[2], null),
      cellName('item_005', RULES[1], 'TRUE'),
      cellName('item_005', RULES[2], null),
    ]);

    await cellAt(page, 'item_005', RULES[1]).click();
    await expect(historyOf(page)).toContainText('variant caller, agent');
    await expect(historyOf(page)).toContainText('from the caller');
    await page.keyboard.press('f');
    await expect(historyOf(page).getByRole('listitem')).toHaveCount(3);
    await expect(status(page)).toHaveText(SAVED);
    const steps = await storedHistory(studio, key, 'agent', 'item_005', RULES[1]);
    expect(steps.map(({ kind, field }) => [kind, field])).toEqual(
      expect.arrayContaining([
        ['human', 'outcome'],
        ['agent', 'notes'],
        ['agent', 'outcome'],
      ]),
    );
  },
);

test(
  'rows that an agent inserts while a person types never move the typing to another item',
  IN_LONG_FORM,
  async ({ page, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    const items = uids(16);
    await createCase(
      studio,
      key,
      'rows',
      items.map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'rows');
    await cellAt(page, 'item_001', RULES[0]).click();
    const raws = items.map((_, row) => (['TRUE', 'FALSE', 'NA'] as const)[(row * row) % 3] as Raw);
    let inserting: Promise<unknown> = Promise.resolve();
    for (const [row, raw] of raws.entries()) {
      if (row % 3 === 1)
        inserting = inserting.then(() =>
          send(studio, key, 'POST', 'evidence', {
            case_uid: 'rows',
            profile_uid: PROFILE,
            items: [
              {
                item_uid: `before_${row}`,
                position: -row,
                evidence: [{ rule_uid: RULES[4], raw_outcome: 'NA' }],
              },
            ],
          }),
        );
      expect(await focusedName(page)).toBe(cellName(items[row] as string, RULES[0], null));
      await page.keyboard.press(LETTER[raw]);
      await page.keyboard.press('ArrowDown');
    }
    await inserting;
    // Whose they are is said, and what has just come in is marked: never what was typed here.
    await expect(page.locator('.mx-others')).toContainText('test, agent');
    const marked = page.locator('.mx-cell[data-news]');
    await expect(marked.first()).toHaveAttribute('title', 'Just changed by test, agent');
    expect(
      (
        await marked.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
      ).filter((name) => !name.startsWith('before_')),
    ).toEqual([]);
    await expect(page.getByText('21 of 21 items shown')).toBeVisible();
    await expect(status(page)).toHaveText(SAVED);
    const stored = await storedCells(studio, key, 'rows');
    expect(items.map((item) => stored.get(`${item} ${RULES[0]}`)?.raw_outcome)).toEqual(raws);
    expect(stored.size).toBe(16 + 5);
  },
);

test(
  'a person offline and an agent write the same cell: both are kept, the cell contests, and a choice with a reason settles it',
  IN_LONG_FORM,
  async ({ page, context, studio }) => {
    test.setTimeout(60_000);
    const key = await studio.key();
    await createCase(
      studio,
      key,
      'conflict',
      uids(3).map((item_uid) => ({ item_uid })),
    );
    await studio.signIn(page);
    await openCase(page, studio, 'conflict');
    await goOffline(context);
    await context.setOffline(true);
    await cellAt(page, 'item_002', RULES[0]).click();
    await page.keyboard.press('f');
    await expect(cell(page, 'item_002', RULES[0], 'FALSE')).toBeVisible();
    await send(studio, key, 'POST', 'evidence', {
      case_uid: 'conflict',
      profile_uid: PROFILE,
      items: [{ item_uid: 'item_002', evidence: [{ rule_uid: RULES[0], raw_outcome: 'TRUE' }] }],
    });
    await expect(status(page)).toHaveText(/^1 change pending,/);

    await goOnline(context);
    await context.setOffline(false);
    await expect(status(page)).toHaveText(SAVED, RECONNECTED);
    const contested = page.locator(
      `[role=gridcell][aria-label^="item_002, ${RULES[0]}: "][aria-label$=", conflict"]`,
    );
    await expect(contested).toBeVisible();
    await expect(page.getByText(/^Conflict/).first()).toBeVisible();
    expect((await storedCells(studio, key, 'conflict')).get(`item_002 ${RULES[0]}`)).toMatchObject({
      contested: true,
    });
    const steps = await storedHistory(studio, key, 'conflict', 'item_002', RULES[0]);
    expect(
      steps
        .map(({ kind, new: value, current }) => [kind, value.raw_outcome ?? value, current])
        .toSorted(),
    ).toEqual([
      ['agent', 'TRUE', true],
      ['human', 'FALSE', true],
    ]);
    await expect(historyOf(page).getByRole('listitem')).toHaveCount(2);
    await expect(historyOf(page)).toContainText('test, agent');

    const form = page.getByRole('form', { name: 'Resolve the conflict' });
    await expect(form.getByRole('radio')).toHaveCount(2);
    await form.getByRole('radio', { name: /FALSE, evidence present/ }).check();
    await form.getByLabel('Reason').fill('Read again in the report.');
    await form.getByRole('button', { name: 'Resolve' }).click();
    await expect(cell(page, 'item_002', RULES[0], 'FALSE')).toBeVisible();
    await expect(status(page)).toHaveText(SAVED);
    expect((await storedCells(studio, key, 'conflict')).get(`item_002 ${RULES[0]}`)).toMatchObject({
      contested: false,
      raw_outcome: 'FALSE',
    });
    const [last] = await storedHistory(studio, key, 'conflict', 'item_002', RULES[0]);
    expect(last).toMatchObject({
      kind: 'human',
      reason: 'Read again in the report.',
      current: true,
    });
  },
);
