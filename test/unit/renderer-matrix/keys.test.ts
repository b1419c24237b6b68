import { describe, expect, it } from 'vitest';
import { actionById, actionFor } from '../../../src/renderer/features/matrix/actions/actions.ts';
import {
  chordsOf,
  conflictIn,
  parseKeyPreferences,
  setKeyPreferences,
  USUAL_KEYS,
} from '../../../src/renderer/features/matrix/actions/keys.ts';

const letters = (change: Partial<typeof USUAL_KEYS.letters>) => ({
  ...USUAL_KEYS.letters,
  ...change,
});

describe('single keys', () => {
  it('exchanges a letter with both its halves, and tells the new ones', () => {
    expect(
      setKeyPreferences({ single: true, letters: letters({ U: 'J', T: 'P' }) }),
    ).toBeUndefined();
    expect(actionFor('J')?.id).toBe('move.unrecorded');
    expect(actionFor('Shift+J')?.id).toBe('move.unrecordedBack');
    expect(actionFor('Shift+P')?.id).toBe('record.true');
    expect(actionFor('T')).toBeUndefined();
    expect(chordsOf(actionById('record.true'))).toEqual(['P', 'Shift+P']);
    expect(chordsOf(actionById('history.undo'))).toEqual(['Mod+Z']);
    setKeyPreferences(USUAL_KEYS);
  });

  it('lets two letters change places, and refuses one letter for two commands', () => {
    expect(conflictIn(letters({ T: 'F', F: 'T' }))).toBeUndefined();
    expect(setKeyPreferences({ single: true, letters: letters({ T: 'N' }) })).toBe(
      'N is given to two commands.',
    );
    expect(conflictIn(letters({ T: '?' }))).toBe('“?” is not a letter from A to Z.');
    expect(actionFor('T')?.id).toBe('record.true');
  });

  it('can be turned off: letters and signs then mean nothing, other keys stay', () => {
    setKeyPreferences({ ...USUAL_KEYS, single: false });
    for (const chord of ['T', 'Shift+F', 'U', '?']) expect(actionFor(chord)).toBeUndefined();
    expect(actionFor('Delete')?.id).toBe('record.clear');
    expect(actionFor('F1')?.id).toBe('help');
    setKeyPreferences(USUAL_KEYS);
  });

  it.each([
    null,
    '',
    '{',
    '[]',
    '{"single":"no"}',
    '{"single":true,"letters":{"T":"T","F":"F","N":"N"}}',
    '{"single":true,"letters":{"T":"T","F":"T","N":"N","U":"U"}}',
    '{"single":true,"letters":{"T":"é","F":"F","N":"N","U":"U"}}',
    '{"single":true,"letters":{"T":"T","F":"F","N":"N","U":"U"},"more":1}',
  ])('keeps the usual keys where the storage holds %s', (text) => {
    expect(parseKeyPreferences(text)).toEqual(USUAL_KEYS);
  });

  it('reads back what it stores', () => {
    const kept = { single: false, letters: letters({ N: 'X' }) };
    expect(parseKeyPreferences(JSON.stringify(kept))).toEqual(kept);
  });
});
