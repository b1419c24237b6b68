import { syncCases } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const syncCasesRoute = readRoute(syncCases, async ({ actor, role, query, reader, deps, isFresh }) => {
  const { epoch } = deps.store;
  const etag = `"${epoch}-${await reader.log.moved(actor.account_id)}-${role}"`;
  if (isFresh(etag)) return { status: 200, etag, json: '' };
  return { status: 200, etag, value: { epoch, role, ...(await reader.log.positions(actor.account_id, query.after)) } };
});
