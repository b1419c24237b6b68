import type { Role } from '../../../shared/contract/v1/account.ts';
import { t } from '../../text/t.ts';

export const ROLE_NAME: Record<Role, string> = {
  owner: t('Owner'),
  member: t('Member'),
  viewer: t('Viewer'),
};

export const ROLES: readonly { value: Role; label: string; detail: string }[] = [
  {
    value: 'member',
    label: ROLE_NAME.member,
    detail: t('Records evidence, freezes runs, writes profiles.'),
  },
  { value: 'viewer', label: ROLE_NAME.viewer, detail: t('Reads everything, changes nothing.') },
  {
    value: 'owner',
    label: ROLE_NAME.owner,
    detail: t('As a member; also invites, changes members and sees every key.'),
  },
];
