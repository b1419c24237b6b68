import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../src/renderer/data/store/port.ts';
import { stepCount } from '../../../src/renderer/features/transfer/import/commit.ts';
import { cellCount } from '../../../src/renderer/features/transfer/import/plan.ts';
import { createWizard } from '../../../src/renderer/features/transfer/import/wizard.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { profileOf, sessionOf } from '../renderer-matrix/profile.ts';
import { importInto, plan } from './support.ts';

const reasons = (planned: {
  rejections: { entries: { line: number; column: number | null; reason: string }[] };
}): unknown[] =>
  planned.rejections.entries.map(({ line, column, reason }) => [line, column, reason]);

describe('a dry run', () => {
  it('counts new, changed, overwritten, equal, empty and cleared, and changes nothing', async () => {
    const session = sessionOf(3, 2, [
      { item: 'i1', rule: 'r1', raw_outcome: 'TRUE' },
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' },
      { item: 'i2', rule: 'r2', raw_outcome: 'NA' },
    ]);
    const file = 'item_uid,label,r1,Rule 2\ni1,Label 1,FALSE,NA\ni2,Other,TRUE,\nnew,,n/a,F\n';
    const { plan: planned } = await plan(file, session, {});
    expect(planned).toMatchObject({
      added: 1,
      changed: 1,
      fresh: 3,
      overwritten: 1,
      unchanged: 1,
      empty: 1,
      cleared: 0,
    });
    expect(planned.overwrites.entries).toEqual([
      {
        line: 2,
        item: 'i1',
        place: 'r1',
        before: 'TRUE, problem found',
        after: 'FALSE, evidence present',
      },
    ]);
    expect(planned.itemChanges.entries).toEqual([
      { line: 3, item: 'i2', place: 'Item: label', before: 'Label 2', after: 'Other' },
    ]);
    expect((await plan(file, session, { emptyClears: true })).plan).toMatchObject({
      cleared: 1,
      empty: 0,
    });
    expect([session.items.length, session.state(0, 0)]).toEqual([3, 'TRUE']);
  });

  it('counts contested cells that would be written', async () => {
    const session = sessionOf(2, 1, [
      { item: 'i1', rule: 'r1', raw_outcome: 'TRUE', contested: true },
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' },
    ]);
    expect((await plan('item_uid,r1\ni1,NA\ni2,NA\n', session)).plan).toMatchObject({
      contested: 1,
      overwritten: 2,
    });
  });

  it('never takes a word for an outcome, and never an empty field for NA', async () => {
    const session = sessionOf(1, 2);
    const { plan: planned } = await plan('item_uid,r1,r2\ni1,yes,\ni2,1,+\n', session, {});
    expect(reasons(planned)).toEqual([
      [2, 1, 'Is no outcome, and is not mapped to one.'],
      [3, 1, 'Is no outcome, and is not mapped to one.'],
      [3, 2, 'Is no outcome, and is not mapped to one.'],
    ]);
    expect(cellCount(planned)).toBe(0);
  });

  it('keeps a mapped value as reported value; a plain one leaves the source alone', async () => {
    const session = sessionOf(3, 1, [
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE', source_value: 'old' },
      { item: 'i3', rule: 'r1', raw_outcome: 'TRUE', source_value: 'kept' },
    ]);
    const file = 'item_uid,r1\ni1,yes\ni2,yes\ni3,TRUE\n';
    const asked = { meanings: { yes: 'TRUE' } as const };
    const planned = await importInto(file, session, asked);
    expect(planned.overwrites.entries).toEqual([
      { line: 3, item: 'i2', place: 'r1, reported value', before: 'old', after: 'yes' },
    ]);
    expect(
      [0, 1, 2].map((row) => [session.state(row, 0), session.detail(row, 0).source_value]),
    ).toEqual([
      ['TRUE', 'yes'],
      ['TRUE', 'yes'],
      ['TRUE', 'kept'],
    ]);
    expect(cellCount((await plan(file, session, asked)).plan)).toBe(0);
  });

  it('names rows that cannot be taken', async () => {
    const { plan: planned } = await plan(
      'item_uid,label,r1\ni1,,TRUE\n,,TRUE\n bad,,TRUE\ni1,,FALSE\nx,\ufffd,TRUE\ny\ufffd,,TRUE\nz,,TRUE,moved\n',
      sessionOf(0, 1),
      {},
    );
    expect(reasons(planned)).toEqual([
      [3, 0, 'The item’s ID is empty.'],
      [4, 0, 'Must not start or end with white space.'],
      [5, 0, 'The item is already in row 2.'],
      [6, 1, 'Holds a damaged character (U+FFFD): the file was read or saved in another encoding.'],
      [7, 0, 'Holds a damaged character (U+FFFD): the file was read or saved in another encoding.'],
      [8, null, 'Has 4 cells below 3 headings: values may be under the wrong heading.'],
    ]);
    expect(planned.items).toEqual([
      { do: 'add', item_uid: 'i1' },
      { do: 'add', item_uid: 'x' },
    ]);
  });

  it('keeps metadata of any name but the one that no server takes, at any depth', async () => {
    const session = sessionOf(0, 1);
    const planned = await importInto(
      'item_uid,metadata:constructor,metadata:__proto__,metadata:2\nhasOwnProperty,a,b,c\n',
      session,
    );
    expect(reasons(planned)).toEqual([[2, 2, 'Must not hold a member called "__proto__".']]);
    expect(
      session.items.map(({ item_uid, metadata }) => [item_uid, Object.entries(metadata)]),
    ).toEqual([
      [
        'hasOwnProperty',
        [
          ['2', 'c'],
          ['constructor', 'a'],
        ],
      ],
    ]);
    const cells = await importInto(
      'item_uid,rule_uid,outcome,provenance\nhasOwnProperty,r1,NA,"{""a"":{""__proto__"":1}}"\n',
      session,
    );
    expect(reasons(cells)).toEqual([[2, 3, 'Must not hold a member called "__proto__".']]);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it('refuses tables with more columns than can be asked about', async () => {
    await expect(plan(`item_uid${',x'.repeat(2_000)}\n`, sessionOf(0, 1))).rejects.toThrow(
      'The table has 2,001 columns. Tables of up to 2,000 are read.',
    );
  });

  it('flags what a spreadsheet has probably changed', async () => {
    const { plan: planned } = await plan(
      'item_uid,label\n2-Sep,MARCH1\n42615,fine\n',
      sessionOf(0, 1),
      {},
    );
    expect(
      planned.flags.entries.map(({ line, column, isChanged }) => [line, column, isChanged]),
    ).toEqual([
      [2, 0, true],
      [2, 1, false],
      [3, 0, true],
    ]);
  });

  it('refuses a case of more than 100,000 items', async () => {
    const file = `item_uid\n${Array.from({ length: 100_001 }, (_, row) => `n${row}`).join('\n')}\n`;
    expect((await plan(file, sessionOf(0, 1), {})).plan.problem).toBe(
      'The case would have 100,001 items. A case holds at most 100,000.',
    );
  }, 120_000);

  it('a row a cell: rules by uid or name, each cell once, details as they are', async () => {
    const session = sessionOf(1, 2, [
      { item: 'i1', rule: 'r2', raw_outcome: 'NA', notes: 'before' },
    ]);
    const planned = await importInto(
      'item_uid\trule_uid\toutcome\tsource_value\tnotes\tprovenance\n' +
        'i1\tRULE 1\tTRUE\t1.10\t"two\nlines"\t{"doi":"10.1/x"}\ni1\tr1\tFALSE\n' +
        'i1\tr9\tTRUE\ni1\tr2\t\t\tafter\ni2\tr1\tyes\n',
      session,
      {},
    );
    expect(reasons(planned)).toEqual([
      [4, 1, 'The same cell is already in row 2.'],
      [5, 1, 'Is neither ID nor name of a rule of this profile.'],
      [7, 2, 'Is no outcome, and is not mapped to one.'],
    ]);
    expect(planned.overwrites.entries).toEqual([
      { line: 6, item: 'i1', place: 'r2, notes', before: 'before', after: 'after' },
    ]);
    expect([session.state(0, 0), session.detail(0, 0)]).toEqual([
      'TRUE',
      { source_value: '1.10', notes: 'two\nlines', provenance: { doi: '10.1/x' } },
    ]);
    expect([session.state(0, 1), session.detail(0, 1).notes]).toEqual(['NA', 'after']);
  });
});

describe('values of a column', () => {
  it('are mapped for that column alone, and its switch turns TRUE and FALSE too', async () => {
    const session = sessionOf(0, 3);
    const file = 'item_uid,r1,r2,r3\na,yes,yes,TRUE\nb,no,no,FALSE\nc,NA,,N/A\n';
    const polarities = { 1: 'evidence', 2: 'problem', 3: 'evidence' } as const;
    await importInto(file, session, { polarities });
    expect([0, 1, 2].map((row) => [0, 1, 2].map((column) => session.state(row, column)))).toEqual([
      ['FALSE', 'TRUE', 'FALSE'],
      ['TRUE', 'FALSE', 'TRUE'],
      ['NA', null, 'NA'],
    ]);
    expect(session.detail(0, 2)).toMatchObject({
      source_value: 'TRUE',
      provenance: { source: 'file', locator: 'line 2, column 4', method: 'import' },
    });
  });

  it('take a dash for a word only beside a plus', async () => {
    const polarities = { 1: 'evidence', 2: 'evidence' } as const;
    const { plan: planned } = await plan('item_uid,r1,r2\na,+,yes\nb,-,-\n', sessionOf(0, 2), {
      polarities,
    });
    expect(reasons(planned)).toEqual([[3, 2, 'Is no outcome, and is not mapped to one.']]);
    expect([...planned.wide!.states]).toEqual([0, 0, 1, 255]);
  });
});

describe('what is there', () => {
  const there = () =>
    sessionOf(3, 2, [
      { item: 'i1', rule: 'r1', raw_outcome: 'TRUE', source_value: 'mine' },
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' },
      { item: 'i3', rule: 'r1', raw_outcome: 'NA' },
    ]);
  const FILE =
    'item_uid,label,metadata:gene,r1,r2\ni1,New,CFTR,present,F\ni2,Label 2,,absent,\ni3,,,absent,\n';
  const asked = { polarities: { 3: 'problem' } } as const;

  it('stays where only the unrecorded is filled', async () => {
    const session = there();
    const planned = await importInto(FILE, session, { ...asked, meet: 'fill' });
    expect(planned).toMatchObject({ fresh: 1, overwritten: 0, detailed: 0, unchanged: 1 });
    expect(
      planned.left.entries.map(({ item, place, before, after }) => [item, place, before, after]),
    ).toEqual([
      ['i1', 'Item: label', 'Label 1', 'New'],
      ['i2', 'r1', 'TRUE, problem found', 'FALSE, evidence present'],
      ['i3', 'r1', 'NA, not available', 'FALSE, evidence present'],
    ]);
    expect([session.items[0]!.label, session.items[0]!.metadata, session.state(1, 0)]).toEqual([
      'Label 1',
      { gene: 'CFTR' },
      'TRUE',
    ]);
  });

  it('takes details of the same outcome, and differing ones are left and listed', async () => {
    const session = sessionOf(2, 1, [
      { item: 'i1', rule: 'r1', raw_outcome: 'TRUE', source_value: 'mine' },
      { item: 'i2', rule: 'r1', raw_outcome: 'TRUE' },
    ]);
    const planned = await importInto('item_uid,r1\ni1,yes\ni2,yes\n', session, {
      polarities: { 1: 'problem' },
      meet: 'differ',
    });
    expect(planned).toMatchObject({ detailed: 1, overwritten: 0, left: { count: 1 } });
    expect([0, 1].map((row) => session.detail(row, 0).source_value)).toEqual(['mine', 'yes']);
  });

  it('is replaced and listed where the file overwrites', async () => {
    const planned = await importInto(FILE, there(), { ...asked, meet: 'overwrite' });
    expect([planned.overwrites.count, planned.itemChanges.count, planned.left.count]).toEqual([
      3, 2, 0,
    ]);
  });

  it('holds for a row a cell as well: proof of another outcome is not taken', async () => {
    const session = there();
    const file =
      'item_uid,rule_uid,outcome,source_value,notes\ni1,r1,FALSE,theirs,seen\ni2,r1,TRUE,theirs,\ni1,r2,NA,,\ni4,,,,\n';
    const planned = await importInto(file, session, { meet: 'differ' });
    expect(planned.left.entries).toMatchObject([{ item: 'i1', place: 'r1' }]);
    expect(reasons(planned)).toEqual([]);
    expect([session.detail(0, 0), session.detail(1, 0).source_value, session.state(0, 1)]).toEqual([
      { source_value: 'mine', notes: 'seen', provenance: null },
      'theirs',
      'NA',
    ]);
    expect(session.rowOf('i4')).toBe(3);
  });
});

describe('new items', () => {
  it('are listed with what a spreadsheet did, and the item that may be meant', async () => {
    const session = createMemorySession(
      profileOf(1),
      ['007', 'SEPT2', '2310009E13', 'Case 12', 'a_1'].map((item_uid) => ({
        item_uid,
        label: '',
        item_type: '',
        metadata: {},
      })),
    );
    const file =
      'item_uid,r1\n7,TRUE\n2-Sep,TRUE\n2.31E+19,TRUE\ncase-12,TRUE\n00123456,TRUE\n123456,TRUE\nb,TRUE\na_2,TRUE\n';
    const { plan: planned } = await plan(file, session);
    expect(
      planned.newItems.entries.map(({ uid, doubt, near }) => [
        uid,
        doubt !== undefined,
        near?.uid,
        near?.isPresent,
      ]),
    ).toEqual([
      ['7', false, '007', true],
      ['2-Sep', true, 'SEPT2', true],
      ['2.31E+19', true, '2310009E13', true],
      ['case-12', false, 'Case 12', true],
      ['00123456', true, undefined, undefined],
      ['123456', false, '00123456', false],
      ['b', false, undefined, undefined],
      ['a_2', false, undefined, undefined],
    ]);
    await importInto(file, session, { aliases: { '7': '007', '2-Sep': 'SEPT2' } });
    expect([session.rowOf('7'), session.state(session.rowOf('007'), 0)]).toEqual([-1, 'TRUE']);
  });
});

describe('the import', () => {
  it('is one undo step, rows and cells together', async () => {
    const session = sessionOf(1, 2);
    await importInto('item_uid,label,r1,r2\ni1,New,TRUE,FALSE\nnew,,NA,\n', session, {});
    expect([session.items.length, session.items[0]?.label, session.state(1, 0)]).toEqual([
      2,
      'New',
      'NA',
    ]);
    await session.undo();
    expect([
      session.items.length,
      session.items[0]?.label,
      session.state(0, 0),
      session.canUndo,
    ]).toEqual([1, 'Label 1', null, false]);
  });

  it('of more than a million cells takes several steps, said beforehand, and compares again what others change between them', async () => {
    const session = createMemorySession(profileOf(20), []);
    const headers = Array.from({ length: 20 }, (_, column) => `r${column + 1}`);
    const words = 'TRUE,FALSE,NA,T,F,'.repeat(4).slice(0, -1);
    const lines = Array.from({ length: 60_000 }, (_, row) => `n${row},${words}`);
    const file = new File([`item_uid,${headers.join(',')}\n${lines.join('\n')}\n`], 'f');
    const wizard = createWizard(session);
    const state = () => wizard.store.getState();
    await wizard.choose([file]);
    await wizard.setChoice({ keepsWords: false, meet: 'overwrite' });
    const planned = state().plan!;
    expect([cellCount(planned), stepCount(planned)]).toEqual([1_200_000, 2]);
    const steps: Edit[] = [];
    const { apply } = session;
    session.apply = async (edit) => {
      const done = await apply(edit);
      if (steps.push(edit) === 1)
        await apply({
          label: 'another',
          cells: [{ item: 'n59999', rule: 'r1', patch: { raw_outcome: 'NA' } }],
        });
      return done;
    };
    await wizard.import();
    expect([state().step, state().plan?.overwritten, state().plan?.unchanged]).toEqual([
      'review',
      1,
      1_000_000,
    ]);
    expect(state().problem).toContain('1,000,000 cells are imported');
    expect(session.state(session.rowOf('n59999'), 0)).toBe('NA');
    await wizard.import();
    expect([state().step, state().result]).toEqual(['done', { items: 0, cells: 200_000, left: 0 }]);
    expect(
      steps.map(({ label, items, blocks }) => [label, items?.length, blocks?.[0]?.items.length]),
    ).toEqual([
      ['Import of f, part 1 of 2', 60_000, 50_000],
      ['Import of f, part 2 of 2', undefined, 10_000],
    ]);
    expect(steps[1]?.blocks?.[0]?.states).toHaveLength(200_000);
  }, 120_000);
});
