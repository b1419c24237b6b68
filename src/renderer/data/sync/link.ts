import { type Failure, failureText } from '../../../shared/contract/call.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { ACTIONS, answerOf, type BlockReason, type Phase } from '../../../sync/answers.ts';
import { SCHEMA_VERSION } from '../../../sync/change.ts';
import type { StepOutcome } from '../../../sync/driver/ports.ts';
import type { BesideKind } from '../../../sync/layers/record.ts';
import { freshLink, type LinkRow, witnessOf } from '../../../sync/link.ts';
import type { CycleStep } from '../../../sync/loop.ts';
import type { Check } from '../replica/checking.ts';
import type { Client } from '../api/client.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import type { ReplicaWriter } from '../replica/writer.ts';
import { t, tOf } from '../../text/t.ts';

/**
 * What sending and reading work on. `row` is the link as last written; it is replaced, never
 * changed in place.
 */
export interface Link {
  client: Client;
  db: Database;
  hasher: Hasher;
  check: Check;
  writer: ReplicaWriter;
  row: MatrixRow;
  state: ReplicaState;
  /** Why nothing of this user may be sent now, in words; null where sending is possible. */
  readonly blocked: string | null;
  /** True where nothing at all may be requested: nobody is signed in, or another user is. */
  readonly silent: boolean;
  /** Called when both sides held the same set at the end of a page (R7). */
  agreed(): Promise<void>;
  /** Called when news of what stands beside the record have been read. */
  readBeside(news: readonly BesideKind[]): void;
  /** Whether the server tells this user by which key an agent wrote. */
  readonly seesKeys: boolean;
  /** How this user's own work is signed. */
  readonly own: RecordedBy;
  /** Notes the clock value of another author (2.3). */
  seeClock(hlc: string): void;
  now(): number;
  /** As in `Timers`. */
  elapsed(): number;
  /** The versions of both sides. */
  readonly versions: string;
  /** Whether the server answers another question. */
  answers(): Promise<boolean>;
  /**
   * Grows each time the replica is replaced. An answer to a request of a previous one is dropped
   * (R3).
   */
  life: number;
  signal: AbortSignal;
}

/** The outcome of one sync cycle, and what comes next. */
export type WindowStep =
  | Exclude<CycleStep, { kind: 'blocked' }>
  /**
   * Nothing is sent until a person acts; everything is kept. `why` is null where no request was
   * made.
   */
  | { kind: 'blocked'; problem: string; why: BlockReason | null }
  | { kind: 'again' }
  /** The server's log is not the one that this replica has read. */
  | { kind: 'diverged' };

const BLOCKED: Record<BlockReason, string> = {
  signed_out: t('You are signed out. Your changes are kept in this window; sign in to send them.'),
  read_only: t('You may no longer write to this case. Your changes are kept in this window.'),
  not_a_studio: t(
    'The server takes changes of the signed-in person alone. Your changes are kept in this window.',
  ),
  no_access: t(
    'The server does not have this case, or you no longer have access to it. The copy in this window can still be read, and your changes are kept.',
  ),
  purged: t(
    'This case was removed from the server for good. Your changes are kept in this window.',
  ),
  other_user: t(
    'Another user is signed in here now, or another account is open. Your changes are kept in this window and not sent in another name.',
  ),
  too_old: t(
    'The server needs a newer version of this application. Your changes are kept in this window.',
  ),
};

/**
 * Headers of every request: whose copy asks, so that nothing is mixed up after another user has
 * signed in, and the witness (R5).
 */
export function headersOf(
  row: Pick<MatrixRow, 'user' | 'epoch' | 'witness'>,
): Record<string, string> {
  return { 'sync-user': row.user, ...witnessOf(row) };
}

export const failedWords = (name: string): string =>
  t('Changes could not be exchanged ({name}).', { name });
export const refusedWords = (changes: number): string =>
  t(
    '{changes, plural, one {# of your changes was} other {# of your changes were}} refused by the server and kept here.',
    { changes },
  );
/** What the loop of the link says, which speaks English. */
export const inWords = (problem: string | null): string | null =>
  problem === null ? null : tOf(problem);

/** What a failed request means, if the failure is not about the changes that were sent. */
export function stepOf(failure: Failure, phase: Phase): Exclude<WindowStep, { kind: 'again' }> {
  const answer = answerOf(failure);
  const action = ACTIONS[phase][answer];
  switch (action.do) {
    case 'recover':
      return { kind: 'diverged' };
    case 'block':
      return { kind: 'blocked', problem: BLOCKED[action.why], why: action.why };
    case 'wait':
      return {
        kind: 'later',
        online: action.online,
        retryAfter: failure.kind === 'refused' ? failure.retryAfter : null,
        problem: action.quiet ? null : tOf(failureText(failure)),
      };
    default:
      return { kind: 'later', online: answer !== 'aborted', retryAfter: null, problem: null };
  }
}

/** What a step of the driver means for this link. */
export function stepAfter(outcome: StepOutcome, blocked: string | null): WindowStep {
  switch (outcome.kind) {
    case 'again':
    case 'done':
      return { kind: 'done' };
    case 'blocked':
      return { kind: 'blocked', problem: blocked ?? '', why: null };
    case 'failed':
      return stepOf(outcome.failure, outcome.phase);
    case 'stale':
      return { kind: 'again' };
    case 'unfit':
      return { kind: 'later', online: false, retryAfter: null, problem: null };
    case 'diverged':
      return outcome;
  }
}

/**
 * The row as the rules of `sync/link.ts` see it. The replica's own log is its outbox, which always
 * begins at position 0.
 */
export function linkOf({
  gen,
  rev,
  boot,
  epoch,
  pull_seq,
  pull_chain,
  witness,
}: MatrixRow): LinkRow {
  return { ...freshLink(boot, gen), rev, epoch, pull_seq, pull_chain, witness };
}

/**
 * Whether the matrix has to be read from the server again: it never was, another version classified
 * it, or something in it is known to be wrong.
 */
export const isDue = (row: Pick<MatrixRow, 'schema' | 'authored'>): boolean =>
  row.schema !== SCHEMA_VERSION || row.authored !== true;

/** The members of the stored row that an answer has changed. */
export function movedTo({
  epoch,
  pull_seq,
  pull_chain,
  witness,
}: LinkRow): Pick<MatrixRow, 'epoch' | 'pull_seq' | 'pull_chain' | 'witness'> {
  return { epoch, pull_seq, pull_chain, witness };
}
