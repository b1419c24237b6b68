import { z } from 'zod';
import { None, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known, ProjectId } from '../ids.ts';
import { CreatedKey, PlainScope, Scope } from './account.ts';

export const PairingId = z
  .string()
  .regex(/^pair_[0-9A-Za-z]{22}$/, 'Must be a pairing as the server named it.');
const Secret = z
  .string()
  .regex(/^[0-9A-Za-z]{43}$/, 'Must be the secret that the server gave with the pairing.');
/** Shown by the studio and by the agent: a person compares the two. */
const Code = z.string().regex(/^[A-Z]{4}-[A-Z]{4}$/);

const Scopes = z.array(PlainScope).min(1).max(4);
const Projects = z.array(ProjectId).min(1).max(100).nullable();

/** A person reads it before they decide: nothing in it is unseen, or turns other words around. */
const Name = text(100, 1).refine(
  (name) => !/[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\n\r\t]/u.test(name),
  'Must be one line of characters that are seen.',
);

export const PairingInput = z.strictObject({
  name: Name,
  /** `suggest` if left out. */
  scopes: Scopes.optional(),
  projects: Projects.optional(),
});

export const StartedPairing = z.strictObject({
  pairing_id: PairingId,
  secret: Secret,
  code: Code,
  expires_at: Timestamp,
  poll_after_seconds: z.int().min(1),
});
export type StartedPairing = z.infer<typeof StartedPairing>;

const params = z.strictObject({ pairingId: PairingId });

export const startPairing = endpoint({
  id: 'startPairing',
  summary:
    'Ask to be let in: by a program on this computer, without a key. A person decides in the studio; nobody is let in by a page of a browser, nor on a hosted server',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/pairing',
  access: 'open',
  params: None,
  query: None,
  body: PairingInput,
  bodyLimit: BODY_LIMIT,
  response: StartedPairing,
  success: [201],
  errors: ['conflict'],
});

export const CollectedKey = z.strictObject({
  /** `waiting`: for a person, or, for a moment, for another request with this secret. */
  state: z.enum(['waiting', 'refused', 'allowed']),
  api_key: CreatedKey.nullable(),
});
export type CollectedKey = z.infer<typeof CollectedKey>;

export const collectKey = endpoint({
  id: 'collectKey',
  summary:
    'What became of a request to be let in; once it is allowed, the key: handed over once, to whoever has the secret',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/pairing/{pairingId}/key',
  access: 'open',
  params,
  query: None,
  body: z.strictObject({ secret: Secret }),
  bodyLimit: BODY_LIMIT,
  response: CollectedKey,
  success: [200],
  errors: ['conflict', 'not_found'],
});

export const PairingRequest = z.strictObject({
  pairing_id: PairingId,
  name: z.string(),
  scopes: z.array(Scope),
  projects: z.array(known.projectId).nullable(),
  code: Code,
  asked_at: Timestamp,
  expires_at: Timestamp,
});
export type PairingRequest = z.infer<typeof PairingRequest>;

export const listPairingRequests = endpoint({
  id: 'listPairingRequests',
  summary: 'Programs that ask to be let in and wait for a person',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/pairing',
  access: 'session',
  params: None,
  query: None,
  response: z.strictObject({ data: z.array(PairingRequest) }),
  success: [200],
  errors: [],
});

export const decidePairing = endpoint({
  id: 'decidePairing',
  summary:
    'Let a program in, or not: with what it asks for, or less. Nobody can do so twice for one request',
  tag: 'Account',
  method: 'POST',
  path: '/api/v1/pairing/{pairingId}/decision',
  access: 'session',
  role: 'viewer',
  params,
  query: None,
  body: z.strictObject({
    decision: z.enum(['allow', 'refuse']),
    /** As asked for if left out. */
    scopes: Scopes.optional(),
    projects: Projects.optional(),
    expires_days: z.int().min(1).max(3650).nullable().optional(),
  }),
  bodyLimit: BODY_LIMIT,
  response: z.strictObject({
    pairing_id: PairingId,
    state: z.enum(['allowed', 'refused']),
    scopes: z.array(Scope),
    projects: z.array(known.projectId).nullable(),
  }),
  success: [200],
  errors: ['conflict', 'not_found', 'password_needed'],
});
