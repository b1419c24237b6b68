import type { Failure } from '../../shared/contract/call.ts';
import type { UpstreamConnection } from './connection.ts';

/** How the change that the other side fails on is noted. */
export const codeOf = (failure: Failure): string =>
  failure.kind === 'refused'
    ? failure.code
    : failure.kind === 'unreadable'
      ? 'not_the_server'
      : 'no_answer';

export const asideNow = (connection: UpstreamConnection): { at: string; versions: string } => ({
  at: new Date(connection.now()).toISOString(),
  versions: connection.versions(),
});
