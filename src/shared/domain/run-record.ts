import { z } from 'zod';
import { RawOutcome } from './outcome.ts';
import { ProfileDocument } from './profile.ts';
import { METHOD, RunResult, RunSettings } from './result.ts';
import { FrozenRound } from './round.ts';
import { RunRecorders } from './run-recorders.ts';
import { Sender } from './sender.ts';
import { CaseUid, ItemUid, ProfileUid, ProfileVersion, RuleUid, RunUid, known } from './uid.ts';

/** Free-form JSON members, kept as they were sent. */
const Metadata = z.record(z.string(), z.json());

export const FrozenCase = z.strictObject({
  case_uid: CaseUid,
  title: z.string(),
  description: z.string(),
  case_type: z.string(),
  metadata: Metadata,
});
export type FrozenCase = z.infer<typeof FrozenCase>;

export const FrozenItem = z.strictObject({
  item_uid: ItemUid,
  item_type: z.string(),
  label: z.string(),
  metadata: Metadata,
});
export type FrozenItem = z.infer<typeof FrozenItem>;

/**
 * What is known of a cell beside its outcome; only cells with at least one of the three are listed.
 */
export const FrozenCell = z.strictObject({
  item_uid: ItemUid,
  rule_uid: RuleUid,
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: z.union([z.string(), Metadata]).nullable(),
});
export type FrozenCell = z.infer<typeof FrozenCell>;

export const RunCellAddress = z.strictObject({ item_uid: ItemUid, rule_uid: RuleUid });
export type RunCellAddress = z.infer<typeof RunCellAddress>;

/**
 * One of the values that people recorded for a cell without seeing each other's. `entry` names it
 * in the case's log.
 */
export const ContestedHead = z.strictObject({
  entry: z.string(),
  raw_outcome: RawOutcome.nullable(),
  source_value: FrozenCell.shape.source_value,
  provenance: FrozenCell.shape.provenance,
});
export type ContestedHead = z.infer<typeof ContestedHead>;
export const ContestedNotes = z.strictObject({ entry: z.string(), notes: z.string().nullable() });
export type ContestedNotes = z.infer<typeof ContestedNotes>;

/**
 * A cell that nobody had settled, the displayed head first. Runs of the first versions contain the
 * address alone.
 */
export const FrozenContested = z.strictObject({
  ...RunCellAddress.shape,
  /** Whether one of the other heads would change the result. */
  material: z.boolean().optional(),
  heads: z.array(ContestedHead).optional(),
  /** Present where the notes are contested. */
  notes: z.array(ContestedNotes).min(2).optional(),
});
export type FrozenContested = z.infer<typeof FrozenContested>;

/**
 * The evidence as it was. `raw` and `matrix` are items x rules; an unrecorded cell is null in `raw`
 * and 0 in `matrix`.
 */
export const FrozenRun = z.strictObject({
  case: FrozenCase,
  profile: ProfileDocument,
  items: z.array(FrozenItem).min(1),
  rules: z.array(RuleUid).min(1),
  raw: z.array(z.array(RawOutcome.nullable())),
  matrix: z.array(z.array(z.union([z.literal(0), z.literal(1)]))),
  cells: z.array(FrozenCell),
  /**
   * Cells that nobody had settled, and why the run was made nevertheless. Both are absent if there
   * were none.
   */
  contested: z.array(FrozenContested).min(1).optional(),
  contested_reason: z.string().min(1).optional(),
  /** What of a round of independent recording was frozen with it; absent where it names none. */
  round: FrozenRound.optional(),
});
export type FrozenRun = z.infer<typeof FrozenRun>;

export const ContentHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'Must be "sha256:" and 64 lower-case hexadecimal digits.');

export const RunRecord = z.strictObject({
  run_uid: RunUid,
  case_uid: CaseUid,
  project_id: known.projectId,
  profile_uid: ProfileUid,
  profile_version: ProfileVersion,
  created_at: z.iso.datetime({ precision: 3 }),
  created_by: z.string(),
  method: z.literal(METHOD),
  engine: z.strictObject({ name: z.string(), version: z.string() }),
  settings: RunSettings,
  frozen: FrozenRun,
  result: RunResult,
  content_hash: ContentHash,
  url: z.string(),
  /**
   * Of a run that was frozen on another server: who brought it here, and when. `created_by` and
   * `created_at` are then as that one stated them. Not hashed.
   */
  sent_by: Sender.optional(),
  received_at: z.iso.datetime({ precision: 3 }).optional(),
  /**
   * In downloaded files: who recorded each outcome, as the server that froze the run says. Not
   * hashed.
   */
  recorders: RunRecorders.optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** The address that a run's record states. It stays as it is wherever the run's page may move. */
export const recordedUrl = (runUid: string): string => `/studio/runs/${runUid}`;
