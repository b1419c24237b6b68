import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { connectUplink, syncUplink } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure, type ShownFailure } from '../../state/failure.ts';
import { formatCount } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { useSyncStatusOfAll, useUplink } from '../../state/use-sync-status.ts';
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
import { SetAside } from './SetAside.tsx';
import { RejectedChanges } from './RejectedChanges.tsx';
import { PendingRuns } from './PendingRuns.tsx';
import { SharedProjects } from './SharedProjects.tsx';
import { Storage } from './Storage.tsx';
import { Streams } from './Streams.tsx';
import { Unsent } from './Unsent.tsx';
import { PendingChanges } from './PendingChanges.tsx';
import { WindowCases } from './WindowCases.tsx';
import './sync.css';

/**
 * How far the work is in sync between this window, its server and a hosted one, and what can be
 * done about it.
 */
export function SyncPage() {
  const { status, failure } = useUplink();
  const mayConnect = useMay(connectUplink);
  return (
    <Page title="Sync" actions={<SyncNow />}>
      <Status />
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
                This is the hosted server itself. Below is how far this window is in sync with it.
              </p>
            </Section>
          )}
          {status.available && <Unsent status={status} />}
          {status.available && status.connection === null && mayConnect && (
            <ConnectForm {...(status.previous !== null && { url: status.previous.url })} />
          )}
          {status.connection !== null && (
            <>
              <Connection connection={status.connection} status={status} />
              <SharedProjects status={status} host={status.connection.url} />
              <Streams links={status.links} count={status.totals.links} />
              <RejectedChanges changes={status.kept_changes} links={status.links} />
              <PendingRuns runs={status.owed_runs} />
            </>
          )}
          <DamagedRuns runs={status.damaged_runs} hosted={!status.available} />
        </>
      )}
      <WindowCases />
      <PendingChanges />
      <SetAside />
      <Diagnostics available={status !== undefined && status.connection !== null} />
    </Page>
  );
}

function Unknown({ failure }: { failure: ShownFailure }) {
  const { uplink } = useServices();
  return (
    <FailureNotice
      failure={{
        ...failure,
        title: `${failure.title}: the status of the hosted server is not known`,
      }}
      onRetry={() => void uplink.refresh()}
    />
  );
}

function Status() {
  const { text, tone, figures, verified } = useSyncStatusOfAll();
  return (
    <Section title="Status">
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

function SyncNow() {
  const { call, overview, uplink } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const mayExchange = useMay(syncUplink);
  const act = async () => {
    setBusy(true);
    overview.tryNow();
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
      Sync now
    </Button>
  );
}
