import { getRun } from '../../../shared/contract/v1/runs.ts';
import { Refusal } from '../../errors.ts';
import { readRoute } from '../../route.ts';
import { seesKeys } from '../evidence/key-ids.ts';

export const getRunRoute = readRoute(getRun, async ({ actor, role, params, query, reader }) => {
  const found = await reader.runs.get(
    actor.account_id,
    params.runUid,
    query.content_hash,
    seesKeys(role),
  );
  if (found === undefined)
    throw new Refusal(
      (await reader.runs.awaited(actor.account_id, { run_uid: params.runUid })).length > 0
        ? 'not_here_yet'
        : 'not_found',
    );
  return {
    status: 200,
    json: found.json,
    etag: `"${found.record.content_hash}"`,
    counted: { resource: params.runUid },
  };
});
