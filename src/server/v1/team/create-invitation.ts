import { createInvitation } from '../../../shared/contract/v1/team.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { INVITATION_LIFE, invite } from '../../auth/invite.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const createInvitationRoute = writeRoute(
  createInvitation,
  async ({ actor, body, deps, writer, ...call }) => {
    if (deps.home !== 'hosted')
      throw new Refusal('conflict', {
        message: 'Only a hosted server takes invitations: this studio is for one person.',
      });
    await requireConfirmed(writer, call, actor.user_id);
    const { role, name = null } = body;
    const expires_at = new Date(call.now + INVITATION_LIFE).toISOString();
    const value = await invite(writer, deps, deps.url, {
      account_id: actor.account_id,
      role,
      name,
      user_id: null,
      created_by: actor.user_id,
      expires_at,
    });
    writer.audit.add({
      action: 'invitation.created',
      object: value.invitation.invitation_id,
      detail: { role, name, expires_at },
    });
    return { status: 201, value, location: '/account', unrepeatable: true };
  },
  { changesMembers: true },
);
