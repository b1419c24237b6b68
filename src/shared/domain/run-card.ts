import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import type { RunRecord } from './run-record.ts';

/**
 * The hash of what a card says of one item: the run by its own hash, the item, its outcomes with
 * what proves them, and its result. Whoever holds the run can compute it again; undefined where the
 * run has no such item.
 */
export function cardHash(
  { content_hash, frozen, result }: Pick<RunRecord, 'content_hash' | 'frozen' | 'result'>,
  itemUid: string,
  hasher: Hasher,
): string | undefined {
  const row = frozen.items.findIndex((item) => item.item_uid === itemUid);
  if (row === -1) return undefined;
  const card = {
    content_hash,
    item: frozen.items[row],
    rules: frozen.rules,
    raw: frozen.raw[row],
    cells: frozen.cells.filter((cell) => cell.item_uid === itemUid),
    result: result.items[row],
  };
  return `sha256:${hasher.sha256Hex(canonicalJson(card))}`;
}
