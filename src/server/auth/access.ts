import { type Credential, denialOf } from '../../shared/contract/rights.ts';
import { changes, type OperationAccess } from '../../shared/contract/roles.ts';
import type { Principal } from '../context/principal.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';

const OWNERS_ONLY = 'Only an owner of this account may do this.';

export function checkCall(credential: Credential, entry: OperationAccess): void {
  const denial = denialOf(credential, { do: 'call', entry });
  if (denial === undefined) return;
  // An owner would be let in.
  const isRole =
    denial === 'insufficient_scope' &&
    denialOf({ ...credential, role: 'owner' }, { do: 'call', entry }) === undefined;
  const message = isRole
    ? OWNERS_ONLY
    : denial === 'insufficient_scope'
      ? scopeWords(entry)
      : undefined;
  throw new ApiError(denial, message === undefined ? {} : { message });
}

/** What a key lacks for the operation; undefined where a scope would not help. */
function scopeWords({ access, whole }: OperationAccess): string | undefined {
  if (access === 'session') return 'Only a person who is signed in may do this; no key may.';
  if (access === 'open') return undefined;
  return whole === true
    ? `This needs a key with the scope "${access}" that is not limited to projects.`
    : `This needs a key with the scope "${access}".`;
}

/**
 * Checks scope and role. A write of a browser session must also be proven to come from one of our
 * pages: the guards have refused every foreign Origin, so an Origin that is present is ours; where
 * a browser sends none, Sec-Fetch-Site has to say so.
 */
export function checkAccess(
  context: RequestContext,
  principal: Principal,
  { access, role, whole }: Omit<OperationAccess, 'method'>,
): void {
  checkCall(principal, { access, role, whole, method: context.method });
  if (principal.authMethod === 'session' && changes(context)) checkOwnPage(context);
}

export function checkOwnPage({ req }: RequestContext): void {
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] !== 'same-origin')
    throw new ApiError('csrf_failed');
}
