import { getUsage } from '../../../shared/contract/v1/account.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Events } from './Events.tsx';
import { Keys } from './Keys.tsx';
import { ServerFacts } from './ServerFacts.tsx';
import { UsageChart } from './UsageChart.tsx';
import './account.css';

export function AccountPage() {
  const { call, clock, signOut } = useServices();
  const usage = useQuery('usage', async () => ({ data: await call(getUsage), stale: false, at: clock.now() }));
  const session = useQuery('session', (library) => library.session());
  const canSignOut = session.data !== undefined && session.data.home !== 'desktop';
  const account = usage.data?.account ?? session.data?.account;
  return (
    <Page title="Account" actions={canSignOut ? <Button onClick={() => void signOut()}>Sign out</Button> : undefined} meta={account === undefined ? undefined : <><span>{account.name}</span>{session.data !== undefined && <span>Signed in as {session.data.user.name}, {session.data.user.role}</span>}</>}>
      <Loaded query={usage} what="keys and usage" lines={6}>
        {(loaded) => (
          <>
            <Keys keys={loaded.api_keys} serverUrl={session.data?.server.url} />
            <UsageChart months={loaded.monthly_totals} />
            <Events events={loaded.recent_events} keys={loaded.api_keys} />
          </>
        )}
      </Loaded>
      <Loaded query={session} what="the server" lines={3}>{(loaded) => <ServerFacts session={loaded} />}</Loaded>
    </Page>
  );
}
