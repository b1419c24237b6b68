import { missing } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const missingRoute = readRoute(missing, async ({ actor, params, body, reader }) => ({
  status: 200, value: { missing: await reader.log.missing(actor.account_id, params.caseUid, body.ids) }, counted: { resource: params.caseUid },
}));
