import { z } from 'zod';
import { LongText, Metadata, text } from '../shared/contract/common.ts';
import { ProjectDomain } from '../shared/contract/v1/projects.ts';
import { ProfileDocument } from '../shared/domain/profile.ts';
import { Commitment, ParticipantId, RoundId, RoundTerms } from '../shared/domain/round.ts';
import { AssignedPlace, Assignment, ThreadEntry, ThreadId } from '../shared/domain/thread.ts';
import { ContentHash } from '../shared/domain/run-record.ts';
import { RunSignature, TimeStamp } from '../shared/domain/sign-off.ts';
import {
  CaseUid,
  ItemUid,
  ProfileUid,
  ProfileVersion,
  RuleUid,
  RunUid,
} from '../shared/domain/uid.ts';
import { Assertion } from './assertion.ts';
import {
  type Change,
  DISCUSSION_SCHEMA,
  LAYERS_SCHEMA,
  SCHEMA_VERSION,
  SIGN_OFF_SCHEMA,
} from './change.ts';
import { authorFits, isAcceptedWithRecord } from './layers/authors.ts';
import {
  CommittedPart,
  SuggestionDecision,
  Released,
  Removal,
  RoundTitle,
  Suggestion,
} from './layers/values.ts';
import {
  type RegisterCell,
  layerOf,
  parseRegister,
  PROFILE_STREAM,
  PROJECT_STREAM,
  type Register,
} from './register.ts';
import { operationFits } from './operations.ts';
import { StageMove } from './sign-off.ts';
import { ProjectId } from '../shared/contract/ids.ts';

export const Existence = z.strictObject({
  deleted: z.boolean(),
  reason: z.string().max(10_000).optional(),
  covers: z.array(z.string()).optional(),
});
export const ProfileInUse = z.strictObject({
  profile_uid: ProfileUid,
  profile_version: ProfileVersion,
});
export type ProfileInUse = z.infer<typeof ProfileInUse>;
export const RunAnnouncement = z.strictObject({ content_hash: z.string().max(100) });
export const ProfileAnnouncement = z.strictObject({
  digest: z.string().max(100),
  document: ProfileDocument,
});
/** Which document is meant, where several may stand under a profile's version. */
export const NamedDocument = z.strictObject({ digest: ContentHash });
export type NamedDocument = z.infer<typeof NamedDocument>;
const Notes = LongText.nullable();
const Flag = z.boolean();
const ROUND_VALUES = { title: RoundTitle, terms: RoundTerms, state: Released } as const;
const SuggestionOrNone = Suggestion.nullable();
const DecisionOrNone = SuggestionDecision.nullable();

const FIELD_VALUES = {
  item: {
    item_type: text(64, 1),
    label: text(500),
    metadata: Metadata,
    position: z.number(),
    x: Existence,
  },
  case: {
    project_id: ProjectId,
    title: text(500),
    description: LongText,
    case_type: text(64, 1),
    metadata: Metadata,
    profile: ProfileInUse.nullable(),
    archived: z.boolean(),
    x: Existence,
  },
  project: {
    name: text(200, 1),
    description: LongText,
    domain: ProjectDomain,
    archived: z.boolean(),
    x: Existence,
  },
} as const;

function fits(schema: z.ZodType, value: unknown): boolean {
  return schema.safeParse(value).success;
}

/**
 * Names that have passed their schema, the last few thousand of each kind: a block of cells names
 * the same rules and items again and again.
 */
const NAMES_KEPT = 4_096;
const taken = new Map<z.ZodType, Set<string>>();

function nameFits(schema: z.ZodType, name: string): boolean {
  let known = taken.get(schema);
  if (known === undefined) taken.set(schema, (known = new Set()));
  if (known.has(name)) return true;
  if (!fits(schema, name)) return false;
  if (known.size >= NAMES_KEPT) known.clear();
  known.add(name);
  return true;
}

/** An assertion of a bare outcome, as nearly all are. */
function isBareOutcome(value: unknown): boolean {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('raw_outcome' in value) ||
    Object.keys(value).length !== 1
  )
    return false;
  const { raw_outcome } = value;
  return (
    raw_outcome === null ||
    raw_outcome === 'TRUE' ||
    raw_outcome === 'FALSE' ||
    raw_outcome === 'NA'
  );
}

const cellFits = ({ profile, version, rule, item }: RegisterCell): boolean =>
  nameFits(ProfileUid, profile) &&
  nameFits(ProfileVersion, version) &&
  nameFits(RuleUid, rule) &&
  nameFits(ItemUid, item);

function addressFits(register: Register): boolean {
  switch (register.kind) {
    case 'assertion':
    case 'notes':
      return cellFits(register);
    case 'suggestion':
    case 'decision':
      return nameFits(ParticipantId, register.source) && cellFits(register);
    case 'round':
      return nameFits(RoundId, register.round);
    case 'done':
    case 'removed':
      return nameFits(RoundId, register.round) && nameFits(ParticipantId, register.recorder);
    case 'committed':
      return fits(Commitment.shape.sum, register.sum);
    case 'thread':
      return fits(ThreadId, register.thread);
    case 'assigned':
      return fits(AssignedPlace, register.place);
    case 'item':
      return nameFits(ItemUid, register.item);
    case 'run':
    case 'hidden':
    case 'signature':
    case 'time_stamp':
      return fits(RunUid, register.run);
    case 'retired':
      return fits(ProfileUid, register.profile);
    case 'profile':
    case 'document':
    case 'version':
      return fits(ProfileUid, register.profile) && fits(ProfileVersion, register.version);
    default:
      return true;
  }
}

function valueSchema(register: Register): z.ZodType {
  switch (register.kind) {
    case 'assertion':
      return Assertion;
    case 'notes':
      return Notes;
    case 'item':
      return FIELD_VALUES.item[register.field];
    case 'case':
      return FIELD_VALUES.case[register.field];
    case 'project':
      return FIELD_VALUES.project[register.field];
    case 'run':
      return RunAnnouncement;
    case 'stage':
      return StageMove;
    case 'signature':
      return RunSignature;
    case 'time_stamp':
      return TimeStamp;
    case 'hidden':
    case 'retired':
    case 'policy':
      return Flag;
    case 'profile':
      return ProfileAnnouncement;
    case 'document':
    case 'version':
      return NamedDocument;
    case 'suggestion':
      return SuggestionOrNone;
    case 'decision':
      return DecisionOrNone;
    case 'round':
      return ROUND_VALUES[register.field];
    case 'done':
      return Commitment;
    case 'removed':
      return Removal;
    case 'committed':
      return CommittedPart;
    case 'thread':
      return ThreadEntry;
    case 'assigned':
      return Assignment;
  }
}

function valueFits(register: Register, value: unknown): boolean {
  if (register.kind === 'assertion' && isBareOutcome(value)) return true;
  if (!fits(valueSchema(register), value)) return false;
  if (register.kind !== 'profile') return true;
  const { document } = value as z.infer<typeof ProfileAnnouncement>;
  return document.profileUid === register.profile && document.version === register.version;
}

/** Which streams may hold a register. */
function streamFits(stream: string, register: Register): boolean {
  if (register.kind === 'project')
    return (
      stream.startsWith(PROJECT_STREAM) && nameFits(ProjectId, stream.slice(PROJECT_STREAM.length))
    );
  if (register.kind === 'profile' || register.kind === 'version' || register.kind === 'retired')
    return stream === PROFILE_STREAM;
  const layer = layerOf(stream);
  if (layer === undefined) return register.kind !== 'committed' && nameFits(CaseUid, stream);
  return (
    ['assertion', 'notes', 'committed'].includes(register.kind) &&
    nameFits(CaseUid, layer.case) &&
    nameFits(RoundId, layer.round) &&
    nameFits(ParticipantId, layer.recorder)
  );
}

/**
 * The schema version that has brought a kind of register. Earlier ones keep its entries in
 * quarantine.
 */
function schemaOf(register: Register, stream: Change['case']): number {
  if (layerOf(stream) !== undefined) return LAYERS_SCHEMA;
  switch (register.kind) {
    case 'suggestion':
    case 'decision':
    case 'policy':
    case 'round':
    case 'done':
    case 'removed':
    case 'committed':
      return LAYERS_SCHEMA;
    case 'thread':
    case 'assigned':
      return DISCUSSION_SCHEMA;
    case 'stage':
    case 'signature':
    case 'time_stamp':
      return SIGN_OFF_SCHEMA;
    case 'hidden':
    case 'retired':
      return 3;
    case 'case':
    case 'project':
      return register.field === 'archived' ? 3 : 1;
    case 'document':
    case 'version':
      return 2;
    default:
      return 1;
  }
}

/**
 * The register that entry `index` of `change` writes if this schema version applies it; undefined
 * if the entry is quarantined. Depends on change, index and schema version alone, and what one
 * version applies every later one applies. A `set` names at most one parent, a `resolve` needs a
 * reason, and runs and profile documents are announced. Of suggestions, decisions and rounds the
 * author decides, too (Y).
 */
export function appliedRegister(
  change: Change,
  index: number,
  schema = SCHEMA_VERSION,
): Register | undefined {
  const entry = change.entries[index];
  if (entry === undefined) return undefined;
  const needs = Math.max(
    change.at.schema,
    'schema' in entry && typeof entry.schema === 'number' ? entry.schema : 1,
  );
  if (needs > schema) return undefined;
  const register = parseRegister(entry.reg);
  if (
    register === undefined ||
    schemaOf(register, change.case) > schema ||
    !addressFits(register) ||
    !streamFits(change.case, register)
  )
    return undefined;
  if (
    !operationFits(register, entry.op, entry.parents, change.why) ||
    !valueFits(register, entry.value) ||
    !authorFits(register, change, entry.value)
  )
    return undefined;
  // An acceptance stands behind the outcome that it writes, or is none.
  return register.kind !== 'decision' ||
    isAcceptedWithRecord(change, index, register, appliedRegister(change, index - 1, schema))
    ? register
    : undefined;
}
