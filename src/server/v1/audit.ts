import * as audit from '../../shared/contract/v1/audit.ts';
import { exportCase, exportTrail } from '../audit/audit-export.ts';
import { ApiError } from '../context/errors.ts';
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

  readRoute(audit.listCaseEvents, async ({ actor, role, params, query, reader }) => {
    const { account_id } = actor;
    const position = await reader.log.position(account_id, params.caseUid);
    if (position === undefined)
      throw new ApiError('not_found', { message: 'There is no such case.' });
    const asked = Math.min(Number(query.after ?? 0), position.seq);
    const { steps, to } = await reader.auditTrail.caseSteps(
      account_id,
      params.caseUid,
      asked,
      position.seq,
    );
    return {
      status: 200,
      value: { data: steps.map((step) => shownTo(role, step)), after: to, latest: position.seq },
      watched: { after: to, isEmpty: steps.length === 0 && to === position.seq },
      counted: { resource: params.caseUid },
    };
  }),

  serviceRoute(audit.exportAudit, async ({ deps, origin, now, query }) => ({
    status: 200,
    file: await exportTrail({ store: deps.store, by: origin, now, format: query.format ?? 'json' }),
  })),

  readRoute(audit.listAudit, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.auditTrail.list(actor.account_id, toPage(query)),
  })),
];
