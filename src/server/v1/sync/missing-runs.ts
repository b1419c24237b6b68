import { missingRuns } from '../../../shared/contract/sync-runs.ts';
import { writeRoute } from '../../route.ts';

export const missingRunsRoute = writeRoute(missingRuns, async ({ actor, body, writer }) => ({
  status: 200,
  value: { missing: await writer.runs.lacking(actor.account_id, body.content_hashes) },
}));
