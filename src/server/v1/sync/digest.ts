import { logDigest } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

const DEFAULT_BUCKETS = 256;

export const digestRoute = readRoute(logDigest, async ({ actor, params, query, reader, deps }) => {
  const { seq, buckets } = await reader.log.digest(
    actor.account_id,
    params.caseUid,
    query.buckets === undefined ? DEFAULT_BUCKETS : Number(query.buckets),
  );
  return {
    status: 200,
    value: { epoch: deps.store.epoch, seq, buckets },
    counted: { resource: params.caseUid },
  };
});
