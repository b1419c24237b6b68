import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LEAVE, type ItemEdit, type MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { IDBFactory } from 'fake-indexeddb';
import { at, Computer, recount, rest, turns } from './support/windows.ts';
import { lengthOf } from '../../support/length.ts';

const SHARED = { shared: true, hints: true };
const UIDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const uid = fc.constantFrom(...UIDS);
const label = fc.constantFrom('', 'L', 'M');
const itemEdit: fc.Arbitrary<ItemEdit> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), item_uid: uid, label }),
  fc.record({ do: fc.constant('add' as const), item_uid: uid, before: uid }),
  fc.record({
    do: fc.constant('set' as const),
    item_uid: uid,
    label,
    metadata: fc.constantFrom({}, { a: 1 }),
  }),
  fc.record({ do: fc.constant('remove' as const), item_uid: uid }),
  fc.record({
    do: fc.constant('move' as const),
    item_uids: fc.uniqueArray(uid, { minLength: 1, maxLength: 3 }),
    before: fc.option(uid),
  }),
);
const block = fc.record({
  items: fc.uniqueArray(uid, { minLength: 1, maxLength: 3 }),
  codes: fc.array(fc.constantFrom(0, 1, 2, 3, LEAVE), { minLength: 9, maxLength: 9 }),
});
const note = fc.record({ item: uid, rule: fc.nat(2), notes: fc.constantFrom(null, 'n', 'm') });
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      window: fc.nat(1),
      items: fc.array(itemEdit, { maxLength: 3 }),
      block: fc.option(block),
      note: fc.option(note),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      window: fc.nat(1),
      item: uid,
      waits: fc.boolean(),
    }),
  },
  // What comes next comes in the middle of what those before have begun.
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turns' as const), turns: fc.nat(25) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('other' as const),
      hint: fc.boolean(),
      uid,
      rule: fc.nat(2),
      what: fc.constantFrom('label' as const, 'position' as const, 'x' as const, 'cell' as const),
      number: fc.nat(4),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const, 'redo' as const, 'reopen' as const),
      window: fc.nat(1),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'pass' as const,
        'offline' as const,
        'online' as const,
        'rebuild' as const,
      ),
    }),
  },
);

type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;
/**
 * Was found by chance: the journal mentions a change that the copy, begun anew meanwhile, does not
 * hold; a window opened then showed no items.
 */
const MENTIONED: Act[] = [
  { kind: 'rebuild' },
  {
    kind: 'apply',
    window: 1,
    items: [],
    block: null,
    note: { item: 'a', rule: 0, notes: 'm' },
    waits: true,
  },
  { kind: 'undo', window: 1, waits: true },
  { kind: 'reopen', window: 0, waits: true },
  {
    kind: 'apply',
    window: 0,
    items: [{ do: 'set', item_uid: 'a', label: 'M', metadata: {} }],
    block: null,
    note: null,
    waits: true,
  },
  { kind: 'undo', window: 0, waits: true },
];
/**
 * So was this one: a window that takes the lead wrote its own numbers into the copy before it had
 * read it, and did not show what it had written last.
 */
const TAKEN_OVER: Act[] = [
  {
    kind: 'apply',
    window: 0,
    items: [],
    block: null,
    note: { item: 'a', rule: 0, notes: 'm' },
    waits: true,
  },
  { kind: 'undo', window: 0, waits: true },
  {
    kind: 'apply',
    window: 1,
    items: [],
    block: null,
    note: { item: 'b', rule: 0, notes: 'n' },
    waits: true,
  },
  { kind: 'reopen', window: 0, waits: true },
  { kind: 'pass' },
];

/**
 * So was this one: a window that took the lead began a new generation from a row that the other had
 * moved. It was not stored, and counted all the same: the next one was refused, and nothing was
 * sent until a person came.
 */
const BEHIND: Act[] = [
  {
    kind: 'apply',
    window: 0,
    items: [],
    block: null,
    note: { item: 'a', rule: 0, notes: 'm' },
    waits: true,
  },
  {
    kind: 'apply',
    window: 1,
    items: [],
    block: null,
    note: { item: 'b', rule: 2, notes: 'n' },
    waits: true,
  },
  {
    kind: 'apply',
    window: 1,
    items: [],
    block: null,
    note: { item: 'e', rule: 0, notes: 'm' },
    waits: true,
  },
  {
    kind: 'apply',
    window: 1,
    items: [],
    block: null,
    note: { item: 'b', rule: 0, notes: null },
    waits: true,
  },
  { kind: 'rebuild' },
  {
    kind: 'apply',
    window: 1,
    items: [{ do: 'add', item_uid: 'a', label: 'M' }],
    block: null,
    note: null,
    waits: true,
  },
  { kind: 'reopen', window: 0, waits: true },
];

/**
 * And this (seed 131881941): a removed row that an edit added and removed again was written all the
 * same, and undo had a step that took nothing back.
 */
const ADDED_AND_REMOVED = [
  { items: [{ do: 'remove' as const, item_uid: 'b' }], block: null, note: null, reload: false },
  {
    items: [
      { do: 'add' as const, item_uid: 'b', label: '' },
      { do: 'remove' as const, item_uid: 'b' },
    ],
    block: null,
    note: null,
    reload: false,
  },
];

/** Everything a person sees of a matrix. */
const seen = (session: MatrixSession): unknown =>
  session.items.map((item, row) => [
    item,
    session.rules.map((_, column) => [
      session.state(row, column),
      session.detail(row, column).notes,
    ]),
  ]);

/** `isAlone`: nothing else is under way, so that what is refused changes nothing on screen. */
async function apply(
  session: MatrixSession,
  one: {
    items: ItemEdit[];
    block: { items: string[]; codes: number[] } | null;
    note: { item: string; rule: number; notes: string | null } | null;
  },
  isAlone = true,
): Promise<void> {
  const refused = new Set(session.check(one.items).map(({ index }) => index));
  const items = one.items.filter((_, index) => !refused.has(index));
  const before = [seen(session), session.canUndo];
  const { block: cells, note: more } = one;
  await session
    .apply({
      label: 'g',
      items,
      ...(cells === null
        ? {}
        : {
            blocks: [
              {
                items: cells.items,
                rules: session.rules,
                states: Uint8Array.from(cells.codes.slice(0, cells.items.length * 3)),
              },
            ],
          }),
      ...(more === null
        ? {}
        : { cells: [{ ...at(more.item, more.rule), patch: { notes: more.notes } }] }),
    })
    .catch(() => isAlone && expect([seen(session), session.canUndo]).toEqual(before));
}

/** Settles what is contested of an item with one of the values, without looking again. */
async function settle(session: MatrixSession, item: string): Promise<unknown> {
  const settlings = session
    .contests()
    .filter((contest) => contest.item === item)
    .map(({ reg }) => {
      const heads = session.headsOf(reg);
      return { reg, heads: heads.map(({ entry }) => entry), value: heads.at(-1)?.value };
    });
  return settlings.length > 0 ? session.settle(settlings, 'why', 'g') : undefined;
}

it('rows and cells agree in two windows, on the disk and on the server, whatever is done and taken back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 18 }), async (acts) => {
      const computer = new Computer(3, UIDS.slice(0, 4));
      computer.upstream.chunkItems = 3;
      const windows = [await computer.open(SHARED), await computer.open(SHARED)];
      const pending: Promise<unknown>[] = [];
      const doing = async (waits: boolean, done: Promise<unknown>): Promise<void> => {
        if (waits) await done;
        else pending.push(done.catch(() => undefined));
      };
      const other = (one: {
        uid: string;
        rule: number;
        what: 'label' | 'position' | 'x' | 'cell';
        number: number;
      }): void => {
        if (one.what === 'cell') computer.upstream.writeCell(one.uid, at('', one.rule).rule, 'NA');
        else
          computer.upstream.write([
            {
              register: { kind: 'item', field: one.what, item: one.uid },
              value:
                one.what === 'label'
                  ? `by another ${one.number}`
                  : one.what === 'position'
                    ? one.number
                    : { deleted: one.number > 2 },
            },
          ]);
      };
      for (const one of acts) {
        computer.time += 5;
        if (one.kind === 'apply')
          await doing(
            one.waits,
            apply(windows[one.window]!.session, one, one.waits && pending.length === 0),
          );
        else if (one.kind === 'turns') await turns(one.turns);
        else if (one.kind === 'settle')
          await doing(one.waits, settle(windows[one.window]!.session, one.item));
        else if (one.kind === 'other') {
          other(one);
          if (one.hint) computer.hint(computer.upstream.log.length);
        } else if (one.kind === 'undo' || one.kind === 'redo')
          await doing(one.waits, windows[one.window]!.session[one.kind]());
        else if (one.kind === 'reopen') {
          windows[one.window]!.layer.close();
          if (one.waits) await rest();
          windows[one.window] = await computer.open(SHARED);
        } else if (one.kind === 'pass') await computer.pass(2_500);
        else if (one.kind === 'rebuild') computer.upstream.epoch = 'another';
        else
          computer.upstream.fault = (_, path) =>
            one.kind === 'online' || path.endsWith('/session') ? null : 'offline';
      }
      await Promise.all(pending);
      computer.upstream.fault = () => null;
      for (const { session } of windows) await computer.synced(session);
      const fresh = new Computer(3, []);
      const served = async (): Promise<unknown> => {
        fresh.upstream.restore(computer.upstream.dump());
        fresh.factory = new IDBFactory();
        const { session, layer } = await fresh.open();
        const all = seen(session);
        layer.close();
        return all;
      };
      const inStep = async (): Promise<boolean> => {
        const all = JSON.stringify(await served());
        return windows.every(({ session }) => JSON.stringify(seen(session)) === all);
      };
      for (let tries = 0; tries < 10 && !(await inStep()); tries += 1) await computer.pass(10_000);
      const all = await served();
      for (const { session } of windows) {
        expect(seen(session)).toEqual(all);
        expect(session.totals()).toEqual(recount(session).totals);
        expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null });
      }
      for (const { layer } of windows) layer.close();
      await rest();
    }),
    {
      examples: [[MENTIONED], [TAKEN_OVER], [BEHIND]],
      numRuns: lengthOf(5, 1_000),
    },
  );
}, 900_000);

it('undoing all that was done alone brings back the start, over reloads, and redoing it the end', async () => {
  const mine = fc.record({
    items: fc.array(itemEdit, { maxLength: 3 }),
    block: fc.option(block),
    note: fc.option(note),
    reload: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(mine, { minLength: 1, maxLength: 10 }), async (acts) => {
      const computer = new Computer(3, UIDS.slice(0, 4));
      let { session, layer } = await computer.open();
      const reload = async (): Promise<void> => {
        layer.close();
        await rest();
        ({ session, layer } = await computer.open());
      };
      const states = [seen(session)];
      for (const one of acts) {
        computer.time += 5;
        const before = JSON.stringify(seen(session));
        await apply(session, one);
        if (JSON.stringify(seen(session)) !== before) states.push(seen(session));
        if (one.reload) await reload();
      }
      for (const [way, order] of [
        ['undo', states.toReversed()],
        ['redo', states],
        ['undo', states.toReversed()],
      ] as const) {
        for (const state of order.slice(1)) {
          computer.time += 5;
          expect(await session[way]()).toMatchObject({ skipped: [], skippedItems: [] });
          expect(seen(session)).toEqual(state);
          if (computer.time % 3 === 0) await reload();
        }
        expect(await session[way]()).toBeNull();
        await reload();
      }
      await computer.synced(session);
      layer.close();
      await rest();
    }),
    {
      examples: [[ADDED_AND_REMOVED]],
      numRuns: lengthOf(5, 100),
    },
  );
}, 200_000);
