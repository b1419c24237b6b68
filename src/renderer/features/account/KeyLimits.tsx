import { useState } from 'react';
import { KeyLimitsInput, limitKey, type ApiKey } from '../../../shared/contract/v1/account.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { t } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { useAct } from './use-act.ts';

/** What a key may suggest, and how much of it is used up today. */
export function LimitWords({ limits, now }: { limits: ApiKey['limits']; now: number }) {
  const { suggestions_a_day: aDay, open_suggestions: open, suggested, suggested_on } = limits;
  const today = suggested_on === new Date(now).toISOString().slice(0, 10) ? suggested : 0;
  return (
    <>
      {aDay !== null && (
        <div className="num">
          {t('{used, number} of {most, number} suggestions today', { used: today, most: aDay })}
        </div>
      )}
      {open !== null && (
        <div className="num">
          {t('{most, plural, one {# suggestion} other {# suggestions}} may wait', { most: open })}
        </div>
      )}
    </>
  );
}

/** Pausing and resuming a key, and what it may suggest. */
export function KeyLimitActions({ apiKey }: { apiKey: ApiKey }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const [limiting, setLimiting] = useState(false);
  const { name, key_id: keyId } = apiKey;
  const isPaused = apiKey.paused_at !== null;
  const toggle = () =>
    act(() => call(limitKey, { params: { keyId }, body: { paused: !isPaused } }), {
      changes: ['usage'],
      done: isPaused
        ? t('Key "{name}" may write again.', { name })
        : t('Key "{name}" is paused: it may only read.', { name }),
      failed: isPaused ? t('The key was not resumed') : t('The key was not paused'),
    });
  return (
    <>
      <Button
        size="sm"
        busy={busy}
        onClick={() => void toggle()}
        aria-label={isPaused ? t('Resume {name}', { name }) : t('Pause {name}', { name })}
      >
        {isPaused ? t('Resume') : t('Pause')}
      </Button>
      <Button
        size="sm"
        onClick={() => setLimiting(true)}
        aria-label={t('Limits of {name}', { name })}
      >
        {t('Limits')}
      </Button>
      {limiting && <LimitsDialog apiKey={apiKey} onClose={() => setLimiting(false)} />}
    </>
  );
}

const shown = (limit: number | null): string => (limit === null ? '' : String(limit));
/** What is no number is left to the schema to refuse, in its place. */
const typed = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function LimitsDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { call, queries } = useServices();
  const { suggestions_a_day, open_suggestions } = apiKey.limits;
  const form = useForm({
    initial: {
      suggestions_a_day: shown(suggestions_a_day),
      open_suggestions: shown(open_suggestions),
    },
    schema: KeyLimitsInput,
    toInput: (values) => ({
      suggestions_a_day: typed(values.suggestions_a_day),
      open_suggestions: typed(values.open_suggestions),
    }),
    submit: async (body) => {
      await call(limitKey, { params: { keyId: apiKey.key_id }, body });
      queries.invalidate('usage');
      onClose();
    },
  });
  const title = t('Limits of "{name}"', { name: apiKey.name });
  return (
    <FormDialog title={title} action={t('Save')} form={form} onClose={onClose}>
      <p>
        {t(
          'What the key suggests beyond a limit is refused with a reason. Leave a field empty for no limit.',
        )}
      </p>
      <TextField
        name="suggestions_a_day"
        label={t('Suggestions a day')}
        hint={t('The day ends at midnight UTC.')}
        inputMode="numeric"
        autoComplete="off"
        value={form.values.suggestions_a_day}
        onValue={(value) => form.set('suggestions_a_day', value)}
        error={form.errors['suggestions_a_day']}
      />
      <TextField
        name="open_suggestions"
        label={t('Suggestions that wait for a decision')}
        inputMode="numeric"
        autoComplete="off"
        value={form.values.open_suggestions}
        onValue={(value) => form.set('open_suggestions', value)}
        error={form.errors['open_suggestions']}
      />
    </FormDialog>
  );
}
