import type { Failure } from '../../shared/contract/call.ts';
import { answerOf } from '../../sync/answers.ts';
import { type Blame, blame, isSuspicious } from '../../sync/faults.ts';
import type { Line, LinkState } from './line.ts';

/**
 * Whether a failed request is to be blamed on what it carried (R12): only where the other side
 * answers another question right after.
 */
export async function blameFor(
  line: Line,
  link: Pick<LinkState, 'faults'>,
  sent: { head: string; size: number },
  failure: Failure,
): Promise<Blame> {
  if (!isSuspicious(answerOf(failure))) return 'wait';
  const answered = await line.answers();
  if (line.signal.aborted) return 'wait';
  const { faults, verdict } = blame(link.faults, sent, line.elapsed(), answered);
  link.faults = faults;
  return verdict;
}

/** How the change that the other side fails on is noted. */
export const codeOf = (failure: Failure): string =>
  failure.kind === 'refused'
    ? failure.code
    : failure.kind === 'unreadable'
      ? 'not_the_server'
      : 'no_answer';

export const asideNow = (line: Line): { at: string; versions: string } => ({
  at: new Date(line.now()).toISOString(),
  versions: line.versions(),
});
