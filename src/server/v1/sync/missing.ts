import { missing } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const missingRoute = readRoute(missing, async ({ actor, params, body, witness, reader }) => {
  const found = await reader.log.missing(actor.account_id, params.caseUid, body.ids, witness);
  return {
    status: 200,
    value: { missing: found.missing, ...found.position },
    counted: { resource: params.caseUid },
  };
});
