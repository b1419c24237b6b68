import type { KeyId } from '../../shared/contract/ids.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import type { RequestContext } from '../context/request.ts';
import { checkCall } from './access.ts';
import type { OperationAccess } from '../../shared/contract/roles.ts';
import { OTHER_SECRET } from '../instance/secret-mark.ts';
import type { Reader } from '../storage/repositories.ts';
import type { Store } from '../storage/store.ts';
import type { StoredKey } from '../storage/accounts/keys.ts';
import type { StoredSession } from '../storage/accounts/sessions.ts';
import type { UsageMeter } from '../instance/usage.ts';
import type { Principal } from '../context/principal.ts';
import { batchLookups } from './batch-lookups.ts';
import { keyMac, parseKey, sameMac } from './keys.ts';
import type { Refusals } from './refusals.ts';
import { type Cookie, tokenHash } from './session.ts';
import type { Shards } from './shard.ts';

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const NOBODY = new Uint8Array(32);

export interface Authenticator {
  /** Throws 401, or 429 once the address has failed too often. A valid key always passes. */
  principal(context: RequestContext): Promise<Principal>;
  /** The person of a browser session or of the window; undefined where there is none. */
  person(context: RequestContext): Promise<Principal | undefined>;
  /**
   * Which of these would still be let in, to the same account. All of them are looked up together.
   */
  stillAuthorized(principals: readonly Principal[], now: number): Promise<ReadonlySet<Principal>>;
}

function keyPrincipal(key: StoredKey): Principal {
  const { account_id, user_id, user_name, key_id, name } = key;
  return {
    actor: { account_id, user_id, user_name, kind: 'agent', key_id, key_name: name },
    authMethod: 'key',
    scopes: key.scopes,
    projects: key.projects,
    role: key.role,
    isPaused: key.paused_at !== null,
    session: null,
  };
}

function personPrincipal(
  { account_id, user_id, user_name }: Pick<StoredSession, 'account_id' | 'user_id' | 'user_name'>,
  rest: Pick<Principal, 'authMethod' | 'role' | 'session'>,
): Principal {
  return {
    actor: { account_id, user_id, user_name, kind: 'human', key_id: null, key_name: null },
    scopes: [],
    projects: null,
    ...rest,
  };
}

/**
 * Throws where the key was revoked, the session ended or went to another account, or the role was
 * lowered while the request was being worked on, so that nothing of it is stored.
 */
export async function confirmPrincipal(
  principal: Principal,
  entry: OperationAccess,
  reader: Reader,
): Promise<void> {
  const { actor, authMethod, session } = principal;
  if (authMethod === 'window') return;
  const keyOf = async (id: KeyId | null) => (id === null ? undefined : reader.keys.byId(id));
  const stored =
    authMethod === 'key' ? await keyOf(actor.key_id) : await reader.sessions.byHash(session ?? '');
  if (
    stored?.account_id !== actor.account_id ||
    ('revoked_at' in stored && stored.revoked_at !== null)
  )
    throw new ApiError(authMethod === 'key' ? 'key_revoked' : 'missing_credentials');
  if ('disabled' in stored && stored.disabled) throw new ApiError('user_disabled');
  const isPaused = 'paused_at' in stored && stored.paused_at !== null;
  checkCall({ ...principal, role: stored.role, isPaused }, entry);
}

interface KeyChecks {
  refusals: Pick<Refusals, 'note'>;
  checkFailure(context: RequestContext): void;
  /** Whether keys are made under another secret than this instance has. */
  hasOtherSecret(): Promise<boolean>;
}
type Uses = Pick<UsageMeter, 'keyUsed' | 'sessionUsed'>;

function failKey(
  { refusals, checkFailure }: KeyChecks,
  context: RequestContext,
  code: 'invalid_key' | 'key_revoked' | 'key_expired' | 'user_disabled',
  stored?: StoredKey,
): never {
  refusals.note({
    action: 'key.refused',
    account_id: stored?.account_id ?? '',
    object: stored?.key_id ?? null,
    address: context.address,
    reason: code,
  });
  checkFailure(context);
  throw new ApiError(code);
}

/** Finds whose key a request shows; look-ups of several requests are made together. */
function createKeyLookup(
  { store, secret }: { store: Store; secret: Uint8Array },
  usage: Uses,
  checks: KeyChecks,
) {
  const keyById = batchLookups(
    async (ids: string[]) =>
      new Map(
        (await store.ask((reader) => reader.keys.byIds(ids))).map((key) => [key.key_id, key]),
      ),
  );
  return async (context: RequestContext, header: string): Promise<Principal> => {
    const text = BEARER.exec(header)?.[1];
    const keyId = text === undefined ? undefined : parseKey(text);
    if (text === undefined || keyId === undefined) return failKey(checks, context, 'invalid_key');
    const stored = await keyById(keyId);
    // An unknown identifier takes the same work as a known one, so that the time tells nothing.
    const same = sameMac(stored?.mac ?? NOBODY, keyMac(text, secret));
    if (stored !== undefined && !same && (await checks.hasOtherSecret()))
      throw new ApiError('unavailable', { message: OTHER_SECRET });
    if (stored === undefined || !same) return failKey(checks, context, 'invalid_key', stored);
    if (stored.revoked_at !== null) return failKey(checks, context, 'key_revoked', stored);
    if (stored.disabled) return failKey(checks, context, 'user_disabled', stored);
    if (stored.expires_at !== null && Date.parse(stored.expires_at) <= context.now)
      return failKey(checks, context, 'key_expired', stored);
    usage.keyUsed(stored, context.now);
    return keyPrincipal(stored);
  };
}

/** What is stored of the credentials of several principals, each looked up once. */
async function lookUpCredentials(store: Store, principals: readonly Principal[]) {
  const ids = new Set(
    principals.flatMap(({ authMethod, actor }) =>
      authMethod === 'key' ? (actor.key_id ?? []) : [],
    ),
  );
  const hashes = new Set(principals.flatMap(({ session }) => session ?? []));
  const keys = ids.size === 0 ? [] : await store.ask((reader) => reader.keys.inForce([...ids]));
  const sessions =
    hashes.size === 0
      ? new Map<string, StoredSession>()
      : await store.ask((reader) => reader.sessions.byHashes([...hashes]));
  return { keys: new Map(keys.map((key) => [key.key_id, key])), sessions };
}

async function stillAuthorized(
  store: Store,
  usage: Uses,
  principals: readonly Principal[],
  now: number,
): Promise<ReadonlySet<Principal>> {
  const { keys, sessions } = await lookUpCredentials(store, principals);
  const isAuthorized = ({ authMethod, actor, session }: Principal): boolean => {
    if (authMethod === 'window') return true;
    if (authMethod === 'key') {
      const key = actor.key_id === null ? undefined : keys.get(actor.key_id);
      if (key?.account_id !== actor.account_id) return false;
      return key.expires_at === null || Date.parse(key.expires_at) > now;
    }
    const stored = sessions.get(session ?? '');
    if (stored?.account_id !== actor.account_id || Date.parse(stored.expires_at) <= now)
      return false;
    usage.sessionUsed(session ?? '', stored, now);
    return true;
  };
  return new Set(principals.filter(isAuthorized));
}

export function createAuthenticator(
  deps: Deps,
  cookie: Cookie,
  usage: Uses,
  { shards, ...checks }: KeyChecks & { shards: Pick<Shards, 'label'> },
): Authenticator {
  const { store } = deps;
  const byKey = createKeyLookup({ store, secret: deps.hmacSecret }, usage, checks);

  async function person(context: RequestContext): Promise<Principal | undefined> {
    if (context.inProcess)
      return personPrincipal(store.local, { authMethod: 'window', role: 'owner', session: null });
    const token = cookie.read(context.req.headers.cookie);
    const hash = token === undefined ? undefined : tokenHash(token);
    if (hash === undefined) return undefined;
    const session = await store.ask((reader) => reader.sessions.byHash(hash));
    if (session === undefined || Date.parse(session.expires_at) <= context.now) return undefined;
    usage.sessionUsed(hash, session, context.now);
    shards.label(context, session.account_id);
    return personPrincipal(session, { authMethod: 'session', role: session.role, session: hash });
  }

  return {
    person,
    stillAuthorized: (principals, now) => stillAuthorized(store, usage, principals, now),
    async principal(context) {
      const { authorization } = context.req.headers;
      // A request with an Authorization header is judged by that alone; a cookie does not make up
      // for a bad key.
      if (authorization !== undefined && !context.inProcess) return byKey(context, authorization);
      const found = await person(context);
      if (found === undefined) throw new ApiError('missing_credentials');
      return found;
    },
  };
}
