import { putRun } from '../../../shared/contract/sync-runs.ts';
import { writeRoute } from '../../route.ts';

export const putRunRoute = writeRoute(putRun, async ({ actor, params, body, writer }) => {
  const { run_uid } = body.run;
  const { created, reproduced } = await writer.runWrites.receive(
    actor.account_id,
    params.contentHash,
    body.manifest,
    body.run,
    actor,
  );
  if (created)
    writer.audit.add({
      action: 'run.received',
      object: run_uid,
      detail: { content_hash: params.contentHash, reproduced },
    });
  return {
    status: created ? 201 : 200,
    value: { run_uid, content_hash: params.contentHash, reproduced },
    counted: { resource: run_uid, runs: created ? 1 : 0 },
  };
});
