import type { CaseUid } from '../../../shared/contract/ids.ts';
import { useState } from 'react';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ExportSteps } from '../../ui/ExportSteps.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { exportName, saveExport } from './save-export.ts';
import { t } from '../../text/t.ts';

/**
 * Two steps: an export is saved, and read back from where it was saved. Only what it holds byte for
 * byte can be discarded.
 */
export function DiscardDialog({
  caseUid,
  ids,
  onClose,
}: {
  caseUid: CaseUid;
  ids: readonly string[];
  onClose: () => void;
}) {
  const { overview, clock } = useServices();
  const announce = useToast();
  const [file, setFile] = useState<{ text: string; held: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const count = ids.length;
  const check = async (text: string | undefined) => {
    setFile(null);
    setProblem(null);
    if (text === undefined) return;
    const held = await overview.heldIn(text, ids);
    if (held === ids.length) setFile({ text, held });
    else
      setProblem(
        held === 0
          ? t('This file holds none of these changes.')
          : t(
              'This file holds {held} of {count, plural, one {# change} other {# changes}}. Export them again.',
              { held, count },
            ),
      );
  };
  const discard = async () => {
    if (file === null) return;
    setBusy(true);
    try {
      const { discarded } = await overview.discard(file.text, ids);
      announce({
        title: t(
          '{discarded, plural, one {# change} other {# changes}} discarded. The export has them.',
          { discarded },
        ),
      });
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      onClose={onClose}
      title={t('Discard {count, plural, one {# change} other {# changes}} of {caseUid}?', {
        count,
        caseUid,
      })}
      focus="dialog"
      footer={
        <>
          <Button onClick={onClose}>{t('Keep them')}</Button>
          <Button
            variant="danger"
            disabled={file === null}
            busy={busy}
            onClick={() => void discard()}
          >
            {t('Discard {count, plural, one {# change} other {# changes}}', { count })}
          </Button>
        </>
      }
    >
      <p>
        {t(
          'They were never sent. Once discarded they exist in the export alone, so that is made first, and checked.',
        )}
      </p>
      <ExportSteps
        id="saved-export"
        onSave={() => void saveExport(overview, ids, exportName(caseUid, clock.now()))}
        onChoose={check}
      />
      {file !== null && (
        <Notice
          live
          title={t('The file holds {count, plural, one {this change} other {all # changes}}.', {
            count: file.held,
          })}
        />
      )}
      {problem !== null && <Notice tone="danger" live title={problem} />}
    </Dialog>
  );
}
