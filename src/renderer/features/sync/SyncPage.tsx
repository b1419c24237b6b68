import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { connectUplink, syncUplink } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure, type Failure } from '../../state/failure.ts';
import { formatCount } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { useStandingOfAll, useUplink } from '../../state/use-standing.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Facts, Page, Section } from '../../ui/Page.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { ConnectForm } from './ConnectForm.tsx';
import { Connection } from './Connection.tsx';
import { DamagedRuns } from './DamagedRuns.tsx';
import { Diagnostics } from './Diagnostics.tsx';
import { Kept } from './Kept.tsx';
import { KeptChanges } from './KeptChanges.tsx';
import { OwedRuns } from './OwedRuns.tsx';
import { SharedProjects } from './SharedProjects.tsx';
import { Storage } from './Storage.tsx';
import { Streams } from './Streams.tsx';
import { Unsent } from './Unsent.tsx';
import { Waiting } from './Waiting.tsx';
import { WindowCases } from './WindowCases.tsx';
import './sync.css';

/**
 * Where the work stands between this window, its server and a hosted one, and what can be done
 * about it.
 */
export function SyncPage() {
  const { status, failure } = useUplink();
  const mayConnect = useMay(connectUplink);
  return (
    <Page title="Sync" actions={<TryNow />}>
      <Now />
      <Storage />
      {status === undefined ? (
        failure === undefined ? (
          <Skeleton label="Asking the studio…" />
        ) : (
          <Unknown failure={failure} />
        )
      ) : (
        <>
          {failure !== undefined && <Unknown failure={failure} />}
          {!status.available && (
            <Section title="Hosted server">
              <p className="section-note">
                This is the hosted server itself. Below is how this window gets on with it.
              </p>
            </Section>
          )}
          {status.available && <Unsent status={status} />}
          {status.available && status.connection === null && mayConnect && (
            <ConnectForm {...(status.former !== null && { url: status.former.url })} />
          )}
          {status.connection !== null && (
            <>
              <Connection connection={status.connection} status={status} />
              <SharedProjects status={status} host={status.connection.url} />
              <Streams links={status.links} />
              <KeptChanges changes={status.kept_changes} links={status.links} />
              <OwedRuns runs={status.owed_runs} />
            </>
          )}
          <DamagedRuns runs={status.damaged_runs} hosted={!status.available} />
        </>
      )}
      <WindowCases />
      <Waiting />
      <Kept />
      <Diagnostics available={status !== undefined && status.connection !== null} />
    </Page>
  );
}

function Unknown({ failure }: { failure: Failure }) {
  const { uplink } = useServices();
  return (
    <FailureNotice
      failure={{
        ...failure,
        title: `${failure.title}: how it stands with a hosted server is not known now`,
      }}
      onRetry={() => void uplink.refresh()}
    />
  );
}

function Now() {
  const { text, tone, figures, verified } = useStandingOfAll();
  return (
    <Section title="Now">
      <Notice
        tone={tone === 'problem' ? 'danger' : tone === 'waiting' ? 'warning' : 'info'}
        title={text}
      >
        {verified !== null && !text.includes('verified') && <p>{verified}.</p>}
      </Notice>
      <Facts
        entries={figures.map(({ label, count, note }) => ({
          name: `${label.charAt(0).toUpperCase()}${label.slice(1)}`,
          value: (
            <span className="num">
              {formatCount(count)}
              {note === null ? '' : `, ${note}`}
            </span>
          ),
        }))}
      />
    </Section>
  );
}

function TryNow() {
  const { call, desk, uplink } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const mayExchange = useMay(syncUplink);
  const act = async () => {
    setBusy(true);
    desk.tryNow();
    try {
      const { status } = uplink.state;
      if (mayExchange && status !== undefined && status.connection !== null)
        uplink.take(await call(syncUplink));
      else await uplink.refresh();
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title, description: message, tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      icon={<RefreshCw size={15} aria-hidden="true" />}
      busy={busy}
      onClick={() => void act()}
    >
      Try now
    </Button>
  );
}
