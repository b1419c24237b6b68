import { asProfile } from '../../support/ids.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Arrangement,
  PLAIN,
} from '../../../src/renderer/features/matrix/model/arrangement.ts';
import { PLAIN_COLUMNS } from '../../../src/renderer/features/matrix/model/column-plan.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { NO_FILTER } from '../../../src/renderer/features/matrix/model/filter.ts';
import {
  deleteView,
  loadViews,
  nameProblem,
  renameView,
  saveView,
} from '../../../src/renderer/features/matrix/model/saved-views.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { cell, sessionOf } from './profile.ts';

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
});
afterEach(() => vi.unstubAllGlobals());

const rules = ['r1', 'r2'];
const arrangement: Arrangement = {
  columns: { ...PLAIN_COLUMNS, hidden: ['r2'] },
  sort: { by: 'uid', descending: true },
  filter: { ...NO_FILTER, text: 'a', rules: [{ rule: 'r1', states: ['TRUE'] }] },
};

describe('saved views', () => {
  it('are kept by profile, renamed and deleted', () => {
    expect(saveView(asProfile('p'), { name: 'Open', arrangement })).toBe(true);
    saveView(asProfile('p'), { name: 'Doubts', arrangement: PLAIN });
    expect(loadViews(asProfile('p'), rules)).toEqual([
      { name: 'Doubts', arrangement: PLAIN },
      { name: 'Open', arrangement },
    ]);
    expect(loadViews(asProfile('q'), rules)).toEqual([]);
    renameView(asProfile('p'), 'Open', 'Closed');
    deleteView(asProfile('p'), 'Doubts');
    expect(loadViews(asProfile('p'), rules).map(({ name }) => name)).toEqual(['Closed']);
  });

  it('fit the rules of the version at hand', () => {
    saveView(asProfile('p'), { name: 'Open', arrangement });
    expect(loadViews(asProfile('p'), ['r2', 'r3'])[0]?.arrangement.filter.rules).toEqual([]);
    expect(loadViews(asProfile('p'), ['r2'])[0]?.arrangement.columns.hidden).toEqual([]);
  });

  it('that cannot be read are left out, and the others stay', () => {
    stored.set(
      'evidence-studio.views.p',
      JSON.stringify([
        { name: 'Odd', arrangement: { ...PLAIN, sort: { by: 'colour' } } },
        { name: 'Good', arrangement: PLAIN },
      ]),
    );
    expect(loadViews(asProfile('p'), rules).map(({ name }) => name)).toEqual(['Good']);
    stored.set('evidence-studio.views.p', 'no JSON');
    expect(loadViews(asProfile('p'), rules)).toEqual([]);
  });

  it('want a name that none has', () => {
    const views = [{ name: 'Open', arrangement: PLAIN }];
    expect(nameProblem(' ', views)).toBe('Give the view a name.');
    expect(nameProblem('open ', views)).toBe('There is a view of this name.');
    expect(nameProblem('open', views, 'Open')).toBeUndefined();
  });

  it('say where they could not be kept', () => {
    vi.stubGlobal('localStorage', {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    });
    expect(saveView(asProfile('p'), { name: 'Open', arrangement: PLAIN })).toBe(false);
  });
});

describe('the place in a matrix', () => {
  const leave = (): void => {
    const editor = createEditor(sessionOf(4, 2), vi.fn());
    const disconnect = editor.connect();
    editor.arrange(arrangement);
    editor.arrange({ filter: { ...NO_FILTER, text: 'label' } });
    editor.select(single(cell(3, 1)));
    disconnect();
  };
  const back = (): ReturnType<typeof createEditor> => createEditor(sessionOf(4, 2), vi.fn());

  it('is where one comes back to: cell, columns, sort and filter', () => {
    leave();
    expect(back().store.getState()).toMatchObject({
      columns: arrangement.columns,
      sort: arrangement.sort,
      filter: { text: 'label' },
      selection: { focus: cell(3, 1) },
      view: { rowCount: 4, columnCount: 1 },
    });
    expect(back().store.getState().view.itemAt(0)).toBe('i4');
  });

  it('is forgotten where it cannot be read', () => {
    leave();
    stored.set(
      'evidence-studio.places',
      stored.get('evidence-studio.places')!.replace('"uid"', '"colour"'),
    );
    expect(back().store.getState()).toMatchObject({ ...PLAIN, selection: null });
    stored.set('evidence-studio.places', '{');
    expect(back().store.getState()).toMatchObject({ ...PLAIN, selection: null });
  });
});
