import { useState } from 'react';
import type { Role } from '../../../shared/contract/v1/account.ts';
import { createInvitation } from '../../../shared/contract/v1/team.ts';
import { useForm } from '../../state/form.ts';
import { formatDateTime } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Select } from '../../ui/Select.tsx';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { ROLE_WORD } from '../../state/role-words.ts';
import { ROLES } from './roles.ts';
import { t } from '../../text/t.ts';

interface Invited {
  url: string;
  role: Role;
  expires_at: string;
}

/** Two steps in one dialog: who is invited as what, then the link, once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<Invited>();
  return invited === undefined ? (
    <Invite onClose={onClose} onInvited={setInvited} />
  ) : (
    <ShowLink invited={invited} onClose={onClose} />
  );
}

function Invite({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (invited: Invited) => void;
}) {
  const { call, queries } = useServices();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { name: '', role: 'member' as Role, password: '' },
    schema: createInvitation.body!,
    toInput: ({ name, role }) => ({ role, ...(name.trim() !== '' && { name }) }),
    submit: async (body) => {
      const { invitation, url } = await again.guard(() => call(createInvitation, { body }));
      queries.invalidate('members');
      onInvited({ url, role: invitation.role, expires_at: invitation.expires_at });
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog
      title={t('Invite to this account')}
      action={t('Make the link')}
      form={form}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('Who it is for')}
        optional
        hint={t('For your own list; the person chooses their name.')}
        autoComplete="off"
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
      <Select
        label={t('Role')}
        options={ROLES}
        value={form.values.role}
        onValue={(value) => form.set('role', value)}
        error={form.errors['role']}
      />
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}

function ShowLink({ invited, onClose }: { invited: Invited; onClose: () => void }) {
  return (
    <Dialog
      wide
      dismissible={false}
      onClose={onClose}
      title={t('The invitation')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('I have copied the link')}
        </Button>
      }
    >
      <Notice tone="warning" title={t('Copy the link now. It is shown this once.')}>
        <p>
          {t(
            'Whoever opens it first joins this account as {role}. It works once, until {time}; until then you can withdraw it. The server sends no mail: pass it on yourself.',
            {
              role: ROLE_WORD[invited.role],
              time: formatDateTime(invited.expires_at),
            },
          )}
        </p>
      </Notice>
      <div className="secret">
        <TextField
          name="url"
          label={t('Invitation link')}
          mono
          readOnly
          value={invited.url}
          onValue={() => undefined}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={invited.url} label={t('Copy link')} variant="primary" size="md" />
      </div>
    </Dialog>
  );
}
