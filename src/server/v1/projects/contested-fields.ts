import { listContestedProjectFields } from '../../../shared/contract/v1/projects.ts';
import { readRoute } from '../../route.ts';
import { shownTo } from '../evidence/key-ids.ts';

export const listContestedProjectFieldsRoute = readRoute(
  listContestedProjectFields,
  async ({ actor, role, params, reader }) => ({
    status: 200,
    value: {
      fields: (await reader.projects.contestedFields(actor.account_id, params.projectId)).map(
        (field) => ({ ...field, heads: field.heads.map((head) => shownTo(role, head)) }),
      ),
    },
    counted: { resource: params.projectId },
  }),
);
