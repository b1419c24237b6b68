import { push } from '../../../shared/contract/sync.ts';
import { writeRoute } from '../../route.ts';

export const pushRoute = writeRoute(push, async ({ actor, params, body, witness, writer }) => {
  const { results, position } = await writer.log.push(actor, params.caseUid, body.changes, witness);
  return { status: 200, value: { results, ...position }, counted: { resource: params.caseUid } };
});
