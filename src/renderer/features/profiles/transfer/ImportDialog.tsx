import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { usePublisher } from '../../../state/use-may.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { fileDraft } from '../editor/draft.ts';
import { useStartDraft } from '../editor/use-drafts.ts';
import { FileFound } from './FileFound.tsx';
import { SentNotice } from './SentNotice.tsx';
import { useImport } from './use-import.ts';
import { t, tAs } from '../../../text/t.ts';

/** Takes a profile from a file: shown first, added by a second act. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { file, sent, busy, take, send } = useImport();
  const start = useStartDraft();
  const publisher = usePublisher();
  const read = file?.read;
  /** The file would be published with the import, which is for others to do. */
  const isForOthers =
    read?.kind === 'profile' && read.document.visibility === 'community' && publisher !== 'you';
  const edit = (content: unknown): void =>
    start((birth) => fileDraft(content, file?.name ?? '', birth));
  const maySend = !isForOthers && (sent === undefined || sent.kind === 'failed');
  return (
    <Dialog
      onClose={onClose}
      focus="dialog"
      title={t('Import a profile')}
      description={t(
        'A JSON file with one profile of the standard SGA-QEM-1.0, as Export JSON writes it.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          {read?.kind === 'faulty' && (
            <Button variant="primary" onClick={() => edit(read.content)}>
              {t('Open in the editor')}
            </Button>
          )}
          {isForOthers && (
            <Button variant="primary" onClick={() => edit(read.document)}>
              {t('Open in the editor')}
            </Button>
          )}
          {read?.kind === 'profile' && maySend && (
            <Button variant="primary" busy={busy} onClick={() => send(read.document)}>
              {tAs('verb', 'Import')}
            </Button>
          )}
        </>
      }
    >
      <ChooseFile name={file?.name} onChoose={take} />
      {read !== undefined && <FileFound read={read} publisher={isForOthers ? publisher : 'you'} />}
      {sent !== undefined && <SentNotice sent={sent} onEdit={edit} />}
    </Dialog>
  );
}

function ChooseFile({
  name,
  onChoose,
}: {
  name: string | undefined;
  onChoose: (file: File | undefined) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="actions">
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t('Profile file')}
        onChange={(event) => {
          onChoose(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button icon={<FileUp size={14} aria-hidden="true" />} onClick={() => input.current?.click()}>
        {name === undefined ? t('Choose a file…') : t('Another file…')}
      </Button>
      {name !== undefined && <span className="small muted">{name}</span>}
    </div>
  );
}
