import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  LEAVE,
  MAX_EDIT_CELLS,
  type CellDetail,
  type Edit,
} from '../../../src/renderer/data/store/port.ts';
import {
  carryCells,
  countCells,
  gesturesFor,
} from '../../../src/renderer/features/profiles/carry/carry-cells.ts';
import { planRules } from '../../../src/shared/domain/carry-plan.ts';
import { parseReview } from '../../../src/renderer/features/profiles/carry/review-store.ts';
import type { CellState } from '../../../src/shared/domain/outcome.ts';
import {
  createMemorySession,
  type MemoryCell,
  type MemorySession,
} from '../../support/memory-session.ts';
import { profileWith, ruleOf, someProfile, UIDS } from './arbitrary.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => ({
    item_uid: `i${row}`,
    item_type: 'item',
    label: '',
    metadata: {},
  }));
const ITEMS = 5;
const some = { nil: undefined, freq: 3 } as const;
const text = fc.option(fc.constantFrom('a', 'b'), some);
const recorded = fc.record({
  row: fc.nat(ITEMS - 1),
  rule: fc.constantFrom(...UIDS),
  raw_outcome: fc.constantFrom<CellState>('TRUE', 'FALSE', 'NA', null),
  source_value: text,
  notes: text,
  provenance: fc.option(fc.constantFrom<unknown>('doi', { source: 'x' }), some),
  contested: fc.boolean(),
});
const matrix = fc.uniqueArray(recorded, {
  selector: (cell) => `${cell.row} ${cell.rule}`,
  maxLength: 20,
});

function sessionOf(
  profile: Parameters<typeof createMemorySession>[0],
  cells: readonly (typeof matrix extends fc.Arbitrary<infer T> ? T : never)[number][],
): MemorySession {
  const there = cells.filter((cell) => profile.rules.some((rule) => rule.ruleUid === cell.rule));
  return createMemorySession(
    profile,
    rows(ITEMS),
    there.map(
      ({ row, rule, raw_outcome, source_value, notes, provenance, contested }): MemoryCell => ({
        item: `i${row}`,
        rule,
        raw_outcome,
        ...(source_value === undefined ? {} : { source_value }),
        ...(notes === undefined ? {} : { notes }),
        ...(provenance === undefined ? {} : { provenance }),
        ...(contested ? { contested: true } : {}),
      }),
    ),
  );
}
type Content = { state: CellState; contested: boolean } & CellDetail;
function contentOf(session: MemorySession): Map<string, Content> {
  return new Map(
    session.items.flatMap((item, row) =>
      session.rules.map(
        (rule, column) =>
          [
            `${item.item_uid} ${rule}`,
            {
              state: session.state(row, column),
              contested: session.contested(row, column),
              ...session.detail(row, column),
            },
          ] as const,
      ),
    ),
  );
}
const isEmpty = (cell: Content): boolean =>
  cell.state === null &&
  !cell.contested &&
  cell.source_value === null &&
  cell.notes === null &&
  cell.provenance === null;
const how = (signal = new AbortController().signal) => ({
  signal,
  onProgress: () => undefined,
  pause: () => Promise.resolve(),
});
const carry = (source: MemorySession, target: MemorySession) =>
  carryCells(
    source,
    target,
    planRules(source.profile, target.profile).copied.map((rule) => rule.ruleUid),
    'Carry',
    'Why',
    how(),
  );

describe('carrying outcomes to another version', () => {
  it('copies what means the same, whole, and touches nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(someProfile, someProfile, matrix, matrix, async (from, to, there, here) => {
        const [source, target] = [sessionOf(from, there), sessionOf(to, here)];
        const [old, before] = [contentOf(source), contentOf(target)];
        const same = new Set(planRules(from, to).copied.map((rule) => rule.ruleUid));
        const open = [...(await countCells(source, target, [...same], how())).values()].reduce(
          (sum, count) => sum + count.open,
          0,
        );
        const result = await carry(source, target);
        const copied: string[] = [];
        for (const [name, cell] of contentOf(target)) {
          const [origin, was] = [old.get(name), before.get(name)!];
          const goes =
            origin !== undefined &&
            same.has(name.split(' ')[1]!) &&
            !isEmpty(origin) &&
            !origin.contested &&
            isEmpty(was);
          expect(cell).toEqual(goes ? origin : was);
          if (goes) copied.push(name);
        }
        expect(contentOf(source)).toEqual(old);
        expect(result.copied).toBe(copied.length);
        expect(open).toBe(result.copied + result.contested);
        expect(result.gestures).toBe(copied.length > 0 ? 1 : 0);
        // One step back, and it is as it was; a second carry has nothing left to do.
        if (copied.length > 0) await target.undo();
        expect(contentOf(target)).toEqual(before);
        await target.redo();
        expect((await carry(source, target)).copied).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps the reason in the history of each cell', async () => {
    const profile = profileWith([ruleOf('rule_a')]);
    const [source, target] = [
      createMemorySession(profile, rows(1), [
        { item: 'i0', rule: 'rule_a', raw_outcome: 'NA', notes: 'n' },
      ]),
      createMemorySession(profile, rows(1)),
    ];
    await carry(source, target);
    expect(
      (await target.history({ item: 'i0', rule: 'rule_a' })).steps.map((step) => step.reason),
    ).toEqual(['Why', 'Why']);
  });

  it('cuts what is more than one gesture holds, each within its bound, and stops between two', async () => {
    const rules = Array.from({ length: 500 }, (_, index) => ruleOf(`rule_${index}`));
    const profile = profileWith(rules);
    const source = createMemorySession(profile, rows(2_500));
    source.fill((row, column) => ((row + column) % 2 === 0 ? 'TRUE' : null));
    const edits: Edit[] = [];
    const target = {
      ...createMemorySession(profile, rows(2_500)),
      apply: (edit: Edit) => {
        edits.push(edit);
        return Promise.resolve({ items: 0, cells: 0 });
      },
    };
    const uids = rules.map((rule) => rule.ruleUid);
    const all = await carryCells(source, target, uids, 'Carry', 'Why', how());
    expect(all).toMatchObject({ copied: 625_000, gestures: gesturesFor(2_500, 500) });
    expect(edits).toHaveLength(3);
    for (const { blocks, cells } of edits)
      expect(blocks![0]!.items.length * 500 + cells!.length).toBeLessThanOrEqual(MAX_EDIT_CELLS);
    expect([...(edits[0]!.blocks![0]!.states as Uint8Array).slice(0, 3)]).toEqual([1, LEAVE, 1]);
    const stop = new AbortController();
    edits.length = 0;
    const some = await carryCells(source, target, uids, 'Carry', 'Why', {
      ...how(stop.signal),
      onProgress: () => stop.abort(),
    });
    expect([edits.length, some.gestures]).toEqual([1, 1]);
  });

  it('carries each item once, also where others remove and move rows between two parts', async () => {
    const rules = Array.from({ length: 500 }, (_, index) => ruleOf(`rule_${index}`));
    const profile = profileWith(rules);
    const uids = rules.map((rule) => rule.ruleUid);
    const [source, target] = [1, 2].map(() => createMemorySession(profile, rows(1_100)));
    source!.fill((_, column) => (column === 0 ? 'TRUE' : null));
    const removed = ['i0', 'i1050'];
    const result = await carryCells(source!, target!, uids, 'Carry', 'Why', {
      ...how(),
      onProgress: (done) => {
        if (done === 1_100) return;
        for (const session of [source!, target!])
          session.receiveItems([
            ...removed.map((item_uid) => ({ do: 'remove' as const, item_uid })),
            { do: 'move', item_uids: ['i1099'], before: 'i1' },
          ]);
      },
    });
    expect(result).toMatchObject({ copied: 1_099, kept: 0, gestures: 2 });
    expect(target!.totals()[1]).toBe(1_098);
  });
});

describe('the list for review', () => {
  const review = {
    form: 1,
    from: '1.0',
    copied: 1,
    kept: 0,
    contested: 0,
    partial: false,
    notTold: null,
    rules: [{ rule: 'rule_a', name: 'A', recorded: 2, kind: 'changed', done: false }],
  };
  it('is read back as it was kept, or not at all', () => {
    expect(parseReview(JSON.stringify(review))).toEqual(review);
    for (const text of [
      null,
      '',
      '{}',
      JSON.stringify({ ...review, more: 1 }),
      JSON.stringify({ ...review, copied: -1 }),
    ])
      expect(parseReview(text)).toBeUndefined();
  });
});
