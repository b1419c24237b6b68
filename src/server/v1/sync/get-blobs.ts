import { SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import { getBlobs } from '../../../shared/contract/sync-runs.ts';
import { readRoute } from '../../route.ts';

export const getBlobsRoute = readRoute(getBlobs, async ({ actor, query, reader }) => ({
  status: 200,
  value: {
    blobs: (
      await reader.runs.blobs(actor.account_id, query.names.split(','), SYNC_LIMITS.bytes)
    ).map(([sha256, blob]) => ({ sha256, blob })),
  },
}));
