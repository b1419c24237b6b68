import { describe, expect, it } from 'vitest';
import {
  FIRST_CHOICES,
  planReplace,
  type ReplaceChoices,
  replaceEdit,
  replaceIn,
} from '../../../src/renderer/features/matrix/find/replace-plan.ts';
import { createView } from '../../../src/renderer/features/matrix/model/view.ts';
import { cell, sessionOf } from './profile.ts';

const choices = (part: Partial<ReplaceChoices>): ReplaceChoices => ({ ...FIRST_CHOICES, ...part });

const scene = () =>
  sessionOf(3, 2, [
    { ...cell(1, 1), raw_outcome: 'TRUE', notes: 'gel 7, Gel 8' },
    { ...cell(2, 2), raw_outcome: 'NA', source_value: 'gel' },
    { ...cell(3, 1), raw_outcome: 'NA', notes: 'gel' },
  ]);

describe('the replaced text', () => {
  it.each([
    [{ text: 'gel', replacement: 'blot' }, 'blot 7, blot 8'],
    [{ text: 'gel', replacement: 'blot', matchCase: true }, 'blot 7, Gel 8'],
    [{ text: 'gel', replacement: 'blot', whole: true }, 'gel 7, Gel 8'],
    [{ text: '.', replacement: '!' }, 'gel 7, Gel 8'],
    [{ text: 'gel', replacement: '$&' }, '$& 7, $& 8'],
    [{ text: '', replacement: 'x' }, 'gel 7, Gel 8'],
  ])('%o', (part, after) => {
    expect(replaceIn('gel 7, Gel 8', choices(part))).toBe(after);
  });
});

describe('find and replace', () => {
  it('lists every change in the order of the screen, and makes them one undo step', async () => {
    const session = scene();
    const view = createView(session, () => true, { rows: [2, 1, 0] });
    const wanted = choices({ in: 'notes', text: 'gel', replacement: '' });
    const changes = planReplace(wanted, view, { rects: [], view }, session);
    expect(changes).toEqual([
      { ...cell(3, 1), before: 'gel', after: '' },
      { ...cell(1, 1), before: 'gel 7, Gel 8', after: ' 7,  8' },
    ]);
    await session.apply({ label: 'Replace', ...replaceEdit(wanted, changes, view, session) });
    expect([session.detail(0, 0).notes, session.detail(2, 0).notes]).toEqual([' 7,  8', null]);
    expect(session.detail(1, 1).source_value).toBe('gel');
    await session.undo();
    expect([session.detail(0, 0).notes, session.detail(2, 0).notes]).toEqual([
      'gel 7, Gel 8',
      'gel',
    ]);
    expect(session.canUndo).toBe(false);
  });

  it('replaces outcomes, and leaves notes and other outcomes alone', async () => {
    const session = scene();
    const wanted = choices({ in: 'outcome', from: 'NA', to: 'unrecorded' });
    const view = createView(session, () => true);
    const changes = planReplace(wanted, view, { rects: [], view }, session);
    await session.apply({
      label: 'Replace',
      ...replaceEdit(wanted, changes, view, session),
    });
    expect(session.totals()).toEqual([0, 1, 0, 5]);
    expect(session.detail(2, 0).notes).toBe('gel');
  });

  it('keeps to what is shown, and to the selected cells where that is asked', () => {
    const session = scene();
    const everything = createView(session, () => true);
    const wanted = choices({ in: 'outcome', from: 'NA', to: 'FALSE' });
    const items = (part: Partial<ReplaceChoices>, shows: (row: number) => boolean) =>
      planReplace(
        { ...wanted, ...part },
        createView(session, shows),
        { rects: [{ top: 2, bottom: 2, left: 0, right: 1 }], view: everything },
        session,
      ).map(({ item }) => item);
    expect(items({}, (row) => row !== 1)).toEqual(['i3']);
    expect(items({ selected: true }, () => true)).toEqual(['i3']);
    expect(items({}, () => true)).toEqual(['i2', 'i3']);
    expect(items({ to: 'NA' }, () => true)).toEqual([]);
  });
});
