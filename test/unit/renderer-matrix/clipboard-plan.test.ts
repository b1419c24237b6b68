import { describe, expect, it } from 'vitest';
import { editOf } from '../../../src/renderer/features/matrix/clipboard/commit.ts';
import {
  type PasteChoice,
  FIRST_CHOICES,
  needsPreview,
  type PasteChoices,
  type PastePlan,
  planned,
  planPaste,
} from '../../../src/renderer/features/matrix/clipboard/plan.ts';
import { asItemRows } from '../../../src/renderer/features/matrix/clipboard/turned.ts';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import { parseRemembered } from '../../../src/renderer/features/matrix/clipboard/remembered.ts';
import { PasteRefused } from '../../../src/renderer/features/matrix/model/pasted-table.ts';
import type { Rect } from '../../../src/renderer/features/matrix/model/selection.ts';
import { createView, type View } from '../../../src/renderer/features/matrix/model/view.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { cell, profileOf, sessionOf } from './profile.ts';

const session = sessionOf(4, 3, [
  { ...cell(1, 1), raw_outcome: 'TRUE' },
  { ...cell(2, 2), raw_outcome: 'NA', contested: true },
]);
const everything = createView(session, () => true);
const rect = (top: number, left: number, bottom = top, right = left): Rect => ({
  top,
  left,
  bottom,
  right,
});
const words = (...pairs: [string, PasteChoice][]): PasteChoices => ({
  ...FIRST_CHOICES,
  words: new Map(pairs),
});
const plan = (
  text: string,
  at: Rect | Rect[] = rect(0, 0),
  choices = FIRST_CHOICES,
  view: View = everything,
  on = session,
): PastePlan => planned(planPaste(readText(text), { rects: [at].flat(), view }, on, choices));
const asks = (text: string, at: Rect | Rect[] = rect(0, 0), view: View = everything): boolean =>
  needsPreview(plan(text, at, FIRST_CHOICES, view), readText(text));
const writes = (made: PastePlan): string[] =>
  made.areas.flatMap(({ rows, columns, codes }) =>
    [...codes].flatMap((code, at) =>
      code === 255
        ? []
        : [
            `i${rows.to[Math.floor(at / columns.to.length)]! + 1} r` +
              `${columns.to[at % columns.to.length]! + 1} ` +
              `${['FALSE', 'TRUE', 'NA', 'unrecorded'][code]}`,
          ],
    ),
  );

describe('what a paste would do', () => {
  it('takes outcomes in any case and no other word', () => {
    const made = plan('true\tF\tn/a\nyes\t1\t+');
    expect(writes(made)).toEqual(['i1 r2 FALSE', 'i1 r3 NA']);
    expect(made).toMatchObject({ fresh: 2, unchanged: 1, rejected: 3 });
    expect(made.words.map(({ word, count, at }) => [word, count, at])).toEqual([
      ['yes', 1, cell(2, 1)],
      ['1', 1, cell(2, 2)],
      ['+', 1, cell(2, 3)],
    ]);
  });

  it('reads a word as the person says, and asks each word once', () => {
    const made = plan(
      'yes\tno\nyes\tno\nmaybe\t',
      rect(0, 0),
      words(['yes', 'FALSE'], ['no', 'TRUE'], ['maybe', 'leave']),
    );
    expect(writes(made)).toEqual(['i1 r1 FALSE', 'i1 r2 TRUE', 'i2 r1 FALSE', 'i2 r2 TRUE']);
    expect(made).toMatchObject({ fresh: 2, overwritten: 2, rejected: 0, left: 1, empty: 1 });
    expect(made.words.map(({ word, count }) => [word, count])).toEqual([
      ['yes', 2],
      ['no', 2],
      ['maybe', 1],
    ]);
  });

  it('reads the words of other languages, and shows them', () => {
    const made = plan('WAHR\tFALSCH', rect(3, 0));
    expect(writes(made)).toEqual(['i4 r1 TRUE', 'i4 r2 FALSE']);
    expect(made.words.map(({ word, reading }) => [word, reading?.language])).toEqual([
      ['WAHR', 'German'],
      ['FALSCH', 'German'],
    ]);
    expect(writes(plan('WAHR', rect(3, 0), words(['WAHR', 'NA'])))).toEqual(['i4 r1 NA']);
  });

  it('never makes NA of an empty field: it leaves the cell, or clears it if that is chosen', () => {
    expect(writes(plan('\t\n\tFALSE'))).toEqual(['i2 r2 FALSE']);
    const cleared = plan(' \t\n\t\u00A0', rect(0, 0), { ...FIRST_CHOICES, empties: 'clear' });
    expect(writes(cleared)).toEqual(['i1 r1 unrecorded', 'i2 r2 unrecorded']);
    expect(cleared).toMatchObject({ empty: 4, overwritten: 2, fresh: 0 });
  });

  it('leaves the cells of missing fields even where empty ones clear', () => {
    expect(writes(plan('F\tF\nT', rect(1, 1), { ...FIRST_CHOICES, empties: 'clear' }))).toEqual([
      'i2 r2 FALSE',
      'i2 r3 FALSE',
      'i3 r2 TRUE',
    ]);
  });

  it('fills the selection with one value, repeats a block that fits, else starts at the corner', () => {
    expect(writes(plan('F', rect(0, 0, 3, 2)))).toHaveLength(12);
    expect(writes(plan('F\nT', rect(0, 1, 3, 2)))).toEqual([
      'i1 r2 FALSE',
      'i1 r3 FALSE',
      'i2 r2 TRUE',
      'i2 r3 TRUE',
      'i3 r2 FALSE',
      'i3 r3 FALSE',
      'i4 r2 TRUE',
      'i4 r3 TRUE',
    ]);
    expect(writes(plan('F\tF\nF\tF', rect(0, 0, 2, 2)))).toHaveLength(4);
  });

  it('fills several blocks with one value, and refuses more', () => {
    const blocks = [rect(2, 0, 3, 1), rect(3, 1, 3, 2)];
    expect(writes(plan('F', blocks))).toEqual([
      'i3 r1 FALSE',
      'i3 r2 FALSE',
      'i4 r1 FALSE',
      'i4 r2 FALSE',
      'i4 r3 FALSE',
    ]);
    expect(() => plan('F\tF', blocks)).toThrow(PasteRefused);
  });

  it('tells what lies beyond the last item or rule', () => {
    expect(plan('F\tF\tF\nT\tT\tT', rect(3, 1))).toMatchObject({ fresh: 2, outside: 4 });
  });

  it('goes to what is shown only, and tells what it skips', () => {
    const part = createView(session, (row) => row !== 1, { columns: [2, 0] });
    expect(writes(plan('F\tF\nF\tF', rect(0, 0), FIRST_CHOICES, part))).toEqual([
      'i1 r3 FALSE',
      'i1 r1 FALSE',
      'i3 r3 FALSE',
      'i3 r1 FALSE',
    ]);
    expect(plan('F\tF\nF\tF', rect(0, 0), FIRST_CHOICES, part)).toMatchObject({
      hiddenRows: 1,
      hiddenColumns: 1,
    });
  });

  it('lists what it overwrites, contested cells first', () => {
    expect(plan('F\tF\nF\tF').replaced).toEqual([
      { ...cell(2, 2), before: 'NA', after: 'FALSE', contested: true },
      { ...cell(1, 1), before: 'TRUE', after: 'FALSE', contested: false },
    ]);
  });

  it('refuses more cells than one gesture takes', () => {
    const large = sessionOf(10_001, 100);
    expect(() =>
      plan(
        'T',
        rect(0, 0, 10_000, 99),
        FIRST_CHOICES,
        createView(large, () => true),
        large,
      ),
    ).toThrow(/at most 1,000,000 cells/);
  });

  it('comes in slices', () => {
    const large = sessionOf(1_000, 50);
    const steps = planPaste(
      readText('T'),
      { rects: [rect(0, 0, 999, 49)], view: createView(large, () => true) },
      large,
    );
    const first = steps.next();
    expect(first).toMatchObject({ done: false });
    expect(first.value).toBeLessThan(1);
  });
});

describe('a look before a paste', () => {
  it.each<[string, string, boolean]>([
    ['is not asked for few new cells', 'F\tF\tF', false],
    ['is asked where a recorded cell is overwritten', '\nF\tF\tF', true],
    ['is asked for unknown words', '\t\nyes', true],
    ['is asked for words of other languages', '\t\nVRAI', true],
    ['is asked where fields have no cell', '\t\tF\tF', true],
    ['is asked where names are found', 'r2\nF', true],
    ['is asked where the columns had to be guessed', 'FALSE FALSE', true],
  ])('%s', (_, text, asked) => {
    expect(asks(text, rect(text.startsWith('F\t') ? 3 : 0, 0))).toBe(asked);
  });

  it('is asked for hidden rows and for more than 50 cells', () => {
    expect(
      asks(
        'F\nF',
        rect(2, 0),
        createView(session, (row) => row !== 3),
      ),
    ).toBe(true);
    expect(
      asks(
        'F\nF',
        rect(0, 2),
        createView(session, (row) => row !== 1),
      ),
    ).toBe(true);
    const large = sessionOf(60, 1);
    const view = createView(large, () => true);
    expect(
      [50, 51].map((rows) =>
        needsPreview(plan('F', rect(0, 0, rows - 1, 0), FIRST_CHOICES, view, large), readText('F')),
      ),
    ).toEqual([false, true]);
  });
});

describe('a block with names', () => {
  it.each([
    ['items and rules, in any order', 'item_uid\tlabel\tr3\tr1\ni4\tx\tF\tT\ni3\ty\tNA\tF'],
    ['rules by name', '\tRule 3\trule  1\ni4\tF\tT\ni3\tNA\tF'],
    ['the corner left out, as by R', 'r3\tr1\ni4\tF\tT\ni3\tNA\tF'],
    [
      'a column of numbers before the items, as by R',
      '"item_uid"\t"r3"\t"r1"\n"1"\t"i4"\tF\tT\n"2"\t"i3"\tNA\tF',
    ],
    ['names protected from formulas', "'item_uid\tr3\tr1\ni4\tF\tT\ni3\tNA\tF"],
  ])('is placed by them: %s', (_, text) => {
    expect(writes(plan(text, rect(0, 2)))).toEqual([
      'i4 r3 FALSE',
      'i4 r1 TRUE',
      'i3 r3 NA',
      'i3 r1 FALSE',
    ]);
  });

  it('of rules alone goes down from the selection, of items alone to the right', () => {
    expect(writes(plan('r3\tr1\nF\tT', rect(2, 1)))).toEqual(['i3 r3 FALSE', 'i3 r1 TRUE']);
    expect(writes(plan('i4\tF\ni3\tT', rect(0, 1)))).toEqual(['i4 r2 FALSE', 'i3 r2 TRUE']);
  });

  it('can be placed by position all the same', () => {
    const made = plan('i4\tF\ni3\tT', rect(2, 0), { ...FIRST_CHOICES, place: 'position' });
    expect(made.rejected).toBe(2);
    expect(writes(made)).toEqual(['i3 r2 FALSE', 'i4 r2 TRUE']);
  });

  it('lists names that the matrix has not, and leaves their fields out', () => {
    const made = plan('item_uid\tr3\tnope\ni4\tF\tF\ngone\tT\tT');
    expect(made.keys).toMatchObject({ unknownRules: ['nope'], unknownItems: ['gone'] });
    expect(writes(made)).toEqual(['i4 r3 FALSE']);
    expect(made.outside).toBe(3);
  });

  it.each(['item_uid\tr3\nR\tF\ni4\tF\ni4\tT\ni3\tT', 'r1\tr1\nF\tT', 'r1\tRule 1\nF\tT'])(
    'is refused where a name stands twice: %j',
    (text) => {
      expect(() => plan(text)).toThrow(/Named twice/);
    },
  );

  it('takes no column of 0 and 1 for items that have such uids', () => {
    const numbered = createMemorySession(
      profileOf(2),
      Array.from({ length: 12 }, (_, row) => ({
        item_uid: String(row),
        item_type: 'item',
        label: '',
        metadata: {},
      })),
    );
    const text = Array.from({ length: 12 }, (_, row) => `${row % 2}\t${row % 2}`).join('\n');
    expect(
      plan(
        text,
        rect(0, 0),
        FIRST_CHOICES,
        createView(numbered, () => true),
        numbered,
      ),
    ).toMatchObject({ keys: undefined, rejected: 24 });
  });

  it('does not reach hidden items and rules, and counts them', () => {
    const part = createView(session, (row) => row !== 3, { columns: [0, 1] });
    const made = plan('item_uid\tr3\tr1\ni4\tF\tT\ni3\tNA\tF', rect(0, 0), FIRST_CHOICES, part);
    expect(writes(made)).toEqual(['i3 r1 FALSE']);
    expect(made).toMatchObject({ hiddenRows: 1, hiddenColumns: 1 });
  });
});

describe('the gesture of a paste', () => {
  const origin = { source: 'clipboard', sheet: null, date: '2026-02-03' };
  const read = (source_value: string, line: number, column: number) => ({
    source_value,
    provenance: {
      source: 'clipboard',
      locator: `line ${line}, column ${column}`,
      method: 'import',
      date: '2026-02-03',
    },
  });

  it('keeps with each cell what was read and where, and says what words were read as', () => {
    const text = 'yes\tT\tWAHR\nno\t\t';
    const choices = words(['yes', 'FALSE'], ['no', 'TRUE']);
    const made = plan(text, rect(2, 0), choices);
    const edit = editOf(made, readText(text), session, choices, origin);
    expect(edit.why).toBe(
      'Pasted. Read “yes” as FALSE, evidence present (1), “WAHR” as TRUE, problem found (1), “no” as TRUE, problem found (1)',
    );
    expect(edit.cells).toEqual([
      { ...cell(3, 1), patch: { raw_outcome: 'FALSE', ...read('yes', 1, 1) } },
      { ...cell(3, 2), patch: { raw_outcome: 'TRUE', ...read('T', 1, 2) } },
      { ...cell(3, 3), patch: { raw_outcome: 'TRUE', ...read('WAHR', 1, 3) } },
      { ...cell(4, 1), patch: { raw_outcome: 'TRUE', ...read('no', 2, 1) } },
    ]);
    expect(edit.blocks).toEqual([
      { items: ['i3', 'i4'], rules: ['r1', 'r2', 'r3'], states: new Uint8Array(6).fill(255) },
    ]);
    expect(editOf(made, readText(text), session, choices, undefined)).toMatchObject({
      cells: [],
      blocks: [{ states: Uint8Array.of(0, 1, 1, 1, 255, 255) }],
    });
  });

  it('takes control characters out of a source value', () => {
    const choices = words(['y\u0007\u0001s', 'FALSE']);
    expect(
      editOf(
        plan('y\u0007\u0001s', rect(3, 0), choices),
        readText('y\u0007\u0001s'),
        session,
        choices,
        origin,
      ).cells[0]?.patch.source_value,
    ).toBe('ys');
  });
});

describe('words of last time', () => {
  it.each([null, '', 'x', '{}', '[["yes","MAYBE"]]', '[["","TRUE"]]', '[["yes"]]'])(
    'are none where %j was stored',
    (text) => {
      expect(parseRemembered(text).size).toBe(0);
    },
  );

  it('come back', () => {
    expect(parseRemembered('[["yes","FALSE"]]')).toEqual(new Map([['yes', 'FALSE']]));
  });
});

describe('a block with rules in rows and items in columns', () => {
  const placed = (text: string): string[] => {
    const table = asItemRows(readText(text), session);
    return writes(planned(planPaste(table, { rects: [rect(0, 0)], view: everything }, session)));
  };
  const turnedBlock = '\ti4\ti3\nr2\tTRUE\tFALSE\nr3\tNA\tTRUE';
  const upright = '\tr2\tr3\ni4\tTRUE\tNA\ni3\tFALSE\tTRUE';

  it('is turned, and lands where the upright one does', () => {
    expect(placed(turnedBlock)).toEqual(placed(upright));
    expect(placed(turnedBlock)).toContain('i4 r2 TRUE');
    expect(asItemRows(readText(upright), session).turned).toBeUndefined();
  });

  it('is turned where one side alone is named, or the corner is missing', () => {
    expect(placed('i3\ti4\nTRUE\tFALSE')).toEqual(['i3 r1 TRUE', 'i4 r1 FALSE']);
    expect(placed('r3\tFALSE\nr2\tNA')).toEqual(['i1 r3 FALSE', 'i1 r2 NA']);
    expect(placed('i3\ti4\nr2\tTRUE\tFALSE\nr3\tNA\tNA')).toContain('i4 r2 FALSE');
  });

  it('is looked at before it is done, and keeps where each value stood', () => {
    const table = asItemRows(readText(turnedBlock), session);
    const made = planned(planPaste(table, { rects: [rect(0, 0)], view: everything }, session));
    expect(needsPreview(made, table)).toBe(true);
    const origin = { source: 'clipboard', sheet: null, date: '2026-01-02' } as const;
    const { cells } = editOf(made, table, session, FIRST_CHOICES, origin);
    expect(cells.find(({ item, rule }) => item === 'i4' && rule === 'r3')?.patch).toMatchObject({
      source_value: 'NA',
      provenance: { locator: 'line 3, column 2' },
    });
  });

  it('leaves a block without names as it is', () => {
    expect(asItemRows(readText('TRUE\tFALSE\nNA\tNA'), session).turned).toBeUndefined();
  });
});
