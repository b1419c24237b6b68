import { useState } from 'react';
import {
  createSubscription,
  endSubscription,
  listSubscriptions,
  NOTICE_EVENTS,
  type NoticeEvent,
  type Subscription,
} from '../../../shared/contract/v1/notices.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';

const EVENT_WORDS: Readonly<Record<NoticeEvent, string>> = {
  mentioned: t('a mention'),
  assigned: t('something assigned to you'),
  answered: t('an answer to be looked at'),
  decisions: t('suggestions to be decided'),
};
const KEY = 'subscriptions';
const events = [...NOTICE_EVENTS];

/**
 * Whether this person is written to, and where an owner has notices sent; where the server does so.
 */
export function Notices({ isOwner }: { isOwner: boolean }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const { data } = useCalled(KEY, listSubscriptions);
  if (data === undefined || !(data.mail || data.webhooks || data.data.length > 0)) return null;
  const mail = data.data.find(({ way }) => way === 'mail');
  const hooks = data.data.filter(({ way }) => way === 'webhook');
  return (
    <Section
      title={t('Notices')}
      note={t(
        'Of what waits for somebody: mentions, threads, items and rules that are assigned, answers, suggestions to be decided. They name places and quote nothing.',
      )}
      actions={
        data.mail && mail === undefined ? (
          <Button
            busy={busy}
            onClick={() =>
              void act(() => call(createSubscription, { body: { way: 'mail', events } }), {
                changes: [KEY],
                done: t('You get e-mails from now on.'),
                failed: t('Nothing was changed'),
              })
            }
          >
            {t('Send me e-mails')}
          </Button>
        ) : undefined
      }
    >
      {mail !== undefined && <Subscribed one={mail} name={t('E-mails to you')} />}
      {isOwner && (
        <>
          {hooks.map((one) => (
            <Subscribed key={one.subscription_id} one={one} name={one.url ?? ''} />
          ))}
          {data.webhooks && <AddWebhook />}
        </>
      )}
    </Section>
  );
}

function Subscribed({ one, name }: { one: Subscription; name: string }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const params = { subscriptionId: one.subscription_id };
  return (
    <Notice
      tone="info"
      title={name}
      actions={
        <Button
          size="sm"
          busy={busy}
          aria-label={t('End notices: {name}', { name })}
          onClick={() =>
            void act(() => call(endSubscription, { params }), {
              changes: [KEY],
              done: t('These notices have ended.'),
              failed: t('Nothing was changed'),
            })
          }
        >
          {t('End')}
        </Button>
      }
    >
      <p>
        {new Intl.ListFormat(undefined, { type: 'conjunction' }).format(
          one.events.map((event) => EVENT_WORDS[event]),
        )}
      </p>
      <p className="small muted">
        {one.last === null
          ? t('Nothing was sent yet.')
          : t('Last attempt {when}: {result}', {
              when: formatDateTime(one.last.at),
              result: one.last.result,
            })}
      </p>
    </Notice>
  );
}

/** The secret of a new webhook is on screen until the page is left, and nowhere after. */
function AddWebhook() {
  const { call } = useServices();
  const { busy, act } = useAct();
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string>();
  const add = (): void =>
    void act(
      async () => {
        const made = await call(createSubscription, { body: { way: 'webhook', url, events } });
        setSecret(made.secret ?? undefined);
        // What is typed of the next one meanwhile stays.
        setUrl((now) => (now === url ? '' : now));
      },
      { changes: [KEY], done: t('The webhook is added.'), failed: t('Nothing was changed') },
    );
  return (
    <>
      {secret !== undefined && (
        <Notice tone="warning" title={t('Copy the secret now. It is shown this once.')}>
          <div className="secret">
            <code className="mono">{secret}</code>
            <CopyButton text={secret} label={t('Copy secret')} />
          </div>
        </Notice>
      )}
      <form
        className="secret"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextField
          name="webhook"
          label={t('Address of a program')}
          hint={t('Notices are posted there as webhooks, signed by Standard Webhooks.')}
          value={url}
          onValue={setUrl}
        />
        <Button type="submit" busy={busy} disabled={url === ''}>
          {t('Add webhook')}
        </Button>
      </form>
    </>
  );
}
