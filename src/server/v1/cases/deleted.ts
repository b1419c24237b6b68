import { listDeletedCases } from '../../../shared/contract/v1/cases.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listDeletedCasesRoute = readRoute(
  listDeletedCases,
  async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.cases.deleted(
      actor.account_id,
      { project_id: query.project_id },
      toPage(query),
    ),
  }),
);
