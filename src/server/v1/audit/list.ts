import { listAudit } from '../../../shared/contract/v1/audit.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listAuditRoute = readRoute(listAudit, async ({ actor, query, reader }) => ({
  status: 200,
  value: await reader.auditTrail.list(actor.account_id, toPage(query)),
}));
