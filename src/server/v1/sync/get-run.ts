import { getRunManifest } from '../../../shared/contract/sync-runs.ts';
import { Refusal } from '../../errors.ts';
import { readRoute } from '../../route.ts';

export const getRunManifestRoute = readRoute(
  getRunManifest,
  async ({ actor, params, query, reader }) => {
    const found = await reader.runs.describe(actor.account_id, params.contentHash, {
      run_uid: query.run_uid,
      verify: query.verify !== undefined,
    });
    if (found === undefined) throw new Refusal('not_found');
    return { status: 200, value: found };
  },
);
