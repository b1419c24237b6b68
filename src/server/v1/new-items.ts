import type { ItemInput, NamedItem, NewItemInput } from '../../shared/contract/v1/evidence.ts';
import type { HandlerDeps } from '../http/route.ts';
import { sortableId } from '../storage/db/ids.ts';

type Named<I> = I & Pick<ItemInput, 'item_uid'>;
const isNamed = <I extends NewItemInput>(item: I): item is Named<I> => item.item_uid !== undefined;

/** Names those of a request's items that have no name yet, in their order. */
export function nameItems<I extends NewItemInput>(
  items: readonly I[],
  deps: Pick<HandlerDeps, 'clock' | 'random'>,
): { items: Named<I>[]; named: { named_items?: NamedItem[] } } {
  const named_items: NamedItem[] = [];
  const whole = items.map((item, index): Named<I> => {
    if (isNamed(item)) return item;
    const item_uid = sortableId('itm_', deps);
    named_items.push({ path: `/items/${index}`, item_uid });
    return { ...item, item_uid };
  });
  return { items: whole, named: named_items.length > 0 ? { named_items } : {} };
}
