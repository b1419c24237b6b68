import { settleCaseDocument } from '../../../shared/contract/v1/profile-documents.ts';
import { writeRoute } from '../../route.ts';

export const settleCaseDocumentRoute = writeRoute(
  settleCaseDocument,
  async ({ actor, params, body, writer }) => {
    const value = await writer.caseWrites.settleDocument(actor, params.caseUid, body);
    writer.audit.add({
      action: 'profile.settled',
      object: params.caseUid,
      detail: { ...value, reason: body.reason },
    });
    return { status: 200, value, counted: { resource: params.caseUid } };
  },
);
