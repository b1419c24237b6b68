import { listWriters } from '../../../shared/contract/v1/evidence.ts';
import { readRoute } from '../../route.ts';

export const listWritersRoute = readRoute(listWriters, async ({ actor, params, body, reader }) => ({
  status: 200,
  value: { writers: await reader.evidence.writers(actor.account_id, params.caseUid, body.entries) },
  counted: { resource: params.caseUid },
}));
