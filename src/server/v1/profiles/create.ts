import { createProfile } from '../../../shared/contract/v1/profiles.ts';
import { profileDigest } from '../../../shared/domain/profile.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

/**
 * A version of a profile never changes, so the only precondition that can hold of a new one is that
 * there is none.
 */
export const createProfileRoute = writeRoute(
  createProfile,
  async ({ actor, role, body, text, precondition, writer, deps }) => {
    const mayPublish = deps.operatorOnly.publishing
      ? 'operator'
      : actor.kind === 'human' && role === 'owner';
    const { record, created, published } = await writer.profileWrites.create(
      actor,
      body,
      text,
      mayPublish,
    );
    if (precondition !== undefined && !(precondition === 'absent' && created))
      throw new Refusal('precondition_failed');
    if (published)
      writer.audit.add({
        action: 'profile.published',
        object: body.profileUid,
        detail: { version: body.version, digest: profileDigest(body, deps.hasher) },
      });
    return {
      status: created ? 201 : 200,
      json: record,
      ...(created && {
        location: `/api/v1/profiles/${body.profileUid}?profile_version=${body.version}`,
      }),
      counted: { resource: body.profileUid },
    };
  },
);
