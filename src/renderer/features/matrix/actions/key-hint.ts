import { useStore } from 'zustand';
import type { EditorAction } from './actions.ts';
import { chordParts } from '../model/keymap.ts';
import { chordsUnder, keyStore } from './keys.ts';

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

/** The first key of an action in the words of this keyboard, "" if it has none. */
export function keyHint(action: EditorAction): string {
  const chord = chordsUnder(action, keyStore.getState().preferences)[0];
  return chord === undefined ? '' : chordParts(chord, isMac()).join('+');
}

/** `keyHint`, drawn again when the keys change. */
export function useKeyHints(): (action: EditorAction) => string {
  useStore(keyStore);
  return keyHint;
}

export const titleWith = (label: string, keys: string): string =>
  keys === '' ? label : `${label} (${keys})`;
