import { letKeySync } from '../../../shared/contract/v1/account.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

/** An explicit act of a person: from then on the key brings what others wrote in its studio. */
export const letKeySyncRoute = writeRoute(
  letKeySync,
  async ({ actor, role, session, now, params, writer }) => {
    const former = await writer.keys.byId(params.keyId);
    if (
      former?.account_id !== actor.account_id ||
      (role !== 'owner' && former.user_id !== actor.user_id)
    )
      throw new Refusal('not_found');
    if (former.revoked_at !== null)
      throw new Refusal('conflict', { message: 'This key has been revoked.' });
    if (former.projects !== null)
      throw new Refusal('conflict', {
        message: 'This key is limited to projects, and a studio exchanges more than those.',
      });
    await requireConfirmed(writer, { session, now }, actor.user_id);
    const value = await writer.keyWrites.letSync(actor.account_id, params.keyId);
    if (!former.scopes.includes('sync'))
      writer.audit.add({
        action: 'key.let_sync',
        object: value.key_id,
        detail: { name: value.name, user_id: former.user_id },
      });
    return { status: 200, value, counted: { resource: params.keyId } };
  },
  { changesMembers: true },
);
