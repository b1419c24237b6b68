import { z } from 'zod';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { changeMember, type Member, removeMember } from '../../../shared/contract/v1/team.ts';
import { useForm } from '../../state/form.ts';
import { endOnce } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { ROLE_WORD } from '../../state/role-words.ts';
import { ROLES } from './roles.ts';
import { t } from '../../text/t.ts';

export function RoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { call, queries } = useServices();
  const announce = useToast();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { role: member.role, password: '' },
    schema: changeMember.body!,
    toInput: ({ role }) => ({ role }),
    submit: async (body) => {
      await again.guard(() => call(changeMember, { params: { userId: member.user_id }, body }));
      for (const key of ['members', 'session', 'usage']) queries.invalidate(key);
      announce({
        title: t('{name} has the role {role}.', {
          name: member.name,
          role: ROLE_WORD[body.role],
        }),
      });
      onClose();
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog
      title={t('Role of {name}', { name: member.name })}
      action={t('Change role')}
      form={form}
      onClose={onClose}
    >
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

export function RemoveDialog({
  member,
  isMe,
  onClose,
}: {
  member: Member;
  isMe: boolean;
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const announce = useToast();
  const again = usePasswordAgain();
  const form = useForm({
    initial: { password: '' },
    schema: z.strictObject({}),
    toInput: () => ({}),
    submit: async () => {
      await again.guard(() => endOnce(call(removeMember, { params: { userId: member.user_id } })));
      if (isMe) {
        window.location.assign(STUDIO_PAGES.projects);
        return;
      }
      for (const key of ['members', 'usage']) queries.invalidate(key);
      announce({ title: t('{name} has been removed.', { name: member.name }) });
      onClose();
    },
    placeFailure: placePassword,
  });
  return (
    <FormDialog
      focus="dialog"
      title={t('Remove {name}?', { name: member.name })}
      action={t('Remove member')}
      form={form}
      tone="danger"
      onClose={onClose}
    >
      <p>
        {isMe
          ? t(
              'Your keys and sessions in this account end at once. What you recorded stays, under your name.',
            )
          : t(
              'Their keys and sessions in this account end at once. What they recorded stays, under their name.',
            )}
      </p>
      <PasswordAgainField again={again} form={form} />
    </FormDialog>
  );
}
