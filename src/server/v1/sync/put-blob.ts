import { putBlob } from '../../../shared/contract/sync-runs.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const putBlobRoute = writeRoute(putBlob, async ({ actor, params, body, deps, writer }) => {
  const { sha256 } = params;
  if (deps.hasher.sha256Hex(body.blob) !== sha256) throw new Refusal('hash_mismatch');
  const added = await writer.runWrites.putBlobs(actor.account_id, new Map([[sha256, body.blob]]));
  return { status: added > 0 ? 201 : 200, value: { sha256, size: Buffer.byteLength(body.blob) } };
});
