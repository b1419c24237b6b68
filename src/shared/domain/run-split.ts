import type { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import type { CellState } from './outcome.ts';
import type { ItemResult } from './result.ts';
import { METHOD } from './result.ts';
import type { ContentParts } from './run-freeze.ts';
import type { ItemResults, RunManifest } from './run-manifest.ts';
import { type ChunkRow, letterOf, countPresent } from './run-manifest.ts';
import type { RunCellAddress } from './run-record.ts';

/** Cells that a chunk should have, roughly. */
const CELLS = 2_000;
/** A chunk ends before it exceeds this many characters, in the middle of a row if necessary. */
const CHARACTERS = 262_144;

/**
 * Cuts a run's content into a manifest and blobs. Equal content gives equal bytes on every machine.
 */
export function splitRun(
  content: ContentParts,
  contentHash: string,
  hasher: Hasher,
): { manifest: RunManifest; blobs: Map<string, string> } {
  const blobs = new Map<string, string>();
  const add = (text: string): string => {
    const name = hasher.sha256Hex(text);
    blobs.set(name, text);
    return name;
  };
  const { rules, settings, result, contested_reason } = content;
  const manifest: RunManifest = {
    v: 1,
    content_hash: contentHash,
    case: content.case,
    profile: add(canonicalJson(content.profile)),
    rules,
    chunks: [...chunkTexts(content)].map(add),
    ...(contested_reason !== undefined && { contested_reason }),
    ...(content.round !== undefined && { round: add(canonicalJson(content.round)) }),
    settings,
    method: METHOD,
    result: { ...result, items: packResults(content) },
  };
  return { manifest, blobs };
}

/** The hash function FNV-1a. It only decides where chunks end. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/**
 * Where a chunk ends depends on the items' uids and not on their positions, so that adding,
 * removing or moving an item leaves the other chunks unchanged (content-defined chunking). A chunk
 * may end once it has half the wished number of rows: then it ends behind the first item whose uid
 * hashes to a multiple of that half, and at the latest at twice the wished number.
 */
function* chunkTexts(content: ContentParts): Generator<string> {
  const half = Math.max(1, Math.round(CELLS / content.rules.length / 2));
  let parts: string[] = [];
  let characters = 0;
  let rows = 0;
  const chunk = (): string => {
    const text = `{"rows":[${parts.join(',')}]}`;
    parts = [];
    characters = 0;
    rows = 0;
    return text;
  };
  for (const { uid, texts } of rowTexts(content)) {
    for (const text of texts) {
      if (parts.length > 0 && characters + text.length > CHARACTERS) yield chunk();
      parts.push(text);
      characters += text.length;
    }
    rows += 1;
    if (rows >= 4 * half || (rows >= half && fnv1a(uid) % half === 0)) yield chunk();
  }
  if (parts.length > 0) yield chunk();
}

function byItem<T extends RunCellAddress>(cells: readonly T[]): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const cell of cells) {
    const known = found.get(cell.item_uid);
    if (known === undefined) found.set(cell.item_uid, [cell]);
    else known.push(cell);
  }
  return found;
}

/**
 * Each item's row as canonical JSON: one text, or several where its cells are too long for one
 * chunk.
 */
function* rowTexts({
  items,
  raw,
  rules,
  cells,
  contested = [],
}: ContentParts): Generator<{ uid: string; texts: string[] }> {
  const columns = new Map(rules.map((rule, index) => [rule, index]));
  const columnOf = ({ rule_uid }: RunCellAddress): number => columns.get(rule_uid) as number;
  const detailed = byItem(cells);
  const open = byItem(contested);
  for (const [index, item] of items.entries()) {
    const uid = item.item_uid;
    const row: ChunkRow = { item, raw: (raw[index] as CellState[]).map(letterOf).join('') };
    const [own, disputed] = [detailed.get(uid), open.get(uid)];
    if (own !== undefined)
      row.cells = own.map((cell) => ({
        column: columnOf(cell),
        notes: cell.notes,
        provenance: cell.provenance,
        source_value: cell.source_value,
      }));
    if (disputed !== undefined)
      row.contested = disputed.map(({ item_uid: _, rule_uid: __, ...rest }, place) => ({
        column: columnOf(disputed[place] as RunCellAddress),
        ...rest,
      }));
    const text = canonicalJson(row);
    yield { uid, texts: text.length <= CHARACTERS ? [text] : piecesOf(row) };
  }
}

function piecesOf({ cells = [], contested = [], ...head }: ChunkRow): string[] {
  const pieces = [canonicalJson(head)];
  for (const [name, entries] of [
    ['cells', cells],
    ['contested', contested],
  ] as const) {
    let texts: string[] = [];
    let characters = 0;
    const end = (): void => {
      if (texts.length > 0) pieces.push(`{"${name}":[${texts.join(',')}]}`);
      texts = [];
      characters = 0;
    };
    for (const entry of entries) {
      const text = canonicalJson(entry);
      if (characters + text.length > CHARACTERS) end();
      texts.push(text);
      characters += text.length;
    }
    end();
  }
  return pieces;
}

function packResults({ result, raw }: ContentParts): z.infer<typeof ItemResults> {
  const rows: Omit<ItemResult, 'item_uid'>[] = [];
  const placeOf = new Map<string, number>();
  const of = result.items.map(({ item_uid: _, ...own }) => {
    const key = canonicalJson(own);
    const known = placeOf.get(key);
    if (known !== undefined) return known;
    placeOf.set(key, rows.length);
    return rows.push(own) - 1;
  });
  const placeByK = new Map(rows.map((row, place) => [row.k, place]));
  const followsK =
    placeByK.size === rows.length &&
    of.every((place, index) => place === placeByK.get(countPresent(raw[index] as CellState[])));
  return { rows, of: followsK ? null : of };
}
