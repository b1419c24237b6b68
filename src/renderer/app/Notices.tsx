import { useEffect, useState, useSyncExternalStore } from 'react';
import { getDesktop } from '../state/desktop.ts';
import { dismissTriedPasswords } from '../../shared/contract/v1/team.ts';
import { formatDateTime, plural } from '../state/format.ts';
import { useQuery } from '../state/query.ts';
import { useUnsentWarnings } from '../features/sync/Storage.tsx';
import { useServices } from '../state/services.tsx';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';

/** The page is never reloaded by itself: somebody may be in the middle of a sentence. */
function NewVersionNotice() {
  const { newVersion } = useServices();
  const isReady = useSyncExternalStore(newVersion.subscribe, newVersion.isReady);
  if (!isReady) return null;
  return (
    <div className="shell-notice">
      <Notice
        title="A newer version of the studio is ready"
        live
        actions={
          <Button size="sm" onClick={() => window.location.reload()}>
            Load it
          </Button>
        }
      >
        <p>What you recorded stays. Finish what you are typing first.</p>
      </Notice>
    </div>
  );
}

/** Somebody else may be trying to come in. */
function TriedPasswords() {
  const { call, queries } = useServices();
  const tried = useQuery('session', (library) => library.session()).data?.tried_passwords;
  if (tried === undefined) return null;
  const { wrong, refused, addresses, first_at, last_at } = tried;
  const dismiss = (): void =>
    void call(dismissTriedPasswords, {}).then(
      () => queries.invalidate('session'),
      () => undefined,
    );
  return (
    <div className="shell-notice">
      <Notice
        tone="warning"
        live
        title="Somebody tried passwords for your name"
        actions={
          <Button size="sm" onClick={dismiss}>
            Dismiss
          </Button>
        }
      >
        <p>
          From {formatDateTime(first_at)} to {formatDateTime(last_at)}:{' '}
          {plural(wrong, 'wrong password')} from {plural(addresses, 'address', 'addresses')}
          {refused > 0 && `, and ${plural(refused, 'more try', 'more tries')} that went unread`}, in
          browsers where you never signed in.
        </p>
        <p>
          If that was not you: the page Account shows where you are signed in, and changes the
          password.
        </p>
      </Notice>
    </div>
  );
}

/**
 * What the person must know before going on: news of the desktop application, and of this window's
 * own store.
 */
export function Notices() {
  const { rebuilt } = useServices();
  const [news, setNews] = useState<readonly string[]>([]);
  const [read, setRead] = useState(false);
  useEffect(() => {
    // Without an answer there is nothing to report; the pages work all the same.
    getDesktop()
      ?.status()
      .then(
        (status) => setNews(status.notices),
        () => undefined,
      );
  }, []);
  const warnings = useUnsentWarnings();
  const lines =
    rebuilt === null
      ? [...news, ...warnings]
      : [
          ...news,
          ...warnings,
          "This window's working copy could not be opened and was built again from the " +
            `server; ${plural(rebuilt.rescued, 'pending change')} ` +
            `${rebuilt.rescued === 1 ? 'was' : 'were'} rescued. (${rebuilt.cause})`,
        ];
  return (
    <>
      <NewVersionNotice />
      <TriedPasswords />
      {!read && lines.length > 0 && (
        <div className="shell-notice">
          <Notice
            tone="warning"
            title="Please note"
            actions={
              <Button size="sm" onClick={() => setRead(true)}>
                Dismiss
              </Button>
            }
          >
            {lines.map((line) => (
              <p key={line}>{line}</p>
            ))}
          </Notice>
        </div>
      )}
    </>
  );
}
