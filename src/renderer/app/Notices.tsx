import { useEffect, useState, useSyncExternalStore } from 'react';
import { getDesktop } from '../state/desktop.ts';
import { dismissTriedPasswords } from '../../shared/contract/v1/team.ts';
import { formatDateTime } from '../state/format.ts';
import { useQuery } from '../state/query.ts';
import { PairingNotice } from '../features/account/PairingNotice.tsx';
import { useUnsentWarnings } from '../features/sync/Storage.tsx';
import { useServices } from '../state/services.tsx';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { t } from '../text/t.ts';

/** The page is never reloaded by itself: somebody may be in the middle of a sentence. */
function NewVersionNotice() {
  const { newVersion } = useServices();
  const isReady = useSyncExternalStore(newVersion.subscribe, newVersion.isReady);
  if (!isReady) return null;
  return (
    <div className="shell-notice">
      <Notice
        title={t('A newer version of the studio is ready')}
        live
        actions={
          <Button size="sm" onClick={() => window.location.reload()}>
            {t('Load it')}
          </Button>
        }
      >
        <p>{t('What you recorded stays. Finish what you are typing first.')}</p>
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
        title={t('Somebody tried passwords for your name')}
        actions={
          <Button size="sm" onClick={dismiss}>
            {t('Dismiss')}
          </Button>
        }
      >
        <p>
          {t(
            'From {first} to {last}: {wrong, plural, one {# wrong password} other {# wrong passwords}} from {addresses, plural, one {# address} other {# addresses}}{refused, plural, =0 {} one {, and # more try that went unread} other {, and # more tries that went unread}}, in browsers where you never signed in.',
            {
              first: formatDateTime(first_at),
              last: formatDateTime(last_at),
              wrong,
              addresses,
              refused,
            },
          )}
        </p>
        <p>
          {t(
            'If that was not you: the page Account shows where you are signed in, and changes the password.',
          )}
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
          t(
            "This window's working copy could not be opened and was built again from the server; {rescued, plural, one {# pending change was} other {# pending changes were}} rescued. ({cause})",
            { rescued: rebuilt.rescued, cause: rebuilt.cause },
          ),
        ];
  return (
    <>
      <NewVersionNotice />
      <TriedPasswords />
      <PairingNotice />
      {!read && lines.length > 0 && (
        <div className="shell-notice">
          <Notice
            tone="warning"
            title={t('Please note')}
            actions={
              <Button size="sm" onClick={() => setRead(true)}>
                {t('Dismiss')}
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
