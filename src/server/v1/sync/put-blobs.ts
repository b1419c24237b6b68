import { putBlobs } from '../../../shared/contract/sync-runs.ts';
import { writeRoute } from '../../route.ts';

export const putBlobsRoute = writeRoute(putBlobs, async ({ actor, body, writer }) => ({
  status: 200,
  value: {
    added: await writer.runWrites.putBlobs(
      actor.account_id,
      body.blobs.map(({ sha256, blob }) => [sha256, blob]),
    ),
  },
}));
