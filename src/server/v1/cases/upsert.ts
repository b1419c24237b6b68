import { upsertCase } from '../../../shared/contract/v1/cases.ts';
import { versionTag } from '../../http/preconditions.ts';
import { writeRoute } from '../../route.ts';

export const upsertCaseRoute = writeRoute(
  upsertCase,
  async ({ actor, body, precondition, writer }) => {
    const { record, created } = await writer.caseWrites.upsert(actor, body, precondition);
    return {
      status: created ? 201 : 200,
      value: record,
      etag: versionTag(record.version),
      ...(created && { location: `/studio/cases/${encodeURIComponent(record.case_uid)}` }),
      counted: { resource: record.case_uid },
    };
  },
);
