import { createRun } from '../../../shared/contract/v1/runs.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

/** `If-Match` names the evidence that was reviewed, `If-None-Match: *` asks that the run is new. */
export const createRunRoute = writeRoute(
  createRun,
  async ({ actor, body, precondition, writer }) => {
    const { json, record, created } = await writer.runWrites.create(actor, body, precondition);
    if (precondition === 'absent' && !created) throw new Refusal('precondition_failed');
    if (created)
      writer.audit.add({
        action: 'run.created',
        object: record.run_uid,
        detail: { case_uid: record.case_uid, content_hash: record.content_hash },
      });
    return {
      status: created ? 201 : 200,
      json,
      etag: `"${record.content_hash}"`,
      ...(created && { location: `/api/v1/runs/${encodeURIComponent(record.run_uid)}` }),
      counted: { resource: record.run_uid, runs: created ? 1 : 0 },
    };
  },
);
