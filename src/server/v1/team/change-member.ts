import { changeMember } from '../../../shared/contract/v1/team.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { writeRoute } from '../../route.ts';

export const changeMemberRoute = writeRoute(
  changeMember,
  async ({ actor, params, body, writer, ...call }) => {
    await requireConfirmed(writer, call, actor.user_id);
    const { former, member } = await writer.teamWrites.changeRole(
      actor.account_id,
      params.userId,
      body.role,
    );
    if (former.role !== member.role)
      writer.audit.add({
        action: 'member.role_changed',
        object: member.user_id,
        detail: { from: former.role, to: member.role },
      });
    return { status: 200, value: member };
  },
  { endsCaller: true, changesMembers: true },
);
