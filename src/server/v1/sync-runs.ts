import * as syncRuns from '../../shared/contract/sync-runs.ts';
import { SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { ApiError } from '../context/errors.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';

export const syncRunsRoutes: readonly Route[] = [
  readRoute(syncRuns.getBlob, async ({ actor, params, reader }) => {
    const blob = await reader.runs.blob(actor.account_id, params.sha256);
    if (blob === undefined) throw new ApiError('not_found');
    return { status: 200, value: { blob } };
  }),

  readRoute(syncRuns.getBlobs, async ({ actor, query, reader }) => ({
    status: 200,
    value: {
      blobs: (
        await reader.runs.blobs(actor.account_id, query.names.split(','), SYNC_LIMITS.bytes)
      ).map(([sha256, blob]) => ({ sha256, blob })),
    },
  })),

  writeRoute(syncRuns.missingBlobs, async ({ actor, body, writer }) => ({
    status: 200,
    value: { missing: await writer.runs.missingBlobs(actor.account_id, body.names) },
  })),

  writeRoute(syncRuns.missingRuns, async ({ actor, body, writer }) => ({
    status: 200,
    value: { missing: await writer.runs.lacking(actor.account_id, body.content_hashes) },
  })),

  writeRoute(syncRuns.putBlob, async ({ actor, params, body, writer }) => {
    const { sha256 } = params;
    const added = await writer.runWrites.putBlobs(actor.account_id, [[sha256, body.blob]]);
    return { status: added > 0 ? 201 : 200, value: { sha256, size: Buffer.byteLength(body.blob) } };
  }),

  writeRoute(syncRuns.putBlobs, async ({ actor, body, writer }) => ({
    status: 200,
    value: {
      added: await writer.runWrites.putBlobs(
        actor.account_id,
        body.blobs.map(({ sha256, blob }) => [sha256, blob]),
      ),
    },
  })),

  writeRoute(syncRuns.putRun, async ({ actor, params, body, writer }) => {
    const { run_uid } = body.run;
    const { created, reproduced } = await writer.runWrites.receive(
      actor.account_id,
      params.contentHash,
      body.manifest,
      body.run,
      actor,
      body.recorders,
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
  }),
];
