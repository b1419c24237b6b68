import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import { useState } from 'react';
import type { Closed } from '../data/copies/copies.ts';

import { Button } from '../ui/Button.tsx';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/controls.css';
import '../ui/popups.css';
import '../ui/pages.css';
import '../ui/tables.css';
import '../ui/content.css';
import { t } from '../text/t.ts';

export interface SignedOutProps {
  why: Closed | 'busy' | 'unsent';
  /** Changes that were not sent; null while they are counted. */
  unsent: number | null;
  /** Whether they are in this window's memory alone. */
  isWindowOnly: boolean;
  /** Discards a copy that cannot be read. */
  onGiveUp?: (() => void) | undefined;
}

const TITLES: Record<SignedOutProps['why'], string> = {
  signed_out: t('You are signed out'),
  other_person: t('Somebody else is signed in'),
  away: t('The server cannot be reached'),
  over: t('Sign in to see your work'),
  unreadable: t('The copy in this browser cannot be opened'),
  signing_out: t('You are signed out'),
  busy: t('You are not signed out'),
  unsent: t('You are not signed out'),
};
const WORDS: Record<SignedOutProps['why'], string> = {
  signed_out: t(
    'Your session here has ended. What this browser keeps is encrypted, and opens when you sign in.',
  ),
  other_person: t(
    'Another person has signed in in this browser. What it keeps of your work is encrypted, and opens for you alone.',
  ),
  away: t(
    'Without it nobody can tell who you are, so nothing is shown that this browser may keep.',
  ),
  over: t(
    'The server has not been reached for as long as it lets this browser open its copy without it. Its copy is encrypted, and opens when you sign in.',
  ),
  unreadable: t(
    'It was encrypted under a secret that this server does not have. Whoever runs the server may still have that one.',
  ),
  signing_out: t('This browser’s copy of your work is being removed.'),
  busy: t(
    'Another window of this browser still has work open. Close it, or wait until it has stored what is on its screen.',
  ),
  unsent: t('Some changes were made meanwhile and are pending.'),
};

function unsentWords({ why, unsent, isWindowOnly }: SignedOutProps): string | null {
  if (unsent === null || unsent === 0) return null;
  if (why === 'unreadable')
    return t(
      'It holds {unsent, plural, one {# change that was} other {# changes that were}} never sent.',
      { unsent },
    );
  if (isWindowOnly)
    return t(
      '{unsent, plural, one {# pending change is in this window alone. Leave it open, sign in in another tab, and come back: then it is sent.} other {# pending changes are in this window alone. Leave it open, sign in in another tab, and come back: then they are sent.}}',
      { unsent },
    );
  return t(
    '{unsent, plural, one {# pending change is stored encrypted in this browser, and sent when the person who made it signs in here again.} other {# pending changes are stored encrypted in this browser, and sent when the person who made them signs in here again.}}',
    { unsent },
  );
}

/**
 * Shown in place of the studio where nobody may see what this browser keeps. Nothing of it is on
 * the page.
 */
export function SignedOut(props: SignedOutProps) {
  const { why, unsent, isWindowOnly, onGiveUp } = props;
  const [asking, setAsking] = useState(false);
  const words = unsentWords(props);
  const staysOpen = isWindowOnly && unsent !== 0;
  const isSignedIn = why === 'busy' || why === 'unsent';
  return (
    <main className="page">
      <title>{`${TITLES[why]} · Evidence Studio`}</title>
      <h1>{TITLES[why]}</h1>
      <p className="page-intro" role="status">
        {WORDS[why]}
      </p>
      {words !== null && <p>{words}</p>}
      {why !== 'signing_out' && (
        <div className="actions">
          {staysOpen ? (
            <a
              className="btn btn-primary"
              href={SERVER_PAGES.login}
              target="_blank"
              rel="noreferrer"
            >
              {t('Sign in in a new tab')}
            </a>
          ) : (
            <Button variant="primary" onClick={() => window.location.reload()}>
              {why === 'away'
                ? t('Try again')
                : isSignedIn
                  ? t('Back to the studio')
                  : t('Sign in')}
            </Button>
          )}
          {onGiveUp !== undefined && !asking && (
            <Button onClick={() => setAsking(true)}>{t('Discard the copy…')}</Button>
          )}
        </div>
      )}
      {onGiveUp !== undefined && asking && (
        <>
          <p role="alert">
            {t('What was never sent is lost for good. What the server has is not affected.')}
          </p>
          <div className="actions">
            <Button onClick={() => setAsking(false)}>{t('Keep it')}</Button>
            <Button variant="danger" onClick={onGiveUp}>
              {t('Discard {count, plural, one {# change} other {# changes}}', {
                count: unsent ?? 0,
              })}
            </Button>
          </div>
        </>
      )}
    </main>
  );
}
