import { putBlob } from '../../../shared/contract/sync-runs.ts';
import { writeRoute } from '../../route.ts';

export const putBlobRoute = writeRoute(putBlob, async ({ actor, params, body, writer }) => {
  const { sha256 } = params;
  const added = await writer.runWrites.putBlobs(actor.account_id, [[sha256, body.blob]]);
  return { status: added > 0 ? 201 : 200, value: { sha256, size: Buffer.byteLength(body.blob) } };
});
