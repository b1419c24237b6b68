import { CircleCheck, RefreshCw } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import {
  connectUplink,
  syncUplink,
  type UplinkStatus,
} from '../../../shared/contract/v1/uplink.ts';
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
import { t } from '../../text/t.ts';

/**
 * How far the work is in sync between this window, its server and a hosted one, and what can be
 * done about it. While all is well that is one sentence, and the rest is folded.
 */
export function SyncPage() {
  const { status, failure } = useUplink();
  const mayConnect = useMay(connectUplink);
  const { isWell, isFolded } = useFolding(status !== undefined, failure !== undefined);
  return (
    <Page title={t('Sync')} actions={<SyncNow />}>
      {isWell ? <AllWell /> : <Status />}
      <Storage />
      {status === undefined ? (
        failure === undefined ? (
          <Skeleton label={t('Asking the studio…')} />
        ) : (
          <Unknown failure={failure} />
        )
      ) : (
        <>
          {failure !== undefined && <Unknown failure={failure} />}
          {status.available && <Unsent status={status} />}
          {status.connection !== null && (
            <>
              <RejectedChanges changes={status.kept_changes} links={status.links} />
              <PendingRuns runs={status.owed_runs} />
            </>
          )}
          <DamagedRuns runs={status.damaged_runs} hosted={!status.available} />
          {(status.connection !== null || (status.available && mayConnect)) && (
            <Fold title={t('Hosted server')} isFolded={isFolded}>
              <HostedServer status={status} />
            </Fold>
          )}
        </>
      )}
      <Fold title={t('Details')} isFolded={isFolded}>
        {isWell && <Figures />}
        {status?.available === false && (
          <p className="section-note">
            {t(
              'This is the hosted server itself. Below is how far this window is in sync with it.',
            )}
          </p>
        )}
        <WindowCases />
        <PendingChanges />
        <SetAside />
        <Diagnostics available={status !== undefined && status.connection !== null} />
      </Fold>
    </Page>
  );
}

/**
 * What is well when the page opens is folded. Whatever turns up later unfolds it, and nothing folds
 * it again under the reader's eyes.
 */
function useFolding(isKnown: boolean, isFailed: boolean): { isWell: boolean; isFolded: boolean } {
  const { tone, figures } = useSyncStatusOfAll();
  const isQuiet = tone === 'saved' || tone === 'busy';
  const isWell =
    !isFailed && isQuiet && figures.every(({ id, count }) => id === 'waiting' || count === 0);
  const [wasBad, noteBad] = useState(false);
  useEffect(() => {
    if (isKnown && !isWell) noteBad(true);
  }, [isKnown, isWell]);
  return { isWell, isFolded: isWell && !wasBad };
}

function Fold({
  title,
  isFolded,
  children,
}: {
  title: string;
  isFolded: boolean;
  children: ReactNode;
}) {
  return (
    <details className="fold" open={!isFolded}>
      <summary>{title}</summary>
      <div className="fold-body">{children}</div>
    </details>
  );
}

function HostedServer({ status }: { status: UplinkStatus }) {
  const { connection } = status;
  if (connection === null)
    return <ConnectForm {...(status.previous !== null && { url: status.previous.url })} />;
  return (
    <>
      <Connection connection={connection} status={status} />
      <SharedProjects status={status} host={connection.url} />
      <Streams links={status.links} count={status.totals.links} />
    </>
  );
}

function AllWell() {
  const { text, tone, verified, saysVerified } = useSyncStatusOfAll();
  return (
    <p className="sync-well">
      <CircleCheck size={18} aria-hidden="true" />
      <span>
        {tone === 'saved' && <strong>{t('All changes saved.')} </strong>}
        {text}.{verified !== null && !saysVerified && ` ${verified}.`}
      </span>
    </p>
  );
}

function Unknown({ failure }: { failure: ShownFailure }) {
  const { uplink } = useServices();
  return (
    <FailureNotice
      failure={{
        ...failure,
        title: `${failure.title}: ${t('the status of the hosted server is not known')}`,
      }}
      onRetry={() => void uplink.refresh()}
    />
  );
}

function Status() {
  const { text, tone, verified, saysVerified } = useSyncStatusOfAll();
  return (
    <Section title={t('Status')}>
      <Notice
        tone={tone === 'problem' ? 'danger' : tone === 'waiting' ? 'warning' : 'info'}
        title={text}
      >
        {verified !== null && !saysVerified && <p>{verified}.</p>}
      </Notice>
      <Figures />
    </Section>
  );
}

function Figures() {
  const { figures } = useSyncStatusOfAll();
  return (
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
      {t('Sync now')}
    </Button>
  );
}
