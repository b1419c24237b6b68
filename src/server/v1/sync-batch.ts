import { batch, BATCHED } from '../../shared/contract/sync-batch.ts';
import { batchRoute, type ReadRoute, type Route, type WriteRoute } from '../http/route.ts';
import { syncRoutes } from './sync.ts';

const stored = syncRoutes.filter((route): route is ReadRoute | WriteRoute =>
  ['read', 'write'].includes(route.kind),
);

/** The route of each operation that a batch may name. */
const operations = new Map(
  Object.entries(BATCHED).map(([name, endpoint]) => {
    const route = stored.find((one) => one.endpoint === endpoint);
    if (route === undefined) throw new TypeError(`There is no route of ${endpoint.id}.`);
    return [name, route] as const;
  }),
);

export const syncBatchRoutes: readonly Route[] = [batchRoute(batch, operations)];
