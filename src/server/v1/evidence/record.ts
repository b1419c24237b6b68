import { recordEvidence } from '../../../shared/contract/v1/evidence.ts';
import { writeRoute } from '../../route.ts';

export const recordEvidenceRoute = writeRoute(
  recordEvidence,
  async ({ actor, params, body, precondition, writer }) => {
    const receipt = await writer.evidenceWrites.record(
      actor,
      {
        case_uid: params.caseUid,
        profile_uid: body.profile_uid,
        profile_version: body.profile_version,
        items: body.items ?? [],
        outcomes: body.outcomes ?? [],
        reason: body.reason,
        on_conflict: body.on_conflict,
        itemPath: (index) => `/items/${index}`,
        outcomePath: (index) => `/outcomes/${index}`,
      },
      precondition,
    );
    return {
      status: 200,
      value: receipt,
      counted: { resource: receipt.case_uid, cells_written: receipt.outcomes_written },
    };
  },
);
