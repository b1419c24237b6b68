import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { inOneGo } from '../lib/steps.ts';
import { type CellState, runMatrixValue } from './outcome.ts';
import { ProfileDocument } from './profile.ts';
import { ItemResult, METHOD, RunResult, RunSettings } from './result.ts';
import type { ContentParts } from './run-freeze.ts';
import {
  type CellAddress,
  ContentHash,
  FrozenCase,
  FrozenCell,
  FrozenContested,
  FrozenItem,
  type FrozenRun,
  RunRecord,
} from './run-record.ts';
import { RuleUid } from './uid.ts';

/** Hex SHA-256 of the bytes that it names. */
export const BlobName = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Must be 64 lower-case hexadecimal digits.');

/** Cells that a chunk should have, roughly. */
const CELLS = 2_000;
/** A chunk ends before it exceeds this many characters, in the middle of a row if necessary. */
const CHARACTERS = 262_144;

const LETTERS = 'FTN-';
const STATES: readonly CellState[] = ['FALSE', 'TRUE', 'NA', null];
const letterOf = (state: CellState): string => LETTERS[STATES.indexOf(state)] as string;

const column = z.int().min(0);
const ChunkCell = FrozenCell.omit({ item_uid: true, rule_uid: true }).extend({ column });
const ChunkContested = FrozenContested.omit({ item_uid: true, rule_uid: true }).extend({ column });

/**
 * A row of the matrix with the details of its cells. Without `item` and `raw` it continues the row
 * before it.
 */
const ChunkRow = z.strictObject({
  item: FrozenItem.optional(),
  raw: z
    .string()
    .regex(/^[FTN-]+$/)
    .optional(),
  cells: z.array(ChunkCell).optional(),
  contested: z.array(ChunkContested).optional(),
});
type ChunkRow = z.infer<typeof ChunkRow>;
const Chunk = z.strictObject({ rows: z.array(ChunkRow) });

/**
 * The different results of items, without their uids. `of` has the index of each item's result; it
 * is null where k alone decides the result.
 */
const ItemResults = z.strictObject({
  rows: z.array(ItemResult.omit({ item_uid: true })),
  of: z.array(z.int().min(0)).nullable(),
});

/**
 * A run's content except its rows and its profile, which it names by their hashes. It depends on
 * the content alone: who froze it, when and under which run_uid is in the ticket.
 */
export const RunManifest = z.strictObject({
  v: z.literal(1),
  content_hash: ContentHash,
  case: FrozenCase,
  profile: BlobName,
  rules: z.array(RuleUid).min(1),
  chunks: z.array(BlobName).min(1),
  contested_reason: z.string().min(1).optional(),
  settings: RunSettings,
  method: z.literal(METHOD),
  result: RunResult.extend({ items: ItemResults }),
});
export type RunManifest = z.infer<typeof RunManifest>;

/** What a run record contains besides its content. */
export const RunTicket = RunRecord.pick({
  run_uid: true,
  project_id: true,
  created_at: true,
  created_by: true,
  engine: true,
});
export type RunTicket = z.infer<typeof RunTicket>;

/** Canonical JSON texts by their hashes. */
export type Blobs = ReadonlyMap<string, string>;

export class ManifestError extends Error {
  override name = 'ManifestError';
}

/** The blobs that a manifest names, each once, in order. */
export function blobsOf({ profile, chunks }: Pick<RunManifest, 'profile' | 'chunks'>): string[] {
  return [...new Set([profile, ...chunks])];
}

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

function byItem<T extends CellAddress>(cells: readonly T[]): Map<string, T[]> {
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
  const columnOf = ({ rule_uid }: CellAddress): number => columns.get(rule_uid) as number;
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
        column: columnOf(disputed[place] as CellAddress),
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

function countPresent(row: readonly CellState[]): number {
  return row.reduce((k, state) => k + runMatrixValue(state), 0);
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

export type JoinedRun = FrozenRun &
  Pick<ContentParts, 'settings' | 'result'> & { method: typeof METHOD };

/**
 * Puts a run's content together again. Throws ManifestError where a blob is missing or is not a
 * part of a run.
 */
export function joinRun(manifest: RunManifest, blobs: Blobs): JoinedRun {
  return inOneGo(joining(manifest, blobs));
}

/** The same in steps, one for each chunk. */
export function* joining(manifest: RunManifest, blobs: Blobs): Generator<void, JoinedRun> {
  const { rules, settings, method, contested_reason } = manifest;
  const profile = parseBlob(ProfileDocument, blobs, manifest.profile);
  const items: FrozenItem[] = [];
  const raw: CellState[][] = [];
  const cells: FrozenCell[] = [];
  const contested: FrozenContested[] = [];
  for (const name of manifest.chunks) {
    for (const row of parseBlob(Chunk, blobs, name).rows)
      addRow(row, { rules, items, raw, cells, contested });
    yield;
  }
  if (items.length === 0) throw new ManifestError('The chunks hold no item.');
  const frozen: FrozenRun = {
    case: manifest.case,
    profile,
    items,
    rules,
    raw,
    matrix: raw.map((row) => row.map(runMatrixValue)),
    cells,
    ...(contested.length > 0 && { contested }),
    ...(contested_reason !== undefined && { contested_reason }),
  };
  return {
    ...frozen,
    settings,
    method,
    result: {
      global: manifest.result.global,
      items: unpackResults(manifest, items, raw),
      rules: manifest.result.rules,
      interpretation_boundary: manifest.result.interpretation_boundary,
    },
  };
}

function parseBlob<T extends z.ZodType>(schema: T, blobs: Blobs, name: string): z.output<T> {
  const text = blobs.get(name);
  if (text === undefined) throw new ManifestError('A blob is missing.');
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (canonicalJson(value) !== text) throw new ManifestError('A blob is not canonical JSON.');
  } catch (error) {
    throw error instanceof ManifestError ? error : new ManifestError('A blob is not JSON.');
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ManifestError('A blob is not what a run is made of.');
  // Takes the parsed JSON itself and not zod's copy, since the hash covers every member, unknown
  // ones included.
  return value as z.output<T>;
}

function addRow(
  row: ChunkRow,
  into: {
    rules: readonly string[];
    items: FrozenItem[];
    raw: CellState[][];
    cells: FrozenCell[];
    contested: FrozenContested[];
  },
): void {
  const { rules, items, raw } = into;
  if (row.item !== undefined && row.raw?.length === rules.length) {
    const { item_uid, item_type, label, metadata } = row.item;
    items.push({ item_uid, item_type, label, metadata });
    raw.push(Array.from(row.raw, (letter) => STATES[LETTERS.indexOf(letter)] ?? null));
  } else if (row.item !== undefined || row.raw !== undefined)
    throw new ManifestError('A row has not one outcome for each rule.');
  const item_uid = items.at(-1)?.item_uid;
  if (item_uid === undefined) throw new ManifestError('The first row names no item.');
  const ruleAt = (at: number): string => {
    const rule = rules[at];
    if (rule === undefined) throw new ManifestError('A cell is in no column.');
    return rule;
  };
  for (const { column: at, source_value, notes, provenance } of row.cells ?? [])
    into.cells.push({ item_uid, rule_uid: ruleAt(at), source_value, notes, provenance });
  for (const { column: at, ...rest } of row.contested ?? [])
    into.contested.push({ item_uid, rule_uid: ruleAt(at), ...rest });
}

function unpackResults(
  { result }: RunManifest,
  items: readonly FrozenItem[],
  raw: readonly CellState[][],
): ItemResult[] {
  const { rows, of } = result.items;
  if (of !== null && of.length !== items.length)
    throw new ManifestError('There is not one result for each item.');
  const placeByK = new Map(rows.map((row, place) => [row.k, place]));
  return items.map(({ item_uid }, index) => {
    const row =
      rows[
        of === null
          ? (placeByK.get(countPresent(raw[index] as CellState[])) ?? -1)
          : (of[index] as number)
      ];
    if (row === undefined) throw new ManifestError('An item has no result.');
    const { k, m, p_hat, alpha, beta, theta_mean, theta_lower, theta_upper, percentile } = row;
    return { item_uid, k, m, p_hat, alpha, beta, theta_mean, theta_lower, theta_upper, percentile };
  });
}
