import { Download } from 'lucide-react';
import { useState } from 'react';
import type { UplinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure } from '../../state/failure.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { exportUnsent } from './export-unsent.ts';
import { t } from '../../text/t.ts';

/** Saves unsent changes to a file. They stay here as well. */
export function ExportUnsent() {
  const { call, clock } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      announce({
        title: t(
          '{count, plural, one {# change} other {# changes}} exported. They stay here as well.',
          { count: await exportUnsent(call, clock.now()) },
        ),
      });
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title, description: message, tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="sm"
      icon={<Download size={14} aria-hidden="true" />}
      busy={busy}
      onClick={() => void save()}
    >
      {t('Export unsent changes')}
    </Button>
  );
}

/**
 * What is on this computer alone, although its project was shared, connected or not. Nothing is
 * shown where all is sent.
 */
export function Unsent({ status: { unsent, previous, connection } }: { status: UplinkStatus }) {
  if (unsent.changes === 0) return null;
  const count = unsent.changes;
  const lines = [
    ...(unsent.oldest === null
      ? []
      : [t('The oldest is from {time}.', { time: formatDateTime(unsent.oldest) })]),
    ...(connection === null
      ? [
          t('This studio is not connected.'),
          ...(previous === null
            ? []
            : [
                t('{name} was connected to {host}.', {
                  name: previous.name,
                  host: URL.parse(previous.url)?.host ?? previous.url,
                }),
              ]),
          t(
            '{count, plural, one {Connect to send it, or export it.} other {Connect to send them, or export them.}}',
            { count },
          ),
        ]
      : [
          t(
            '{count, plural, one {It stays on this computer until the server has it.} other {They stay on this computer until the server has them.}}',
            { count },
          ),
        ]),
  ];
  return (
    <Section title={t('Pending for a hosted server')} actions={<ExportUnsent />}>
      <Notice
        tone="warning"
        title={t(
          '{count, plural, one {# change of shared projects is} other {# changes of shared projects are}} on no hosted server as far as is known.',
          { count },
        )}
      >
        <p>{lines.join(' ')}</p>
      </Notice>
    </Section>
  );
}
