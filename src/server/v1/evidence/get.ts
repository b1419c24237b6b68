import { getEvidence } from '../../../shared/contract/v1/evidence.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const getEvidenceRoute = readRoute(getEvidence, async ({ actor, params, query, reader }) => {
  const { profile_uid, profile_version } = query;
  const page = await reader.evidence.page(actor.account_id, { case_uid: params.caseUid, profile_uid, profile_version }, toPage(query));
  return { status: 200, json: page.json, etag: `"${page.etag}"`, counted: { resource: params.caseUid } };
});
