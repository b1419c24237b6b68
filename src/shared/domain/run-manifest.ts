import { z } from 'zod';
import { type CellState, runMatrixValue } from './outcome.ts';
import { ItemResult, METHOD, RunResult, RunSettings } from './result.ts';
import {
  ContentHash,
  FrozenCase,
  FrozenCell,
  FrozenContested,
  FrozenItem,
  RunRecord,
} from './run-record.ts';
import { RuleUid } from './uid.ts';

/** Hex SHA-256 of the bytes that it names. */
export const BlobName = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Must be 64 lower-case hexadecimal digits.');

export const LETTERS = 'FTN-';
export const STATES: readonly CellState[] = ['FALSE', 'TRUE', 'NA', null];
export const letterOf = (state: CellState): string => LETTERS[STATES.indexOf(state)] as string;

const column = z.int().min(0);
const ChunkCell = FrozenCell.omit({ item_uid: true, rule_uid: true }).extend({ column });
const ChunkContested = FrozenContested.omit({ item_uid: true, rule_uid: true }).extend({ column });

/**
 * A row of the matrix with the details of its cells. Without `item` and `raw` it continues the row
 * before it.
 */
export const ChunkRow = z.strictObject({
  item: FrozenItem.optional(),
  raw: z
    .string()
    .regex(/^[FTN-]+$/)
    .optional(),
  cells: z.array(ChunkCell).optional(),
  contested: z.array(ChunkContested).optional(),
});
export type ChunkRow = z.infer<typeof ChunkRow>;
export const Chunk = z.strictObject({ rows: z.array(ChunkRow) });

/**
 * The different results of items, without their uids. `of` has the index of each item's result; it
 * is null where k alone decides the result.
 */
export const ItemResults = z.strictObject({
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
  /** The frozen round, where the run names one. */
  round: BlobName.optional(),
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
export function blobsOf({
  profile,
  chunks,
  round,
}: Pick<RunManifest, 'profile' | 'chunks' | 'round'>): string[] {
  return [...new Set([profile, ...chunks, ...(round === undefined ? [] : [round])])];
}

export function countPresent(row: readonly CellState[]): number {
  return row.reduce((k, state) => k + runMatrixValue(state), 0);
}
