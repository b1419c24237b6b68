import { decideProfileCollision } from '../../../shared/contract/v1/profile-documents.ts';
import { writeRoute } from '../../route.ts';

export const decideProfileCollisionRoute = writeRoute(
  decideProfileCollision,
  async ({ actor, body, writer }) => {
    const { profile_uid, profile_version, digest, decision, reason } = body;
    await writer.profileWrites.decide(actor, body);
    writer.audit.add({
      action: 'profile.decided',
      object: profile_uid,
      detail: { version: profile_version, digest, decision, reason },
    });
    return {
      status: 200,
      value: { profile_uid, profile_version, digest, decision },
      counted: { resource: profile_uid },
    };
  },
);
