import { expect, it } from 'vitest';
import { detailWords } from '../../../src/renderer/features/account/audit-details.ts';
import { AUDIT_DETAILS } from '../../../src/shared/contract/audit-details.ts';
import type { AuditAction, AuditEvent } from '../../../src/shared/contract/v1/audit.ts';

const words = (action: AuditAction, detail: AuditEvent['detail']): string =>
  detailWords({ action, detail });

it('names every detail but hashes, and says what the server means in words', () => {
  const silent = AUDIT_DETAILS.filter((name) => words('run.created', { [name]: 'x' }) === '');
  expect(silent).toEqual(['chain', 'content_hash', 'hash']);
  expect(words('member.role_changed', { from: 'viewer', to: 'owner' })).toBe(
    'before: Viewer; after: Owner',
  );
  expect(words('key.created', { scopes: ['read', 'sync'], expires_at: null })).toBe(
    'may: read, connect a studio; ends on: none',
  );
  expect(words('case.policy_set', { requires_source: true, reason: 'kept' })).toBe(
    'source required: yes; reason: kept',
  );
});

it('leaves what people wrote as they wrote it, and what it does not know as it is', () => {
  expect(words('project.renamed', { reason: 'others' })).toBe('reason: others');
  expect(words('sign_in.failed', { reason: 'others' })).toBe('reason: further ones');
  expect(words('account.renamed', { from: 'owner', to: 'viewer' })).toBe(
    'before: owner; after: viewer',
  );
  expect(words('sign_in.done', { by: 'constructor', newer_thing: 'open' })).toBe(
    'by: constructor; newer thing: open',
  );
});
