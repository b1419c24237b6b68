import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blocksOf,
  carryOver,
  contains,
  countIn,
  isSelected,
  itemsIn,
  type Rect,
  rectOf,
  rectsOf,
  rulesIn,
  type Selection,
  single,
  sizeOf,
  sizeOfAll,
} from '../../../src/renderer/features/matrix/model/selection.ts';
import { createView, type View } from '../../../src/renderer/features/matrix/model/view.ts';
import { cell, sessionOf } from './profile.ts';

const session = sessionOf(6, 4, [
  { ...cell(2, 2), raw_outcome: 'FALSE' },
  { ...cell(3, 3), raw_outcome: 'TRUE' },
  { ...cell(5, 1), raw_outcome: 'NA' },
]);
const all = createView(session, () => true);
const odd = createView(session, (row) => row % 2 === 0);

/** Row by row. */
function cellsIn(rect: Rect, view: View): { item: string; rule: string }[] {
  const rules = rulesIn(rect, view);
  return itemsIn(rect, view).flatMap((item) => rules.map((rule) => ({ item, rule })));
}

describe('a selection', () => {
  it('is the same rectangle from whichever corner it was drawn', () => {
    const rect = { top: 1, left: 1, bottom: 3, right: 2 };
    expect(rectOf({ anchor: cell(2, 2), focus: cell(4, 3), extra: [] }, all)).toEqual(rect);
    expect(rectOf({ anchor: cell(4, 2), focus: cell(2, 3), extra: [] }, all)).toEqual(rect);
    expect(sizeOf(rect)).toBe(6);
    expect(contains(rect, 1, 1)).toBe(true);
    expect(contains(rect, 4, 1)).toBe(false);
  });

  it('names its cells row by row in display order', () => {
    expect(cellsIn({ top: 0, left: 0, bottom: 1, right: 1 }, odd)).toEqual([
      cell(1, 1),
      cell(1, 2),
      cell(3, 1),
      cell(3, 2),
    ]);
  });

  it('is no rectangle while a corner is hidden', () => {
    expect(rectOf({ anchor: cell(1, 1), focus: cell(2, 1), extra: [] }, odd)).toBeNull();
    expect(rectOf(null, all)).toBeNull();
  });

  it('goes to the row in the place of a hidden focus, and away with the last row', () => {
    expect(carryOver(single(cell(2, 2)), all, odd)).toEqual(single(cell(3, 2)));
    expect(carryOver(single(cell(6, 2)), all, odd)).toEqual(single(cell(5, 2)));
    expect(
      carryOver(
        single(cell(6, 2)),
        all,
        createView(session, () => false),
      ),
    ).toBeNull();
  });

  it('stays when the same rows are shown', () => {
    const selection = { anchor: cell(1, 1), focus: cell(1, 4), extra: [] };
    expect(carryOver(selection, all, odd)).toBe(selection);
    const whole: Selection = { anchor: cell(1, 1), focus: cell(6, 2), extra: [] };
    expect(
      carryOver(
        whole,
        all,
        createView(session, () => true, { rows: [5, 4, 3, 2, 1, 0] }),
      ),
    ).toBe(whole);
  });

  it('keeps its cells and its focus where another order brings others between them, or hides some', () => {
    const names = (selection: Selection | null, view: View): string[] =>
      rectsOf(selection, view)
        .flatMap((rect) => cellsIn(rect, view))
        .map(({ item, rule }) => `${item} ${rule}`);
    const block: Selection = { anchor: cell(1, 1), focus: cell(2, 2), extra: [] };
    for (const view of [
      createView(session, () => true, { rows: [0, 2, 1, 3, 4, 5] }),
      createView(session, () => true, { columns: [0, 2, 1, 3] }),
    ]) {
      const kept = carryOver(block, all, view);
      expect(names(kept, view).toSorted()).toEqual(['i1 r1', 'i1 r2', 'i2 r1', 'i2 r2']);
      expect(kept).toMatchObject({ focus: cell(2, 2), extra: [{}] });
    }
    const without = createView(session, () => true, { columns: [0, 2, 3] });
    expect(names(carryOver(block, all, without), without)).toEqual(['i1 r1', 'i2 r1']);
  });

  it('goes back to one cell rather than to more pieces than anyone chose', () => {
    const long = sessionOf(1_000, 1);
    const whole = createView(long, () => true);
    const some = createView(long, (row) => row % 2 === 0);
    expect(carryOver({ anchor: cell(1, 1), focus: cell(999, 1), extra: [] }, some, whole)).toEqual(
      single(cell(999, 1)),
    );
  });
});

const anyCell = fc
  .record({ row: fc.integer({ min: 1, max: 6 }), column: fc.integer({ min: 1, max: 4 }) })
  .map(({ row, column }) => cell(row, column));
const anyBlock = fc.record({ anchor: anyCell, focus: anyCell });
const anySelection: fc.Arbitrary<Selection> = fc.record({
  anchor: anyCell,
  focus: anyCell,
  extra: fc.array(anyBlock, { maxLength: 6 }),
});

describe('several blocks', () => {
  it('are taken apart so that every selected cell comes once, and no other', () => {
    fc.assert(
      fc.property(anySelection, (selection) => {
        const rects = rectsOf(selection, all);
        const cells = blocksOf(selection, all, 'TRUE').flatMap(({ items, rules }) =>
          items.flatMap((item) => rules.map((rule) => `${item} ${rule}`)),
        );
        const covered = cellsIn({ top: 0, left: 0, bottom: 5, right: 3 }, all).filter(
          ({ item, rule }) => isSelected(rects, all.rowOf(item), all.columnOf(rule)),
        );
        expect(cells.toSorted()).toEqual(
          covered.map(({ item, rule }) => `${item} ${rule}`).toSorted(),
        );
        expect(sizeOfAll(rects)).toBe(covered.length);
        expect(countIn(rects, all, session).reduce((sum, count) => sum + count, 0)).toBe(
          covered.length,
        );
      }),
    );
  });

  it('keep their cells in every order and under every filter, and gain none', () => {
    const names = (selection: Selection | null, view: View): Set<string> =>
      new Set(
        rectsOf(selection, view)
          .flatMap((rect) => cellsIn(rect, view))
          .map(({ item, rule }) => `${item} ${rule}`),
      );
    const anyView = fc
      .record({
        rows: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
        columns: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }),
        hidden: fc.subarray([0, 1, 2, 3, 4, 5], { maxLength: 5 }),
      })
      .map(({ rows, columns, hidden }) =>
        createView(session, (row) => !hidden.includes(row), { rows, columns }),
      );
    fc.assert(
      fc.property(anySelection, anyView, (selection, view) => {
        const kept = carryOver(selection, all, view);
        const shown = new Set(
          [...names(selection, all)].filter(
            (name) =>
              view.rowOf(name.split(' ')[0]!) >= 0 && view.columnOf(name.split(' ')[1]!) >= 0,
          ),
        );
        expect(view.rowOf(kept!.focus.item) >= 0 && view.columnOf(kept!.focus.rule) >= 0).toBe(
          true,
        );
        if (shown.size > 0) expect(names(kept, view)).toEqual(shown);
        else expect(kept).toEqual(single(kept!.focus));
        if (shown.has(`${selection.focus.item} ${selection.focus.rule}`))
          expect(kept!.focus).toEqual(selection.focus);
      }),
    );
  });

  it('have the active one first, and leave out what is not fully shown', () => {
    const selection: Selection = {
      anchor: cell(5, 2),
      focus: cell(5, 3),
      extra: [
        { anchor: cell(1, 1), focus: cell(2, 1) },
        { anchor: cell(3, 1), focus: cell(3, 1) },
      ],
    };
    expect(rectsOf(selection, all)[0]).toEqual({ top: 4, bottom: 4, left: 1, right: 2 });
    expect(rectsOf(selection, odd)).toEqual([
      { top: 2, bottom: 2, left: 1, right: 2 },
      { top: 1, bottom: 1, left: 0, right: 0 },
    ]);
  });

  it('reach to the corner where the focus stands inside', () => {
    expect(
      rectOf({ anchor: cell(1, 1), corner: cell(3, 3), focus: cell(2, 2), extra: [] }, all),
    ).toEqual({ top: 0, bottom: 2, left: 0, right: 2 });
  });
});

describe('the counts of a rectangle', () => {
  const byCell = (rect: { top: number; left: number; bottom: number; right: number }): number[] => {
    const counts = [0, 0, 0, 0];
    for (const { item, rule } of cellsIn(rect, all))
      counts[
        ['FALSE', 'TRUE', 'NA', null].indexOf(
          session.state(session.rowOf(item), session.columnOf(rule)),
        )
      ]! += 1;
    return counts;
  };

  it.each([
    ['a block', { top: 1, left: 1, bottom: 2, right: 2 }],
    ['whole rows', { top: 1, left: 0, bottom: 4, right: 3 }],
    ['whole columns', { top: 0, left: 1, bottom: 5, right: 2 }],
    ['everything', { top: 0, left: 0, bottom: 5, right: 3 }],
  ])('are those of its cells: %s', (_, rect) => {
    expect(countIn([rect], all, session)).toEqual(byCell(rect));
  });

  it('are those of the rules shown, in whatever order', () => {
    const turned = createView(session, () => true, { columns: [2, 0] });
    expect(countIn([{ top: 0, left: 0, bottom: 5, right: 0 }], turned, session)).toEqual([
      0, 1, 0, 5,
    ]);
    expect(countIn([{ top: 4, left: 0, bottom: 4, right: 1 }], turned, session)).toEqual([
      0, 0, 1, 1,
    ]);
    expect(countIn([{ top: 0, left: 0, bottom: 5, right: 1 }], turned, session)).toEqual([
      0, 1, 1, 10,
    ]);
  });

  it('leave out hidden rows', () => {
    expect(countIn([{ top: 0, left: 0, bottom: 2, right: 3 }], odd, session)).toEqual([
      0, 1, 1, 10,
    ]);
  });
});
