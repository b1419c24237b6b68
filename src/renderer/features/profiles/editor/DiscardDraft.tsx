import { Confirm } from '../../../ui/Dialog.tsx';
import { t } from '../../../text/t.ts';

/** Asks before a draft is discarded, which cannot be undone. */
export function DiscardDraft({
  title,
  onClose,
  onDiscard,
}: {
  title: string;
  onClose: () => void;
  onDiscard: () => void;
}) {
  return (
    <Confirm
      onClose={onClose}
      title={title}
      action={t('Discard draft')}
      busy={false}
      onConfirm={() => {
        onDiscard();
        onClose();
      }}
    >
      <p>{t('The draft cannot be brought back. Published profiles stay as they are.')}</p>
    </Confirm>
  );
}
