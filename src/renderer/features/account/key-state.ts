import type { ApiKey } from '../../../shared/contract/v1/account.ts';

export type KeyState = 'active' | 'paused' | 'expired' | 'revoked';

type Dated = Pick<ApiKey, 'revoked_at' | 'expires_at' | 'paused_at'>;

/** `now` in ms since 1970. */
export function keyState(key: Dated, now: number): KeyState {
  if (key.revoked_at !== null) return 'revoked';
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return 'expired';
  return key.paused_at === null ? 'active' : 'paused';
}

/** Working keys first, newest first within each group. */
export function orderKeys<K extends Dated & Pick<ApiKey, 'created_at'>>(
  keys: readonly K[],
  now: number,
): K[] {
  const rank = (key: K) => (['active', 'paused'].includes(keyState(key, now)) ? 0 : 1);
  return keys.toSorted((a, b) => rank(a) - rank(b) || b.created_at.localeCompare(a.created_at));
}

/** A first call that works as it is pasted into a shell. */
export function curlExample(serverUrl: string, key: string): string {
  return `curl -s "${serverUrl}/api/v1/projects" \\\n  -H "Authorization: Bearer ${key}"`;
}
