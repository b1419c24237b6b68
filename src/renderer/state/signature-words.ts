import type { CheckedSignature } from '../../shared/contract/v1/sign-off.ts';
import type { SignatureMeaning } from '../../shared/domain/sign-off.ts';
import { t, tAs } from '../text/t.ts';

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
