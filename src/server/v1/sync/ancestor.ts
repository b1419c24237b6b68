import { ancestor } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const ancestorRoute = readRoute(ancestor, async ({ actor, params, body, reader, deps }) => {
  const { seq, chain } = await reader.log.ancestor(actor.account_id, params.caseUid, body.points);
  return {
    status: 200,
    value: { epoch: deps.store.epoch, seq, chain },
    counted: { resource: params.caseUid },
  };
});
