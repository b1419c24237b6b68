import { listRuns } from '../../../shared/contract/v1/runs.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listRunsRoute = readRoute(listRuns, async ({ actor, query, reader }) => {
  const { case_uid, project_id, profile_uid } = query;
  return { status: 200, value: await reader.runs.list(actor.account_id, { case_uid, project_id, profile_uid }, toPage(query)) };
});
