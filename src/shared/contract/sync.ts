import { z } from 'zod';
import { Sender } from '../domain/sender.ts';
import { Cursor, None, Seq, Timestamp } from './common.ts';
import { BODY_LIMIT, BULK_BODY_LIMIT, endpoint } from './endpoint.ts';
import { StreamName, known } from './ids.ts';
import { Role } from './v1/account.ts';
import { RecordedBy } from './v1/evidence.ts';

export const PROTOCOL = 1;
/** Changes of one push, bytes of one page, bytes of one change, bytes of a request with a blob. */
export const SYNC_LIMITS = {
  changes: 2_000,
  bytes: 1_048_576,
  change: 524_288,
  blob: BULK_BODY_LIMIT,
} as const;
/**
 * Most ids that one request for `missing` may name, and most positions that one for `ancestor` may.
 */
export const MAX_IDS = 5_000;
export const MAX_POINTS = 1_000;
/**
 * Features of this server beyond the first protocol. `streams`: it has the account's own streams,
 * and creates cases by push. `batch`: it takes requests about several logs in one. `since`: it can
 * tell which logs have moved since an answer. `layers`: it has logs of layers.
 */
export const FEATURES = [
  'batch',
  'events',
  'gzip',
  'snapshot',
  'streams',
  'missing',
  'ancestor',
  'digest',
  'runs',
  'since',
  'layers',
] as const;

/**
 * A store's epoch, or a chain hash: any that a request can repeat as its witness. One of another
 * form was damaged on the way; kept, it would spoil every later request.
 */
const Repeated = z.string().regex(/^[\x21-\x3a\x3c-\x7e]{1,128}$/);
const LogSeq = z.int().min(0).max(999_999_999_999_999);
/** A position in a log: how many changes, and the hash over their ids in order. */
const position = { epoch: Repeated, seq: LogSeq, chain: Repeated };
/** `<epoch>;<seq>;<chain>` of a log, in the header `Sync-Witness`: the highest that was seen. */
export const WitnessText = z
  .string()
  .transform((text) => text.split(';'))
  .pipe(z.tuple([Repeated, Seq, Repeated]))
  .transform(([epoch, seq, chain]) => ({ epoch, seq: Number(seq), chain }));
/**
 * Size of a set of changes, and the sum of their ids modulo 2^256 in hex: equal sets have equal
 * pairs.
 */
const digest = { count: z.int().min(0), sum: z.string() };

const caseParams = z.strictObject({ caseUid: StreamName });

export const hello = endpoint({
  id: 'syncHello',
  summary: 'Protocol versions, limits and the time of this server',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/hello',
  access: 'read',
  params: None,
  query: None,
  response: z.strictObject({
    protocol: z.strictObject({ min: z.int(), max: z.int() }),
    store: z.string(),
    epoch: Repeated,
    time: Timestamp,
    limits: z.strictObject({
      changes: z.int(),
      bytes: z.int(),
      change: z.int(),
      blob: z.int().optional(),
      /** Most parts of a batch; absent where `features` has no `batch`. */
      parts: z.int().optional(),
    }),
    features: z.array(z.string()),
    /** The server's program, and the schema of the entries that it applies. */
    version: z.string().exactOptional(),
    schema: z.int().exactOptional(),
    /**
     * Whose credentials these are, and what they allow, as a role: `viewer` for a key that may only
     * read, whoever made it.
     */
    user: z.strictObject({ user_id: known.userId, name: z.string(), role: Role }),
    /**
     * Whether these are a studio's credentials, which may send what others wrote there; absent from
     * servers of version 0.1, which do not ask.
     */
    studio: z.boolean().optional(),
  }),
  success: [200],
  errors: [],
});

/**
 * The one request of an idle studio: where each log stands, in order of name. `case_uid` is the
 * log's name; `project_id` is null for the account's own streams. The entity tag covers all pages
 * and changes whenever anything in the account does. `since` is the entity tag of an earlier
 * answer: where the server still knows what has moved since, the answer says the same `since` and
 * has those logs alone; otherwise it has all of them.
 */
export const syncCases = endpoint({
  id: 'syncCases',
  summary: 'Where each log of the account stands; 304 while nothing has moved',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/cases',
  access: 'read',
  params: None,
  query: z.strictObject({ after: Cursor.optional(), since: z.string().max(300).optional() }),
  response: z.strictObject({
    epoch: Repeated,
    since: z.string().exactOptional(),
    role: Role,
    studio: z.boolean().optional(),
    cases: z.array(
      z.strictObject({
        case_uid: known.streamName,
        seq: LogSeq,
        chain: Repeated,
        project_id: known.projectId.nullable(),
        runs: z.int(),
      }),
    ),
    next: z.string().nullable(),
  }),
  success: [200],
  errors: [],
});

/**
 * A change is sent with its id and as the canonical JSON text that was hashed, so that nobody on
 * the way can alter a byte unnoticed.
 */
export const WireChange = z.strictObject({
  id: z.string().max(64),
  change: z.string().max(SYNC_LIMITS.change),
});
export type WireChange = z.infer<typeof WireChange>;
export const ChangeStatus = z.enum(['applied', 'duplicate', 'quarantined']);

export const push = endpoint({
  id: 'syncPush',
  summary:
    'Send changes of a log, which is made where there is none; repeated ones are answered as duplicates',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/cases/{caseUid}/push',
  access: 'write',
  params: caseParams,
  query: None,
  body: z.strictObject({
    protocol: z.literal(PROTOCOL),
    changes: z.array(WireChange).min(1).max(SYNC_LIMITS.changes),
  }),
  bodyLimit: BULK_BODY_LIMIT,
  protocol: PROTOCOL,
  response: z.strictObject({
    results: z.array(
      z.strictObject({
        id: z.string(),
        status: ChangeStatus,
        seq: LogSeq,
        quarantined: z.array(z.int()),
      }),
    ),
    ...position,
    ...digest,
  }),
  success: [200],
  errors: [
    'author_not_allowed',
    'not_found',
    'other_user',
    'diverged',
    'hash_mismatch',
    'case_approved',
  ],
});

export const changes = endpoint({
  id: 'syncChanges',
  summary: 'Changes of a case after a position, in commit order',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/cases/{caseUid}/changes',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    after: Seq,
    limit: z
      .string()
      .regex(/^[1-9][0-9]{0,3}$/)
      .meta({ type: 'integer', minimum: 1, maximum: 9_999 })
      .optional(),
  }),
  response: z.strictObject({
    epoch: Repeated,
    from: LogSeq,
    to: LogSeq,
    n: z.int(),
    changes: z.array(
      z.strictObject({
        seq: LogSeq,
        received_at: Timestamp,
        actor: known.userId,
        /** The author's name as it is shown here; absent from servers of version 0.1. */
        author: z.string().exactOptional(),
        sent_by: Sender.optional(),
        quarantined: z.array(z.int()),
        ...WireChange.shape,
      }),
    ),
    chain: Repeated,
    more: z.boolean(),
    ...digest,
  }),
  success: [200],
  errors: ['not_found', 'other_user', 'diverged'],
});

export const missing = endpoint({
  id: 'syncMissing',
  summary: 'Which of these changes a log does not hold',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/cases/{caseUid}/missing',
  access: 'read',
  params: caseParams,
  query: None,
  body: z.strictObject({ ids: z.array(z.string().max(64)).max(MAX_IDS) }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ missing: z.array(z.string()), ...position, ...digest }),
  success: [200],
  errors: ['diverged'],
});

/** The highest of these positions that is part of the log; 0 where none is. */
export const ancestor = endpoint({
  id: 'syncAncestor',
  summary: 'The last common position with a client whose log diverged',
  tag: 'Sync',
  method: 'POST',
  path: '/api/v1/sync/cases/{caseUid}/ancestor',
  access: 'read',
  params: caseParams,
  query: None,
  body: z.strictObject({
    points: z.array(z.strictObject({ seq: LogSeq, chain: z.string().max(64) })).max(MAX_POINTS),
  }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({ ...position }),
  success: [200],
  errors: [],
});

/**
 * Change ids grouped by the first bits of their hashes, with a count and sum for each group
 * (bucket): two logs differ exactly in the buckets that differ.
 */
export const logDigest = endpoint({
  id: 'syncDigest',
  summary: 'Count and sum of the changes of a log, by bucket',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/cases/{caseUid}/digest',
  access: 'read',
  params: caseParams,
  query: z.strictObject({ buckets: z.enum(['1', '16', '256', '4096']).optional() }),
  response: z.strictObject({
    epoch: Repeated,
    seq: LogSeq,
    buckets: z.array(z.strictObject(digest)),
  }),
  success: [200],
  errors: ['not_found'],
});

/**
 * A chunk of a matrix for a replica that starts: items in row order, deleted ones included so that
 * they can come back with their cells. `raw` has one letter for each cell, row by row (T, F, N, and
 * `-` for unrecorded). `heads` gives the displayed assertion of each cell, run-length coded: [index
 * into `names`, first entry index, step, count]. `names` are all changes that the chunk refers to,
 * `clocks` their clocks. `further` are the heads that are not displayed, with their values.
 * `dangling` are parents that entries cite and that have not arrived. `authors` are those of the
 * changes, and `by` has the index of each name's author in it; `restored` lists the cells whose
 * outcome an undo brought back, as [row, column, index of the author who first recorded it].
 * `document`: which document of the profile the matrix uses, whether the case's log names it, and
 * whether a person has yet to settle which one it is.
 */
export type SnapshotChunk = z.infer<typeof SnapshotChunk>;
export const SnapshotChunk = z.strictObject({
  ...position,
  ...digest,
  profile_uid: known.profileUid,
  profile_version: z.string(),
  rules: z.array(z.string()),
  document: z
    .strictObject({ digest: z.string(), named: z.boolean(), unsettled: z.boolean() })
    .exactOptional(),
  names: z.array(z.string()),
  authors: z.array(RecordedBy),
  by: z.array(z.int()),
  restored: z.array(z.tuple([z.int(), z.int(), z.int()])),
  clocks: z.array(z.string().regex(/^[0-9a-f]{12}-[0-9a-f]{4}$/)),
  dangling: z.array(z.strictObject({ reg: z.string(), name: z.string() })),
  items: z.array(
    z.strictObject({
      item_uid: z.string(),
      item_type: z.string(),
      label: z.string(),
      metadata: z.record(z.string(), z.json()),
      position: z.number(),
      deleted: z.boolean(),
      covers: z.array(z.string()).exactOptional(),
      heads: z.record(z.string(), z.string()),
    }),
  ),
  raw: z.string(),
  heads: z.array(z.tuple([z.int(), z.int(), z.int(), z.int()])),
  details: z.array(
    z.strictObject({
      row: z.int(),
      column: z.int(),
      source_value: z.string().nullable(),
      notes: z.string().nullable(),
      provenance: z.json().nullable(),
      notes_head: z.string().nullable(),
      updated_at: Timestamp,
      updated_by: z.string(),
    }),
  ),
  further: z.array(z.strictObject({ reg: z.string(), head: z.string(), value: z.json() })),
  next: z.string().nullable(),
});

/**
 * A chunk is sent as the text that was hashed, with the number of its items, so that damage on the
 * way or in a cache is noticed (N7).
 */
export const snapshot = endpoint({
  id: 'syncSnapshot',
  summary: 'The matrix of a case under a profile as displayed heads, by chunks of items',
  tag: 'Sync',
  method: 'GET',
  path: '/api/v1/sync/cases/{caseUid}/snapshot',
  access: 'read',
  params: caseParams,
  query: z.strictObject({
    profile_uid: z.string().max(96).brand<'ProfileUid'>(),
    profile_version: z.string().max(32).optional(),
    after: Cursor.optional(),
  }),
  response: z.strictObject({
    n: z.int().min(0),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    chunk: z.string(),
  }),
  success: [200],
  errors: ['not_found', 'not_here_yet', 'other_user', 'diverged'],
});

/**
 * Server-sent events `{case, seq}`: a hint that a log has grown. It does not matter if one is lost.
 */
export const SYNC_EVENTS_PATH = '/api/v1/sync/events';
/**
 * Sent instead of a log's name: something of the account has changed that is in no log, such as a
 * member's role or a run's content.
 */
export const ACCOUNT_HINT = known.streamName.parse('@account');
export const SyncEvent = z.strictObject({ case: known.streamName, seq: LogSeq });
