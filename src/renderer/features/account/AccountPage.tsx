import { useState } from 'react';
import { getUsage } from '../../../shared/contract/v1/account.ts';
import { listAudit } from '../../../shared/contract/v1/audit.ts';
import { getDesktop } from '../../state/desktop.ts';
import { useMay } from '../../state/use-may.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded, AnnounceOnce } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Accounts } from './Accounts.tsx';
import { AuditTrail } from './AuditTrail.tsx';
import { Doctor } from './Doctor.tsx';
import { Events } from './Events.tsx';
import { Keys } from './Keys.tsx';
import { Members } from './Members.tsx';
import { Notices } from './Notices.tsx';
import { ServerFacts } from './ServerFacts.tsx';
import { SignedIn } from './SignedIn.tsx';
import { SignOutDialog } from './SignOutDialog.tsx';
import { Updates } from './Updates.tsx';
import { UsageChart } from './UsageChart.tsx';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';
import './account.css';
import { ROLE_WORD } from '../../state/role-words.ts';
import { t } from '../../text/t.ts';

/** Keys of the queries of this page and its parts. */
const SHOWN = ['usage', 'session', 'members', 'audit'] as const;

export function AccountPage() {
  const { signOut, forgetsAtSignOut, overview, queries } = useServices();
  const { busy, act } = useAct();
  const desktop = getDesktop();
  const [leaving, setLeaving] = useState(false);
  const maySeeTrail = useMay(listAudit);
  const usage = useCalled('usage', getUsage);
  const session = useQuery('session', (library) => library.session());
  const account = usage.data?.account ?? session.data?.account;
  const { user, sign_in, home } = session.data ?? {};
  const isTeam = home === 'hosted';
  const retry = () => SHOWN.forEach((key) => queries.invalidate(key));
  const canSignOut = sign_in !== undefined && sign_in !== 'none';
  const leave = (saved: ReadonlySet<string>) =>
    act(() => signOut(saved), {
      changes: [],
      done: t('You are signed out.'),
      failed: t('You are not signed out'),
    });
  const askToLeave = async () => {
    if (forgetsAtSignOut && (await overview.everything()).length > 0) setLeaving(true);
    else await leave(new Set());
  };
  return (
    <Page
      title={t('Account')}
      actions={
        canSignOut ? (
          <Button busy={busy} onClick={() => void askToLeave()}>
            {t('Sign out')}
          </Button>
        ) : undefined
      }
      meta={
        account === undefined ? undefined : (
          <>
            <span>{account.name}</span>
            {user !== undefined && (
              <span>
                {t('Signed in as {name}, {role}', {
                  name: user.email === null ? user.name : `${user.name} (${user.email})`,
                  role: ROLE_WORD[user.role],
                })}
              </span>
            )}
          </>
        )
      }
    >
      {leaving && (
        <SignOutDialog
          busy={busy}
          onSignOut={(saved) => void leave(saved)}
          onClose={() => setLeaving(false)}
        />
      )}
      <AnnounceOnce query={usage} onRetry={retry}>
        <Loaded query={usage} what={t('keys')} lines={6}>
          {(loaded) => (
            <Keys
              keys={loaded.api_keys}
              serverUrl={session.data?.server.url}
              me={user}
              isTeam={isTeam}
            />
          )}
        </Loaded>
        {isTeam && user !== undefined && <Members me={user} />}
        {isTeam && session.data !== undefined && <Accounts session={session.data} />}
        {isTeam && user !== undefined && <Notices isOwner={user.role === 'owner'} />}
        {canSignOut && <SignedIn hasPassword={sign_in === 'password'} />}
        {usage.data !== undefined && (
          <>
            <UsageChart months={usage.data.monthly_totals} />
            <Events events={usage.data.recent_events} keys={usage.data.api_keys} />
          </>
        )}
        {user !== undefined && maySeeTrail && <AuditTrail />}
        <Loaded query={session} what={t('the server')} lines={3}>
          {(loaded) => <ServerFacts session={loaded} />}
        </Loaded>
        {desktop !== undefined && <Updates desktop={desktop} />}
        {desktop !== undefined && <Doctor desktop={desktop} />}
      </AnnounceOnce>
    </Page>
  );
}
