import type { Role } from '../../../shared/contract/v1/account.ts';

export const ROLE_NAME: Record<Role, string> = {
  owner: 'Owner',
  member: 'Member',
  viewer: 'Viewer',
};

export const ROLES: readonly { value: Role; label: string; detail: string }[] = [
  {
    value: 'member',
    label: ROLE_NAME.member,
    detail: 'Records evidence, freezes runs, writes profiles.',
  },
  { value: 'viewer', label: ROLE_NAME.viewer, detail: 'Reads everything, changes nothing.' },
  {
    value: 'owner',
    label: ROLE_NAME.owner,
    detail: 'As a member; also invites, changes members and sees every key.',
  },
];
