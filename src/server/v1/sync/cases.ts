import { syncCases } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const syncCasesRoute = readRoute(syncCases, async ({ actor, query, reader }) => ({ status: 200, value: await reader.log.positions(actor.account_id, query.after) }));
