import * as audit from '../../shared/contract/v1/audit.ts';
import { exportCase, exportTrail } from '../audit/audit-export.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, serviceRoute } from '../http/route.ts';
import { shownTo } from './shown-keys.ts';

export const auditRoutes: readonly Route[] = [
  serviceRoute(
    audit.exportCaseAudit,
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
  ),

  serviceRoute(audit.exportAudit, async ({ deps, origin, now, query }) => ({
    status: 200,
    file: await exportTrail({ store: deps.store, by: origin, now, format: query.format ?? 'json' }),
  })),

  readRoute(audit.listAudit, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.auditTrail.list(actor.account_id, toPage(query)),
  })),
];
