import { t, tAs } from '../../../text/t.ts';
/** The parts of a KeyboardEvent that tell which command was meant. */
export interface KeyPress {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** keyCode of a key that an input method has taken. */
const IN_COMPOSITION = 229;

/** The letter on the key, also under a layout without Latin letters. */
function keyName({ key, code }: KeyPress): string {
  if (key === ' ') return 'Space';
  if (key.length !== 1) return key;
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  const latin = /^Key([A-Z])$/.exec(code)?.[1];
  return latin !== undefined && key.charCodeAt(0) > 127 ? latin : key;
}

/**
 * The chord as the actions table writes it: "Mod+Shift+Z", "Shift+Enter", "T", "?". Mod is Ctrl,
 * and Cmd on a Mac. Undefined while an input method composes. Shift is not named where it only
 * makes the sign ("?").
 */
export function chordOf(press: KeyPress): string | undefined {
  if (
    press.isComposing ||
    press.keyCode === IN_COMPOSITION ||
    press.key === 'Process' ||
    press.key === 'Dead'
  )
    return undefined;
  const name = keyName(press);
  const isSign = name.length === 1 && !/^[A-Z]$/.test(name);
  return [
    press.ctrlKey || press.metaKey ? 'Mod+' : '',
    press.altKey ? 'Alt+' : '',
    press.shiftKey && !isSign ? 'Shift+' : '',
    name,
  ].join('');
}

const SIGNS: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: t('Page Up'),
  PageDown: t('Page Down'),
  Delete: tAs('key', 'Del'),
  Escape: tAs('key', 'Esc'),
  Shift: tAs('key', 'Shift'),
  Space: tAs('key', 'Space'),
  Enter: tAs('key', 'Enter'),
  Home: tAs('key', 'Home'),
  End: tAs('key', 'End'),
  Insert: tAs('key', 'Insert'),
  Backspace: tAs('key', 'Backspace'),
  ContextMenu: tAs('key', 'ContextMenu'),
};
const CTRL = tAs('key', 'Ctrl');

/** A chord in the words of this platform's keyboards, part by part. */
export function chordParts(chord: string, mac: boolean): string[] {
  return chord
    .split('+')
    .map((part) =>
      part === 'Mod' ? (mac ? '⌘' : CTRL) : part === 'Alt' && mac ? '⌥' : (SIGNS[part] ?? part),
    );
}
