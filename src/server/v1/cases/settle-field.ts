import { settleField } from '../../../shared/contract/v1/evidence.ts';
import { writeRoute } from '../../route.ts';

export const settleFieldRoute = writeRoute(
  settleField,
  async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.caseWrites.settle(actor, params.caseUid, body),
    counted: { resource: params.caseUid },
  }),
);
