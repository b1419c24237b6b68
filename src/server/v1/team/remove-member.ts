import { removeMember } from '../../../shared/contract/v1/team.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { writeRoute } from '../../route.ts';

export const removeMemberRoute = writeRoute(
  removeMember,
  async ({ actor, params, writer, ...call }) => {
    await requireConfirmed(writer, call, actor.user_id);
    const value = await writer.teamWrites.remove(actor.account_id, params.userId);
    writer.audit.add({
      action: 'member.removed',
      object: value.user_id,
      detail: { name: value.name, role: value.role },
    });
    return { status: 200, value };
  },
  { endsCaller: true, changesMembers: true },
);
