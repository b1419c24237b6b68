/**
 * Heads of a register: the applied entries that no applied entry of the same register names as a
 * parent. A pure function of the set of entries, computed one entry at a time and independent of
 * the order in which they arrive.
 */
export interface HeadEntry {
  name: string;
  /** Orders heads for display by (hlc, change id, index); the greatest is displayed. */
  hlc: string;
}

export interface RegisterState {
  heads: readonly HeadEntry[];
  /** Names cited as parents that have not been applied here (yet). */
  cited: readonly string[];
}

export const EMPTY_REGISTER: RegisterState = { heads: [], cited: [] };

function nameParts(name: string): [string, number] {
  const hash = name.lastIndexOf('#');
  return [name.slice(0, hash), Number(name.slice(hash + 1))];
}

/** Negative if `a` ranks below `b` for display. Entries of the same change are ranked by index. */
export function compareHeads(a: HeadEntry, b: HeadEntry): number {
  if (a.hlc !== b.hlc) return a.hlc < b.hlc ? -1 : 1;
  const [idA, indexA] = nameParts(a.name);
  const [idB, indexB] = nameParts(b.name);
  if (idA !== idB) return idA < idB ? -1 : 1;
  return indexA - indexB;
}

/** The head that is displayed: the same on every store with the same entries. */
export function displayedHead(state: RegisterState): HeadEntry | undefined {
  let best: HeadEntry | undefined;
  for (const head of state.heads)
    if (best === undefined || compareHeads(best, head) < 0) best = head;
  return best;
}

/**
 * The state after applying `entry`. `isSettled(name)` is asked about a parent that is not a head:
 * it returns true if that entry was applied to this register (and so is superseded already) or can
 * never belong to it; then the parent is not waited for. A head may be applied again, as happens
 * when a replica pulls what a snapshot already contained; an entry that was superseded may not.
 */
export function applyEntry(
  state: RegisterState,
  entry: HeadEntry,
  parents: readonly string[],
  isSettled: (name: string) => boolean,
): RegisterState {
  const known = new Set(state.heads.map((head) => head.name));
  const waited = state.cited.includes(entry.name);
  let heads = waited || known.has(entry.name) ? state.heads : [...state.heads, entry];
  let cited = waited ? state.cited.filter((name) => name !== entry.name) : state.cited;
  for (const parent of parents) {
    if (known.has(parent)) heads = heads.filter((head) => head.name !== parent);
    else if (!cited.includes(parent) && !isSettled(parent)) cited = [...cited, parent];
  }
  return { heads, cited };
}
