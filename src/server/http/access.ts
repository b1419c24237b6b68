import { changes, type Entry, isAllowed } from '../../shared/contract/roles.ts';
import type { Role } from '../../shared/contract/v1/account.ts';
import type { Caller } from '../auth/caller.ts';
import { Refusal } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export function checkRole(role: Role, entry: Entry): void {
  if (isAllowed(role, entry)) return;
  if (role === 'viewer' && changes(entry)) throw new Refusal('read_only_role');
  throw new Refusal('insufficient_scope', { message: 'Only an owner of this account may do this.' });
}

/**
 * Checks scope and role. A write of a browser session must also be proven to come from one of our pages: the guards have refused every foreign Origin, so an
 * Origin that is present is ours; where a browser sends none, Sec-Fetch-Site has to say so.
 */
export function checkAccess(exchange: Exchange, caller: Caller, { access, role }: Omit<Entry, 'method'>): void {
  if (access === 'session' ? caller.door === 'key' : access !== 'open' && !caller.scopes.includes(access)) throw new Refusal('insufficient_scope');
  checkRole(caller.role, { access, role, method: exchange.method });
  if (caller.door === 'session' && changes(exchange)) checkOwnPage(exchange);
}

export function checkOwnPage({ req }: Exchange): void {
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] !== 'same-origin') throw new Refusal('csrf_failed');
}
