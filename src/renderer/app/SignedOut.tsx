import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import { useState } from 'react';
import type { Closed } from '../data/copies/copies.ts';
import { plural } from '../state/format.ts';
import { Button } from '../ui/Button.tsx';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/controls.css';
import '../ui/content.css';

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
  signed_out: 'You are signed out',
  other_person: 'Somebody else is signed in',
  away: 'The server cannot be reached',
  over: 'Sign in to see your work',
  unreadable: 'The copy in this browser cannot be opened',
  signing_out: 'You are signed out',
  busy: 'You are not signed out',
  unsent: 'You are not signed out',
};
const WORDS: Record<SignedOutProps['why'], string> = {
  signed_out:
    'Your session here has ended. What this browser keeps is encrypted, and opens when you sign in.',
  other_person:
    'Another person has signed in in this browser. What it keeps of your work is encrypted, and opens for you alone.',
  away: 'Without it nobody can tell who you are, so nothing is shown that this browser may keep.',
  over:
    'The server has not been reached for as long as it lets this browser open its copy without ' +
    'it. Its copy is encrypted, and opens when you sign in.',
  unreadable:
    'It was encrypted under a secret that this server does not have. Whoever runs the server may still have that one.',
  signing_out: 'This browser’s copy of your work is being removed.',
  busy: 'Another window of this browser still has work open. Close it, or wait until it has stored what is on its screen.',
  unsent: 'Some changes were made meanwhile and are pending.',
};

function unsentWords({ why, unsent, isWindowOnly }: SignedOutProps): string | null {
  if (unsent === null || unsent === 0) return null;
  if (why === 'unreadable')
    return `It holds ${plural(unsent, 'change')} that ${unsent === 1 ? 'was' : 'were'} never sent.`;
  if (isWindowOnly)
    return (
      `${plural(unsent, 'pending change')} ${unsent === 1 ? 'is' : 'are'} in this window ` +
      'alone. Leave it open, sign in in another tab, and come back: ' +
      `then ${unsent === 1 ? 'it is' : 'they are'} sent.`
    );
  return (
    `${plural(unsent, 'pending change')} ${unsent === 1 ? 'is' : 'are'} stored encrypted in ` +
    `this browser, and sent when the person who made ${unsent === 1 ? 'it' : 'them'} signs in ` +
    'here again.'
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
              Sign in in a new tab
            </a>
          ) : (
            <Button variant="primary" onClick={() => window.location.reload()}>
              {why === 'away' ? 'Try again' : isSignedIn ? 'Back to the studio' : 'Sign in'}
            </Button>
          )}
          {onGiveUp !== undefined && !asking && (
            <Button onClick={() => setAsking(true)}>Discard the copy…</Button>
          )}
        </div>
      )}
      {onGiveUp !== undefined && asking && (
        <>
          <p role="alert">
            What was never sent is lost for good. What the server has is not affected.
          </p>
          <div className="actions">
            <Button onClick={() => setAsking(false)}>Keep it</Button>
            <Button variant="danger" onClick={onGiveUp}>
              Discard {plural(unsent ?? 0, 'change')}
            </Button>
          </div>
        </>
      )}
    </main>
  );
}
