import * as profiles from '../../shared/contract/v1/profiles.ts';
import { profileDigest } from '../../shared/domain/profile.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';

export const profilesRoutes: readonly Route[] = [
  /**
   * A version of a profile never changes, so the only precondition that can hold of a new one is
   * that there is none.
   */
  writeRoute(
    profiles.createProfile,
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
        throw new ApiError('precondition_failed');
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
  ),

  readRoute(profiles.getProfile, async ({ actor, params, query, reader }) => {
    const found = await reader.profiles.get(
      actor.account_id,
      params.profileUid,
      query.profile_version,
      query.digest,
    );
    if (found === undefined) throw new ApiError('not_found');
    return {
      status: 200,
      json: found.text,
      etag: `"${found.entry.digest}"`,
      counted: { resource: params.profileUid },
    };
  }),

  readRoute(profiles.listProfiles, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.profiles.list(actor.account_id, toPage(query), query),
  })),
];
