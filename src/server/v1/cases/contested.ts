import { listContestedMatrices } from '../../../shared/contract/v1/cases.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listContestedMatricesRoute = readRoute(
  listContestedMatrices,
  async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.cases.contested(
      actor.account_id,
      { project_id: query.project_id },
      toPage(query),
    ),
  }),
);
