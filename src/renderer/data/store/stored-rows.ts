import { z } from 'zod';
import { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { CELL_STATES } from '../../../shared/domain/outcome.ts';
import { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { type Change, DamagedChangeError, unseal } from '../../../sync/change.ts';
import { authorOf } from './upgrade-users.ts';
import type { AuthorsRow } from './authors.ts';
import type {
  BlockRow,
  ContestedRow,
  DetailsRow,
  ItemRecord,
  ItemsRow,
  MatrixRow,
  ChangeIdsRow,
  OutboxRow,
} from './db.ts';
import { known } from '../../../shared/contract/ids.ts';

/** What the browser's storage gives back is parsed like anything else that comes from outside. */

const Count = z.int().min(0);
const Head = z.tuple([Count, Count]).readonly();

const stored = {
  id: z.string(),
  case_uid: known.caseUid,
  user: z.string(),
  text: z.string(),
  bytes: z.number().min(0),
  created: z.number(),
};
const Outbox: z.ZodType<OutboxRow> = z.strictObject({
  n: z.int().optional(),
  ...stored,
  state: z.enum(['waiting', 'damaged']),
  reason: z.string().nullable(),
  aside: z.strictObject({ at: z.number(), versions: z.string() }).exactOptional(),
});
/**
 * An outbox row of any version or of a damaged store: everything except the change itself can be
 * made again.
 */
const Rescued = z.object({
  id: z.string(),
  case_uid: known.caseUid,
  user: z.string().optional().catch(undefined),
  text: z.string(),
  bytes: z.number().min(0).catch(0),
  created: z.number().catch(0),
  state: z.enum(['waiting', 'damaged']).catch('waiting'),
  reason: z.string().nullable().catch(null),
});

/** The rows that can be read, in their order; the others are left where they are. */
export const readOutboxRows = (rows: readonly unknown[]): OutboxRow[] =>
  rows.flatMap((row) => Outbox.safeParse(row).data ?? []);

export const rescueOutboxRows = (rows: readonly unknown[]): Omit<OutboxRow, 'n'>[] =>
  rows.flatMap((row) => {
    const { data } = Rescued.safeParse(row);
    return data === undefined ? [] : [{ ...data, user: data.user ?? authorOf(data.text) }];
  });

/** The change of a stored row; undefined where its bytes no longer match its id. */
export function readChange(
  { id, text }: Pick<OutboxRow, 'id' | 'text'>,
  hasher: Hasher,
): Change | undefined {
  try {
    return unseal(id, text, hasher).change;
  } catch (error) {
    if (error instanceof DamagedChangeError) return undefined;
    throw error;
  }
}

const Position = z.strictObject({ seq: Count, chain: z.string() });
export const readMatrixRow = (row: unknown): MatrixRow | undefined => Matrix.safeParse(row).data;
const Matrix: z.ZodType<MatrixRow> = z.strictObject({
  id: z.string(),
  user: z.string(),
  case_uid: known.caseUid,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  profile: ProfileDocument,
  rules: z.array(z.string()),
  document: z
    .strictObject({ digest: z.string(), named: z.boolean(), other: z.boolean() })
    .exactOptional(),
  gen: Count,
  boot: z.string(),
  rev: Count,
  epoch: z.string(),
  base_seq: Count,
  pull_seq: Count,
  pull_chain: z.string(),
  witness: Position,
  count: Count,
  sum: z.string(),
  schema: Count,
  last_ok: z.number().nullable(),
  authored: z.literal(true).exactOptional(),
  review: Count,
  overlaid: z.array(z.string()),
});

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isHead = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && isCount(value[1]);

/**
 * Checked by hand, as strictly as by a schema: under the content policy zod may not compile its
 * schemas and would take five times as long, for up to 100,000 rows.
 */
function isItem(value: unknown): value is ItemRecord {
  if (!isRecord(value)) return false;
  const { item_uid, item_type, label, metadata, position, exists, covers, heads, ...more } = value;
  return (
    isText(item_uid) &&
    isText(item_type) &&
    isText(label) &&
    isRecord(metadata) &&
    Number.isFinite(position) &&
    typeof exists === 'boolean' &&
    (Array.isArray(covers) ? covers.every(isText) : !('covers' in value)) &&
    isRecord(heads) &&
    Object.values(heads).every(isHead) &&
    Object.keys(more).length === 0
  );
}
const Items: z.ZodType<ItemsRow> = z.strictObject({
  matrix: z.string(),
  block: Count,
  items: z.array(z.custom<ItemRecord>(isItem)),
});
const isOutcome = (code: number): boolean => code < CELL_STATES.length;
const Block: z.ZodType<BlockRow> = z.strictObject({
  matrix: z.string(),
  block: Count,
  raw: z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.every(isOutcome)),
  ref: z.custom<Uint32Array>((value) => value instanceof Uint32Array),
  index: z.custom<Uint16Array>((value) => value instanceof Uint16Array),
});
const Detail = z.strictObject({
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: z.unknown(),
  notesHead: Head.nullable(),
});
const Details: z.ZodType<DetailsRow> = z.strictObject({
  matrix: z.string(),
  slot: Count,
  cells: z.record(z.string().regex(/^\d+$/), Detail),
});
const Authors: z.ZodType<AuthorsRow> = z.strictObject({
  authors: z.array(RecordedBy),
  of: z.array(z.int().min(-1)),
  brought: z.array(z.tuple([Count, Count, Count, Count])),
});
const ChangeIdsText: z.ZodType<ChangeIdsRow> = z.strictObject({
  matrix: z.string(),
  chunk: Count,
  text: z.string(),
  by: Authors.exactOptional(),
});
const Contested: z.ZodType<ContestedRow> = z.strictObject({
  matrix: z.string(),
  register: z.string(),
  cited: z.array(z.string()),
  others: z.array(z.strictObject({ ref: Count, index: Count, value: z.unknown() })),
});

/** Every row of a copy. Throws where one of them is not what this version writes. */
export const StoredRows = z.object({
  names: z.array(ChangeIdsText),
  items: z.array(Items),
  blocks: z.array(Block),
  details: z.array(Details),
  contested: z.array(Contested),
});
