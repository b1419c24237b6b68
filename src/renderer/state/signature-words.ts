import type { CheckedSignature } from '../../shared/contract/v1/sign-off.ts';
import type { SignatureMeaning } from '../../shared/domain/sign-off.ts';
import { t, tAs } from '../text/t.ts';
import { formatDateTime } from './format.ts';

export const MEANING_WORDS: Readonly<Record<SignatureMeaning, { name: string; says: string }>> = {
  authorship: { name: t('Authorship'), says: t('I recorded this evidence, or had it recorded.') },
  review: { name: tAs('meaning', 'Review'), says: t('I reviewed this run.') },
  approval: { name: t('Approval'), says: t('I approve this run.') },
  disapproval: { name: t('Disapproval'), says: t('I do not approve this run.') },
  responsibility: { name: t('Responsibility'), says: t('I am responsible for this run.') },
};

/** What was found when a signature was checked, each for itself. */
export const CHECK_WORDS = {
  signature: {
    valid: t('Signature: valid'),
    invalid: t('Signature: not valid. It is not over this statement, or not by this key.'),
  },
  content: {
    matches: t('Content: the run that is stored here'),
    differs: t('Content: not the run that is stored here'),
    not_here: t('Content: a run that is not here'),
  },
  key: {
    this_server: t('Key: the one that this server keeps for the signer'),
    another: t(
      'Key: of another server or studio, not known here. Who signed is what the statement says; compare the key with what the signer says.',
    ),
  },
} as const;

/** When somebody signed, as far as an authority besides the server says so. */
export function timeWords({ checks, time_stamp, time_problem }: CheckedSignature): string {
  const stamped = {
    when: formatDateTime(time_stamp?.at ?? ''),
    authority: time_stamp?.authority ?? '',
  };
  switch (checks.time) {
    case 'confirmed':
      return t('Time: {authority} confirms that the signature was there on {when}', stamped);
    case 'another_authority':
      return t(
        'Time: stamped on {when} by {authority}, which is not known here. Compare it with what the signer says.',
        stamped,
      );
    case 'invalid':
      return t('Time: not confirmed. The time-stamp that came with it is none on this signature.');
    case 'waiting':
      return time_problem === null
        ? t('Time: stated by the server that signed. A time-stamp authority is still to be asked.')
        : t(
            'Time: stated by the server that signed. A time-stamp authority is asked again; the last time: {problem}',
            { problem: time_problem },
          );
    case 'given_up':
      return t(
        'Time: stated by the server that signed. The answers of the time-stamp authority were refused: {problem}',
        { problem: time_problem ?? '' },
      );
    case 'stated':
      return t('Time: stated by the server that signed');
  }
}

/** What confirmed a signature, as far as it is known here: another server's key states it alone. */
const CONFIRMED_WORDS = {
  this_server: {
    password: t('Confirmed by the password, asked for this signature'),
    computer_account: t('Confirmed by the account of the signer’s computer: no password there'),
  },
  another: {
    password: t('States that the password confirmed it; that is not known here'),
    computer_account: t(
      'States that the account of the signer’s computer confirmed it; that is not known here',
    ),
  },
} as const;
export const confirmedWords = ({ checks, confirmed_by }: CheckedSignature): string =>
  CONFIRMED_WORDS[checks.key][confirmed_by];
