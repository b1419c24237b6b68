import * as profileDocuments from '../../shared/contract/v1/profile-documents.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';

export const profileCollisionsRoutes: readonly Route[] = [
  writeRoute(profileDocuments.decideProfileCollision, async ({ actor, body, writer }) => {
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
  }),

  readRoute(profileDocuments.listProfileCollisions, async ({ actor, reader }) => ({
    status: 200,
    value: { data: await reader.profiles.collisions(actor.account_id), next_cursor: null },
  })),
];
