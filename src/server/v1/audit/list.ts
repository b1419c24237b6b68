import { listAudit } from '../../../shared/contract/v1/audit.ts';
import { Refusal } from '../../errors.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listAuditRoute = readRoute(listAudit, async ({ actor, role, query, reader }) => {
  if (role !== 'owner') throw new Refusal('insufficient_scope', { message: 'The audit trail is for owners of the account.' });
  return { status: 200, value: await reader.auditTrail.list(actor.account_id, toPage(query)) };
});
