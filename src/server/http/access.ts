import type { Access } from '../../shared/contract/endpoint.ts';
import type { Caller } from '../auth/caller.ts';
import { Refusal } from '../errors.ts';
import type { Exchange } from './exchange.ts';

const SAFE = new Set(['GET', 'OPTIONS']);

/**
 * Scope and role and, for a browser session, proof that a write comes from a page of ours: guards have refused every other Origin, so one that is present
 * is our own; where a browser sends none, Sec-Fetch-Site must say so.
 */
export function checkAccess({ req, method }: Exchange, caller: Caller, access: Access): void {
  if (access === 'session' ? caller.door === 'key' : access !== 'open' && !caller.scopes.includes(access)) throw new Refusal('insufficient_scope');
  if (caller.role === 'viewer' && (access === 'write' || (access === 'session' && !SAFE.has(method)))) throw new Refusal('read_only_role');
  if (caller.door !== 'session' || SAFE.has(method)) return;
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] !== 'same-origin') throw new Refusal('csrf_failed');
}
