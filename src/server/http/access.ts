import { type Credential, denialOf } from '../../shared/contract/rights.ts';
import { changes, type Entry } from '../../shared/contract/roles.ts';
import type { Caller } from '../auth/caller.ts';
import { Refusal } from './errors.ts';
import type { Exchange } from './exchange.ts';

const OWNERS_ONLY = 'Only an owner of this account may do this.';

export function checkCall(credential: Credential, entry: Entry): void {
  const denial = denialOf(credential, { do: 'call', entry });
  if (denial === undefined) return;
  // An owner would be let in.
  const isRole =
    denial === 'insufficient_scope' &&
    denialOf({ ...credential, role: 'owner' }, { do: 'call', entry }) === undefined;
  throw new Refusal(denial, isRole ? { message: OWNERS_ONLY } : {});
}

/**
 * Checks scope and role. A write of a browser session must also be proven to come from one of our
 * pages: the guards have refused every foreign Origin, so an Origin that is present is ours; where
 * a browser sends none, Sec-Fetch-Site has to say so.
 */
export function checkAccess(
  exchange: Exchange,
  caller: Caller,
  { access, role, whole }: Omit<Entry, 'method'>,
): void {
  checkCall(caller, { access, role, whole, method: exchange.method });
  if (caller.door === 'session' && changes(exchange)) checkOwnPage(exchange);
}

export function checkOwnPage({ req }: Exchange): void {
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] !== 'same-origin')
    throw new Refusal('csrf_failed');
}
