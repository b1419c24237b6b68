/**
 * What the author of a deletion had seen beneath it: the heads of its type, label, metadata and
 * cells, as names of entries or ranges of entries of one change (`c1_…#3`, `c1_…#3-9`). A head that
 * is not covered was written without knowledge of the deletion, and the deletion was made without
 * knowledge of it.
 */
export function writeCovers(heads: Iterable<readonly [id: string, index: number]>): string[] {
  const byChange = new Map<string, number[]>();
  for (const [id, index] of heads) {
    const known = byChange.get(id);
    if (known === undefined) byChange.set(id, [index]);
    else known.push(index);
  }
  const covers: string[] = [];
  for (const [id, indexes] of [...byChange].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    indexes.sort((a, b) => a - b);
    for (let from = 0; from < indexes.length;) {
      let to = from;
      while (to + 1 < indexes.length && indexes[to + 1]! <= indexes[to]! + 1) to += 1;
      covers.push(
        `${id}#${indexes[from]}${indexes[to] === indexes[from] ? '' : `-${indexes[to]}`}`,
      );
      from = to + 1;
    }
  }
  return covers;
}

/** Parses covers into ranges of entries by change; texts that cannot be parsed are skipped. */
export function readCovers(
  covers: readonly string[],
): Map<string, (readonly [from: number, to: number])[]> {
  const byChange = new Map<string, (readonly [number, number])[]>();
  for (const cover of covers) {
    const [, id, from, to] = /^(c1_[A-Za-z0-9_-]{43})#(\d{1,4})(?:-(\d{1,4}))?$/.exec(cover) ?? [];
    if (id === undefined) continue;
    const range = [Number(from), Number(to ?? from)] as const;
    byChange.set(id, [...(byChange.get(id) ?? []), range]);
  }
  return byChange;
}
