import { revokeKey } from '../../../shared/contract/v1/account.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const revokeKeyRoute = writeRoute(revokeKey, async ({ actor, params, writer }) => {
  const former = await writer.keys.byId(params.keyId);
  const value = await writer.keyWrites.revoke(actor.account_id, params.keyId);
  if (value === undefined) throw new Refusal('not_found');
  if (former?.revoked_at === null) writer.audit.add({ action: 'key.revoked', object: value.key_id, detail: { name: value.name } });
  return { status: 200, value, counted: { resource: params.keyId } };
});
