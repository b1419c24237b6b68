import { z } from 'zod';
import { None, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { KeyId, known, ProjectId } from '../ids.ts';
import { Project } from './projects.ts';

export const Role = z.enum(['owner', 'member', 'viewer']);
export type Role = z.infer<typeof Role>;

/**
 * `delete`: also remove, and bring back what was removed. `sync`: a studio's, which brings what
 * others wrote there; made by `createStudioKey` alone.
 */
export const Scope = z.enum(['read', 'suggest', 'write', 'delete', 'sync']);
export type Scope = z.infer<typeof Scope>;
/** Scopes that a program's key may have. */
export const PlainScope = Scope.exclude(['sync']);

/** What an agent's key may suggest, and how much of it is used up. */
export const KeyLimits = z.strictObject({
  suggestions_a_day: z.int().min(0).nullable().describe('Cells it may suggest a day; null: any.'),
  open_suggestions: z
    .int()
    .min(0)
    .nullable()
    .describe('Suggestions of it that may wait for a decision; null: any.'),
  suggested: z.int().min(0).describe('Cells it suggested on the last day on which it did.'),
  suggested_on: z.string().nullable().describe('That day, in UTC.'),
});

export const ApiKey = z.strictObject({
  key_id: known.keyId,
  /** Whose it is. */
  user: z.strictObject({ user_id: known.userId, name: z.string() }),
  name: z.string(),
  /** What of the key may be shown: `evs_` and the key's identifier. */
  prefix: z.string(),
  scopes: z.array(Scope),
  /** The projects that it is limited to; null: the whole account. */
  projects: z.array(known.projectId).nullable(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  paused_at: Timestamp.nullable().describe(
    'Since when it may read only, because a person paused it; null: it is not paused.',
  ),
  limits: KeyLimits,
});
export type ApiKey = z.infer<typeof ApiKey>;

export const Account = z.strictObject({ account_id: known.accountId, name: z.string() });

export const Usage = z.strictObject({
  account: Account,
  api_keys: z.array(ApiKey),
  monthly_totals: z.array(
    z.strictObject({ month: z.string(), requests: z.int(), cells_written: z.int(), runs: z.int() }),
  ),
  recent_events: z.array(
    z.strictObject({
      event_id: z.string(),
      at: Timestamp,
      action: z.string(),
      resource: z.string().nullable(),
      key_id: known.keyId.nullable(),
      status: z.int(),
    }),
  ),
});
export type Usage = z.infer<typeof Usage>;

export const getUsage = endpoint({
  id: 'getUsage',
  summary: 'Account usage, API key metadata, monthly totals and recent events',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/usage',
  access: 'read',
  whole: true,
  params: None,
  query: None,
  response: Usage,
  success: [200],
  errors: [],
});

/** How a server is run: inside the desktop, alone on one machine, or for a team. */
export const Home = z.enum(['desktop', 'local', 'hosted']);
export type Home = z.infer<typeof Home>;

/** Who is signed in, and how this studio is run. */
export const Session = z.strictObject({
  /**
   * `without_owner`: none of its owners may come in, so that everybody reads and nobody changes
   * anything.
   */
  account: Account.extend({ without_owner: z.literal(true).optional() }),
  /**
   * `formerly`: whom this studio called its person before it was connected to a hosted server,
   * which knows them by `user_id`.
   */
  user: z.strictObject({
    user_id: known.userId,
    name: z.string(),
    email: z.string().nullable(),
    role: Role,
    formerly: z.array(known.userId).optional(),
  }),
  /** Every account of this person, this one too. */
  accounts: z.array(Account.extend({ role: Role })),
  /**
   * Wrong passwords that were tried for this person where they never signed in, when there were
   * five or more: until it is dismissed. `refused` were not compared.
   */
  tried_passwords: z
    .strictObject({
      wrong: z.int(),
      refused: z.int(),
      addresses: z.int(),
      first_at: Timestamp,
      last_at: Timestamp,
    })
    .optional(),
  /** How this person signs in: none in the desktop's own window. */
  sign_in: z.enum(['password', 'link', 'none']),
  home: Home,
  /** `operator_only`: what whoever runs the server does alone. */
  server: z.strictObject({
    operator_only: z.strictObject({ accounts: z.boolean(), publishing: z.boolean() }),
    version: z.string(),
    url: z.string(),
    instance_id: z.string(),
    store: z.string(),
    read_only: z.boolean(),
    read_only_reason: z.string().nullable(),
    backups: z.array(z.string()),
  }),
});
export type Session = z.infer<typeof Session>;

export const getSession = endpoint({
  id: 'getSession',
  summary: 'Who is signed in, and how this studio is run',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/session',
  access: 'session',
  params: None,
  query: None,
  response: Session,
  success: [200],
  errors: [],
});

/** A random name that a browser gave itself. */
export const BrowserId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 hexadecimal digits.');

/** By what a browser keeps copies of this person's data. */
export const CopyKey = z.strictObject({
  user_id: known.userId,
  /**
   * What opens the copies of this person in this browser, the same at every sign-in; base64url.
   * Null while the server cannot tell it.
   */
  secret: z.string().nullable(),
  /** Whether copies may be kept when the window is closed. */
  keep: z.boolean(),
  /** How long, from now on, they open without asking again, in seconds; 0: not at all. */
  offline_seconds: z.int().min(0),
});
export type CopyKey = z.infer<typeof CopyKey>;

export const getCopyKey = endpoint({
  id: 'getCopyKey',
  summary:
    "What opens the encrypted copies that this browser keeps of the signed-in person's data, " +
    'and for how long it does so without the server',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/session/copy-key',
  access: 'session',
  params: None,
  query: z.strictObject({ browser: BrowserId }),
  response: CopyKey,
  success: [200],
  errors: [],
});

export const KeyInput = z.strictObject({
  name: text(100, 1),
  scopes: z.array(PlainScope).min(1).max(4),
  expires_days: z.int().min(1).max(3650).nullable().optional(),
  /** Limits the key to these projects: to it, everything else is not there. */
  projects: z.array(ProjectId).min(1).max(100).nullable().optional(),
});

/** The only answer that ever holds a key. */
export const CreatedKey = ApiKey.extend({ key: z.string() });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const createKey = endpoint({
  id: 'createKey',
  summary: 'Create an API key; it is shown in this answer and never again',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/keys',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: KeyInput,
  bodyLimit: BODY_LIMIT,
  response: CreatedKey,
  success: [201],
  errors: ['conflict', 'password_needed'],
});

/** Without scopes: a studio's key brings, and removes, whatever its person may. */
export const StudioKeyInput = KeyInput.omit({ scopes: true, projects: true });

export const createStudioKey = endpoint({
  id: 'createStudioKey',
  summary:
    'Connect a studio: create the key by which it exchanges its projects with this server; shown in this answer and never again',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/studio-keys',
  access: 'session',
  role: 'viewer',
  params: None,
  query: None,
  body: StudioKeyInput,
  bodyLimit: BODY_LIMIT,
  response: CreatedKey,
  success: [201],
  errors: ['conflict', 'password_needed'],
});

export const letKeySync = endpoint({
  id: 'letKeySync',
  summary:
    "Let a key with which a studio of version 0.1 is connected act as a studio's: by an owner, or by whose key it is",
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/keys/{keyId}/studio',
  access: 'session',
  role: 'viewer',
  params: z.strictObject({ keyId: KeyId }),
  query: None,
  body: None,
  bodyLimit: BODY_LIMIT,
  response: ApiKey,
  success: [200],
  errors: ['not_found', 'conflict', 'password_needed'],
});

export const revokeKey = endpoint({
  id: 'revokeKey',
  summary: 'Revoke an API key with effect on the next request',
  tag: 'Account',
  method: 'DELETE',
  path: '/api/v1/keys/{keyId}',
  access: 'session',
  role: 'viewer',
  params: z.strictObject({ keyId: KeyId }),
  query: None,
  response: ApiKey,
  success: [200],
  errors: ['not_found'],
});

const Limit = z.int().min(0).max(1_000_000_000).nullable().optional();

export const KeyLimitsInput = z.strictObject({
  paused: z.boolean().describe('True: it may read only, until it is resumed.').optional(),
  suggestions_a_day: Limit.describe('Cells it may suggest a day; null: any.'),
  open_suggestions: Limit.describe('Suggestions of it that may wait; null: any.'),
  reason: text(2_000, 1).optional(),
});
export type KeyLimitsInput = z.infer<typeof KeyLimitsInput>;

export const limitKey = endpoint({
  id: 'limitKey',
  summary: 'Limit what a key may suggest, pause it, or resume it: people only',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/keys/{keyId}/limits',
  access: 'session',
  role: 'viewer',
  params: z.strictObject({ keyId: KeyId }),
  query: None,
  body: KeyLimitsInput,
  bodyLimit: BODY_LIMIT,
  response: ApiKey,
  success: [200],
  errors: ['not_found', 'conflict'],
});

export const createSample = endpoint({
  id: 'createSample',
  summary:
    'Create the sample project with a filled case; an existing one is answered as it is, or with its cells recorded again as they came',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/sample',
  access: 'session',
  params: None,
  query: z.strictObject({ reset: z.enum(['true', 'false']).optional() }),
  body: None,
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({
    project: Project,
    case_uid: known.caseUid,
    profile_uid: known.profileUid,
  }),
  success: [200, 201],
  errors: [],
});
