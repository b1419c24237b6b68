import { listContestedFields } from '../../../shared/contract/v1/evidence.ts';
import { readRoute } from '../../route.ts';
import { shownTo } from '../evidence/key-ids.ts';

export const listContestedFieldsRoute = readRoute(
  listContestedFields,
  async ({ actor, role, params, reader }) => ({
    status: 200,
    value: {
      fields: (await reader.cases.contestedFields(actor.account_id, params.caseUid)).map(
        (field) => ({ ...field, heads: field.heads.map((head) => shownTo(role, head)) }),
      ),
    },
    counted: { resource: params.caseUid },
  }),
);
