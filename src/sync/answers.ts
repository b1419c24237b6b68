/** What a link does with each answer: one table, every cell of it filled. */
import type { Failure } from '../shared/contract/call.ts';

/** What a request was about. `recover` asks for the ancestor, for what is missing, or for a snapshot. */
export type Phase = 'push' | 'pull' | 'recover';

export type Answer =
  /** A 200 that `link.ts` could use; `duplicate` and `quarantined` are told by change, inside it. */
  | 'taken'
  | 'duplicate'
  | 'quarantined'
  /** A 200 that is no use: cut short, or meant for a former row (R1, R3). */
  | 'unfit'
  | 'stale'
  /** 400 and 422 about what was sent; 422 of a change whose bytes are not its id's; 413. */
  | 'malformed'
  | 'corrupt'
  | 'too_large'
  /** 401; 403 of a role that may not write; 403 and 404 of an account that has no access; 410; 426. */
  | 'signed_out'
  | 'read_only'
  | 'no_access'
  /** 409: the request was made for another user than the one who is signed in. */
  | 'other_user'
  | 'purged'
  | 'too_old'
  /** 409: another log than was seen (R5). The sets differ though nothing is under way (R7), for the first and for the second time. */
  | 'diverged'
  | 'unequal'
  | 'unequal_again'
  /** 429, 503 and 408; any other failure of the server; no bytes; something that is not the server (a guest network's page, a redirect). */
  | 'busy'
  | 'fault'
  | 'silent'
  | 'foreign'
  /** The request was called off here. */
  | 'aborted';

export type ParkReason = 'signed_out' | 'read_only' | 'no_access' | 'other_user' | 'purged' | 'too_old';

export type Action =
  /** Use it and go on. `note`: count what a person may want to see. */
  | { do: 'go_on'; note?: 'duplicate' | 'quarantined' }
  /** Nothing of it is used; the same may be asked again at once. */
  | { do: 'drop' }
  /** Halve the batch until one change is left; mark that one, keep its bytes, send the others. It is never sent again as it is. */
  | { do: 'halve'; mark: 'damaged' | 'too_large' | 'corrupt' }
  /** Nothing is sent until a person acts; everything is kept and can be exported. Whether reading goes on is for the pull's own answer to say. */
  | { do: 'park'; why: ParkReason }
  /** R6: find the ancestor, begin a new life of the link. */
  | { do: 'recover' }
  /** R7: both sides tell everything again, once. */
  | { do: 'start_over' }
  /** Tell a person, loudly. Nothing is dropped; asked again after a long wait. */
  | { do: 'stop' }
  /** Wait, ever longer. `host`: every link to that server; `online`: the server did answer; `quiet`: no words for a person. */
  | { do: 'wait'; host: boolean; online: boolean; quiet: boolean }
  | { do: 'end' };

const wait = (host: boolean, online: boolean, quiet: boolean): Action => ({ do: 'wait', host, online, quiet });
const OFFLINE = wait(true, false, true);
const FAULT = wait(false, true, false);

/** What is the same whatever the request was about. */
const ALWAYS = {
  taken: { do: 'go_on' },
  duplicate: { do: 'go_on', note: 'duplicate' },
  quarantined: { do: 'go_on', note: 'quarantined' },
  unfit: wait(false, false, true),
  stale: { do: 'drop' },
  signed_out: { do: 'park', why: 'signed_out' },
  read_only: { do: 'park', why: 'read_only' },
  no_access: { do: 'park', why: 'no_access' },
  other_user: { do: 'park', why: 'other_user' },
  purged: { do: 'park', why: 'purged' },
  too_old: { do: 'park', why: 'too_old' },
  diverged: { do: 'recover' },
  unequal: { do: 'start_over' },
  unequal_again: { do: 'stop' },
  busy: wait(true, true, true),
  fault: FAULT,
  silent: OFFLINE,
  foreign: OFFLINE,
  aborted: { do: 'end' },
} as const satisfies Partial<Record<Answer, Action>>;

export const ACTIONS: Readonly<Record<Phase, Readonly<Record<Answer, Action>>>> = {
  push: {
    ...ALWAYS,
    malformed: { do: 'halve', mark: 'damaged' },
    corrupt: { do: 'halve', mark: 'corrupt' },
    too_large: { do: 'halve', mark: 'too_large' },
  },
  // A question carries nothing that could be wrong in itself: what speaks of its content is a fault of the server.
  pull: { ...ALWAYS, malformed: FAULT, corrupt: FAULT, too_large: FAULT },
  recover: { ...ALWAYS, malformed: FAULT, corrupt: FAULT, too_large: FAULT },
};

/** Codes that speak of the changes sent, not of who sent them or when. */
const ABOUT_CONTENT = new Set(['invalid_request', 'invalid_json', 'invalid_encoding', 'duplicate_key', 'forbidden_key', 'json_too_deep', 'validation_failed']);

function refusal(status: number, code: string): Answer {
  if (code === 'diverged') return 'diverged';
  if (code === 'other_user') return 'other_user';
  // Nothing is wrong with the work or with who sends it: it is kept and offered again, and a person is told.
  if (code === 'quota_exceeded') return 'fault';
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
      // A store that is only read says so; to wait for it in silence would hide that.
      return code === 'read_only' ? 'fault' : 'busy';
    default:
      return 'fault';
  }
}

/** What a failed call says. */
export function answerOf(failed: Failure): Answer {
  switch (failed.kind) {
    case 'refused':
      return refusal(failed.status, failed.code);
    case 'unreadable':
      return 'foreign';
    case 'no_answer':
      return failed.reason === 'aborted' ? 'aborted' : 'silent';
  }
}
