import type { ItemRow } from '../../../data/store/port.ts';

interface Known {
  uids: string[];
  labels: string[];
}

/**
 * Finds items by uid or label: those that begin so first, uids before labels. The words in small
 * letters are kept while the items stay the same.
 */
export function createItemSearch(): (
  items: readonly ItemRow[],
  text: string,
  most: number,
) => ItemRow[] {
  let of: readonly ItemRow[] | undefined;
  let known: Known = { uids: [], labels: [] };
  return (items, text, most) => {
    const typed = text.trim().toLowerCase();
    if (typed === '') return items.slice(0, most);
    if (of !== items) {
      known = {
        uids: items.map((item) => item.item_uid.toLowerCase()),
        labels: items.map((item) => item.label.toLowerCase()),
      };
      of = items;
    }
    const ranks: ItemRow[][] = [[], [], [], []];
    for (let row = 0; row < items.length; row += 1) {
      const inUid = known.uids[row]?.indexOf(typed) ?? -1;
      const inLabel = inUid === 0 ? -1 : (known.labels[row]?.indexOf(typed) ?? -1);
      const rank = inUid === 0 ? 0 : inLabel === 0 ? 1 : inUid > 0 ? 2 : inLabel > 0 ? 3 : -1;
      const item = items[row];
      if (rank < 0 || item === undefined) continue;
      const held = ranks[rank];
      if (held !== undefined && held.length < most) held.push(item);
      if (ranks[0]?.length === most) break;
    }
    return ranks.flat().slice(0, most);
  };
}
