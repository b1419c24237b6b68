import { exportAudit } from '../../../shared/contract/v1/audit.ts';
import { exportTrail } from '../../audit-export.ts';
import { serviceRoute } from '../../route.ts';

export const exportAuditRoute = serviceRoute(exportAudit, async ({ deps, origin, now, query }) => ({
  status: 200,
  file: await exportTrail({ store: deps.store, by: origin, now, format: query.format ?? 'json' }),
}));
