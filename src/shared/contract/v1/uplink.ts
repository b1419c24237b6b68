import { z } from 'zod';
import { Cursor, list, None, paging, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { Role } from './account.ts';
import { known, ProjectId } from '../ids.ts';

/**
 * How the hosted server's key is kept: sealed by the system, in a file of its owner's, or until the
 * studio ends.
 */
export const KeyKept = z.enum(['sealed', 'file', 'memory']);
export type KeyKept = z.infer<typeof KeyKept>;

const Connection = z.strictObject({
  /** Origin of the hosted server. */
  url: z.string(),
  user: z.strictObject({ user_id: known.userId, name: z.string(), role: Role }),
  key_kept: KeyKept,
  connected_at: Timestamp,
});

const Count = z.int().min(0);

/**
 * One stream that is exchanged. `waiting` counts changes the hosted server has not acknowledged,
 * `oldest` is when the first of them was stored here.
 */
const LinkStatus = z.strictObject({
  stream: known.streamName,
  kind: z.enum(['case', 'project', 'profiles', 'layer']),
  title: z.string(),
  /** `equal`: nothing waits, and both sides held the same set when they were last compared. */
  state: z.enum(['equal', 'syncing', 'waiting', 'blocked', 'stopped']),
  problem: z.string().nullable(),
  waiting: Count,
  oldest: Timestamp.nullable(),
  pull_seq: Count,
  last_ok: Timestamp.nullable(),
  verified_at: Timestamp.nullable(),
  /** Changes with entries that this version keeps without applying them. */
  quarantined: Count,
  /** Changes that the hosted server refuses or fails on; they are kept here. */
  kept: Count,
  /** Announced runs whose content is not whole here. */
  runs_waiting: Count,
  /** Runs whose content is not whole on the hosted server. */
  runs_lacking: Count,
});
export type LinkStatus = z.infer<typeof LinkStatus>;

/** Most links in a status; `links` lists all. */
export const MAX_LINKS = 50;

/** So many of them are told one by one. */
export const MAX_LISTED = 100;
const OwedRun = z.strictObject({
  run_uid: known.runUid,
  case_uid: known.caseUid,
  problem: z.string(),
  since: Timestamp,
});
export type OwedRun = z.infer<typeof OwedRun>;

/**
 * A change that the hosted server refuses or fails on, and since when. It stays here, and is
 * offered again where the server may take it later.
 */
const KeptChange = z.strictObject({
  stream: known.streamName,
  change_id: z.string(),
  author: z.string(),
  received_at: Timestamp,
  problem: z.string(),
  since: Timestamp,
});
export type KeptChange = z.infer<typeof KeptChange>;

/**
 * What becomes of unsent work of users that the key does not stand for: it goes as it is, since
 * they are the same person; under the new name; or not at all.
 */
export const UnsentChoice = z.enum(['mine', 'rename', 'set_aside']);
export type UnsentChoice = z.infer<typeof UnsentChoice>;

/**
 * A run whose stored content is no longer what its hash names; it is fetched again from a server
 * that has it.
 */
const DamagedRun = z.strictObject({
  run_uid: known.runUid,
  case_uid: known.caseUid,
  since: Timestamp,
});
export type DamagedRun = z.infer<typeof DamagedRun>;

export const UplinkStatus = z.strictObject({
  /** False on a hosted server, which is linked to no other. */
  available: z.boolean(),
  connection: Connection.nullable(),
  state: z.enum(['off', 'idle', 'syncing', 'waiting', 'offline', 'stopped']),
  /** Why nothing moves, in one sentence. */
  problem: z.string().nullable(),
  /** A warning that does not stop the exchange, such as a clock that is off. */
  warning: z.string().nullable(),
  next_try_at: Timestamp.nullable(),
  last_ok: Timestamp.nullable(),
  totals: z.strictObject({
    waiting: Count,
    oldest: Timestamp.nullable(),
    quarantined: Count,
    blocked: Count,
    /** Streams that are exchanged. */
    links: Count,
    /** Runs whose content is not whole on both sides. */
    runs: Count,
    /** Since when all of them are known to be equal on both sides; null where one is not. */
    verified_at: Timestamp.nullable(),
  }),
  /** Projects of either side; one that is not here yet comes when it is shared. */
  projects: z.array(
    z.strictObject({
      project_id: known.projectId,
      name: z.string(),
      shared: z.boolean(),
      here: z.boolean(),
      there: z.boolean(),
    }),
  ),
  /** Where there are more, those first that are not in sync. */
  links: z.array(LinkStatus).max(MAX_LINKS),
  /**
   * Runs of shared projects that the hosted server has not taken, and since when; they are among
   * `totals.blocked`.
   */
  owed_runs: z.array(OwedRun).max(MAX_LISTED),
  /** The changes that the links count as `kept`, the first that were set aside. */
  kept_changes: z.array(KeptChange).max(MAX_LISTED),
  /**
   * Changes of shared projects that no hosted server has acknowledged, whoever made them and for
   * whatever reason, connected or not.
   */
  unsent: z.strictObject({ changes: Count, oldest: Timestamp.nullable() }),
  /** Where this studio was connected last, while it is not. */
  previous: z.strictObject({ url: z.string(), name: z.string() }).nullable(),
  /** Of this server, connected or not. */
  damaged_runs: z.array(DamagedRun).max(MAX_LISTED),
});
export type UplinkStatus = z.infer<typeof UplinkStatus>;

/** Facts for finding faults: no evidence, no titles, no names of cases, no key. */
export const UplinkDiagnostics = z.strictObject({
  made_at: Timestamp,
  app: z.string(),
  store: z.string(),
  epoch: z.string(),
  engine: z.string(),
  home: z.string(),
  upstream: z
    .strictObject({
      url: z.string(),
      store: z.string(),
      epoch: z.string(),
      protocol: z.int(),
      role: Role,
      key_kept: KeyKept,
      clock_offset_ms: z.int().nullable(),
    })
    .nullable(),
  state: UplinkStatus.shape.state,
  problem: z.string().nullable(),
  events: z.strictObject({ open: z.boolean(), opened: Count }),
  requests: z.strictObject({ sent: Count, failed: Count, bytes_out: Count, bytes_in: Count }),
  links: z.array(
    z.strictObject({
      /**
       * The kind of stream, and a digest of its name that is the same in every export of this
       * store.
       */
      link: z.string(),
      state: LinkStatus.shape.state,
      problem: z.string().nullable(),
      gen: Count,
      rev: Count,
      epoch: z.string(),
      push_pos: Count,
      pull_seq: Count,
      wit_seq: Count,
      local_seq: Count,
      waiting: Count,
      quarantined: Count,
      damaged: Count,
      last_ok: Timestamp.nullable(),
      verified_at: Timestamp.nullable(),
    }),
  ),
  /** The last failures, newest first. */
  failures: z.array(
    z.strictObject({
      at: Timestamp,
      link: z.string(),
      operation: z.string(),
      status: z.int().nullable(),
      code: z.string(),
    }),
  ),
});
export type UplinkDiagnostics = z.infer<typeof UplinkDiagnostics>;

const common = {
  tag: 'Uplink',
  access: 'session',
  params: None,
  query: None,
  response: UplinkStatus,
  success: [200],
} as const;

export const getUplink = endpoint({
  id: 'getUplink',
  summary: 'Whether this studio exchanges with a hosted server, what is shared, and what waits',
  method: 'GET',
  path: '/api/v1/uplink',
  errors: [],
  ...common,
});

export const listLinks = endpoint({
  id: 'listUplinkLinks',
  summary: 'What is exchanged with the hosted server, one entry for each stream',
  method: 'GET',
  path: '/api/v1/uplink/links',
  errors: ['conflict'],
  ...common,
  query: z.strictObject({ ...paging, stream: known.streamName.optional() }),
  response: list(LinkStatus),
});

export const connectUplink = endpoint({
  id: 'connectUplink',
  summary: 'Connect to a hosted server with a key of it; connecting again replaces the key',
  method: 'PUT',
  path: '/api/v1/uplink',
  ...common,
  body: z.strictObject({
    url: text(2_000, 1),
    key: text(200, 1),
    unsent: UnsentChoice.exactOptional(),
  }),
  bodyLimit: BODY_LIMIT,
  errors: ['conflict', 'no_connection', 'other_user'],
});

export const disconnectUplink = endpoint({
  id: 'disconnectUplink',
  summary: 'End the connection and forget the key; nothing is deleted on either side',
  method: 'DELETE',
  path: '/api/v1/uplink',
  errors: ['conflict'],
  ...common,
});

export const shareProject = endpoint({
  id: 'shareProject',
  summary: 'Share a project with the hosted server, or stop; nothing is deleted on either side',
  method: 'PUT',
  path: '/api/v1/uplink/projects/{projectId}',
  ...common,
  params: z.strictObject({ projectId: ProjectId }),
  body: z.strictObject({ shared: z.boolean() }),
  bodyLimit: BODY_LIMIT,
  errors: ['not_found', 'conflict'],
});

export const syncUplink = endpoint({
  id: 'syncUplink',
  summary: 'Exchange now instead of at the next turn',
  method: 'POST',
  path: '/api/v1/uplink/sync',
  ...common,
  body: None,
  bodyLimit: BODY_LIMIT,
  errors: ['conflict'],
});

export const listUnsent = endpoint({
  id: 'listUnsentChanges',
  summary:
    'Changes of shared projects that no hosted server has acknowledged, with their exact bytes: what an export saves',
  method: 'GET',
  path: '/api/v1/uplink/unsent',
  errors: ['conflict'],
  ...common,
  query: z.strictObject({ after: Cursor.optional() }),
  response: z.strictObject({
    changes: z.array(
      z.strictObject({
        stream: known.streamName,
        change_id: z.string(),
        received_at: Timestamp,
        author: z.string(),
        user_id: known.userId,
        /** `kept`: not sent with the others, for this reason. */
        state: z.enum(['waiting', 'kept']),
        reason: z.string().nullable(),
        change: z.string(),
      }),
    ),
    next: z.string().nullable(),
  }),
});

export const uplinkDiagnostics = endpoint({
  id: 'uplinkDiagnostics',
  summary: 'Facts about the exchange for whoever looks for a fault, without evidence',
  method: 'GET',
  path: '/api/v1/uplink/diagnostics',
  errors: ['conflict'],
  ...common,
  response: UplinkDiagnostics,
});
