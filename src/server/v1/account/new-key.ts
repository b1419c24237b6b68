import type { z } from 'zod';
import type { CreatedKey, Scope, StudioKeyInput } from '../../../shared/contract/v1/account.ts';
import { requireConfirmed } from '../../auth/confirmed.ts';
import { keyMac, mintKey } from '../../auth/keys.ts';
import type { Result, WriteCall } from '../../route.ts';

const DAY = 86_400_000;

/**
 * Makes a key of the caller's. Throws password_needed where the person has not given theirs lately.
 */
export async function newKey(
  { actor, session, deps, now, writer }: WriteCall,
  input: z.output<typeof StudioKeyInput>,
  scopes: readonly Scope[],
  limit: readonly string[] | null,
): Promise<Result<z.input<typeof CreatedKey>>> {
  await requireConfirmed(writer, { session, now }, actor.user_id);
  const { key, key_id, prefix } = mintKey(deps.random);
  const days = input.expires_days ?? null;
  const stored = await writer.keyWrites.create({
    key_id,
    prefix,
    account_id: actor.account_id,
    user_id: actor.user_id,
    name: input.name,
    scopes: [...new Set(scopes)],
    projects: limit,
    expires_at: days === null ? null : new Date(now + days * DAY).toISOString(),
    mac: keyMac(key, deps.pepper),
  });
  const { name, projects, expires_at } = stored;
  writer.audit.add({
    action: 'key.created',
    object: key_id,
    detail: { name, scopes: stored.scopes, expires_at, ...(projects !== null && { projects }) },
  });
  return {
    status: 201,
    value: { ...stored, key },
    location: '/account',
    unrepeatable: true,
    counted: { resource: key_id },
  };
}
