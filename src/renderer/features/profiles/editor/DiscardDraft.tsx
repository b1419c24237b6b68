import { Confirm } from '../../../ui/Dialog.tsx';

/** Asks before a draft is discarded, which cannot be undone. */
export function DiscardDraft({
  open,
  title,
  onClose,
  onDiscard,
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  onDiscard: () => void;
}) {
  return (
    <Confirm
      open={open}
      onOpenChange={onClose}
      title={title}
      action="Discard draft"
      busy={false}
      onConfirm={() => {
        onDiscard();
        onClose();
      }}
    >
      <p>The draft cannot be brought back. Published profiles stay as they are.</p>
    </Confirm>
  );
}
