import { useState } from 'react';
import {
  createKey,
  createStudioKey,
  KeyInput,
  StudioKeyInput,
  type CreatedKey,
  type Role,
} from '../../../shared/contract/v1/account.ts';
import { mayRecord } from '../../../shared/contract/roles.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { curlExample } from './key-state.ts';
import { daysOf, EXPIRY, type Expiry } from './key-words.ts';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';
import { KeyPermissions, type KeyScope } from './KeyPermissions.tsx';

/** Whose the key is to be: a program's, or a studio's on another computer. */
export type KeyFor = 'program' | 'studio';

/** Two steps in one dialog: what the key may do, then the key itself, once. */
export function KeyDialog({
  keyFor,
  serverUrl,
  role,
  onClose,
}: {
  keyFor: KeyFor;
  serverUrl: string | undefined;
  role: Role | undefined;
  onClose: () => void;
}) {
  const [created, setCreated] = useState<CreatedKey>();
  if (created === undefined && keyFor === 'studio')
    return <ConnectStudio onClose={onClose} onCreated={setCreated} />;
  return created === undefined ? (
    <CreateKey
      mayWrite={role === undefined || mayRecord(role)}
      onClose={onClose}
      onCreated={setCreated}
    />
  ) : (
    <ShowKey created={created} serverUrl={serverUrl ?? window.location.origin} onClose={onClose} />
  );
}

function CreateKey({
  mayWrite,
  onClose,
  onCreated,
}: {
  mayWrite: boolean;
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}) {
  const { call, queries } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: {
      name: '',
      scopes: (mayWrite ? ['read', 'write'] : ['read']) as KeyScope[],
      expires_days: '90' as Expiry,
      password: '',
    },
    schema: KeyInput,
    toInput: ({ password: _, ...values }) => ({
      ...values,
      expires_days: daysOf(values.expires_days),
    }),
    submit: async (body) => {
      const key = await again.guard(() => call(createKey, { body }));
      queries.invalidate('usage');
      onCreated(key);
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog title={t('Create API key')} action={t('Create key')} form={form} onClose={onClose}>
      <TextField
        name="name"
        label={t('Name')}
        hint={t("What will use it, for example the agent's name.")}
        required
        autoComplete="off"
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
      <KeyPermissions
        mayWrite={mayWrite}
        scopes={form.values.scopes}
        onScopes={(scopes) => form.set('scopes', scopes)}
      />
      <Select
        label={t('Expires')}
        options={EXPIRY}
        value={form.values.expires_days}
        onValue={(value) => form.set('expires_days', value)}
        error={form.errors['expires_days']}
      />
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}

function ConnectStudio({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}) {
  const { call, queries } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { name: '', password: '' },
    schema: StudioKeyInput,
    toInput: ({ name }) => ({ name }),
    submit: async (body) => {
      const key = await again.guard(() => call(createStudioKey, { body }));
      queries.invalidate('usage');
      onCreated(key);
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog
      title={t('Connect a studio')}
      action={t('Create key')}
      form={form}
      onClose={onClose}
    >
      <p>
        {t(
          'Evidence Studio on another computer syncs its shared projects with this server by a key of its own. It sends what everybody recorded there; where that was not you, histories name you and this key as the sender.',
        )}
      </p>
      <TextField
        name="name"
        label={t('Name')}
        hint={t("Which studio it is, for example the computer's name.")}
        required
        autoComplete="off"
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}

const WARNINGS = {
  sync: t(
    'The studio stores only a keyed hash of it. Treat it as a password: whoever has it can sync everything with this account.',
  ),
  write: t(
    'The studio stores only a keyed hash of it. Treat it as a password: whoever has it can read and write this account.',
  ),
  read: t(
    'The studio stores only a keyed hash of it. Treat it as a password: whoever has it can read this account.',
  ),
};

const warningOf = ({ scopes }: CreatedKey): string =>
  WARNINGS[scopes.includes('sync') ? 'sync' : scopes.includes('write') ? 'write' : 'read'];

function ShowKey({
  created,
  serverUrl,
  onClose,
}: {
  created: CreatedKey;
  serverUrl: string;
  onClose: () => void;
}) {
  const example = curlExample(serverUrl, created.key);
  return (
    <Dialog
      wide
      dismissible={false}
      onClose={onClose}
      title={t('Key "{name}"', { name: created.name })}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('I have copied the key')}
        </Button>
      }
    >
      <Notice tone="warning" title={t('Copy the key now. It is shown this once.')}>
        <p>{warningOf(created)}</p>
      </Notice>
      <div className="secret">
        <TextField
          name="key"
          label={t('API key')}
          mono
          readOnly
          value={created.key}
          onValue={() => undefined}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={created.key} label={t('Copy key')} variant="primary" size="md" />
      </div>
      {created.scopes.includes('sync') && (
        <p>
          {rich(
            'Enter it in the other studio on the page Sync, together with the address {address}.',
            { address: <code>{serverUrl}</code> },
          )}
        </p>
      )}
      {!created.scopes.includes('sync') && (
        <div className="form-group">
          <div className="section-head">
            <h3 id="curl-title">{t('Try it in a shell')}</h3>
            <CopyButton text={example} label={t('Copy command')} />
          </div>
          <pre className="code" aria-labelledby="curl-title" tabIndex={0}>
            {example}
          </pre>
        </div>
      )}
    </Dialog>
  );
}
