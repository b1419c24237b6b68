import type { HeadEntry } from './heads.ts';
import { parseEntryName } from './change.ts';

/**
 * Heads beneath a deleted row that its deletion did not know of: edits under deletion, to be reviewed. A deletion knows what it lists
 * (`covers`: the heads shown before the gesture) and the entries of its own change, which no list inside it could name.
 */
export function editsUnderDeletion(deletion: { name: string; covers: readonly string[] }, heads: readonly HeadEntry[]): HeadEntry[] {
  const own = parseEntryName(deletion.name)?.id;
  return heads.filter(({ name }) => !deletion.covers.includes(name) && parseEntryName(name)?.id !== own);
}
