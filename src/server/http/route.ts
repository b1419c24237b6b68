import type { AccountId } from '../../shared/contract/ids.ts';
import type { z } from 'zod';
import type { Credential } from '../../shared/contract/rights.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { Role } from '../../shared/contract/v1/account.ts';
import type { SignInLimits } from '../auth/limits.ts';
import type { People } from '../auth/people.ts';
import type { Refusals } from '../auth/refusals.ts';
import type { Deps } from '../context/deps.ts';
import type { CountedUse, Watched } from '../context/call.ts';
import type { FileAnswer } from '../context/request.ts';
import type { Actor } from '../storage/db/actor.ts';
import type { Pairings } from './pairing.ts';
import type { Precondition } from '../storage/db/precondition.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { Witness } from '../storage/log/log-position.ts';
import type { Reader, Writer } from '../storage/repositories.ts';

/**
 * What operations work with: the parts of the composition, and what the running server knows of
 * itself.
 */
export interface RouteDeps extends Deps {
  /** The address under which this server is reached. */
  url: string;
  /** The sign-in library, loaded when somebody first needs a password. */
  people(): Promise<People>;
  signInLimits: SignInLimits;
  /** Counts refused sign-ins for the audit trail. */
  refusals: Pick<Refusals, 'note'>;
  /** Programs that ask to be let in. */
  pairings: Pairings;
}

/**
 * The parts that work beside the store, wherever it runs. What sign-in, sessions of other servers
 * and pages need stays with the server.
 */
export type HandlerDeps = Pick<
  RouteDeps,
  | 'store'
  | 'clock'
  | 'random'
  | 'hasher'
  | 'hmacSecret'
  | 'timeStamps'
  | 'copies'
  | 'home'
  | 'operatorOnly'
  | 'version'
  | 'instanceId'
  | 'url'
  | 'backups'
>;

interface RouteCall<P, Q> {
  params: P;
  query: Q;
  actor: Actor;
  role: Role;
  /** Hash of the session's token, for a person in a browser. */
  session: string | null;
  deps: HandlerDeps;
  /** Milliseconds since 1970. */
  now: number;
  witness: Witness | undefined;
}
export interface ReadCall<P = unknown, Q = unknown, B = unknown> extends RouteCall<P, Q> {
  reader: Reader;
  /** What the credentials allow, as a role: see `effectiveRole`. */
  effectiveRole: Role;
  /** Whether these are a studio's credentials. */
  relays: boolean;
  /** The body of a POST that only asks, because its question is too long for a query. */
  body: B;
  /**
   * Whether the client already holds the answer with this entity tag; then there is no need to read
   * what it says.
   */
  isFresh(etag: string): boolean;
}
export interface WriteCall<P = unknown, Q = unknown, B = unknown> extends RouteCall<P, Q> {
  writer: Writer;
  body: B;
  /** The body as received. */
  text: string;
  precondition: Precondition;
  prefersMinimal: boolean;
  /** Nothing of it will be stored: the answer says what would have become of each cell. */
  dryRun: boolean;
}

export interface ServiceCall<P = unknown, Q = unknown, B = unknown> extends Omit<
  RouteCall<P, Q>,
  'witness' | 'deps'
> {
  deps: RouteDeps;
  role: Role;
  credential: Credential;
  /** Where the request came from, for the audit trail. */
  origin: AuditOrigin<AccountId>;
  /**
   * A transaction in this caller's name; the caller's right to the operation is checked again
   * inside it. It is about the account that is named, and about no account's rows where none is.
   */
  transact<T>(work: (writer: Writer) => Promise<T>, account?: AccountId): Promise<T>;
  body: B;
}

/** A call without credentials. */
export type LocalCall<P = unknown, B = unknown> = Pick<RouteCall<P, unknown>, 'params' | 'now'> & {
  deps: Pick<RouteDeps, 'pairings'>;
  body: B;
};

/**
 * An operation's answer. `json` is its body where the store has it as text already. `etag` is
 * quoted, `location` percent-encoded.
 */
export type Result<R> = {
  status: 200 | 201;
  etag?: string;
  location?: string;
  counted?: CountedUse;
  unrepeatable?: boolean;
  /** Of an operation that waits: where to go on, and whether there is nothing to tell. */
  watched?: Watched;
  /** It is the short answer. */
  minimal?: boolean;
} & ({ value: R } | { json: string } | { file: FileAnswer });

export interface ReadRoute {
  kind: 'read';
  endpoint: Endpoint;
  /**
   * Writes pending usage counts before the read begins, since a read sees only what was committed
   * by then.
   */
  flushesUsage: boolean;
  acrossAccounts: boolean | 'every';
  handle(call: ReadCall): Promise<Result<unknown>>;
}
export interface WriteRoute {
  kind: 'write';
  endpoint: Endpoint;
  acrossAccounts: boolean | 'every';
  endsCredential: boolean;
  changesMembers: boolean;
  isSealed: boolean;
  handle(call: WriteCall): Promise<Result<unknown>>;
}
/**
 * A route without a transaction of its own: it talks to another part of the server, which may have
 * one.
 */
export interface ServiceRoute {
  kind: 'service';
  endpoint: Endpoint;
  handle(call: ServiceCall): Promise<Result<unknown>>;
}
/**
 * A route for whom the server does not know yet: programs on its own computer. On a hosted server
 * there are none.
 */
export interface LocalRoute {
  kind: 'local';
  endpoint: Endpoint;
  handle(call: LocalCall): Result<unknown>;
}
/** A route that carries out others, several in one request. */
export interface BatchRoute {
  kind: 'batch';
  endpoint: Endpoint;
  /** By the name that a part gives. */
  operations: ReadonlyMap<string, ReadRoute | WriteRoute>;
}
/** A route that is carried out beside the store. */
export type StoredRoute = ReadRoute | WriteRoute | BatchRoute;
export type Route = StoredRoute | ServiceRoute | LocalRoute;

/**
 * `acrossAccounts`: the route's transaction is not limited to one account. It sees what signing in
 * looks up (keys, sessions, users, members), but no account's projects. `every` also lets it write
 * for an account that does not exist yet, as creating one does.
 */
interface RouteOptions {
  acrossAccounts?: boolean | 'every';
}
/**
 * `endsCredential`: the route may end the very session or key that calls it, or take it to another
 * account, so the caller's right is checked before its work and not after. `changesMembers`: the
 * route changes who may do what in the account: roles, memberships, invitations, keys. Such
 * requests of one account run one after the other, and the caller's right is checked once its turn
 * has come, so that two owners cannot remove each other and nobody leaves an invitation behind
 * while being removed. `isSealed`: an Idempotency-Key of such a request is the caller's alone,
 * since by an answer to it others would hear of what they do not know.
 */
interface WriteOptions extends RouteOptions {
  endsCredential?: boolean;
  changesMembers?: boolean;
  isSealed?: boolean;
}

/**
 * Binds an endpoint that changes nothing to its handler. A POST among these is a question too long
 * for a query.
 */
export function readRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (call: ReadCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Result<z.output<R>>>,
  options: RouteOptions & { flushesUsage?: boolean } = {},
): ReadRoute {
  if (endpoint.method !== 'GET' && (endpoint.method !== 'POST' || endpoint.access !== 'read'))
    throw new TypeError(`${endpoint.id} is not a read.`);
  return {
    kind: 'read',
    endpoint,
    flushesUsage: options.flushesUsage ?? false,
    acrossAccounts: options.acrossAccounts ?? false,
    handle: handle as ReadRoute['handle'],
  };
}

/**
 * Binds an endpoint that writes to its handler. The handler runs in one transaction together with
 * the idempotency record; if it throws, nothing is stored. The store may run it again, so it must
 * change nothing except through `writer`.
 */
export function writeRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (call: WriteCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Result<z.output<R>>>,
  options: WriteOptions = {},
): WriteRoute {
  if (endpoint.method === 'GET') throw new TypeError(`${endpoint.id} is not a write.`);
  return {
    kind: 'write',
    endpoint,
    acrossAccounts: options.acrossAccounts ?? false,
    endsCredential: options.endsCredential ?? false,
    changesMembers: options.changesMembers ?? false,
    isSealed: options.isSealed ?? false,
    handle: handle as WriteRoute['handle'],
  };
}

/**
 * Binds an endpoint to a handler that runs outside any transaction, such as one that waits for
 * another server.
 */
export function serviceRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (
    call: ServiceCall<z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<Result<z.output<R>>>,
): ServiceRoute {
  return { kind: 'service', endpoint, handle: handle as ServiceRoute['handle'] };
}

/** Binds an endpoint that needs no credentials to a handler for programs on this computer. */
export function localRoute<P extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: Endpoint<P, z.ZodType, B, R>,
  handle: (call: LocalCall<z.output<P>, z.output<B>>) => Result<z.output<R>>,
): LocalRoute {
  if (endpoint.access !== 'open') throw new TypeError(`${endpoint.id} needs credentials.`);
  return { kind: 'local', endpoint, handle: handle as LocalRoute['handle'] };
}

/** Binds an endpoint whose parts are requests of other operations to the routes of those. */
export const batchRoute = (
  endpoint: Endpoint,
  operations: BatchRoute['operations'],
): BatchRoute => ({ kind: 'batch', endpoint, operations });
