import { z } from 'zod';
import { CHOICES, type Choice } from './plan.ts';

const KEY = 'evidence-studio.paste-words';
const MOST = 200;

const Remembered = z.array(z.tuple([z.string().min(1).max(200), z.enum(CHOICES)])).max(MOST);

/** What was said of words in earlier pastes on this computer; nothing where it cannot be read. */
export function parseRemembered(text: string | null): Map<string, Choice> {
  try {
    return new Map(Remembered.parse(JSON.parse(text ?? '[]')));
  } catch {
    return new Map();
  }
}

export function loadRemembered(): Map<string, Choice> {
  try {
    return parseRemembered(localStorage.getItem(KEY));
  } catch {
    return new Map();
  }
}

/** The newest stay. */
export function remember(words: ReadonlyMap<string, Choice>): void {
  const all = loadRemembered();
  for (const [word, choice] of words) {
    all.delete(word);
    if (word.length <= 200) all.set(word, choice);
  }
  try {
    localStorage.setItem(KEY, JSON.stringify([...all].slice(-MOST)));
  } catch {
    // forgotten
  }
}
