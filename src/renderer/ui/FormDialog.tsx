import { type ComponentProps, type ReactNode, useId } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { FailureNotice } from './Loaded.tsx';
import { t } from '../text/t.ts';

/** What a dialog draws of a form (`state/form.ts`). */
export interface FormParts {
  props: Pick<ComponentProps<'form'>, 'ref' | 'onSubmit' | 'noValidate'>;
  errors: Partial<Record<string, string>>;
  failure: ComponentProps<typeof FailureNotice>['failure'] | undefined;
  busy: boolean;
}

export interface FormDialogProps extends Pick<
  ComponentProps<typeof Dialog>,
  'title' | 'description' | 'wide' | 'focus'
> {
  /** Of the button that sends the form. */
  action: string;
  form: FormParts;
  /** What is about to happen takes something away. */
  tone?: 'primary' | 'danger';
  /** Something is missing without which it cannot be sent. */
  isIncomplete?: boolean;
  onClose: () => void;
  children?: ReactNode;
}

/** A form in a dialog: it is sent, or left by Cancel. */
export function FormDialog({
  title,
  action,
  form,
  tone = 'primary',
  isIncomplete = false,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const id = useId();
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant={tone} type="submit" form={id} busy={form.busy} disabled={isIncomplete}>
            {action}
          </Button>
        </>
      }
    >
      <form {...form.props} id={id} className="form" aria-label={title}>
        {children}
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
