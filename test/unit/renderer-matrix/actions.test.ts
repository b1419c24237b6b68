import { describe, expect, it } from 'vitest';
import { ACTION_GROUPS } from '../../../src/renderer/features/matrix/editor/action.ts';
import {
  actionById,
  actionFor,
  ACTIONS,
  menuActions,
} from '../../../src/renderer/features/matrix/actions/actions.ts';

const repeated = (names: string[]): string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);

describe('the table of actions', () => {
  it('names each id once', () => {
    expect(repeated(ACTIONS.map((action) => action.id))).toEqual([]);
  });

  it('gives each chord to one action', () => {
    expect(repeated(ACTIONS.flatMap((action) => action.keys))).toEqual([]);
  });

  it('has words for each action, and no two with the same in a group', () => {
    expect(ACTIONS.filter((action) => action.label.trim() === '')).toEqual([]);
    expect(repeated(ACTIONS.map((action) => `${action.group}: ${action.label}`))).toEqual([]);
  });

  it('writes chords as key presses are read', () => {
    for (const chord of ACTIONS.flatMap((action) => action.keys))
      expect(chord).toMatch(/^(Mod\+)?(Alt\+)?(Shift\+)?([A-Z]|F\d+|[^A-Za-z]|[A-Z][A-Za-z]+)$/);
  });

  it('knows groups that the help sheet lists alone', () => {
    for (const action of ACTIONS) expect(ACTION_GROUPS).toContain(action.group);
  });

  it('leaves keys that the browser has events for to the browser', () => {
    for (const action of ACTIONS.filter((entry) => entry.native === true))
      for (const chord of action.keys) expect(actionFor(chord)).toBeUndefined();
    for (const chord of ['Mod+C', 'Mod+X', 'Mod+V']) expect(actionFor(chord)).toBeUndefined();
  });

  it('takes no item away and moves none by a key that spreadsheets use for something else', () => {
    for (const chord of ['Mod+Backspace', 'Mod+Delete', 'Alt+ArrowDown', 'Alt+ArrowUp'])
      expect(actionFor(chord)?.group).not.toBe('Items');
    expect(actionFor('Alt+ArrowDown')?.id).toBe('menu.open');
    expect(actionFor('Alt+Delete')?.id).toBe('items.remove');
  });

  it('finds by id, and has no menu section that is empty', () => {
    expect(actionById('help').keys).toContain('?');
    expect(() => actionById('none')).toThrow('no such action: none');
    expect(
      menuActions('cell')
        .flat()
        .map((action) => action.id),
    ).toContain('record.false');
    for (const place of ['cell', 'item', 'rule'] as const)
      expect(menuActions(place).filter((section) => section.length === 0)).toEqual([]);
  });
});
