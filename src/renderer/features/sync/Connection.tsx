import { useState } from 'react';
import {
  connectUplink,
  disconnectUplink,
  type KeyKept,
  type UplinkStatus,
} from '../../../shared/contract/v1/uplink.ts';
import { mayRecord } from '../../../shared/contract/roles.ts';
import { describeFailure } from '../../state/failure.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { ConnectForm } from './ConnectForm.tsx';
import { ROLE_WORD } from '../../state/role-words.ts';
import { t } from '../../text/t.ts';

const KEY_STORAGE: Record<KeyKept, string> = {
  sealed: t('Sealed by this system’s key store'),
  file: t('In a file that only you can read'),
  memory: t('In memory only: after the studio has ended, connect again with a key'),
};
export const STATES: Record<UplinkStatus['state'], string> = {
  off: t('Not connected'),
  idle: t('Nothing to do'),
  syncing: t('Syncing'),
  waiting: t('Waiting to try again'),
  offline: t('The server cannot be reached'),
  stopped: t('Stopped'),
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
      title={t('Hosted server')}
      actions={
        mayChange && (
          <>
            <Button size="sm" onClick={() => setDialog('key')}>
              {t('Change key…')}
            </Button>
            <Button size="sm" onClick={() => setDialog('disconnect')}>
              {t('Disconnect…')}
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
          { name: t('Address'), value: <code>{url}</code> },
          {
            name: t('State'),
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
                  <span className="num">
                    {' '}
                    {t('next try {time}', { time: formatDateTime(status.next_try_at) })}
                  </span>
                )}
              </>
            ),
          },
          {
            name: t('Connected as'),
            value: mayRecord(user.role)
              ? `${user.name}, ${ROLE_WORD[user.role]}`
              : t('{name}, with a read-only key: nothing is sent from here', { name: user.name }),
          },
          { name: t('Key storage'), value: KEY_STORAGE[key_kept] },
          {
            name: t('Last sync'),
            value: (
              <span className="num">
                {status.last_ok === null ? t('none yet') : formatDateTime(status.last_ok)}
              </span>
            ),
          },
          {
            name: t('Connected since'),
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
      announce({
        title: t('Still connected: {title}.', { title }),
        description: message,
        tone: 'danger',
      });
      setBusy(false);
    }
  };
  return (
    <Confirm
      onClose={onClose}
      title={t('Disconnect from the hosted server?')}
      action={t('Disconnect')}
      busy={busy}
      onConfirm={() => void disconnect()}
    >
      <p>
        {t(
          'Nothing is deleted, here or there. The key is forgotten; after connecting again, sync continues where it stopped.',
        )}
      </p>
      {waiting > 0 && (
        <p>
          {t(
            '{waiting, plural, one {# pending change stays} other {# pending changes stay}} on this computer.',
            { waiting },
          )}
        </p>
      )}
    </Confirm>
  );
}
