import { useRef, useState } from 'react';
import { connectUplink, type UnsentChoice } from '../../../shared/contract/v1/uplink.ts';
import { describeFailure, type ShownFailure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { SecretField, TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Section } from '../../ui/Page.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { OtherWork } from './OtherWork.tsx';
import { t } from '../../text/t.ts';

const OF_KEY: ReadonlySet<string> = new Set([
  'invalid_key',
  'key_revoked',
  'key_expired',
  'user_disabled',
  'other_user',
  'insufficient_scope',
  'missing_credentials',
]);
const OF_ADDRESS: ReadonlySet<string> = new Set(['no_connection']);

function placeFailure({
  code,
  message,
  details,
}: ShownFailure): { field: 'url' | 'key'; message: string } | undefined {
  if (code === undefined || details.length > 0) return undefined;
  if (OF_KEY.has(code)) return { field: 'key', message };
  return OF_ADDRESS.has(code) ? { field: 'url', message } : undefined;
}

/**
 * Address and key of a hosted server. The key is in its field alone, and is cleared from there as
 * soon as it is sent.
 */
export function ConnectForm({ url = '', onDone }: { url?: string; onDone?: () => void }) {
  const { call, library, uplink } = useServices();
  const announce = useToast();
  const key = useRef<HTMLInputElement>(null);
  const [others, setOthers] = useState<ShownFailure | null>(null);
  const [choice, setChoice] = useState<UnsentChoice | null>(null);
  const form = useForm({
    initial: { url, key: '' },
    schema: connectUplink.body!,
    toInput: (values) => ({
      url: values.url.trim(),
      key: key.current?.value.trim() ?? '',
      ...(choice !== null && { unsent: choice }),
    }),
    submit: async (body) => {
      if (key.current !== null) key.current.value = '';
      let status;
      try {
        status = await call(connectUplink, { body });
      } catch (error) {
        const failure = describeFailure(error);
        if (failure.code !== 'other_user') throw error;
        // Nothing was kept of the attempt, so the key is needed for the next.
        if (key.current !== null) key.current.value = body.key;
        setOthers(failure);
        return;
      }
      setOthers(null);
      setChoice(null);
      // The studio's person is the hosted user from now on: requests of the previous one would be
      // refused.
      await library.session().catch(() => undefined);
      uplink.take(status);
      announce({
        title: t('Connected to {host}.', { host: URL.parse(body.url)?.host ?? body.url }),
      });
      onDone?.();
    },
    placeFailure,
  });
  return (
    <Section
      title={t('Connect to a hosted server')}
      note={t(
        'Projects that you choose are then synced with it; everything stays on this computer too. The first sync joins both sides and overwrites nothing.',
      )}
    >
      <form
        {...form.props}
        className="panel form sync-connect"
        aria-label={t('Connect to a hosted server')}
        autoComplete="off"
      >
        <TextField
          name="url"
          label={t('Address')}
          hint={t('For example https://lab.example.org')}
          type="url"
          inputMode="url"
          autoComplete="off"
          required
          value={form.values.url}
          onValue={(value) => form.set('url', value)}
          error={form.errors['url']}
        />
        <SecretField
          name="key"
          label={t('API key')}
          hint={t(
            'Shown on the hosted server’s account page by “Connect a studio”. What you record is sent in the name of its user; with a read-only key, or a viewer’s, nothing is sent.',
          )}
          required
          input={key}
          onEdit={() => form.set('key', '')}
          error={form.errors['key']}
        />
        {others !== null && <OtherWork failure={others} choice={choice} onChoice={setChoice} />}
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
        <div className="actions">
          <Button
            variant="primary"
            type="submit"
            busy={form.busy}
            disabled={others !== null && choice === null}
          >
            {t('Connect')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
