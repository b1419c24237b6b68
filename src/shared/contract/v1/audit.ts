import { z } from 'zod';
import { CaseUid } from '../../domain/uid.ts';
import { list, None, paging, Seq, Timestamp, Wait } from '../common.ts';
import { AuditValue } from '../audit-details.ts';
import { endpoint } from '../endpoint.ts';
import { receipt, RecordedBy } from './evidence.ts';
import { known } from '../ids.ts';

/**
 * The kinds of events in an account's audit trail: who signed in, who may do what, what was
 * exported, what was restored. Evidence is not part of it: each of its changes is hashed and
 * chained in the log of its case.
 */
export const AUDIT_ACTIONS = [
  'setup.done',
  'sign_in.link_created',
  'sign_in.done',
  'sign_in.failed',
  'sign_in.limited',
  'sign_in.confirmed',
  'sign_out.done',
  'session.ended',
  'session.switched',
  'password.changed',
  'password.reset',
  'user.created',
  'user.disabled',
  'user.enabled',
  'account.created',
  'account.renamed',
  'invitation.created',
  'invitation.revoked',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'key.created',
  'key.let_sync',
  'key.paused',
  'key.resumed',
  'key.limited',
  'key.revoked',
  'key.refused',
  'key.secret_changed',
  'profile.published',
  'profile.decided',
  'profile.settled',
  'run.created',
  'run.received',
  'project.renamed',
  'project.archived',
  'project.unarchived',
  'project.deleted',
  'project.restored',
  'case.renamed',
  'case.duplicated',
  'case.archived',
  'case.unarchived',
  'case.deleted',
  'case.restored',
  'items.deleted',
  'items.restored',
  'run.hidden',
  'run.shown',
  'profile.retired',
  'profile.reinstated',
  'evidence.carried',
  'evidence.reverted',
  'case.policy_set',
  'case.moved',
  'run.signed',
  'round.opened',
  'round.done',
  'round.released',
  'round.recorder_removed',
  'case.exported',
  'run.exported',
  'subscription.created',
  'subscription.ended',
  'audit.exported',
  'backup.created',
  'backup.restored',
  'uplink.connected',
  'uplink.disconnected',
  'project.shared',
  'project.unshared',
] as const;
export const AuditAction = z.enum(AUDIT_ACTIONS);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * Who acted, and from where. An agent acts by a key, an operator at the server's command line; the
 * server acts by itself.
 */
export const AuditActor = z.strictObject({
  kind: z.enum(['human', 'agent', 'operator', 'server']),
  user_id: known.userId.nullable(),
  name: z.string(),
  key_id: known.keyId.nullable(),
  session: z.string().nullable(),
  address: z.string().nullable(),
});

/**
 * `hash` is the SHA-256 of the previous event's hash (64 zeros before the first) and the RFC 8785
 * canonical JSON of all other members.
 */
export const AuditEvent = z.strictObject({
  account_id: z.string(),
  seq: z.int().min(1),
  at: Timestamp,
  action: AuditAction,
  object: z.string().nullable(),
  detail: z.record(z.string(), AuditValue),
  by: AuditActor,
  request_id: z.string().nullable(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

export const listAudit = endpoint({
  id: 'listAudit',
  summary: 'The audit trail of the account, newest first; for its owners',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/audit',
  access: 'session',
  role: 'owner',
  params: None,
  query: z.strictObject(paging),
  response: list(AuditEvent),
  success: [200],
  errors: [],
});

const asFile = { format: z.enum(['json', 'csv']).describe('`json` if not said.').optional() };

/**
 * The whole trail, oldest first. `head` is its last number and hash: keep it outside of the server
 * and give it to a later `verify-audit`, which must find it in the trail.
 */
export const AuditExport = z.strictObject({
  account_id: z.string(),
  exported_at: Timestamp,
  exported_by: z.string(),
  head: z.strictObject({ seq: z.int(), hash: z.string() }),
  events: z.array(AuditEvent),
});
export type AuditExport = z.infer<typeof AuditExport>;

export const exportAudit = endpoint({
  id: 'exportAudit',
  summary: 'The whole audit trail of the account, oldest first; for its owners',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/audit/export',
  access: 'session',
  role: 'owner',
  params: None,
  query: z.strictObject(asFile),
  response: AuditExport,
  csv: true,
  success: [200],
  errors: [],
});

/**
 * One register written: who, when, what they saw before, what they wrote, and why. `at` is the
 * author's clock, `received_at` this server's. `applied` is false for an entry that this version
 * keeps without understanding it.
 */
export const CaseStep = z.strictObject({
  seq: z.int().min(1),
  index: z.int().min(0),
  change: z.string(),
  ...receipt,
  by: z.string(),
  user: known.userId,
  kind: z.enum(['human', 'agent', 'import']),
  key_id: known.keyId.nullable(),
  reason: z.string().nullable(),
  field: z.string(),
  item_uid: z.string().nullable(),
  rule_uid: z.string().nullable(),
  profile_uid: known.profileUid.nullable(),
  profile_version: z.string().nullable(),
  run_uid: known.runUid.nullable(),
  old: z.json(),
  new: z.json(),
  /** Whose word the value is: another's than `by` where an undo brought it back. */
  recorded_by: RecordedBy,
  /** The entry whose value an undo brought back, or null. */
  restores: z.string().nullable(),
  applied: z.boolean(),
});
export type CaseStep = z.infer<typeof CaseStep>;

/**
 * `log` is the position up to which the steps go; `evidence-studio verify-audit` finds the same
 * chain hash there.
 */
export const CaseAudit = z.strictObject({
  case_uid: known.caseUid,
  exported_at: Timestamp,
  exported_by: z.string(),
  log: z.strictObject({ epoch: z.string(), seq: z.int(), chain: z.string() }),
  steps: z.array(CaseStep),
});
export type CaseAudit = z.infer<typeof CaseAudit>;

export const exportCaseAudit = endpoint({
  id: 'exportCaseAudit',
  summary:
    'Everything that was ever recorded in a case, oldest first: who, when, old, new, and why',
  tag: 'Evidence',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/audit',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid }),
  query: z.strictObject(asFile),
  response: CaseAudit,
  csv: true,
  success: [200],
  errors: ['not_found'],
});

/**
 * What was recorded in a case after a position of its log, in the order in which this server
 * received it: up to 50 changes, each whole. `after` is where the next call goes on, `latest` where
 * the log stands.
 */
export const CaseEvents = z.strictObject({
  data: z.array(CaseStep),
  after: z.int().min(0),
  latest: z.int().min(0),
});
export type CaseEvents = z.infer<typeof CaseEvents>;

export const listCaseEvents = endpoint({
  id: 'listCaseEvents',
  summary: 'What was recorded in a case after a position of its log: who, cell, old, new, and why',
  tag: 'Evidence',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/events',
  access: 'read',
  params: z.strictObject({ caseUid: CaseUid }),
  query: z.strictObject({
    after: Seq.describe(
      '`after` of the answer before, or `seq` of an event; 0 if not said.',
    ).optional(),
    wait: Wait,
  }),
  response: CaseEvents,
  waits: true,
  success: [200],
  errors: ['not_found'],
});
