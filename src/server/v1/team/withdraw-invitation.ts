import { withdrawInvitation } from '../../../shared/contract/v1/team.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const withdrawInvitationRoute = writeRoute(
  withdrawInvitation,
  async ({ actor, params, writer }) => {
    const value = await writer.teamWrites.withdraw(actor.account_id, params.invitationId);
    if (value === undefined) throw new Refusal('not_found');
    writer.audit.add({
      action: 'invitation.revoked',
      object: value.invitation_id,
      detail: { role: value.role, name: value.name },
    });
    return { status: 200, value };
  },
);
