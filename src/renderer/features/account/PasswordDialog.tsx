import { useRef } from 'react';
import { z } from 'zod';
import { changePassword, MIN_PASSWORD, NewPassword } from '../../../shared/contract/v1/team.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { SecretField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';

const Input = z
  .strictObject({
    current: z.string().min(1, t('Must not be empty.')),
    next: NewPassword,
    repeated: z.string(),
  })
  .refine(({ next, repeated }) => next === repeated, {
    path: ['repeated'],
    message: t('Is not the same as the new password.'),
  });

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { call, queries } = useServices();
  const announce = useToast();
  const fields = {
    current: useRef<HTMLInputElement>(null),
    next: useRef<HTMLInputElement>(null),
    repeated: useRef<HTMLInputElement>(null),
  };
  const valueOf = (name: keyof typeof fields): string => fields[name].current?.value ?? '';
  const form = useForm({
    // The fields alone hold them.
    initial: { current: '', next: '', repeated: '' },
    schema: Input,
    toInput: () => ({
      current: valueOf('current'),
      next: valueOf('next'),
      repeated: valueOf('repeated'),
    }),
    submit: async ({ current, next }) => {
      await call(changePassword, { body: { current, next } });
      queries.invalidate('sessions');
      announce({ title: t('Your password is changed. Every other browser is signed out.') });
      onClose();
    },
    placeFailure: ({ code, message }) =>
      code === 'wrong_password' ? { field: 'current', message } : undefined,
  });
  const field = (name: keyof typeof fields, label: string, autoComplete: string, hint?: string) => (
    <SecretField
      name={name}
      label={label}
      hint={hint}
      autoComplete={autoComplete}
      required
      input={fields[name]}
      onEdit={() => form.set(name, '')}
      error={form.errors[name]}
    />
  );
  return (
    <FormDialog
      title={t('Change password')}
      action={t('Change password')}
      form={form}
      onClose={onClose}
    >
      {field('current', t('Current password'), 'current-password')}
      {field(
        'next',
        t('New password'),
        'new-password',
        t('At least {count} characters. A few words that do not belong together are good.', {
          count: MIN_PASSWORD,
        }),
      )}
      {field('repeated', t('New password again'), 'new-password')}
    </FormDialog>
  );
}
