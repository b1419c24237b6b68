/**
 * What a link does when the server fails on what it is sent (R12). One such answer says nothing:
 * the server may be down. If the same batch fails again and again while the server answers other
 * questions, the batch is to blame: it is halved, and the one change that fails is set aside.
 */
import type { AnswerKind } from './answers.ts';

/**
 * Failures of batches that begin with the same change, each followed by an answer to another
 * question.
 */
export interface Faults {
  head: string;
  size: number;
  tries: number;
  since: number;
  /** When the last one was, ms. Both in elapsed time: the wall clock may be set in between. */
  at: number;
  /** The change that fails is being looked for. */
  hunting: boolean;
}

/**
 * `wait`: as after any failure. `again`: send the same once more. `set_aside`: keep this change
 * back, and send the others.
 */
export type Blame = 'wait' | 'again' | 'halve' | 'set_aside';

/**
 * Least number of failures of a batch, and least time between the first and the last, before it is
 * blamed.
 */
export const FAULT_TRIES = 4;
export const FAULT_MS = 60_000;
/**
 * A search that has not gone on for this long is over: what fails then is counted from the
 * beginning.
 */
const HUNT_MS = 600_000;
/**
 * What was set aside is offered again after an upgrade of either side, when a person asks, and
 * after this time.
 */
export const ASIDE_MS = 3_600_000;

/**
 * Answers that may be about the batch: an unforeseen error, or an answer that is not the server's,
 * as a filter before it gives. A lost connection says nothing of it.
 */
const SUSPICIOUS: ReadonlySet<AnswerKind> = new Set(['fault', 'foreign']);
export const isSuspicious = (answer: AnswerKind): boolean => SUSPICIOUS.has(answer);

/**
 * Judges a failure of a batch of `size` changes that begins with `head`, where `answered` says
 * whether the server has answered another question since. A server that is down answers nothing,
 * and no batch is to blame for that. `now` is elapsed time.
 */
export function blame(
  before: Faults | null,
  batch: { head: string; size: number },
  now: number,
  answered: boolean,
): { faults: Faults | null; verdict: Blame } {
  if (!answered) return { faults: null, verdict: 'wait' };
  const { head, size } = batch;
  const hunting = before !== null && before.hunting && now - before.at < HUNT_MS;
  const isSame = before !== null && before.head === head;
  if (!isSame && !hunting)
    return {
      faults: { head, size, tries: 1, since: now, at: now, hunting: false },
      verdict: 'wait',
    };
  const faults = {
    head,
    size,
    tries: (before?.tries ?? 0) + 1,
    since: before?.since ?? now,
    at: now,
    hunting: true,
  };
  if (!hunting && (faults.tries < FAULT_TRIES || now - faults.since < FAULT_MS))
    return { faults: { ...faults, hunting: false }, verdict: 'wait' };
  if (size > 1) return { faults, verdict: 'halve' };
  // Found in a search it has to fail alone twice: the server may have been restarted meanwhile.
  return { faults, verdict: hunting && !(isSame && before.size === 1) ? 'again' : 'set_aside' };
}

/** A push was taken: a search continues with the rest, anything else is forgotten. */
export const afterTaken = (before: Faults | null): Faults | null =>
  before?.hunting === true ? before : null;

/**
 * A change that was set aside: when it last failed, by the wall clock, since this is stored; and
 * the versions of both sides then.
 */
export interface Aside {
  at: number;
  versions: string;
}
export const isDueAgain = ({ at, versions }: Aside, now: number, present: string): boolean =>
  versions !== present || now - at >= ASIDE_MS || now < at;
