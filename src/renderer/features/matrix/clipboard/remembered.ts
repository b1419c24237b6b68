import { z } from 'zod';
import { parseStored, readStored, writeStored } from '../../../state/stored.ts';
import { CHOICES, type PasteChoice } from './plan.ts';

const KEY = 'evidence-studio.paste-words';
const MAX_WORDS = 200;

const Remembered = z.array(z.tuple([z.string().min(1).max(200), z.enum(CHOICES)])).max(MAX_WORDS);

/** What was said of words in earlier pastes on this computer; nothing where it cannot be read. */
export const parseRemembered = (text: string | null): Map<string, PasteChoice> =>
  new Map(parseStored(text, Remembered));

export const loadRemembered = (): Map<string, PasteChoice> => new Map(readStored(KEY, Remembered));

/** The newest stay. */
export function remember(words: ReadonlyMap<string, PasteChoice>): void {
  const all = loadRemembered();
  for (const [word, choice] of words) {
    all.delete(word);
    if (word.length <= 200) all.set(word, choice);
  }
  writeStored(KEY, [...all].slice(-MAX_WORDS));
}
