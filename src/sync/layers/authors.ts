import type { Author, Change } from '../change.ts';
import { type RegisterCell, layerOf, layerStream, type Register } from '../register.ts';
import type { Assertion } from '../assertion.ts';
import { known } from '../../shared/contract/ids.ts';
import { type RunSignature, statementOf } from '../../shared/domain/sign-off.ts';
import type { RoundTerms } from '../../shared/domain/round.ts';
import type { ThreadEntry } from '../../shared/domain/thread.ts';
import { type SuggestionDecision, From } from './values.ts';

/** Which author an entry of a layer needs: part of its status, so the same on every store. */

/** A person, and not what a program does in their name. */
export const isPerson = ({ kind, agent, key }: Author): boolean =>
  kind === 'human' && agent === null && key === null;

/** Who an author is as a source or recorder: an agent its key, a person their user id. */
export function participantOf({ user, kind, agent, key }: Author): string | undefined {
  if (kind === 'agent') return key ?? undefined;
  return agent === null && key === null ? user : undefined;
}

/**
 * Registers whose entries stand for good beside each other, as announcements of runs do: none
 * supersedes another, and they have no heads.
 */
export const isAnnounced = (register: Register): boolean =>
  register.kind === 'done' ||
  register.kind === 'removed' ||
  register.kind === 'committed' ||
  register.kind === 'thread' ||
  register.kind === 'assigned' ||
  register.kind === 'stage' ||
  register.kind === 'signature' ||
  register.kind === 'time_stamp' ||
  (register.kind === 'round' && register.field !== 'title');

/**
 * Whether an author may write an entry of a thread: closing and assigning is for people. Whoever
 * opens one is named in its beginning.
 */
function threadAuthorFits(by: Author, value: ThreadEntry): boolean {
  switch (value.does) {
    case 'open':
      return (
        participantOf(by) === value.opened_by && (value.assigned_to === undefined || isPerson(by))
      );
    case 'close':
    case 'reopen':
    case 'assign':
      return isPerson(by);
    default:
      return participantOf(by) !== undefined;
  }
}

/** Most characters of a stream's name in a change. */
export const LONGEST_STREAM = 200;

/** Whether the author of `change` may write `value` to `register`. True of what no layer knows. */
export function authorFits(register: Register, change: Change, value: unknown): boolean {
  const { by } = change;
  const layer = layerOf(change.case);
  if (layer !== undefined) return participantOf(by) === layer.recorder;
  switch (register.kind) {
    case 'suggestion':
      return participantOf(by) === register.source;
    case 'decision':
    case 'policy':
    case 'removed':
    case 'assigned':
    case 'stage':
    case 'time_stamp':
      return isPerson(by);
    case 'thread':
      return threadAuthorFits(by, value as ThreadEntry);
    case 'signature':
      return isPerson(by) && isSignerOf(change, register.run, value as RunSignature);
    case 'done':
      return participantOf(by) === register.recorder;
    case 'round': {
      if (!isPerson(by)) return false;
      if (register.field !== 'terms') return true;
      const { opened_by, recorders } = value as RoundTerms;
      const place = { case: known.caseUid.parse(change.case), round: register.round };
      return (
        opened_by === by.user &&
        recorders.every((recorder) => layerStream({ ...place, recorder }).length <= LONGEST_STREAM)
      );
    }
    default:
      return true;
  }
}

/** Z6: a signature is its author's, on a run of this name of this case. */
function isSignerOf({ case: stream, by }: Change, run: string, signature: RunSignature): boolean {
  const statement = statementOf(signature);
  return (
    statement !== undefined &&
    statement.case_uid === String(stream) &&
    statement.run_uid === run &&
    statement.signer.user_id === by.user
  );
}

export const isSameCell = (a: RegisterCell, b: RegisterCell): boolean =>
  a.item === b.item && a.rule === b.rule && a.profile === b.profile && a.version === b.version;

/**
 * Whether a decision that accepts stands right behind the record's entry that it writes: of the
 * same cell, with an outcome, `from` the suggestion. `before` is the register of that entry, where
 * it is applied. What does not accept needs nothing beside it.
 */
export function isAcceptedWithRecord(
  change: Change,
  index: number,
  register: RegisterCell,
  before: Register | undefined,
): boolean {
  const decision = change.entries[index]?.value as SuggestionDecision | null;
  if (decision === null || decision.verdict === 'refused') return true;
  const entry = change.entries[index - 1];
  if (entry === undefined || before?.kind !== 'assertion' || !isSameCell(before, register))
    return false;
  const from = From.safeParse(entry.from);
  return (
    from.success &&
    from.data.length === 1 &&
    from.data[0] === decision.entry &&
    (entry.value as Assertion).raw_outcome !== null
  );
}
