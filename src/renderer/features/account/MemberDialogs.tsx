import { z } from 'zod';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { changeMember, type Member, removeMember } from '../../../shared/contract/v1/team.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Select } from '../../ui/Select.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { PasswordAgainField, placePassword, usePasswordAgain } from './password-again.tsx';
import { ROLE_NAME, ROLES } from './roles.ts';

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
      announce({ title: `${member.name} has the role ${ROLE_NAME[body.role].toLowerCase()}.` });
      onClose();
    },
    placeFailure: placePassword,
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Role of ${member.name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="role-form" busy={form.busy}>
            Change role
          </Button>
        </>
      }
    >
      <form {...form.props} id="role-form" className="form" aria-label={`Role of ${member.name}`}>
        <Select
          label="Role"
          options={ROLES}
          value={form.values.role}
          onValue={(value) => form.set('role', value)}
          error={form.errors['role']}
        />
        <PasswordAgainField again={again} form={form} />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
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
      await again.guard(() => call(removeMember, { params: { userId: member.user_id } }));
      if (isMe) {
        window.location.assign(STUDIO_PAGES.projects);
        return;
      }
      for (const key of ['members', 'usage']) queries.invalidate(key);
      announce({ title: `${member.name} has been removed.` });
      onClose();
    },
    placeFailure: placePassword,
  });
  return (
    <Dialog
      open
      focus="dialog"
      onOpenChange={onClose}
      title={`Remove ${member.name}?`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form="remove-form" busy={form.busy}>
            Remove member
          </Button>
        </>
      }
    >
      <form {...form.props} id="remove-form" className="form" aria-label={`Remove ${member.name}`}>
        <p>
          {isMe ? 'Your' : 'Their'} keys and sessions in this account end at once. What{' '}
          {isMe ? 'you' : 'they'} recorded stays, under {isMe ? 'your' : 'their'} name.
        </p>
        <PasswordAgainField again={again} form={form} />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
