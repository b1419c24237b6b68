import { missingBlobs } from '../../../shared/contract/sync-runs.ts';
import { writeRoute } from '../../route.ts';

export const missingBlobsRoute = writeRoute(missingBlobs, async ({ actor, body, writer }) => ({
  status: 200,
  value: { missing: await writer.runs.missingBlobs(actor.account_id, body.names) },
}));
