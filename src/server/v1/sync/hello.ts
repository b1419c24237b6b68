import { FEATURES, hello, PROTOCOL, SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import { SCHEMA_VERSION } from '../../../sync/change.ts';
import { readRoute } from '../../route.ts';

export const helloRoute = readRoute(hello, async ({ deps, now, actor, reach, relays }) => ({
  status: 200,
  value: {
    protocol: { min: PROTOCOL, max: PROTOCOL },
    store: deps.store.storeId,
    epoch: deps.store.epoch,
    time: new Date(now).toISOString(),
    limits: { ...SYNC_LIMITS },
    features: [...FEATURES],
    version: deps.version,
    schema: SCHEMA_VERSION,
    user: { user_id: actor.user_id, name: actor.user_name, role: reach },
    studio: relays,
  },
}));
