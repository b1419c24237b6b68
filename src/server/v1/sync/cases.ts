import { syncCases } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const syncCasesRoute = readRoute(
  syncCases,
  async ({ actor, reach, relays, query, reader, deps, isFresh }) => {
    const { epoch } = deps.store;
    // 132 bits of the mark are enough to tell two apart, and an idle studio sends them every
    // minute.
    const etag = `"${epoch}-${(await reader.log.moved(actor.account_id)).slice(0, 22)}-${reach}${relays ? '-studio' : ''}"`;
    if (isFresh(etag)) return { status: 200, etag, json: '' };
    return {
      status: 200,
      etag,
      value: {
        epoch,
        role: reach,
        studio: relays,
        ...(await reader.log.positions(actor.account_id, query.after)),
      },
    };
  },
);
