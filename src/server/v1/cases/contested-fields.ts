import { listContestedFields } from '../../../shared/contract/v1/evidence.ts';
import { readRoute } from '../../route.ts';

export const listContestedFieldsRoute = readRoute(listContestedFields, async ({ actor, params, reader }) => ({
  status: 200,
  value: { fields: await reader.cases.contestedFields(actor.account_id, params.caseUid) },
  counted: { resource: params.caseUid },
}));
