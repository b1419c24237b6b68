import { describe, expect, it } from 'vitest';
import { copyText, needsPreview, parseTable, planPaste } from '../../../src/renderer/features/matrix/clipboard.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor.ts';
import { single } from '../../../src/renderer/features/matrix/selection.ts';
import { createView } from '../../../src/renderer/features/matrix/view.ts';
import { cell, sessionOf } from './profile.ts';

const session = sessionOf(3, 3, [{ ...cell(1, 1), raw_outcome: 'TRUE' }, { ...cell(2, 2), raw_outcome: 'NA' }]);
const view = createView(session, () => true);
const rect = (top: number, left: number, bottom = top, right = left): { top: number; left: number; bottom: number; right: number } => ({ top, left, bottom, right });

describe('copied text', () => {
  it('has TRUE, FALSE, NA, and nothing for unrecorded', () => {
    expect(copyText(rect(0, 0, 1, 1), view, session)).toBe('TRUE\t\n\tNA');
  });
});

describe('a pasted table', () => {
  it.each([
    ['one line end at the end is dropped', 'a\tb\r\nc\td\r\n', [['a', 'b'], ['c', 'd']]],
    ['only one', 'a\n\n', [['a'], ['']]],
    ['lone carriage returns end lines', 'a\rb', [['a'], ['b']]],
    ['empty first fields stay', '\ta', [['', 'a']]],
    ['quoted fields hold tabs, line ends and quotes', '"a\tb\nc ""d"""\te', [['a\tb\nc "d"', 'e']]],
    ['a quote inside a field is only a quote', '5" rod\tx', [['5" rod', 'x']]],
    ['an opening quote that never closes is text', '"abc\tx', [['"abc', 'x']]],
  ])('%s', (_, text, table) => {
    expect(parseTable(text)).toEqual(table);
  });
});

describe('a paste', () => {
  it('takes outcomes in any case and rejects every other word', () => {
    const plan = planPaste('true\tF\tn/a\nyes\t1\t+', rect(0, 0), view, session);
    expect(plan.cells).toEqual([{ ...cell(1, 2), state: 'FALSE' }, { ...cell(1, 3), state: 'NA' }]);
    expect(plan.unchanged).toBe(1);
    expect(plan.rejected.map((entry) => entry.token)).toEqual(['yes', '1', '+']);
    expect(needsPreview(plan)).toBe(true);
  });

  it('leaves cells of empty fields as they are', () => {
    const plan = planPaste('\t\n\tFALSE', rect(0, 0), view, session);
    expect(plan).toMatchObject({ empty: 3, fresh: 0, overwritten: 1, cells: [{ ...cell(2, 2), state: 'FALSE' }] });
    expect(needsPreview(plan)).toBe(false);
  });

  it('fills the selection with one value, repeats a block that fits, else starts at the corner', () => {
    expect(planPaste('F', rect(0, 0, 2, 2), view, session).cells).toHaveLength(9);
    expect(planPaste('F\nT', rect(0, 2, 1, 2), view, session).cells.map((entry) => entry.state)).toEqual(['FALSE', 'TRUE']);
    expect(planPaste('F\tF\nF\tF', rect(0, 0, 2, 2), view, session).cells).toHaveLength(4);
  });

  it('tells what lies beyond the last item or rule', () => {
    expect(planPaste('F\tF\tF', rect(2, 1), view, session)).toMatchObject({ fresh: 2, beyond: 1 });
  });

  it('goes to the rows shown only', () => {
    expect(planPaste('F\nF', rect(0, 0), createView(session, (row) => row !== 1), session).cells.map((entry) => entry.item)).toEqual(['i1', 'i3']);
  });

  it('is one gesture', async () => {
    const fresh = sessionOf(2, 2);
    const editor = createEditor(fresh, () => undefined);
    editor.select(single(cell(1, 1)));
    await editor.paste(planPaste('T\tF\nNA\tT', rect(0, 0), editor.store.getState().view, fresh));
    expect(fresh.totals()).toEqual([1, 2, 1, 0]);
    await editor.undo();
    expect(fresh.totals()).toEqual([0, 0, 0, 4]);
  });
});
