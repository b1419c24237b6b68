import { type ComponentProps, type ReactNode, useId } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { TextField } from './Field.tsx';
import { FailureNotice } from './Loaded.tsx';
import { t } from '../text/t.ts';

/** What the dialog draws of a form. */
interface FormParts {
  props: Pick<ComponentProps<'form'>, 'ref' | 'onSubmit' | 'noValidate'>;
  errors: Partial<Record<string, string>>;
  failure: ComponentProps<typeof FailureNotice>['failure'] | undefined;
  busy: boolean;
}

interface ReasonDialogProps {
  title: string;
  description?: string | undefined;
  wide?: boolean;
  /** Of the button. */
  action: string;
  form: FormParts;
  reason: string;
  onReason: (reason: string) => void;
  /** Where the reason is stored. */
  hint: string;
  /** It may be left out. */
  isOptional?: boolean;
  /** What is about to happen hides something. */
  tone?: 'primary' | 'danger';
  /** A choice above the reason is still missing. */
  isIncomplete?: boolean;
  onClose: () => void;
  children?: ReactNode;
}

/** An act with its reason, which is recorded with it. */
export function ReasonDialog({
  title,
  description,
  wide = false,
  action,
  form,
  reason,
  onReason,
  hint,
  isOptional = false,
  tone = 'primary',
  isIncomplete = false,
  onClose,
  children,
}: ReasonDialogProps) {
  const id = useId();
  return (
    <Dialog
      open
      wide={wide}
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant={tone}
            type="submit"
            form={id}
            busy={form.busy}
            disabled={isIncomplete || (!isOptional && reason.trim() === '')}
          >
            {action}
          </Button>
        </>
      }
    >
      <form {...form.props} id={id} className="form" aria-label={title}>
        {children}
        <TextField
          name="reason"
          label={t('Reason')}
          required={!isOptional}
          optional={isOptional}
          hint={hint}
          value={reason}
          onValue={onReason}
          error={form.errors['reason']}
          autoComplete="off"
        />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
