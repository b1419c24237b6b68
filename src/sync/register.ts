import {
  type CaseUid,
  known,
  type ProfileUid,
  type ProjectId,
  type RunUid,
  type StreamName,
} from '../shared/contract/ids.ts';
import type { AssignedPlace } from '../shared/domain/thread.ts';

/**
 * Registers: the smallest things a change writes. A register's address is text, unique within its
 * stream:
 *
 *   a/<profile_uid>@<version>/<rule_uid>/<item_uid>   a cell's assertion {raw_outcome, source_value?, provenance?}
 *   n/<profile_uid>@<version>/<rule_uid>/<item_uid>   a cell's notes: text or null
 *   item/<field>/<item_uid>                           item_type, label, metadata, position, x
 *   case/<field>                                      project_id, title, description, case_type, metadata, profile,
 *                                                     archived, x
 *   document/<profile_uid>@<version>                 which document the case's matrix under that version is of {digest}
 *   run/<run_uid>                                     announcement of a frozen run {content_hash}
 *   hidden/<run_uid>                                  whether lists leave the run out: true or false
 *   project/<field>                                   name, description, domain, archived, x  (stream @project/<project_id>)
 *   profile/<profile_uid>@<version>                   announcement of a document        (stream @profiles)
 *   version/<profile_uid>@<version>                   which of several documents that version is {digest}   (stream @profiles)
 *   retired/<profile_uid>                             whether the profile is no longer offered: true or false (stream @profiles)
 *   s/<source>/<cell as in a/>                        what a source suggests for a cell, or null
 *   d/<source>/<cell as in a/>                        what a person decided about it {entry, verdict, reason?}, or null
 *   policy/requires_source                            whether suggestions and agents' outcomes have to cite: true or false
 *   round/<round_id>/<field>                          title, terms, state: a round of independent recording
 *   round/<round_id>/done/<recorder>                  a recorder's commitment {count, sum, after_release?}
 *   round/<round_id>/removed/<recorder>               that somebody no longer records in it {}
 *   stage/case                                        a move of the case to another stage {stage, after, run?}
 *   signature/<run_uid>                               a person's signature on a run {statement, signature, public_key}
 *   time_stamp/<run_uid>                              an authority's time-stamp on a signature {covers, token}
 *   committed/<sum>/<part>                            which changes a commitment is over {changes} (stream @layer/...)
 *   thread/<thread_id>                                what is said in a thread of discussion {does, ...}
 *   assigned/item/<item_uid>                          who is to record an item {to}
 *   assigned/rule/<profile_uid>@<version>/<rule_uid>  who is to record a rule {to}
 *
 * The item's uid stands last, so that it may hold any character, slashes too. Field `x` is
 * existence: {deleted, reason?, covers?}.
 */
export type Register =
  | ({ kind: 'assertion' | 'notes' } & RegisterCell)
  | { kind: 'item'; field: ItemField; item: string }
  | { kind: 'case'; field: CaseField }
  | { kind: 'project'; field: ProjectField }
  | { kind: 'run' | 'hidden' | 'signature' | 'time_stamp'; run: RunUid }
  | { kind: 'stage' }
  | { kind: 'retired'; profile: ProfileUid }
  | { kind: 'profile' | 'document' | 'version'; profile: ProfileUid; version: string }
  | ({ kind: 'suggestion' | 'decision'; source: string } & RegisterCell)
  | { kind: 'policy'; field: 'requires_source' }
  | { kind: 'round'; round: string; field: RoundField }
  | { kind: 'done' | 'removed'; round: string; recorder: string }
  | { kind: 'committed'; sum: string; part: number }
  | { kind: 'thread'; thread: string }
  | { kind: 'assigned'; place: AssignedPlace };

/** A cell: of which matrix, rule and item. */
export interface RegisterCell {
  profile: ProfileUid;
  version: string;
  rule: string;
  item: string;
}

export const ITEM_FIELDS = ['item_type', 'label', 'metadata', 'position', 'x'] as const;
export const CASE_FIELDS = [
  'project_id',
  'title',
  'description',
  'case_type',
  'metadata',
  'profile',
  'archived',
  'x',
] as const;
export const PROJECT_FIELDS = ['name', 'description', 'domain', 'archived', 'x'] as const;
export const ROUND_FIELDS = ['title', 'terms', 'state'] as const;
export type RoundField = (typeof ROUND_FIELDS)[number];
export type ItemField = (typeof ITEM_FIELDS)[number];
export type CaseField = (typeof CASE_FIELDS)[number];
export type ProjectField = (typeof PROJECT_FIELDS)[number];

/**
 * The stream that holds a project's own registers, and the one of an account's profiles. Case
 * streams are named by case_uid.
 */
export const PROJECT_STREAM = '@project/';
export const projectStream = (projectId: ProjectId): StreamName =>
  known.streamName.parse(PROJECT_STREAM + projectId);
export const PROFILE_STREAM = known.streamName.parse('@profiles');

/** The project whose own log has this name. */
export const projectOf = (name: StreamName): ProjectId | undefined =>
  name.startsWith(PROJECT_STREAM) ? (name.slice(PROJECT_STREAM.length) as ProjectId) : undefined;

/** Whether a log is that of a case, which its name then is. */
export const isCaseStream = (name: StreamName): name is CaseUid => !name.startsWith('@');

/** What one recorder records in one round of a case: a stream of its own. */
export interface Layer {
  case: CaseUid;
  round: string;
  recorder: string;
}
const LAYER_STREAM = '@layer/';
/** The names of all layers are from the first text on and before the second, by code points. */
export const FIRST_LAYER = known.streamName.parse(LAYER_STREAM);
export const AFTER_LAYERS = known.streamName.parse('@layer0');
export const layerStream = (layer: Layer): StreamName =>
  known.streamName.parse(`${LAYER_STREAM}${layer.case}/${layer.round}/${layer.recorder}`);

/** The layer that a log of this name holds. */
export function layerOf(name: string): Layer | undefined {
  if (!name.startsWith(LAYER_STREAM)) return undefined;
  const [caseUid = '', round = '', recorder = '', ...more] = name
    .slice(LAYER_STREAM.length)
    .split('/');
  return caseUid === '' || round === '' || recorder === '' || more.length > 0
    ? undefined
    : { case: caseUid as CaseUid, round, recorder };
}

/**
 * The common beginning of all assertion (or notes) addresses of one rule's column; append the
 * item_uid.
 */
export function columnPrefix(
  kind: 'assertion' | 'notes',
  profile: ProfileUid,
  version: string,
  rule: string,
): string {
  return `${kind === 'assertion' ? 'a' : 'n'}/${profile}@${version}/${rule}/`;
}

const cellAddress = ({ profile, version, rule, item }: RegisterCell): string =>
  `${profile}@${version}/${rule}/${item}`;

/** The part of an address that names an item or a rule. */
export const placeAddress = (place: AssignedPlace): string =>
  place.on === 'item'
    ? `item/${place.item_uid}`
    : `rule/${place.profile_uid}@${place.profile_version}/${place.rule_uid}`;

export function formatRegister(register: Register): string {
  switch (register.kind) {
    case 'assertion':
    case 'notes':
      return `${register.kind === 'assertion' ? 'a' : 'n'}/${cellAddress(register)}`;
    case 'suggestion':
    case 'decision':
      return `${register.kind === 'suggestion' ? 's' : 'd'}/${register.source}/${cellAddress(register)}`;
    case 'policy':
      return `policy/${register.field}`;
    case 'round':
      return `round/${register.round}/${register.field}`;
    case 'done':
    case 'removed':
      return `round/${register.round}/${register.kind}/${register.recorder}`;
    case 'committed':
      return `committed/${register.sum}/${register.part}`;
    case 'thread':
      return `thread/${register.thread}`;
    case 'assigned':
      return `assigned/${placeAddress(register.place)}`;
    case 'item':
      return `item/${register.field}/${register.item}`;
    case 'case':
      return `case/${register.field}`;
    case 'project':
      return `project/${register.field}`;
    case 'stage':
      return 'stage/case';
    case 'run':
    case 'hidden':
    case 'signature':
    case 'time_stamp':
      return `${register.kind}/${register.run}`;
    case 'retired':
      return `retired/${register.profile}`;
    case 'profile':
    case 'document':
    case 'version':
      return `${register.kind}/${register.profile}@${register.version}`;
  }
}

function isOneOf<T extends string>(values: readonly T[], value: string): value is T {
  return (values as readonly string[]).includes(value);
}

function parseCell(rest: string): RegisterCell | undefined {
  const at = rest.indexOf('@');
  const afterVersion = rest.indexOf('/', at + 1);
  const afterRule = rest.indexOf('/', afterVersion + 1);
  if (at <= 0 || afterVersion < 0 || afterRule < 0 || afterRule === rest.length - 1)
    return undefined;
  return {
    profile: rest.slice(0, at) as ProfileUid,
    version: rest.slice(at + 1, afterVersion),
    rule: rest.slice(afterVersion + 1, afterRule),
    item: rest.slice(afterRule + 1),
  };
}

const LAYER_HEADS: ReadonlySet<string> = new Set(['s', 'd', 'policy', 'round', 'committed']);

/** The registers of suggestions, decisions, rounds and layers. */
function parseLayerRegister(head: string, rest: string): Register | undefined {
  if (head === 'policy')
    return rest === 'requires_source' ? { kind: 'policy', field: rest } : undefined;
  if (head === 's' || head === 'd') {
    const slash = rest.indexOf('/');
    const cell = slash > 0 ? parseCell(rest.slice(slash + 1)) : undefined;
    return (
      cell && {
        kind: head === 's' ? 'suggestion' : 'decision',
        source: rest.slice(0, slash),
        ...cell,
      }
    );
  }
  const [first = '', second = '', third, ...more] = rest.split('/');
  if (first === '' || second === '' || more.length > 0) return undefined;
  if (head === 'committed')
    return third === undefined && /^(0|[1-9][0-9]{0,3})$/.test(second)
      ? { kind: 'committed', sum: first, part: Number(second) }
      : undefined;
  if (third === undefined)
    return isOneOf(ROUND_FIELDS, second)
      ? { kind: 'round', round: first, field: second }
      : undefined;
  return third !== '' && (second === 'done' || second === 'removed')
    ? { kind: second, round: first, recorder: third }
    : undefined;
}

/** The registers of discussion. */
function parseDiscussion(head: string, rest: string): Register | undefined {
  if (head === 'thread') return rest.includes('/') ? undefined : { kind: 'thread', thread: rest };
  const slash = rest.indexOf('/');
  const [on, what] = [rest.slice(0, slash), rest.slice(slash + 1)];
  if (what === '') return undefined;
  if (on === 'item') return { kind: 'assigned', place: { on, item_uid: what } };
  const parts = /^([^@/]+)@([^/]+)\/([^/]+)$/.exec(what);
  if (on !== 'rule' || parts === null) return undefined;
  const [, profile = '', profile_version = '', rule_uid = ''] = parts;
  const profile_uid = profile as ProfileUid;
  return { kind: 'assigned', place: { on, profile_uid, profile_version, rule_uid } };
}

/**
 * The register of an address, or undefined if this version does not know that kind. Whether the ids
 * in it can be such is for `status.ts` to say.
 */
export function parseRegister(address: string): Register | undefined {
  const first = address.indexOf('/');
  const head = address.slice(0, first);
  const rest = address.slice(first + 1);
  if (first < 0 || rest === '') return undefined;
  if (head === 'a' || head === 'n') {
    const cell = parseCell(rest);
    return cell && { kind: head === 'a' ? 'assertion' : 'notes', ...cell };
  }
  if (head === 'thread' || head === 'assigned') return parseDiscussion(head, rest);
  if (LAYER_HEADS.has(head)) return parseLayerRegister(head, rest);
  if (head === 'item') {
    const slash = rest.indexOf('/');
    const field = rest.slice(0, slash);
    return slash > 0 && slash < rest.length - 1 && isOneOf(ITEM_FIELDS, field)
      ? { kind: 'item', field, item: rest.slice(slash + 1) }
      : undefined;
  }
  if (head === 'case')
    return isOneOf(CASE_FIELDS, rest) ? { kind: 'case', field: rest } : undefined;
  if (head === 'project')
    return isOneOf(PROJECT_FIELDS, rest) ? { kind: 'project', field: rest } : undefined;
  if (head === 'stage') return rest === 'case' ? { kind: 'stage' } : undefined;
  if (head === 'run' || head === 'hidden' || head === 'signature' || head === 'time_stamp')
    return rest.includes('/') ? undefined : { kind: head, run: rest as RunUid };
  if (head === 'retired')
    return rest.includes('/') ? undefined : { kind: head, profile: rest as ProfileUid };
  if (head === 'profile' || head === 'document' || head === 'version') {
    const at = rest.indexOf('@');
    return at > 0 && at < rest.length - 1
      ? { kind: head, profile: rest.slice(0, at) as ProfileUid, version: rest.slice(at + 1) }
      : undefined;
  }
  return undefined;
}
