import type { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.ts';
import { inOneGo } from '../lib/steps.ts';
import { type CellState, runMatrixValue } from './outcome.ts';
import { FrozenRound } from './round.ts';
import { ProfileDocument } from './profile.ts';
import type { ItemResult, METHOD } from './result.ts';
import type { ContentParts } from './run-freeze.ts';
import type { RunManifest } from './run-manifest.ts';
import {
  type Blobs,
  type ChunkRow,
  LETTERS,
  STATES,
  Chunk,
  ManifestError,
  countPresent,
} from './run-manifest.ts';
import type { FrozenCell, FrozenContested, FrozenItem } from './run-record.ts';
import { type FrozenRun } from './run-record.ts';

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
    ...(manifest.round !== undefined && {
      round: parseBlob(FrozenRound, blobs, manifest.round),
    }),
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
