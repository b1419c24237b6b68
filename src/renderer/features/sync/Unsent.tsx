import { Download } from 'lucide-react';
import { useState } from 'react';
import type { UplinkStatus } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure } from '../../state/failure.ts';
import { formatDateTime, plural } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { exportUnsent } from './export-unsent.ts';

/** Saves unsent changes to a file. They stay here as well. */
export function ExportUnsent() {
  const { call, clock } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      announce({
        title: `${plural(await exportUnsent(call, clock.now()), 'change')} exported. They stay here as well.`,
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
      Export unsent changes
    </Button>
  );
}

/**
 * What is on this computer alone, although its project was shared, connected or not. Nothing is
 * shown where all is sent.
 */
export function Unsent({ status: { unsent, previous, connection } }: { status: UplinkStatus }) {
  if (unsent.changes === 0) return null;
  const isOne = unsent.changes === 1;
  const where =
    connection === null && previous !== null
      ? `${previous.name} was connected to ${URL.parse(previous.url)?.host ?? previous.url}.`
      : '';
  return (
    <Section title="Pending for a hosted server" actions={<ExportUnsent />}>
      <Notice
        tone="warning"
        title={`${plural(unsent.changes, 'change')} of shared projects ${isOne ? 'is' : 'are'} on no hosted server as far as is known.`}
      >
        <p>
          {unsent.oldest === null ? '' : `The oldest is from ${formatDateTime(unsent.oldest)}. `}
          {connection === null
            ? `This studio is not connected. ${where} Connect to send ${isOne ? 'it' : 'them'}, or export ${isOne ? 'it' : 'them'}.`
            : `${isOne ? 'It stays' : 'They stay'} on this computer until the server has ${isOne ? 'it' : 'them'}.`}
        </p>
      </Notice>
    </Section>
  );
}
