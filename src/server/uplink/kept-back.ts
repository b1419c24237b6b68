import type { Failure } from '../../shared/contract/call.ts';
import type { Line } from './line.ts';

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
