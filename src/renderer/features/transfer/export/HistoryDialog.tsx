import { Download } from 'lucide-react';
import { useState } from 'react';
import { exportCaseAudit } from '../../../../shared/contract/v1/audit.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { describeFailure } from '../../../state/failure.ts';
import { saveFetched } from '../../../ui/save-file.ts';
import { useServices } from '../../../state/services.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { t } from '../../../text/t.ts';

const FORMATS = [
  { value: 'csv', label: t('CSV'), detail: t('For spreadsheets: one row a step') },
  { value: 'json', label: t('JSON'), detail: t('For programs, with the hash of the log') },
] as const;

/** Everything that was ever recorded in the case, as a file. */
export function HistoryDialog({
  session,
  onClose,
}: {
  session: MatrixSession;
  onClose: () => void;
}) {
  const { fetchFile } = useServices();
  const [format, setFormat] = useState<'csv' | 'json'>('csv');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      saveFetched(
        await fetchFile(exportCaseAudit, {
          params: { caseUid: session.caseUid },
          query: { format },
        }),
      );
      onClose();
    } catch (error) {
      const { title, message } = describeFailure(error);
      setProblem(`${title}. ${message}`);
      setBusy(false);
    }
  };
  return (
    <Dialog
      onClose={onClose}
      title={t('Save the history of this case')}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            busy={busy}
            icon={<Download size={14} aria-hidden="true" />}
            onClick={() => void save()}
          >
            {t('Save')}
          </Button>
        </>
      }
    >
      {problem !== undefined && (
        <Notice tone="danger" live>
          {problem}
        </Notice>
      )}
      <p>
        {t(
          'Every value that was ever recorded, under every profile: who, when, the old value, the new one and the reason.',
        )}
      </p>
      <Select label={t('Format')} options={FORMATS} value={format} onValue={setFormat} />
      <p className="field-hint">
        {t(
          'What this window has not sent to the server yet is not in it. The audit trail notes that the history was saved.',
        )}
      </p>
    </Dialog>
  );
}
