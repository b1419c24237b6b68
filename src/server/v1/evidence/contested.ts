import { listContested } from '../../../shared/contract/v1/evidence.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';

export const listContestedRoute = readRoute(listContested, async ({ actor, params, query, reader }) => {
  const { profile_uid, profile_version } = query;
  const value = await reader.evidence.contested(actor.account_id, { case_uid: params.caseUid, profile_uid, profile_version }, toPage(query));
  return { status: 200, value, counted: { resource: params.caseUid } };
});
