import { useState } from 'react';
import {
  type BrowserSession,
  endOtherSessions,
  endSession,
  listSessions,
} from '../../../shared/contract/v1/team.ts';
import { formatDateTime } from '../../state/format.ts';
import { endOnce } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { PasswordDialog } from './PasswordDialog.tsx';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';
import { t, tOf } from '../../text/t.ts';

/** Where this person is signed in, and the password that lets in. */
export function SignedIn({ hasPassword }: { hasPassword: boolean }) {
  const { call } = useServices();
  const sessions = useCalled('sessions', listSessions);
  const { busy, act } = useAct();
  const [changing, setChanging] = useState(false);
  const others = (sessions.data?.sessions ?? []).filter((session) => !session.current);
  return (
    <Section
      title={t('Where you are signed in')}
      actions={
        <>
          {others.length > 0 && (
            <Button
              busy={busy}
              onClick={() =>
                void act(() => call(endOtherSessions), {
                  changes: ['sessions'],
                  done: t('Every other browser is signed out.'),
                  failed: t('They were not signed out'),
                })
              }
            >
              {t('Sign out all others')}
            </Button>
          )}
          {hasPassword && <Button onClick={() => setChanging(true)}>{t('Change password')}</Button>}
        </>
      }
    >
      <Loaded query={sessions} what={t('sessions')} lines={2}>
        {(loaded) => <Sessions sessions={loaded.sessions} />}
      </Loaded>
      {changing && <PasswordDialog onClose={() => setChanging(false)} />}
    </Section>
  );
}

/** The server calls a browser "Firefox on Linux". */
function browserWords(name: string): string {
  const [browser, system] = name.split(' on ');
  if (name === '') return t('Unknown');
  return system === undefined
    ? tOf(name)
    : t('{browser} on {system}', { browser: browser ?? '', system });
}

function Sessions({ sessions }: { sessions: readonly BrowserSession[] }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  return (
    <Table
      caption={t('Where you are signed in')}
      head={
        <tr>
          <th scope="col">{t('Browser')}</th>
          <th scope="col">{t('Address')}</th>
          <th scope="col">{t('Signed in')}</th>
          <th scope="col">{t('Last seen')}</th>
          <th scope="col">{t('Ends')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {sessions.map(
        ({ session_id, current, browser, address, created_at, last_seen_at, expires_at }) => (
          <tr key={session_id}>
            <th scope="row">
              {browserWords(browser)}
              {current && (
                <>
                  {' '}
                  <Badge>{t('this one')}</Badge>
                </>
              )}
            </th>
            <td className="mono">{address === '' ? '–' : address}</td>
            <td className="nowrap num">{formatDateTime(created_at)}</td>
            <td className="nowrap num">{formatDateTime(last_seen_at)}</td>
            <td className="nowrap num">{formatDateTime(expires_at)}</td>
            <td className="n">
              {!current && (
                <Button
                  size="sm"
                  busy={busy}
                  aria-label={t('Sign out {browser}, signed in {time}', {
                    browser: browserWords(browser),
                    time: formatDateTime(created_at),
                  })}
                  onClick={() =>
                    void act(
                      () => endOnce(call(endSession, { params: { sessionId: session_id } })),
                      {
                        changes: ['sessions'],
                        done: t('That browser is signed out.'),
                        failed: t('It was not signed out'),
                      },
                    )
                  }
                >
                  {t('Sign out')}
                </Button>
              )}
            </td>
          </tr>
        ),
      )}
    </Table>
  );
}
