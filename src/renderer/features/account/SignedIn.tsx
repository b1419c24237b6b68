import { useState } from 'react';
import {
  type BrowserSession,
  endOtherSessions,
  endSession,
  listSessions,
} from '../../../shared/contract/v1/team.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { PasswordDialog } from './PasswordDialog.tsx';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';

/** Where this person is signed in, and the password that lets in. */
export function SignedIn({ hasPassword }: { hasPassword: boolean }) {
  const { call } = useServices();
  const sessions = useCalled('sessions', listSessions);
  const { busy, act } = useAct();
  const [changing, setChanging] = useState(false);
  const others = (sessions.data?.sessions ?? []).filter((session) => !session.current);
  return (
    <Section
      title="Where you are signed in"
      actions={
        <>
          {others.length > 0 && (
            <Button
              busy={busy}
              onClick={() =>
                void act(() => call(endOtherSessions), {
                  changes: ['sessions'],
                  done: 'Every other browser is signed out.',
                  failed: 'They were not signed out',
                })
              }
            >
              Sign out all others
            </Button>
          )}
          {hasPassword && <Button onClick={() => setChanging(true)}>Change password</Button>}
        </>
      }
    >
      <Loaded query={sessions} what="sessions" lines={2}>
        {(loaded) => <Sessions sessions={loaded.sessions} />}
      </Loaded>
      {changing && <PasswordDialog onClose={() => setChanging(false)} />}
    </Section>
  );
}

function Sessions({ sessions }: { sessions: readonly BrowserSession[] }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  return (
    <Table
      caption="Where you are signed in"
      head={
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Address</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last seen</th>
          <th scope="col">Ends</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      }
    >
      {sessions.map(
        ({ session_id, current, browser, address, created_at, last_seen_at, expires_at }) => (
          <tr key={session_id}>
            <th scope="row">
              {browser === '' ? 'Unknown' : browser}
              {current && (
                <>
                  {' '}
                  <Badge>this one</Badge>
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
                  aria-label={`Sign out ${browser}, signed in ${formatDateTime(created_at)}`}
                  onClick={() =>
                    void act(() => call(endSession, { params: { sessionId: session_id } }), {
                      changes: ['sessions'],
                      done: 'That browser is signed out.',
                      failed: 'It was not signed out',
                    })
                  }
                >
                  Sign out
                </Button>
              )}
            </td>
          </tr>
        ),
      )}
    </Table>
  );
}
