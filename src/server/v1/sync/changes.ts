import { changes, SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

const DEFAULT_LIMIT = 1_000;

export const changesRoute = readRoute(
  changes,
  async ({ actor, params, query, witness, reader }) => {
    const limit =
      query.limit === undefined
        ? DEFAULT_LIMIT
        : Math.min(Number(query.limit), SYNC_LIMITS.changes);
    const page = await reader.log.changes(
      actor.account_id,
      params.caseUid,
      Number(query.after),
      limit,
      witness,
    );
    const { epoch, count, sum } = page.position;
    const { from, to, chain, more } = page;
    return {
      status: 200,
      value: {
        epoch,
        from,
        to,
        n: page.changes.length,
        changes: page.changes,
        chain,
        more,
        count,
        sum,
      },
      counted: { resource: params.caseUid },
    };
  },
);
