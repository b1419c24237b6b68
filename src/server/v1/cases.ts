import * as activity from '../../shared/contract/v1/activity.ts';
import * as cases from '../../shared/contract/v1/cases.ts';
import * as profileDocuments from '../../shared/contract/v1/profile-documents.ts';
import * as search from '../../shared/contract/v1/search.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { versionTag } from '../http/preconditions.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { caseUidsOf } from '../../shared/contract/v1/cases.ts';

export const casesRoutes: readonly Route[] = [
  readRoute(cases.listContestedMatrices, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.cases.contested(
      actor.account_id,
      { project_id: query.project_id, cases: query.case_uid && caseUidsOf(query.case_uid) },
      toPage(query),
    ),
  })),

  readRoute(cases.listDeletedCases, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.cases.deleted(
      actor.account_id,
      { project_id: query.project_id },
      toPage(query),
    ),
  })),

  readRoute(profileDocuments.getCaseDocument, async ({ actor, params, query, reader }) => ({
    status: 200,
    value: await reader.cases.document(
      actor.account_id,
      params.caseUid,
      query.profile_uid,
      query.profile_version,
    ),
    counted: { resource: params.caseUid },
  })),

  readRoute(cases.listCases, async ({ actor, query, reader }) => {
    const list = query.progress === 'true' ? reader.cases.listWithProgress : reader.cases.list;
    const filter = { ...query, project_id: query.project_id };
    return { status: 200, value: await list(actor.account_id, filter, toPage(query)) };
  }),

  readRoute(activity.listActivity, async ({ actor, query, reader }) => ({
    status: 200,
    value: { data: await reader.cases.activity(actor.account_id, query.since, query.kind) },
  })),

  readRoute(search.search, async ({ actor, query, reader }) => ({
    status: 200,
    value: { data: await reader.cases.search(actor.account_id, query.q) },
  })),

  readRoute(cases.getCase, async ({ actor, params, reader }) => {
    const found = await reader.cases.get(actor.account_id, params.caseUid);
    if (found === undefined) throw new ApiError('not_found', { message: 'There is no such case.' });
    return {
      status: 200,
      value: found,
      etag: versionTag(found.version),
      counted: { resource: found.case_uid },
    };
  }),

  writeRoute(profileDocuments.settleCaseDocument, async ({ actor, params, body, writer }) => {
    const value = await writer.caseWrites.settleDocument(actor, params.caseUid, body);
    writer.audit.add({
      action: 'profile.settled',
      object: params.caseUid,
      detail: { ...value, reason: body.reason },
    });
    return { status: 200, value, counted: { resource: params.caseUid } };
  }),

  writeRoute(cases.upsertCase, async ({ actor, body, precondition, writer }) => {
    const { record, created, renamed } = await writer.caseWrites.upsert(actor, body, precondition);
    if (renamed === true)
      writer.audit.add({
        action: 'case.renamed',
        object: record.case_uid,
        detail: { reason: body.reason ?? null },
      });
    return {
      status: created ? 201 : 200,
      value: record,
      etag: versionTag(record.version),
      ...(created && { location: `/api/v1/cases/${encodeURIComponent(record.case_uid)}` }),
      counted: { resource: record.case_uid },
    };
  }),
];
