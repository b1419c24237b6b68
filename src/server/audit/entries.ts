import type { AccountId, UserId } from '../../shared/contract/ids.ts';
import { userInfo } from 'node:os';
import type { Store } from '../storage/store.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { TrailOwner } from '../storage/db/schema/account-tables.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request.ts';

/** Enough characters of a session token's hash to tell sessions apart. */
const SESSION_NAME = 16;

type RequestOrigin = Pick<RequestContext, 'id' | 'address' | 'inProcess'>;

function placeOf({
  id,
  address,
  inProcess,
}: RequestOrigin): Pick<AuditOrigin, 'address' | 'request_id'> {
  return { address: inProcess ? null : address, request_id: id };
}

/** Origin of an event that a request causes. */
export function principalOrigin(
  { actor, session }: Pick<Principal, 'actor' | 'session'>,
  context: RequestOrigin,
): AuditOrigin<AccountId> {
  const { account_id, kind, user_id, user_name, key_id, key_name } = actor;
  return {
    account_id,
    kind,
    user_id,
    name: key_name ?? user_name,
    key_id,
    session: session?.slice(0, SESSION_NAME) ?? null,
    ...placeOf(context),
  };
}

/** Origin of an event of a person who is just signing in. */
export function personOrigin(
  { account_id, user_id, user_name }: { account_id: AccountId; user_id: UserId; user_name: string },
  session: string | null,
  context: RequestOrigin,
): AuditOrigin<AccountId> {
  return principalOrigin(
    {
      actor: { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null },
      session,
    },
    context,
  );
}

/**
 * Origin of an event of the person at the server's command line, by their user name on the system.
 */
export function operatorOrigin({ local }: Pick<Store, 'local'>): AuditOrigin<AccountId> {
  let name = 'operator';
  try {
    name = userInfo().username;
  } catch {
    // The process's user has no entry in the system's list, as in some containers.
  }
  return {
    account_id: local.account_id,
    kind: 'operator',
    user_id: null,
    name,
    key_id: null,
    session: null,
    address: null,
    request_id: null,
  };
}

/** The server itself. */
export function serverOrigin(account_id: TrailOwner): AuditOrigin {
  return {
    account_id,
    kind: 'server',
    user_id: null,
    name: 'server',
    key_id: null,
    session: null,
    address: null,
    request_id: null,
  };
}
