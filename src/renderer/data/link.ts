import { type Failure, failureText } from '../../shared/contract/call.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Client } from './client.ts';
import type { Database, MatrixRow } from './db.ts';
import type { ReplicaState } from './replica-state.ts';
import type { Writer } from './writer.ts';

/** What the two directions of a link work on. `row` is the link as last written; it is replaced, never changed in place. */
export interface Link {
  client: Client;
  db: Database;
  hasher: Hasher;
  writer: Writer;
  row: MatrixRow;
  state: ReplicaState;
  /** Notes a clock value of another author (2.3). */
  seeClock(hlc: string): void;
  now(): number;
  /** Grows with each life of the link; an answer to a request of a former one is dropped (R3). */
  life: number;
  signal: AbortSignal;
}

/** How one exchange went, and what the loop does next. */
export type Step =
  | { kind: 'done' }
  | { kind: 'again' }
  /** Try later. `online`: the server did answer. */
  | { kind: 'later'; online: boolean; retryAfter: number | null; problem: string | null }
  /** Nothing will move until a person acts; everything is kept. */
  | { kind: 'parked'; problem: string }
  /** The server's log is not the one this replica has seen, or a change turned out to be in the snapshot already. */
  | { kind: 'diverged' }
  | { kind: 'stale' };

const PARKED: Record<number, string> = {
  401: 'You are signed out. Your changes are kept in this window; sign in to send them.',
  403: 'You may no longer write to this case. Your changes are kept in this window.',
  404: 'The server does not have this case. Your changes are kept in this window.',
};

/** What a failed exchange means, where the failure is not about what was sent. */
export function stepOf(failure: Failure): Step {
  if (failure.kind !== 'refused') return { kind: 'later', online: false, retryAfter: null, problem: null };
  if (failure.status === 409 && failure.code === 'diverged') return { kind: 'diverged' };
  const parked = PARKED[failure.status];
  if (parked !== undefined) return { kind: 'parked', problem: parked };
  const quiet = failure.status === 429 || failure.status === 408 || (failure.status === 503 && failure.code !== 'read_only');
  return { kind: 'later', online: true, retryAfter: failure.retryAfter, problem: quiet ? null : failureText(failure) };
}
