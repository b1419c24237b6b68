import { describe, expect, it } from 'vitest';
import { actionFor, ACTIONS } from '../../../src/renderer/features/matrix/actions/actions.ts';
import {
  chordOf,
  chordParts,
  type KeyPress,
} from '../../../src/renderer/features/matrix/model/keymap.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  keyCode: 0,
  ...more,
});
const idOf = (key: string, more?: Partial<KeyPress>): string | undefined =>
  actionFor(chordOf(press(key, more)) ?? '')?.id;

describe('keys', () => {
  it.each([
    ['t', 'record.true'],
    ['f', 'record.false'],
    ['n', 'record.na'],
    ['Delete', 'record.clear'],
    ['Backspace', 'record.clear'],
  ])('%s records', (key, id) => {
    expect(idOf(key)).toBe(id);
  });

  it('record with caps lock and with shift held from selecting', () => {
    expect(idOf('T')).toBe('record.true');
    expect(idOf('N', { shiftKey: true })).toBe('record.na');
    expect(idOf('f', { shiftKey: true })).toBe('record.false');
  });

  it.each([
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { ctrlKey: true, altKey: true },
  ])('letters do not record with %o', (modifiers) => {
    for (const key of ['t', 'f', 'n']) expect(idOf(key, modifiers) ?? '').not.toMatch(/^record/);
  });

  it('do nothing while an input method composes', () => {
    expect(chordOf(press('t', { isComposing: true }))).toBeUndefined();
    expect(chordOf(press('t', { keyCode: 229 }))).toBeUndefined();
    expect(chordOf(press('Process'))).toBeUndefined();
  });

  it('are found by their place under a layout without Latin letters', () => {
    expect(idOf('т', { code: 'KeyN' })).toBe('record.na');
    expect(idOf('я', { code: 'KeyZ', ctrlKey: true })).toBe('history.undo');
  });

  it('leave copy, cut and paste to the browser', () => {
    for (const key of ['c', 'x', 'v']) expect(idOf(key, { ctrlKey: true })).toBeUndefined();
  });

  it.each([
    ['z', { ctrlKey: true }, 'history.undo'],
    ['z', { metaKey: true }, 'history.undo'],
    ['y', { ctrlKey: true }, 'history.redo'],
    ['Z', { ctrlKey: true, shiftKey: true }, 'history.redo'],
    [' ', {}, 'panel.open'],
    ['F2', {}, 'panel.edit'],
    ['u', {}, 'move.unrecorded'],
    ['?', { shiftKey: true }, 'help'],
    ['a', { ctrlKey: true }, 'select.all'],
    ['Escape', {}, 'select.collapse'],
    ['ArrowDown', { shiftKey: true }, 'extend.ArrowDown'],
    ['ArrowDown', { ctrlKey: true, shiftKey: true }, 'extend.Mod+ArrowDown'],
    ['Enter', { shiftKey: true }, 'move.Shift+Enter'],
    ['Home', { ctrlKey: true }, 'move.Mod+Home'],
  ] as const)('%s with %o', (key, modifiers, id) => {
    expect(idOf(key, modifiers)).toBe(id);
  });

  it('mean one thing each, and every action has its own id', () => {
    const chords = ACTIONS.flatMap((action) => action.keys);
    expect(new Set(chords).size).toBe(chords.length);
    expect(new Set(ACTIONS.map((action) => action.id)).size).toBe(ACTIONS.length);
  });

  it('are written as the keyboard has them', () => {
    expect(chordParts('Mod+Shift+Z', false)).toEqual(['Ctrl', 'Shift', 'Z']);
    expect(chordParts('Mod+ArrowUp', true)).toEqual(['⌘', '↑']);
  });
});
