import { settleProjectField } from '../../../shared/contract/v1/projects.ts';
import { writeRoute } from '../../route.ts';

export const settleProjectFieldRoute = writeRoute(
  settleProjectField,
  async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.projectWrites.settle(actor, params.projectId, body),
    counted: { resource: params.projectId },
  }),
);
