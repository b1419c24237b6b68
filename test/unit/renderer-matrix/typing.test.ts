import { describe, expect, it, vi } from 'vitest';
import { actionFor } from '../../../src/renderer/features/matrix/actions/actions.ts';
import {
  setKeyPreferences,
  USUAL_KEYS,
} from '../../../src/renderer/features/matrix/actions/keys.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { createTyping } from '../../../src/renderer/features/matrix/grid/typing.ts';
import { chordOf } from '../../../src/renderer/features/matrix/model/keymap.ts';
import { single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { cell, sessionOf } from './profile.ts';

function open(cells: Parameters<typeof sessionOf>[2] = []) {
  const session = sessionOf(3, 2, cells);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  editor.select(single(cell(1, 1)));
  const typing = createTyping(editor);
  let now = 0;
  const press = (key: string): boolean => {
    now += 120;
    const event = {
      key,
      code: '',
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      shiftKey: false,
      isComposing: false,
      keyCode: 0,
      timeStamp: now,
    };
    return typing.take(event, actionFor(chordOf(event) ?? ''));
  };
  return {
    session,
    editor,
    typing,
    press,
    /** As fast as people type; true where the grid got none of the keys. */
    type: (word: string) => [...word].map(press).every(Boolean),
    pause: () => {
      now += 5_000;
    },
    settled: () => vi.waitFor(() => expect(session.saveStatus.storing).toBe(0), 60_000),
    notice: () => editor.store.getState().notice?.text ?? '',
    focus: () => editor.store.getState().selection?.focus,
  };
}

describe('a word typed into a cell', () => {
  it.each([
    'fail',
    'fine',
    'tbd',
    'none',
    'number',
    'function',
    'TNF-alpha',
    'pass',
    'absent',
    '5 ng',
  ])('%s records nothing, and says so', async (word) => {
    const { session, type, notice, focus, editor } = open();
    expect(type(word)).toBe(true);
    await vi.waitFor(() => expect(notice()).toContain(`“${word}” is no outcome`), 60_000);
    expect(session.totals()).toEqual([0, 0, 0, 6]);
    expect(focus()).toEqual(cell(1, 1));
    expect(editor.store.getState().announcement.text).toContain('F2 takes a text');
  });

  it('leaves what was recorded before as it was, and undoes nothing else', async () => {
    const { session, type, notice } = open([{ ...cell(2, 2), raw_outcome: 'TRUE' }]);
    await session.write('before', [cell(1, 1)], { raw_outcome: 'FALSE' });
    type('fail');
    await vi.waitFor(() => expect(notice()).toContain('“fail”'), 60_000);
    expect(session.state(0, 0)).toBe('FALSE');
    expect(session.state(1, 1)).toBe('TRUE');
    await session.undo();
    expect(session.state(0, 0)).toBeNull();
  });

  it('comes back to its cell where the focus goes on after each entry', async () => {
    const { session, editor, type, notice, focus } = open();
    editor.prefer({ advance: 'down' });
    type('nut');
    type('s');
    await vi.waitFor(() => expect(notice()).toContain('“nuts”'), 60_000);
    expect(session.totals()).toEqual([0, 0, 0, 6]);
    expect(focus()).toEqual(cell(1, 1));
  });

  it.each([
    ['false', 'FALSE'],
    ['TRUE', 'TRUE'],
    ['na', 'NA'],
    ['N/A', 'NA'],
  ] as const)('%s is the outcome of that name', async (word, outcome) => {
    const { session, type, notice, settled, focus } = open();
    expect(type(word)).toBe(true);
    await settled();
    expect(session.state(0, 0)).toBe(outcome);
    expect(notice()).toBe('');
    expect(focus()).toEqual(cell(1, 1));
  });

  it('is one too where it stops halfway', async () => {
    vi.useFakeTimers();
    try {
      const { session, type, notice } = open();
      type('fals');
      await vi.advanceTimersByTimeAsync(2_000);
      expect(notice()).toContain('“fals” is no outcome');
      expect(session.state(0, 0)).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes Backspace with it, which would clear the cell', () => {
    const { type, press, pause } = open();
    type('fai');
    expect(press('Backspace')).toBe(true);
    pause();
    expect(press('Backspace')).toBe(false);
  });
});

describe('commands by letters', () => {
  it('follow one another as fast as people press them', async () => {
    const { session, editor, type, settled } = open();
    editor.prefer({ advance: 'down' });
    type('ftn');
    await settled();
    expect([0, 1, 2].map((row) => session.state(row, 0))).toEqual(['FALSE', 'TRUE', 'NA']);
  });

  it('are commands again after a pause, and after another key', async () => {
    const { session, type, press, pause, settled } = open();
    type('pass');
    pause();
    type('f');
    type('x');
    expect(press('ArrowDown')).toBe(false);
    type('t');
    await settled();
    expect(session.state(0, 0)).toBe('TRUE');
  });
});

describe('a key that means nothing', () => {
  it('says what would', async () => {
    const { type, notice } = open();
    expect(type('x')).toBe(true);
    await vi.waitFor(() => expect(notice()).not.toBe(''), 60_000);
    expect(notice()).toBe(
      '“x” means nothing here. F records FALSE (evidence present), T records TRUE (problem ' +
        'found), N records NA (not available), Del clears; F2 takes a text as the reported value.',
    );
  });

  it('names the letters that a person has chosen, or the menu where letters are off', async () => {
    const { type, notice, pause } = open();
    setKeyPreferences({ ...USUAL_KEYS, letters: { ...USUAL_KEYS.letters, F: 'P' } });
    type('x');
    await vi.waitFor(() => expect(notice()).toContain('P records FALSE'), 60_000);
    pause();
    setKeyPreferences({ ...USUAL_KEYS, single: false });
    type('f');
    await vi.waitFor(() => expect(notice()).toContain('Shift+F10 opens the menu'), 60_000);
    setKeyPreferences(USUAL_KEYS);
  });

  it('tells who may only read why', () => {
    const { session, type, notice } = open();
    session.setSaveStatus({ access: { may: 'read', because: 'viewer', words: 'You may look.' } });
    type('fx');
    expect(notice()).toBe('Read only. You may look.');
  });
});
