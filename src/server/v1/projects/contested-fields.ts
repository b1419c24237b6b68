import { listContestedProjectFields } from '../../../shared/contract/v1/projects.ts';
import { readRoute } from '../../route.ts';

export const listContestedProjectFieldsRoute = readRoute(listContestedProjectFields, async ({ actor, params, reader }) => ({
  status: 200,
  value: { fields: await reader.projects.contestedFields(actor.account_id, params.projectId) },
  counted: { resource: params.projectId },
}));
