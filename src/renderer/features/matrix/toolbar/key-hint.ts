import type { Action } from '../actions.ts';
import { chordParts } from '../keymap.ts';

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The first key of an action in the words of this keyboard, "" if it has none. */
export function keyHint(action: Action): string {
  const chord = action.keys[0];
  return chord === undefined ? '' : chordParts(chord, isMac()).join('+');
}
