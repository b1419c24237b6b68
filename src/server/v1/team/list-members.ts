import { listMembers } from '../../../shared/contract/v1/team.ts';
import { readRoute } from '../../route.ts';

export const listMembersRoute = readRoute(listMembers, async ({ actor, role, reader }) => ({
  status: 200,
  value: {
    members: await reader.team.members(actor.account_id),
    invitations: role === 'owner' ? await reader.team.invitations(actor.account_id) : [],
  },
}));
