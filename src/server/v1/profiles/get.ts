import { getProfile } from '../../../shared/contract/v1/profiles.ts';
import { Refusal } from '../../errors.ts';
import { readRoute } from '../../route.ts';

export const getProfileRoute = readRoute(getProfile, async ({ actor, params, query, reader }) => {
  const found = await reader.profiles.get(
    actor.account_id,
    params.profileUid,
    query.profile_version,
    query.digest,
  );
  if (found === undefined) throw new Refusal('not_found');
  return {
    status: 200,
    json: found.text,
    etag: `"${found.entry.digest}"`,
    counted: { resource: params.profileUid },
  };
});
