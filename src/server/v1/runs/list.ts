import { listRuns } from '../../../shared/contract/v1/runs.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';
import { senderShownTo } from '../evidence/key-ids.ts';

export const listRunsRoute = readRoute(listRuns, async ({ actor, role, query, reader }) => {
  const { case_uid, project_id, profile_uid } = query;
  const { data, next_cursor } = await reader.runs.list(
    actor.account_id,
    { case_uid, project_id, profile_uid },
    toPage(query),
  );
  return {
    status: 200,
    value: {
      data: data.map(({ sent_by, ...run }) => ({
        ...run,
        ...(sent_by && { sent_by: senderShownTo(role, sent_by) }),
      })),
      next_cursor,
    },
  };
});
