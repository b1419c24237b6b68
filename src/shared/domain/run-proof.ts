import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import type { RunRecord } from './run-record.ts';

/**
 * Proof that one item belongs to a run, without the others: a hash tree over the items of a run
 * (split as in RFC 6962), whose root signatures cover. The content hash is a matter of its own.
 */

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** What is frozen of one item, as text whose hash is a leaf of the tree. */
export const ItemProof = z.strictObject({
  format: z.literal('evidence-studio-item-1'),
  /** Canonical JSON of the item, its outcomes by rule, what is known of its cells, its result. */
  leaf: z.string(),
  index: z.int().min(0),
  items: z.int().min(1),
  /** Hashes of the subtrees beside the way to the root, from the leaf up. */
  beside: z.array(Digest).max(64),
});
export type ItemProof = z.infer<typeof ItemProof>;

type RunContent = Pick<RunRecord, 'frozen' | 'result' | 'profile_uid' | 'profile_version'>;

const leafHash = (leaf: string, { sha256Hex }: Hasher): string => sha256Hex(`item\n${leaf}`);
const nodeHash = (left: string, right: string, { sha256Hex }: Hasher): string =>
  sha256Hex(`node\n${left}\n${right}`);

/** What the leaf of each item says, in the order of the run. */
export function itemLeaves({ frozen, result, profile_uid, profile_version }: RunContent): string[] {
  const cells = Map.groupBy(frozen.cells, ({ item_uid }) => item_uid);
  const results = new Map(result.items.map((item) => [item.item_uid, item]));
  return frozen.items.map((item, row) =>
    canonicalJson({
      profile_uid,
      profile_version,
      item,
      outcomes: Object.fromEntries(
        frozen.rules.map((rule, column) => [rule, frozen.raw[row]?.[column] ?? null]),
      ),
      cells: cells.get(item.item_uid) ?? [],
      result: results.get(item.item_uid) ?? null,
    }),
  );
}

/** The largest power of two below `count`, which is at least 2. */
const splitOf = (count: number): number => 2 ** Math.ceil(Math.log2(count) - 1);

function rootOf(hashes: readonly string[], hasher: Hasher): string {
  const [first] = hashes;
  if (first === undefined) throw new Error('A run has at least one item.');
  if (hashes.length === 1) return first;
  const split = splitOf(hashes.length);
  return nodeHash(
    rootOf(hashes.slice(0, split), hasher),
    rootOf(hashes.slice(split), hasher),
    hasher,
  );
}

function pathOf(hashes: readonly string[], index: number, hasher: Hasher): string[] {
  if (hashes.length === 1) return [];
  const split = splitOf(hashes.length);
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)];
  return index < split
    ? [...pathOf(left, index, hasher), rootOf(right, hasher)]
    : [...pathOf(right, index - split, hasher), rootOf(left, hasher)];
}

const hashesOf = (leaves: readonly string[], hasher: Hasher): string[] =>
  leaves.map((leaf) => leafHash(leaf, hasher));

/** The root over all items of a run: 64 hexadecimal digits. */
export const itemsRoot = (run: RunContent, hasher: Hasher): string =>
  rootOf(hashesOf(itemLeaves(run), hasher), hasher);

/** The proof for one item; undefined where the run has no such item. */
export function proveItem(run: RunContent, itemUid: string, hasher: Hasher): ItemProof | undefined {
  const index = run.frozen.items.findIndex(({ item_uid }) => item_uid === itemUid);
  if (index < 0) return undefined;
  const leaves = itemLeaves(run);
  return {
    format: 'evidence-studio-item-1',
    leaf: leaves[index] as string,
    index,
    items: leaves.length,
    beside: pathOf(hashesOf(leaves, hasher), index, hasher),
  };
}

/** The root that a proof leads to; undefined where its path does not fit its place. */
export function provenRoot(
  { leaf, index, items, beside }: ItemProof,
  hasher: Hasher,
): string | undefined {
  if (index >= items) return undefined;
  const sides: ('left' | 'right')[] = [];
  let [place, count] = [index, items];
  while (count > 1) {
    const split = splitOf(count);
    if (place < split) {
      sides.push('right');
      count = split;
    } else {
      sides.push('left');
      place -= split;
      count -= split;
    }
  }
  if (sides.length !== beside.length) return undefined;
  return beside.reduce(
    (hash, other, step) => {
      const side = sides[sides.length - 1 - step];
      return side === 'right' ? nodeHash(hash, other, hasher) : nodeHash(other, hash, hasher);
    },
    leafHash(leaf, hasher),
  );
}
