import { exportCaseAudit } from '../../../shared/contract/v1/audit.ts';
import { exportCase } from '../../audit-export.ts';
import { serviceRoute } from '../../route.ts';
import { shownTo } from '../evidence/key-ids.ts';

export const exportCaseAuditRoute = serviceRoute(
  exportCaseAudit,
  async ({ deps, origin, role, credential, now, params, query }) => ({
    status: 200,
    file: await exportCase(
      { store: deps.store, by: origin, now, format: query.format ?? 'json' },
      params.caseUid,
      credential,
      (step) => shownTo(role, step),
    ),
    counted: { resource: params.caseUid },
  }),
);
