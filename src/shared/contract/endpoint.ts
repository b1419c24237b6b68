import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Who may call: a key or session with this scope, a person's session only, or anyone. */
export type Access = 'read' | 'suggest' | 'write' | 'session' | 'open';

/**
 * One operation of the API. Server, typed client, OpenAPI document and tests read this object and
 * nothing else.
 */
export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  id: string;
  summary: string;
  tag: string;
  method: Method;
  /** OpenAPI style: `/api/v1/cases/{caseUid}/evidence`. */
  path: string;
  access: Access;
  /** Least role of the caller, where it is not the usual one (member to write, viewer to read). */
  role?: 'owner' | 'viewer' | undefined;
  /** It tells of the account as a whole: not for a key that is limited to projects. */
  whole?: true | undefined;
  /** Strict object of path parameters. */
  params: P;
  /** Strict object of query parameters, all of them strings on the wire. */
  query: Q;
  /** JSON body; absent for operations without one. */
  body?: B;
  /** Largest accepted body in bytes. */
  bodyLimit?: number;
  /**
   * Protocol version that the body has to name. A body of another version is refused for that
   * before anything else in it is looked at.
   */
  protocol?: number;
  /** Success statuses with the schema of their JSON body. */
  response: R;
  /** The body where a request says `Prefer: return=minimal`; those of others ignore it. */
  minimal?: z.ZodType;
  /** The body where a request chooses members of it (`fields`). */
  partial?: z.ZodType;
  /**
   * It can wait until there is something to tell (`wait`), and tells it as server-sent events where
   * the client accepts those alone. Its query has `after`.
   */
  waits?: true;
  /** The answer is also available as CSV, with `format=csv`. */
  csv?: true;
  /** The answer is a file of this media type, and no JSON. */
  file?: string;
  success: readonly (200 | 201)[];
  /** Error codes besides those that every operation may answer. */
  errors: readonly ErrorCode[];
}

/** Declares an endpoint and keeps its literal types. */
export function endpoint<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(definition: Endpoint<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return definition;
}

const MIB = 1024 * 1024;
/** Body limits in bytes: of ordinary operations, and of evidence and sync. */
export const BODY_LIMIT = 1 * MIB;
export const BULK_BODY_LIMIT = 8 * MIB;
