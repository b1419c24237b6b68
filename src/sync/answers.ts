/** What a link does with each kind of answer: a table without gaps. */
import type { Failure } from '../shared/contract/call.ts';

/**
 * What a request was for. `recover`: it asks for the ancestor, for what is missing, or for a
 * snapshot.
 */
export type Phase = 'push' | 'pull' | 'recover';

export type AnswerKind =
  /**
   * A 200 that `link.ts` could use. `duplicate` and `quarantined` are reported inside it for single
   * changes.
   */
  | 'taken'
  | 'duplicate'
  | 'quarantined'
  /** A 200 that cannot be used: incomplete, or for a link row that has changed since (R1, R3). */
  | 'unfit'
  | 'stale'
  /** 400 and 422 about what was sent; 422 for a change whose bytes do not match its id; 413. */
  | 'malformed'
  | 'corrupt'
  | 'too_large'
  /**
   * 401; 403 because the role may not write; 403 and 404 because there is no access to the account;
   * below also 410 (`purged`) and 426 (`too_old`).
   */
  | 'signed_out'
  | 'read_only'
  /** 403: the credentials may not send what others have written. */
  | 'not_a_studio'
  | 'no_access'
  /** 409: the request was made for another user than the one who is signed in. */
  | 'other_user'
  | 'purged'
  | 'too_old'
  /**
   * 409: the log is not the one that was seen before (R5). `unequal`: both sides differ although
   * nothing is under way (R7), for the first and the second time.
   */
  | 'diverged'
  | 'unequal'
  | 'unequal_again'
  /**
   * 429, 503 and 408; a store that takes nothing now (only read, full, beyond its quota); any other
   * failure of the server; no answer at all; an answer that is not the server's (a guest network's
   * page, a redirect).
   */
  | 'busy'
  | 'unable'
  | 'fault'
  | 'silent'
  | 'foreign'
  /** The request was cancelled by this side. */
  | 'aborted';

export type BlockReason =
  | 'signed_out'
  | 'read_only'
  | 'not_a_studio'
  | 'no_access'
  | 'other_user'
  | 'purged'
  | 'too_old';

export type AnswerAction =
  /** Use the answer and go on. `note`: also count this, since a person may want to see it. */
  | { do: 'go_on'; note?: 'duplicate' | 'quarantined' }
  /** Use nothing of the answer; the request may be repeated at once. */
  | { do: 'drop' }
  /**
   * Halve the batch until a single change is left; mark that one, keep its bytes and send the
   * others. A marked change is never sent again as it is.
   */
  | { do: 'halve'; mark: 'damaged' | 'too_large' | 'corrupt' }
  /**
   * Send nothing until a person acts; everything is kept and can be exported. Reading may go on:
   * that depends on the pull's own answer.
   */
  | { do: 'block'; why: BlockReason }
  /** R6: find the last common position and begin a new generation of the link. */
  | { do: 'recover' }
  /** R7: both sides offer everything again, once. */
  | { do: 'start_over' }
  /** Show a problem to a person. Nothing is dropped; try again after a long wait. */
  | { do: 'stop' }
  /**
   * Wait, longer each time. `host`: all links to that server; `online`: the server did answer;
   * `quiet`: nothing is shown to a person.
   */
  | { do: 'wait'; host: boolean; online: boolean; quiet: boolean }
  | { do: 'end' };

const wait = (host: boolean, online: boolean, quiet: boolean): AnswerAction => ({
  do: 'wait',
  host,
  online,
  quiet,
});
const OFFLINE = wait(true, false, true);
const FAULT = wait(false, true, false);

/** Actions that do not depend on what the request was for. */
const ALWAYS = {
  taken: { do: 'go_on' },
  duplicate: { do: 'go_on', note: 'duplicate' },
  quarantined: { do: 'go_on', note: 'quarantined' },
  unfit: wait(false, false, true),
  stale: { do: 'drop' },
  signed_out: { do: 'block', why: 'signed_out' },
  read_only: { do: 'block', why: 'read_only' },
  not_a_studio: { do: 'block', why: 'not_a_studio' },
  no_access: { do: 'block', why: 'no_access' },
  other_user: { do: 'block', why: 'other_user' },
  purged: { do: 'block', why: 'purged' },
  too_old: { do: 'block', why: 'too_old' },
  diverged: { do: 'recover' },
  unequal: { do: 'start_over' },
  unequal_again: { do: 'stop' },
  busy: wait(true, true, true),
  unable: FAULT,
  fault: FAULT,
  silent: OFFLINE,
  foreign: OFFLINE,
  aborted: { do: 'end' },
} as const satisfies Partial<Record<AnswerKind, AnswerAction>>;

export const ACTIONS: Readonly<Record<Phase, Readonly<Record<AnswerKind, AnswerAction>>>> = {
  push: {
    ...ALWAYS,
    malformed: { do: 'halve', mark: 'damaged' },
    corrupt: { do: 'halve', mark: 'corrupt' },
    too_large: { do: 'halve', mark: 'too_large' },
  },
  // A question has no content that could be wrong, so an answer about its content is a fault of the
  // server.
  pull: { ...ALWAYS, malformed: FAULT, corrupt: FAULT, too_large: FAULT },
  recover: { ...ALWAYS, malformed: FAULT, corrupt: FAULT, too_large: FAULT },
};

/** Error codes about the changes that were sent, as opposed to who sent them or when. */
const ABOUT_CONTENT = new Set([
  'invalid_request',
  'invalid_json',
  'invalid_encoding',
  'duplicate_key',
  'forbidden_key',
  'json_too_deep',
  'validation_failed',
]);

function refusal(status: number, code: string): AnswerKind {
  if (code === 'diverged') return 'diverged';
  if (code === 'other_user') return 'other_user';
  // Nothing is wrong with the work or its sender: it is kept and offered again, and a person is
  // notified.
  if (code === 'quota_exceeded' || code === 'storage_full') return 'unable';
  if (code === 'author_not_allowed') return 'not_a_studio';
  if (code === 'hash_mismatch') return 'corrupt';
  if (ABOUT_CONTENT.has(code)) return 'malformed';
  switch (status) {
    case 401:
      return 'signed_out';
    case 403:
      return code === 'insufficient_scope' || code === 'read_only_role' ? 'read_only' : 'no_access';
    case 404:
      return 'no_access';
    case 410:
      return 'purged';
    case 413:
      return 'too_large';
    case 426:
      return 'too_old';
    case 408:
    case 429:
      return 'busy';
    case 503:
      // A store that takes no writes says so. Waiting in silence would hide that from the person.
      return code === 'read_only' ? 'unable' : 'busy';
    default:
      return 'fault';
  }
}

/** Which kind of answer a failed call got. */
export function answerOf(failed: Failure): AnswerKind {
  switch (failed.kind) {
    case 'refused':
      return refusal(failed.status, failed.code);
    case 'unreadable':
      return 'foreign';
    case 'no_answer':
      return failed.reason === 'aborted' ? 'aborted' : 'silent';
  }
}
