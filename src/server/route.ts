import type { z } from 'zod';
import type { Endpoint } from '../shared/contract/endpoint.ts';
import type { Role } from '../shared/contract/v1/account.ts';
import type { SignInLimits } from './auth/limits.ts';
import type { People } from './auth/people.ts';
import type { Refusals } from './auth/refusals.ts';
import type { Deps } from './deps.ts';
import type { AuditOrigin } from './storage/audit-port.ts';
import type { Actor } from './storage/actor.ts';
import type { Witness } from './storage/log-port.ts';
import type { Precondition, Reader, Writer } from './storage/port.ts';

/** What operations work with: the composition's parts and what the running server knows of itself. */
export interface RouteDeps extends Deps {
  /** Address that is published for this server. */
  url: string;
  /** Loaded where somebody has a password. */
  people(): Promise<People>;
  signInLimits: SignInLimits;
  /** Who was not let in, for the audit trail. */
  refusals: Pick<Refusals, 'note'>;
}

interface Call<P, Q> {
  params: P;
  query: Q;
  actor: Actor;
  role: Role;
  /** Of a person in a browser: the hash of the session's token. */
  session: string | null;
  deps: RouteDeps;
  /** Milliseconds since 1970. */
  now: number;
  witness: Witness | undefined;
}
export interface ReadCall<P = unknown, Q = unknown, B = unknown> extends Call<P, Q> {
  reader: Reader;
  /** Of a question that is too long for a query. */
  body: B;
  /** Whether the client holds the answer with this entity tag: what it would say need not be read then. */
  isFresh(etag: string): boolean;
}
export interface WriteCall<P = unknown, Q = unknown, B = unknown> extends Call<P, Q> {
  writer: Writer;
  body: B;
  /** The body as received. */
  text: string;
  precondition: Precondition;
}

export interface ServiceCall<P = unknown, Q = unknown, B = unknown> extends Omit<Call<P, Q>, 'witness'> {
  role: Role;
  /** For the audit trail. */
  origin: AuditOrigin;
  /** A transaction in this caller's name, whose leave to call is looked at again in it; across accounts, as of a route that says so. */
  transact<T>(work: (writer: Writer) => Promise<T>): Promise<T>;
  body: B;
}

/** What usage counts of a request beside the request itself. */
export interface Counted {
  resource?: string;
  cells_written?: number;
  runs?: number;
  /** New changes of a push, and the age of the oldest. */
  pushed?: { changes: number; oldestMs: number };
}

/** `json` is the answer's body where the store has it as text already. Tags come quoted, locations encoded. */
export type Result<R> = { status: 200 | 201; etag?: string; location?: string; counted?: Counted; unrepeatable?: boolean } & ({ value: R } | { json: string } | { file: FileAnswer });

/** An answer that is written piece by piece, to be kept as a file. */
export interface FileAnswer {
  type: 'application/json' | 'text/csv';
  name: string;
  pieces: AsyncIterable<string>;
}

export interface ReadRoute {
  kind: 'read';
  endpoint: Endpoint;
  /** Done before the read begins, since a read sees what was committed then. */
  flushesUsage: boolean;
  acrossAccounts: boolean | 'every';
  handle(call: ReadCall): Promise<Result<unknown>>;
}
export interface WriteRoute {
  kind: 'write';
  endpoint: Endpoint;
  acrossAccounts: boolean | 'every';
  endsCaller: boolean;
  handle(call: WriteCall): Promise<Result<unknown>>;
}
/** Neither reads nor writes in a transaction of its own: it speaks to a part of the server that does. */
export interface ServiceRoute {
  kind: 'service';
  endpoint: Endpoint;
  handle(call: ServiceCall): Promise<Result<unknown>>;
}
export type Route = ReadRoute | WriteRoute | ServiceRoute;

/**
 * A route whose transaction is not one account's: it sees what signing in looks up, of every account (a person's accounts, the switch between them),
 * and nothing of any account's projects. `every`: of the one that makes an account.
 */
interface RouteOptions {
  acrossAccounts?: boolean | 'every';
}
/** A route that may take from its own caller what lets them call it: that they may is seen to before it, and not after. */
interface WriteOptions extends RouteOptions {
  endsCaller?: boolean;
}

/** Binds an endpoint that changes nothing to its handler. A POST of these asks something that is too long for a query. */
export function readRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (call: ReadCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Result<z.input<R>>>,
  options: RouteOptions & { flushesUsage?: boolean } = {},
): ReadRoute {
  if (endpoint.method !== 'GET' && (endpoint.method !== 'POST' || endpoint.access !== 'read')) throw new TypeError(`${endpoint.id} is not a read.`);
  return { kind: 'read', endpoint, flushesUsage: options.flushesUsage ?? false, acrossAccounts: options.acrossAccounts ?? false, handle: handle as ReadRoute['handle'] };
}

/**
 * Binds an endpoint that writes to its handler. The handler runs inside one transaction, together with the idempotency record;
 * what it throws leaves nothing behind. It may be run again by the store, so it changes nothing but through `writer`.
 */
export function writeRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (call: WriteCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Result<z.input<R>>>,
  options: WriteOptions = {},
): WriteRoute {
  if (endpoint.method === 'GET') throw new TypeError(`${endpoint.id} is not a write.`);
  return { kind: 'write', endpoint, acrossAccounts: options.acrossAccounts ?? false, endsCaller: options.endsCaller ?? false, handle: handle as WriteRoute['handle'] };
}

/** Binds an endpoint to a handler that runs outside of any transaction, such as one that waits for another server. */
export function serviceRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: Endpoint<P, Q, B, R>,
  handle: (call: ServiceCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<Result<z.input<R>>>,
): ServiceRoute {
  return { kind: 'service', endpoint, handle: handle as ServiceRoute['handle'] };
}
