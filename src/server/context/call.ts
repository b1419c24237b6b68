import type { AccountId } from '../../shared/contract/ids.ts';
import type { Precondition } from '../storage/db/precondition.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';
import type { Witness } from '../storage/log/log-position.ts';
import type { Principal } from './principal.ts';
import type { HttpAnswer } from './request.ts';

/** What usage counts of a request, besides the request itself. */
export interface CountedUse {
  resource?: string;
  cells_written?: number;
  runs?: number;
  /** New changes of a push, and the age of the oldest. */
  pushed?: { changes: number; oldestMs: number };
}

/** What became of one part of a batch. */
export interface PerformedPart {
  /** Id of its operation. */
  action: string;
  status: number;
  counted: CountedUse;
  /** The error that nobody foresaw, where there was one. */
  fault?: unknown;
}

/** Of an operation that waits: where it continues, and whether there was nothing to report. */
export interface Watched {
  after: number;
  isEmpty: boolean;
}

export interface Performed {
  answer: HttpAnswer;
  counted: CountedUse;
  watched?: Watched;
  /** Of a batch: the parts that were carried out. They count instead of the request. */
  parts?: readonly PerformedPart[];
}

/** A body as it was sent. */
export interface RequestBody {
  bytes: Uint8Array;
  gzip: boolean;
  /** Most bytes, packed and unpacked. */
  limit: number;
}

/**
 * An admitted call with all that its request says; only its body is still to be read. Plain data,
 * so that another thread can carry it out.
 */
export interface AdmittedCall {
  params: unknown;
  query: unknown;
  principal: Principal;
  origin: AuditOrigin<AccountId>;
  path: string;
  now: number;
  witness: Witness | undefined;
  /** The entity tags that the client holds. */
  held: string | undefined;
  key: string | undefined;
  precondition: Precondition;
  /** The client wants the short answer of an operation that has one. */
  prefersMinimal: boolean;
  /** Nothing of it is to be stored. */
  dryRun: boolean;
  received: RequestBody | undefined;
}

/**
 * Carries calls out on another thread. `route`: its endpoint's id; `url`: the address under which
 * the server is reached.
 */
export interface Carrier {
  carryOut(route: string, asked: AdmittedCall, url: string): Promise<Performed>;
}
