import type { Endpoint } from './endpoint.ts';
import type { Role } from './v1/account.ts';

const SAFE = new Set(['GET', 'OPTIONS']);
const RANK: Readonly<Record<Role, number>> = { viewer: 0, member: 1, owner: 2 };

/**
 * The parts of an operation that decide who may call it; the method is that of the request, where
 * there is one.
 */
export type OperationAccess = Pick<Endpoint, 'access' | 'role' | 'whole'> & { method: string };

export const changes = ({ method }: Pick<OperationAccess, 'method'>): boolean => !SAFE.has(method);

function leastRole(entry: OperationAccess): Role {
  return (
    entry.role ??
    (entry.access === 'write' ||
    entry.access === 'suggest' ||
    (entry.access === 'session' && changes(entry))
      ? 'member'
      : 'viewer')
  );
}

/**
 * Whether a role may call an operation. The server refuses, and the pages offer operations, by this
 * one rule.
 */
export function isAllowed(role: Role, entry: OperationAccess): boolean {
  return RANK[role] >= RANK[leastRole(entry)];
}

/** Whether somebody may change evidence at all. */
export const mayRecord = (role: Role): boolean =>
  isAllowed(role, { access: 'write', method: 'POST' });
