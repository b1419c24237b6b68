import type { HeadEntry } from './heads.ts';
import { parseEntryName } from './change.ts';

/**
 * Heads beneath a deleted row that its author did not know of: they have to be reviewed. A deletion
 * knows the heads listed in `covers` (those displayed before the gesture) and the entries of its
 * own change, whose names could not be listed inside it.
 */
export function editsUnderDeletion(
  deletion: { name: string; covers: readonly string[] },
  heads: readonly HeadEntry[],
): HeadEntry[] {
  const own = parseEntryName(deletion.name)?.id;
  return heads.filter(
    ({ name }) => !deletion.covers.includes(name) && parseEntryName(name)?.id !== own,
  );
}
