import { useState } from 'react';
import type { z } from 'zod';
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
import { CheckField, TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { curlExample } from './key-state.ts';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';

type ShownKey = z.infer<typeof CreatedKey>;

const EXPIRY = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'never', label: 'Never' },
] as const;

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
  const [created, setCreated] = useState<ShownKey>();
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
  onCreated: (key: ShownKey) => void;
}) {
  const { call, queries } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: {
      name: '',
      scopes: (mayWrite ? ['read', 'write'] : ['read']) as ('read' | 'write' | 'delete')[],
      expires_days: '90' as (typeof EXPIRY)[number]['value'],
      password: '',
    },
    schema: KeyInput,
    toInput: ({ password: _, ...values }) => ({
      ...values,
      expires_days: values.expires_days === 'never' ? null : Number(values.expires_days),
    }),
    submit: async (body) => {
      const key = await again.guard(() => call(createKey, { body }));
      queries.invalidate('usage');
      onCreated(key);
    },
    placeFailure: placePassword,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Create API key"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="key-form" busy={form.busy}>
            Create key
          </Button>
        </>
      }
    >
      <form {...form.props} id="key-form" className="form" aria-label="Create API key">
        <TextField
          name="name"
          label="Name"
          hint="What will use it, for example the agent's name."
          required
          autoComplete="off"
          value={form.values.name}
          onValue={(value) => form.set('name', value)}
          error={form.errors['name']}
        />
        <fieldset className="form-group">
          <legend className="field-label">Permissions</legend>
          <CheckField
            label="Read"
            hint="List and retrieve everything in this account."
            checked
            disabled
            onChecked={() => undefined}
          />
          <CheckField
            label="Write"
            hint={
              mayWrite
                ? 'Create projects and cases, record evidence, start runs.'
                : 'A viewer makes keys that read.'
            }
            disabled={!mayWrite}
            checked={form.values.scopes.includes('write')}
            onChecked={(on) => form.set('scopes', on ? ['read', 'write'] : ['read'])}
          />
          <CheckField
            label="Remove"
            hint="Remove items and cases, and bring removed ones back."
            disabled={!mayWrite || !form.values.scopes.includes('write')}
            checked={form.values.scopes.includes('delete')}
            onChecked={(on) =>
              form.set('scopes', on ? ['read', 'write', 'delete'] : ['read', 'write'])
            }
          />
        </fieldset>
        <Select
          label="Expires"
          options={EXPIRY}
          value={form.values.expires_days}
          onValue={(value) => form.set('expires_days', value)}
          error={form.errors['expires_days']}
        />
        <PasswordAgainField again={again} form={form} />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}

function ConnectStudio({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: ShownKey) => void;
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
    <Dialog
      open
      onOpenChange={onClose}
      title="Connect a studio"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="studio-key-form" busy={form.busy}>
            Create key
          </Button>
        </>
      }
    >
      <form {...form.props} id="studio-key-form" className="form" aria-label="Connect a studio">
        <p>
          Evidence Studio on another computer syncs its shared projects with this server by a key of
          its own. It sends what everybody recorded there; where that was not you, histories name
          you and this key as the sender.
        </p>
        <TextField
          name="name"
          label="Name"
          hint="Which studio it is, for example the computer's name."
          required
          autoComplete="off"
          value={form.values.name}
          onValue={(value) => form.set('name', value)}
          error={form.errors['name']}
        />
        <PasswordAgainField again={again} form={form} />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}

const mayOf = ({ scopes }: ShownKey): string =>
  scopes.includes('sync')
    ? 'sync everything with'
    : scopes.includes('write')
      ? 'read and write'
      : 'read';

function ShowKey({
  created,
  serverUrl,
  onClose,
}: {
  created: ShownKey;
  serverUrl: string;
  onClose: () => void;
}) {
  const example = curlExample(serverUrl, created.key);
  return (
    <Dialog
      open
      wide
      dismissible={false}
      onOpenChange={onClose}
      title={`Key "${created.name}"`}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have copied the key
        </Button>
      }
    >
      <Notice tone="warning" title="Copy the key now. It is shown this once.">
        <p>
          The studio stores only a keyed hash of it. Treat it as a password: whoever has it can{' '}
          {mayOf(created)} this account.
        </p>
      </Notice>
      <div className="secret">
        <TextField
          name="key"
          label="API key"
          mono
          readOnly
          value={created.key}
          onValue={() => undefined}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={created.key} label="Copy key" variant="primary" size="md" />
      </div>
      {created.scopes.includes('sync') && (
        <p>
          Enter it in the other studio on the page Sync, together with the address{' '}
          <code>{serverUrl}</code>.
        </p>
      )}
      {!created.scopes.includes('sync') && (
        <div className="form-group">
          <div className="section-head">
            <h3 id="curl-title">Try it in a shell</h3>
            <CopyButton text={example} label="Copy command" />
          </div>
          <pre className="code" aria-labelledby="curl-title" tabIndex={0}>
            {example}
          </pre>
        </div>
      )}
    </Dialog>
  );
}
