import { revokeKey } from '../../../shared/contract/v1/account.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

export const revokeKeyRoute = writeRoute(revokeKey, async ({ actor, role, params, writer }) => {
  const former = await writer.keys.byId(params.keyId);
  // To whoever is not its owner, another member's key is as absent as another account's.
  if (role !== 'owner' && former?.user_id !== actor.user_id) throw new Refusal('not_found');
  const value = await writer.keyWrites.revoke(actor.account_id, params.keyId);
  if (value === undefined) throw new Refusal('not_found');
  if (former?.revoked_at === null)
    writer.audit.add({ action: 'key.revoked', object: value.key_id, detail: { name: value.name } });
  return { status: 200, value, counted: { resource: params.keyId } };
});
