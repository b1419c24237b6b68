import { useState } from 'react';
import {
  connectUplink,
  disconnectUplink,
  type KeyKept,
  type UplinkStatus,
} from '../../../shared/contract/v1/uplink.ts';
import { mayRecord } from '../../../shared/contract/roles.ts';
import { describeFailure } from '../../state/failure.ts';
import { formatDateTime, plural } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { ConnectForm } from './ConnectForm.tsx';

const KEY_STORAGE: Record<KeyKept, string> = {
  sealed: 'Sealed by this system’s key store',
  file: 'In a file that only you can read',
  memory: 'In memory only: after the studio has ended, connect again with a key',
};
export const STATES: Record<UplinkStatus['state'], string> = {
  off: 'Not connected',
  idle: 'Nothing to do',
  syncing: 'Syncing',
  waiting: 'Waiting to try again',
  offline: 'The server cannot be reached',
  stopped: 'Stopped',
};

export function Connection({
  connection,
  status,
}: {
  connection: NonNullable<UplinkStatus['connection']>;
  status: UplinkStatus;
}) {
  const [dialog, setDialog] = useState<'disconnect' | 'key' | null>(null);
  const mayChange = useMay(connectUplink);
  const { url, user, key_kept, connected_at } = connection;
  const close = () => setDialog(null);
  return (
    <Section
      title="Hosted server"
      actions={
        mayChange && (
          <>
            <Button size="sm" onClick={() => setDialog('key')}>
              Change key…
            </Button>
            <Button size="sm" onClick={() => setDialog('disconnect')}>
              Disconnect…
            </Button>
          </>
        )
      }
    >
      {status.problem !== null && (
        <Notice tone={status.state === 'stopped' ? 'danger' : 'warning'} title={status.problem} />
      )}
      {status.warning !== null && <Notice tone="warning" title={status.warning} />}
      <Facts
        entries={[
          { name: 'Address', value: <code>{url}</code> },
          {
            name: 'State',
            value: (
              <>
                <Badge
                  tone={
                    status.state === 'stopped'
                      ? 'danger'
                      : status.state === 'offline'
                        ? 'warning'
                        : 'plain'
                  }
                >
                  {STATES[status.state]}
                </Badge>
                {status.next_try_at !== null && status.state !== 'idle' && (
                  <span className="num"> next try {formatDateTime(status.next_try_at)}</span>
                )}
              </>
            ),
          },
          {
            name: 'Connected as',
            value: mayRecord(user.role)
              ? `${user.name}, ${user.role}`
              : `${user.name}, with a read-only key: nothing is sent from here`,
          },
          { name: 'Key storage', value: KEY_STORAGE[key_kept] },
          {
            name: 'Last sync',
            value: (
              <span className="num">
                {status.last_ok === null ? 'none yet' : formatDateTime(status.last_ok)}
              </span>
            ),
          },
          {
            name: 'Connected since',
            value: <span className="num">{formatDateTime(connected_at)}</span>,
          },
        ]}
      />
      {dialog === 'key' && <ConnectForm url={url} onDone={close} />}
      {dialog === 'disconnect' && <Disconnect status={status} onClose={close} />}
    </Section>
  );
}

function Disconnect({ status, onClose }: { status: UplinkStatus; onClose: () => void }) {
  const { call, uplink } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const { waiting } = status.totals;
  const disconnect = async () => {
    setBusy(true);
    try {
      uplink.take(await call(disconnectUplink));
      onClose();
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title: `Still connected: ${title}.`, description: message, tone: 'danger' });
      setBusy(false);
    }
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Disconnect from the hosted server?"
      action="Disconnect"
      busy={busy}
      onConfirm={() => void disconnect()}
    >
      <p>
        Nothing is deleted, here or there. The key is forgotten; after connecting again, sync
        continues where it stopped.
      </p>
      {waiting > 0 && (
        <p>
          {plural(waiting, 'pending change')} {waiting === 1 ? 'stays' : 'stay'} on this computer.
        </p>
      )}
    </Confirm>
  );
}
