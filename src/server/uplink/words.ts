import type { Failure, NoAnswer } from '../../shared/contract/call.ts';
import type { BlockReason } from '../../sync/answers.ts';

export const TOO_OLD =
  'The hosted server needs another version of this application. Work continues here and is kept.';
export const FOREIGN =
  'Something else answered in the place of the hosted server: a guest network may want a sign-in first.';
export const OTHER_STORE =
  'Another server answers at this address than the one that was connected to. Connect again to use it.';
export const NO_KEY =
  'The key was not kept when the studio was closed. Enter it again to go on; nothing was lost.';

/** Why nothing is sent until a person acts. */
export const BLOCKED: Record<BlockReason, string> = {
  signed_out:
    'The hosted server no longer accepts the key. Your work is kept here; connect with another key of yours to send it.',
  read_only: 'The key may not write there. Your work is kept here.',
  not_a_studio:
    'The hosted server does not take this key for a studio’s. On its account page you or an owner can let the key act as one, or choose "Connect a studio" and connect with the key shown there. Your work is kept here.',
  no_access: 'Access to this has ended. Your work is kept here.',
  purged: 'This was removed from the hosted server for good. Your work is kept here.',
  too_old: TOO_OLD,
  other_user: 'Work of another user waits here. Connect with that user’s key to send it.',
};

const UNREAD = 'The hosted server finds it not to be what its hash names, or cannot read it.';
const TOO_OLD_FOR_RUNS = 'The hosted server is of a version that takes no runs.';
const NOT_TAKEN: ReadonlyMap<string, string> = new Map([
  ['absent', 'Its content is not on this computer.'],
  ['integrity_error', 'What is stored here no longer matches its content hash.'],
  ['payload_too_large', 'It is larger than the hosted server takes.'],
  ['hash_mismatch', UNREAD],
  ['validation_failed', UNREAD],
  ['not_found', TOO_OLD_FOR_RUNS],
  ['method_not_allowed', TOO_OLD_FOR_RUNS],
]);

/** Why the hosted server has not taken a run. */
export const notTaken = (code: string): string =>
  NOT_TAKEN.get(code) ?? `The hosted server refused: ${code}.`;

const KEPT: ReadonlyMap<string, string> = new Map([
  ['author_not_allowed', 'The hosted server does not take changes of this author with this key.'],
  ['set_aside', 'You chose not to send it.'],
  ['renamed', 'It was recorded once more under the new name, and that went in its place.'],
  ['too_large', 'It is larger than the hosted server takes.'],
  ['damaged', 'The hosted server cannot read it.'],
  ['corrupt', 'The hosted server finds it not to be what its id names.'],
  [
    'not_the_server',
    'Something else answers in the place of the hosted server whenever it is sent.',
  ],
]);

/** Why a change stays here. */
export const keptBecause = (code: string): string =>
  KEPT.get(code) ?? `The hosted server fails on it: ${code}.`;

const UNREACHED = 'The hosted server could not be reached.';
const NO_ANSWER: Record<NoAnswer, string> = {
  network: UNREACHED,
  aborted: UNREACHED,
  timeout: 'The hosted server did not answer in time.',
  proxy: 'The proxy of this computer did not lead to the hosted server.',
  certificate_untrusted:
    'This computer does not trust the certificate of the hosted server. If its authority is your institution’s own, add that to the system.',
  certificate_expired:
    'The certificate of the hosted server is out of date, or this computer’s clock is wrong.',
  certificate_of_another:
    'The certificate that was shown belongs to another server than the one at this address.',
};

/** A failed request in one sentence. */
export function failureSentence(failure: Failure): string {
  switch (failure.kind) {
    case 'unreadable':
      return failure.status >= 500 ? 'The hosted server has a fault.' : FOREIGN;
    case 'no_answer':
      return NO_ANSWER[failure.reason];
    case 'refused':
      return failure.status === 429 || failure.status === 503
        ? 'The hosted server is busy.'
        : `The hosted server refused: ${failure.code}.`;
  }
}
