import { IDBFactory } from 'fake-indexeddb';
import { afterEach, describe, expect, it } from 'vitest';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { reviewOf } from '../../../src/renderer/features/matrix/conflicts/review.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { at, Computer, rest } from './support/windows.ts';

let computer: Computer;
afterEach(() => computer.end());

/** Cells of row `a` that this window wrote TRUE offline, and an agent FALSE. */
async function contested(columns: readonly number[]): Promise<MatrixSession> {
  computer = new Computer();
  const { session } = await computer.open();
  await computer.synced(session);
  computer.upstream.fault = () => 'offline';
  await session.write(
    'x',
    columns.map((column) => at('a', column)),
    { raw_outcome: 'TRUE', source_value: '1.2' },
    'read the gel',
  );
  computer.time += 1_000;
  for (const column of columns) computer.upstream.writeCell('a', session.rules[column]!, 'FALSE');
  computer.upstream.fault = () => null;
  await computer.synced(session);
  return session;
}
const choose = (session: MatrixSession, outcome: string) =>
  session.contests().map(({ reg }) => {
    const heads = session.headsOf(reg);
    return {
      reg,
      heads: heads.map(({ entry }) => entry),
      value: heads.find((head) => head.raw_outcome === outcome)?.value,
    };
  });
const saidAt = (column: number) =>
  computer.upstream
    .cell('a', `rule_00${column}`)
    .map(({ value }) => (value as { raw_outcome: string }).raw_outcome);

describe('what is contested', () => {
  it('is listed with what every head says: outcomes, then sources, then notes, then fields of items', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const { upstream } = computer;
    const cell = (kind: 'assertion' | 'notes', rule: string) => ({
      kind,
      profile: upstream.profile.profileUid,
      version: upstream.profile.version,
      rule,
      item: 'a',
    });
    const twice = (register: Parameters<typeof upstream.heads>[0], values: unknown[]) => {
      for (const value of values) upstream.write([{ register, value, parents: [] }]);
    };
    twice({ kind: 'item', field: 'label', item: 'a' }, ['one', 'two']);
    twice(cell('notes', 'rule_000'), ['seen', 'not seen']);
    twice(cell('assertion', 'rule_001'), [
      { raw_outcome: 'NA', source_value: '1' },
      { raw_outcome: 'NA', source_value: '2' },
    ]);
    twice(cell('assertion', 'rule_000'), [
      { raw_outcome: 'NA' },
      { raw_outcome: 'TRUE' },
      { raw_outcome: 'NA' },
    ]);
    // Equal outcome and source corroborate: no review.
    twice(cell('assertion', 'rule_002'), [
      { raw_outcome: 'NA' },
      { raw_outcome: 'NA', provenance: 'by eye' },
    ]);
    await computer.synced(session);
    expect(
      session.contests().map(({ item, rule, field, kind }) => [item, rule, field, kind]),
    ).toEqual([
      ['a', 'rule_000', 'outcome', 'value'],
      ['a', 'rule_001', 'outcome', 'source'],
      ['a', 'rule_000', 'notes', 'notes'],
      ['a', null, 'label', 'item'],
    ]);
    const [first, , , label] = session.contests();
    expect(
      session.headsOf(first!.reg).map(({ raw_outcome, displayed }) => [raw_outcome, displayed]),
    ).toEqual([
      ['NA', true],
      ['TRUE', false],
      ['NA', false],
    ]);
    const heads = session.headsOf(label!.reg);
    await session.settle(
      [{ reg: label!.reg, heads: heads.map(({ entry }) => entry), value: 'one' }],
      'as on the tube',
      'Settle',
    );
    expect(session.items[session.rowOf('a')]?.label).toBe('one');
    await computer.synced(session);
    expect(upstream.heads({ kind: 'item', field: 'label', item: 'a' })).toMatchObject([
      { value: 'one', why: 'as on the tube' },
    ]);
  });
});

describe('settling', () => {
  it('names every head with one reason (S3, I7); a plain write does not settle (H6)', async () => {
    const session = await contested([0, 1]);
    await session.write('x', [at('a', 0)], { raw_outcome: 'NA' });
    expect(session.contests()).toHaveLength(2);
    await expect(session.settle(choose(session, 'TRUE'), ' ', 'Settle')).rejects.toThrow('reason');
    expect(
      await session.settle(choose(session, 'TRUE'), 'looked at the gel again', 'Settle'),
    ).toEqual({ settled: 2, left: [] });
    expect(session.contested(0, 0)).toBe(false);
    await computer.synced(session);
    expect(computer.upstream.cell('a', 'rule_000')).toMatchObject([
      { value: { raw_outcome: 'TRUE', source_value: '1.2' }, why: 'looked at the gel again' },
    ]);
    expect(computer.upstream.log.at(-1)?.change.entries).toMatchObject([
      { op: 'resolve', parents: [expect.any(String), expect.any(String)] },
      { op: 'resolve' },
    ]);
    expect(session.contests()).toEqual([]);
  });

  it('leaves a register with other heads than were shown, and settles the rest', async () => {
    const session = await contested([0, 1]);
    const choices = choose(session, 'TRUE');
    computer.upstream.writeCell('a', 'rule_000', 'NA', []);
    await computer.synced(session);
    expect(await session.settle(choices, 'again', 'Settle')).toEqual({
      settled: 1,
      left: [choices[0]!.reg],
    });
    expect(session.contests().map(({ rule }) => rule)).toEqual(['rule_000']);
    expect(session.headsOf(choices[0]!.reg)).toHaveLength(3);
  });

  it('that races a new edit is contested again, here and there (I8)', async () => {
    const session = await contested([0]);
    computer.upstream.fault = () => 'offline';
    await session.settle(choose(session, 'TRUE'), 'again', 'Settle');
    expect(session.contests()).toEqual([]);
    computer.time += 1_000;
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(session.contests()).toHaveLength(1);
    expect(saidAt(0).sort()).toEqual(['NA', 'TRUE']);
  });

  it('is taken back by writing again what each head said, in changes of their own (H5, H7), and done again by settling those', async () => {
    const session = await contested([0, 1]);
    const before = [0, 1].map((column) => [saidAt(column), session.state(0, column)]);
    await session.settle(choose(session, 'TRUE'), 'again', 'Settle two');
    const settled = computer.upstream.log.length;
    expect(await session.undo()).toMatchObject({ label: 'Settle two', count: 2, skippedCount: 0 });
    expect(session.contests()).toHaveLength(2);
    await computer.synced(session);
    expect([0, 1].map((column) => [saidAt(column), session.state(0, column)])).toEqual(before);
    const [, first, second] = computer.upstream.log.slice(settled);
    expect(
      [first, second].map((sealed) =>
        sealed!.change.entries.map(({ op, parents, restores }) => [
          op,
          parents.length,
          typeof restores,
        ]),
      ),
    ).toEqual([
      [
        ['set', 1, 'string'],
        ['set', 1, 'string'],
      ],
      [
        ['set', 1, 'string'],
        ['set', 1, 'string'],
      ],
    ]);
    expect(first!.change.txn).toBe(second!.change.txn);
    expect(await session.redo()).toMatchObject({ count: 2, skippedCount: 0 });
    await computer.synced(session);
    expect([saidAt(0), saidAt(1)]).toEqual([['TRUE'], ['TRUE']]);
    expect(computer.upstream.cell('a', 'rule_000')).toMatchObject([{ why: 'again' }]);
    // Round once more: the words of the first heads are still theirs.
    await session.undo();
    await computer.synced(session);
    expect(computer.upstream.log.at(-1)!.change.entries[0]!.restores).toBe(
      second!.change.entries[0]!.restores,
    );
    expect(session.contests()).toHaveLength(2);
  });

  it('can be done another way in the dialog right after it was taken back', async () => {
    const session = await contested([0]);
    const editor = createEditor(session, () => undefined);
    const review = reviewOf(editor);
    review.open();
    review.choose(1);
    review.setWhy('first look');
    await review.resolve();
    expect(session.contests()).toEqual([]);
    await editor.undo();
    const { heads } = review.store.getState();
    expect(heads.map(({ raw_outcome }) => raw_outcome).toSorted()).toEqual(['FALSE', 'TRUE']);
    review.choose(2);
    review.setWhy('second look');
    await review.resolve();
    expect(editor.store.getState().notice?.text).toContain('1 resolved');
    expect(session.contests()).toEqual([]);
    review.close();
  });

  it('is taken back in another window, after a restart, and beneath it the writing it was about', async () => {
    const session = await contested([0]);
    await session.settle(choose(session, 'TRUE'), 'again', 'Settle');
    await computer.synced(session);
    computer.end();
    await rest();
    const next = (await computer.open()).session;
    await next.undo();
    expect(next.contests()).toHaveLength(1);
    expect(next.state(0, 0)).toBe('FALSE');
    expect(await next.redo()).toMatchObject({ count: 1 });
    expect(next.contests()).toEqual([]);
    expect(next.state(0, 0)).toBe('TRUE');
    await computer.synced(next);
    expect(saidAt(0)).toEqual(['TRUE']);
  });

  it('is left alone by undo where somebody has written since', async () => {
    const session = await contested([0, 1]);
    await session.settle(choose(session, 'TRUE'), 'again', 'Settle');
    await computer.synced(session);
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    await computer.synced(session);
    expect(await session.undo()).toMatchObject({ count: 1, skipped: [at('a', 0)] });
    expect(session.contests().map(({ rule }) => rule)).toEqual(['rule_001']);
    // Redone only where the same two heads still contest.
    await computer.synced(session);
    computer.upstream.writeCell('a', 'rule_001', 'NA', []);
    await computer.synced(session);
    expect(await session.redo()).toMatchObject({ count: 0, skippedCount: 1 });
    expect(session.contests()).toHaveLength(1);
  });

  it('of a thousand cells is one gesture in as few changes as fit, and one undo', async () => {
    computer = new Computer(
      10,
      Array.from({ length: 100 }, (_, k) => `i${k}`),
    );
    const { session } = await computer.open();
    await computer.synced(session);
    const cells = session.items.flatMap(({ item_uid }) =>
      session.rules.map((_, column) => at(item_uid, column)),
    );
    computer.upstream.fault = () => 'offline';
    await session.write('x', cells, { raw_outcome: 'TRUE' });
    const { upstream } = computer;
    upstream.write(
      cells.map(({ item, rule }) => ({
        register: {
          kind: 'assertion',
          profile: upstream.profile.profileUid,
          version: upstream.profile.version,
          rule,
          item,
        },
        value: { raw_outcome: 'NA' },
        parents: [],
      })),
    );
    upstream.fault = () => null;
    await computer.synced(session);
    expect(session.contests()).toHaveLength(1_000);
    expect(await session.settle(choose(session, 'NA'), 'the assay failed', 'Settle')).toEqual({
      settled: 1_000,
      left: [],
    });
    const { length } = upstream.log;
    await session.undo();
    await computer.synced(session);
    expect(upstream.log.length - length).toBe(3);
    expect(session.contests()).toHaveLength(1_000);
    expect(cells.every(({ item, rule }) => upstream.cell(item, rule).length === 2)).toBe(true);
  });
});

describe('what was written beneath a removal', () => {
  const removal = (covers: string[]) =>
    computer.upstream.write([
      { register: { kind: 'item', field: 'x', item: 'a' }, value: { deleted: true, covers } },
    ]);
  const beneath = (session: MatrixSession) =>
    session.contests().map(({ item, kind }) => [item, kind]);

  it('unseen is listed, here and in a window that begins anew; what the remover had seen is not', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await session.write('x', [at('a', 1), at('a', 2)], { raw_outcome: 'NA', notes: 'seen' });
    await computer.synced(session);
    computer.upstream.fault = () => 'offline';
    await session.apply({
      label: 'Remove',
      items: [
        { do: 'remove', item_uid: 'a' },
        { do: 'remove', item_uid: 'b' },
      ],
    });
    computer.time += 1_000;
    computer.upstream.writeCell('a', 'rule_000', 'TRUE');
    computer.upstream.fault = () => null;
    await computer.synced(session);
    expect(
      computer.upstream.heads({ kind: 'item', field: 'x', item: 'a' })[0]?.value,
    ).toMatchObject({ deleted: true, covers: [expect.stringMatching(/^c1_.{43}#0-3$/)] });
    expect(beneath(session)).toEqual([['a', 'removed']]);
    expect(session.contestCount()).toBe(1);
    expect(session.editsUnder('a')).toMatchObject([{ field: 'outcome', raw_outcome: 'TRUE' }]);
    expect(session.editsUnder('b')).toEqual([]);
    computer.factory = new IDBFactory();
    const other = (await computer.open()).session;
    expect(beneath(other)).toEqual([['a', 'removed']]);
    // Removed again with that in view: settled everywhere.
    await other.apply({
      label: 'Keep',
      why: 'a duplicate',
      items: [{ do: 'keep-removed', item_uid: 'a' }],
    });
    await computer.synced(other);
    await computer.synced(session);
    expect([beneath(other), beneath(session)]).toEqual([[], []]);
    expect(session.rowOf('a')).toBe(-1);
  });

  it('of a removal by somebody else is listed too, and restoring the item shows it', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    await computer.synced(session);
    const names = () => computer.upstream.cell('a', 'rule_000').map(({ name }) => name);
    computer.upstream.writeCell('a', 'rule_000', 'NA');
    removal(names());
    await computer.synced(session);
    expect(beneath(session)).toEqual([]);
    computer.upstream.writeCell('a', 'rule_000', 'FALSE');
    await computer.synced(session);
    expect(session.editsUnder('a')).toMatchObject([{ raw_outcome: 'FALSE' }]);
    await session.apply({
      label: 'Restore',
      why: 'was right',
      items: [{ do: 'add', item_uid: 'a' }],
    });
    expect(beneath(session)).toEqual([]);
    expect(session.state(session.rowOf('a'), 0)).toBe('FALSE');
    await session.undo();
    // Taking the restoration back is a removal with all of it in view.
    expect(beneath(session)).toEqual([]);
    expect(session.rowOf('a')).toBe(-1);
  });

  it('is not listed where a removal does not say what it covers', async () => {
    computer = new Computer();
    const { session } = await computer.open();
    computer.upstream.write([
      { register: { kind: 'item', field: 'x', item: 'a' }, value: { deleted: true } },
    ]);
    computer.upstream.writeCell('a', 'rule_000', 'FALSE');
    await computer.synced(session);
    expect(beneath(session)).toEqual([]);
  });
});
