import { getCaseDocument } from '../../../shared/contract/v1/profile-documents.ts';
import { readRoute } from '../../route.ts';

export const getCaseDocumentRoute = readRoute(
  getCaseDocument,
  async ({ actor, params, query, reader }) => ({
    status: 200,
    value: await reader.cases.document(
      actor.account_id,
      params.caseUid,
      query.profile_uid,
      query.profile_version,
    ),
    counted: { resource: params.caseUid },
  }),
);
