import { useRef, useState, type RefObject } from 'react';
import { confirmSession } from '../../../shared/contract/v1/team.ts';
import { describeFailure, type ShownFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { SecretField } from '../../ui/Field.tsx';
import { t } from '../../text/t.ts';

interface PasswordAgain {
  asked: boolean;
  input: RefObject<HTMLInputElement | null>;
  /** Does it, after the password where that was asked for; throws what it throws. */
  guard: <T>(doing: () => Promise<T>) => Promise<T>;
}

/**
 * Some acts need a password that was given lately. The server says so; then the form that was sent
 * has one more field.
 */
export function usePasswordAgain(): PasswordAgain {
  const { call } = useServices();
  const input = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState(false);
  return {
    asked,
    input,
    async guard(doing) {
      if (asked) await call(confirmSession, { body: { password: input.current?.value ?? '' } });
      try {
        return await doing();
      } catch (error) {
        if (describeFailure(error).code === 'password_needed') setAsked(true);
        throw error;
      }
    },
  };
}

export function placePassword({
  code,
  message,
}: ShownFailure): { field: 'password'; message: string } | undefined {
  if (code === 'password_needed')
    return {
      field: 'password',
      message: t('You signed in a while ago: give your password again.'),
    };
  return code === 'wrong_password' ? { field: 'password', message } : undefined;
}

/** For a form with a value `password`, which stays empty: the field alone holds it. */
export function PasswordAgainField({
  again,
  form,
}: {
  again: PasswordAgain;
  form: { errors: Partial<Record<string, string>>; set: (name: 'password', value: '') => void };
}) {
  if (!again.asked) return null;
  return (
    <SecretField
      name="password"
      label={t('Your password')}
      autoComplete="current-password"
      required
      input={again.input}
      onEdit={() => form.set('password', '')}
      error={form.errors['password']}
    />
  );
}
