import { createKey } from '../../../shared/contract/v1/account.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { keyMac, mintKey } from '../../auth/keys.ts';
import { Refusal } from '../../errors.ts';
import { writeRoute } from '../../route.ts';

const DAY = 86_400_000;

export const createKeyRoute = writeRoute(
  createKey,
  async ({ actor, role, session, body, deps, now, writer }) => {
    if (role === 'viewer' && body.scopes.includes('write')) throw new Refusal('read_only_role');
    await requireConfirmed(writer, { session, now }, actor.user_id);
    const { key, key_id, prefix } = mintKey(deps.random);
    const days = body.expires_days ?? null;
    const stored = await writer.keyWrites.create({
      key_id,
      prefix,
      account_id: actor.account_id,
      user_id: actor.user_id,
      name: body.name,
      scopes: [...new Set(body.scopes)],
      expires_at: days === null ? null : new Date(now + days * DAY).toISOString(),
      mac: keyMac(key, deps.pepper),
    });
    writer.audit.add({ action: 'key.created', object: key_id, detail: { name: stored.name, scopes: stored.scopes, expires_at: stored.expires_at } });
    return { status: 201, value: { ...stored, key }, location: '/account', unrepeatable: true, counted: { resource: key_id } };
  },
  { changesMembers: true },
);
