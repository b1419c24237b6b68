import { getBlob } from '../../../shared/contract/sync-runs.ts';
import { Refusal } from '../../errors.ts';
import { readRoute } from '../../route.ts';

export const getBlobRoute = readRoute(getBlob, async ({ actor, params, reader }) => {
  const blob = await reader.runs.blob(actor.account_id, params.sha256);
  if (blob === undefined) throw new Refusal('not_found');
  return { status: 200, value: { blob } };
});
