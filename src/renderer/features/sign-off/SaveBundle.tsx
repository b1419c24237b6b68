import { Package } from 'lucide-react';
import { useState } from 'react';
import type { RunUid } from '../../../shared/contract/ids.ts';
import { exportRunBundle } from '../../../shared/contract/v1/sign-off.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { saveFetched } from '../../ui/save-file.ts';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';

/** The run as a signed file. The server makes it, since it has the key. */
export function SaveBundle({ runUid }: { runUid: RunUid }) {
  const { fetchFile } = useServices();
  const announce = useToast();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      saveFetched(await fetchFile(exportRunBundle, { params: { runUid } }));
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title: `${t('Not saved')}: ${title}.`, description: message, tone: 'danger' });
    }
    setBusy(false);
  };
  return (
    <Button icon={<Package size={14} aria-hidden="true" />} busy={busy} onClick={() => void save()}>
      {t('Save as bundle (.eln)')}
    </Button>
  );
}
