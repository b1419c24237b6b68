import { useRef } from 'react';
import { z } from 'zod';
import type { RunUid } from '../../../shared/contract/ids.ts';
import { signRun } from '../../../shared/contract/v1/sign-off.ts';
import { MEANINGS, SignatureMeaning } from '../../../shared/domain/sign-off.ts';
import { useForm } from '../../state/form.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { MEANING_WORDS } from '../../state/signature-words.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { SecretField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';

/** Asks what a signature means, and for the password of whoever signs. */
export function SignDialog({
  run: { run_uid: runUid, content_hash },
  onClose,
}: {
  run: { run_uid: RunUid; content_hash: string };
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const password = useRef<HTMLInputElement>(null);
  const session = useQuery('session', (library) => library.session()).data;
  const hasPassword = session?.sign_in === 'password';
  const form = useForm({
    initial: { meaning: '', password: '' },
    schema: z.strictObject({ meaning: SignatureMeaning }),
    toInput: ({ meaning }) => ({ meaning }),
    submit: async ({ meaning }) => {
      await call(signRun, {
        params: { runUid },
        body: {
          content_hash,
          meaning,
          ...(hasPassword && { password: password.current?.value ?? '' }),
        },
      });
      queries.invalidate(`signatures/${runUid}`);
      onClose();
    },
    placeFailure: ({ code, message }) =>
      code === 'wrong_password' ? { field: 'password', message } : undefined,
  });
  return (
    <Dialog
      onClose={onClose}
      title={t('Sign this run')}
      description={t(
        'The signature is for good: it cannot be changed or taken back. It names you, the time, the meaning and the content hash.',
      )}
    >
      <form {...form.props} className="form" aria-label={t('Sign this run')}>
        <Select
          label={t('Meaning')}
          options={MEANINGS.map((meaning) => ({
            value: meaning as string,
            label: MEANING_WORDS[meaning].name,
            detail: MEANING_WORDS[meaning].says,
          }))}
          value={form.values.meaning === '' ? null : form.values.meaning}
          onValue={(meaning) => form.set('meaning', meaning)}
          error={form.errors['meaning']}
        />
        {hasPassword ? (
          <SecretField
            name="password"
            label={t('Your password')}
            autoComplete="current-password"
            required
            input={password}
            onEdit={() => form.set('password', '')}
            error={form.errors['password']}
          />
        ) : (
          <p className="muted">
            {t(
              'Nobody has a password here: whoever uses the account of this computer signs as {name}. The signature says so.',
              { name: session?.user.name ?? '' },
            )}
          </p>
        )}
        <p className="small muted">
          <code>{content_hash}</code>
        </p>
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
        <div className="actions">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            type="submit"
            busy={form.busy}
            disabled={form.values.meaning === ''}
          >
            {t('Sign')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
