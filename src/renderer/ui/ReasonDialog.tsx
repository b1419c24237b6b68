import { TextField } from './Field.tsx';
import { FormDialog, type FormDialogProps } from './FormDialog.tsx';
import { t } from '../text/t.ts';

interface ReasonDialogProps extends FormDialogProps {
  reason: string;
  onReason: (reason: string) => void;
  /** Where the reason is stored. */
  hint: string;
  /** It may be left out. */
  isOptional?: boolean;
}

/** An act with its reason, which is recorded with it. */
export function ReasonDialog({
  reason,
  onReason,
  hint,
  isOptional = false,
  isIncomplete = false,
  children,
  ...dialog
}: ReasonDialogProps) {
  return (
    <FormDialog {...dialog} isIncomplete={isIncomplete || (!isOptional && reason.trim() === '')}>
      {children}
      <TextField
        name="reason"
        label={t('Reason')}
        required={!isOptional}
        optional={isOptional}
        hint={hint}
        value={reason}
        onValue={onReason}
        error={dialog.form.errors['reason']}
        autoComplete="off"
      />
    </FormDialog>
  );
}
